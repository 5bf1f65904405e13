"""Curves of training logs as a view draws them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

from studio.formats.training_log import LOSS, Series, TrainingLog, read_training_log

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from studio.kernel.job_context import JobContext


@dataclass(frozen=True, slots=True)
class Logs:
    """The log of a run, that of the run it is compared with if there is one, and further runs."""

    candidate: TrainingLog
    """All its files together, when it was resumed in another file."""
    base: TrainingLog | None
    others: tuple[TrainingLog, ...] = ()
    """Further runs, compared with the base too."""
    parts: tuple[TrainingLog, ...] = ()
    """The files of the candidate in the order of the run, when there are several."""

    def series(self) -> list[str]:
        """The names of what the candidate logged, the loss first."""
        return sorted(self.candidate.series, key=lambda name: (name != LOSS, name))

    def runs(self) -> Iterator[tuple[str, TrainingLog]]:
        """Yield all runs with a key: "base" first, "candidate", then "run 1" and so on."""
        if self.base is not None:
            yield "base", self.base
        yield "candidate", self.candidate
        for number, log in enumerate(self.others, 1):
            yield f"run {number}", log

    def labels(self) -> dict[str, str]:
        """The names of the runs by key; with their folders where files are called the same."""
        paths = {key: log.path for key, log in self.runs()}
        names = [path.name for path in paths.values()]
        return {
            key: path.name if names.count(path.name) == 1 else f"{path.parent.name}/{path.name}"
            for key, path in paths.items()
        }

    def line_of(self, name: str, step: int) -> tuple[Path, int] | None:
        """Return file and line of the value that counts for a step of the candidate."""
        for log in reversed(self.parts or (self.candidate,)):
            series = log.series.get(name)
            if series is not None and step in series.steps:
                last = len(series.steps) - 1 - series.steps[::-1].index(step)
                return log.path, series.lines[last]
        return None


def read_logs(
    path: str | Path,
    base: str | Path = "",
    job: JobContext | None = None,
    *,
    others: Sequence[str | Path] = (),
    continued: Sequence[str | Path] = (),
    base_continued: Sequence[str | Path] = (),
    pattern: str = "",
) -> Logs:
    """Read a log, the one it is compared with, and further runs.

    `continued` are the files in which the run went on after a resume, `base_continued` those of the
    base. `pattern` is for texts of another form, see `read_training_log`. Raises StudioError when
    one cannot be read.
    """

    def read(file: str | Path) -> TrainingLog:
        if job is not None:
            job.check()
        return read_training_log(Path(file), pattern)

    parts = tuple(read(file) for file in (path, *continued))
    return Logs(
        candidate=stitched(parts),
        base=stitched([read(file) for file in (base, *base_continued)]) if base else None,
        others=tuple(read(file) for file in others),
        parts=parts if len(parts) > 1 else (),
    )


def stitched(parts: Sequence[TrainingLog]) -> TrainingLog:
    """Return the logs of one run in several files as one, in the order of the run.

    Steps that a later file has again count as repeated: the last value is what the run went on
    with. The lines are those of each value's own file.
    """
    first = parts[0]
    if len(parts) == 1:
        return first
    names = dict.fromkeys(name for part in parts for name in part.series)
    series = {}
    for name in names:
        found = [part.series[name] for part in parts if name in part.series]
        series[name] = Series(
            name,
            tuple(step for one in found for step in one.steps),
            tuple(value for one in found for value in one.values),
            tuple(line for one in found for line in one.lines),
        )
    return replace(first, series=series, counted=any(part.counted for part in parts))


def smooth(values: Sequence[float], weight: float) -> list[float]:
    """Return the exponential moving average, unbiased at the start; what is not finite stays."""
    shown, total, share = [], 0.0, 0.0
    for value in values:
        if not isfinite(value):
            shown.append(value)
            continue
        total = weight * total + (1 - weight) * value
        share = weight * share + (1 - weight)
        shown.append(total / share)
    return shown
