"""Compare the series of two training logs step by step."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite, isnan
from pathlib import Path
from typing import TYPE_CHECKING

from plugins.losses.core.curves import stitched
from studio.formats.training_log import LOSS, Series, TrainingLog, read_training_log
from studio.i18n import tr
from studio.kernel.errors import StudioError

if TYPE_CHECKING:
    from collections.abc import Sequence

TOLERANCE = 0.02
"""The relative error that is still accepted."""


@dataclass(frozen=True, slots=True)
class StepRow:
    """One step of both runs. A value is None where the run did not log the step."""

    step: int
    base: float | None
    candidate: float | None
    relative_error: float | None
    """|candidate - base| / |base|; None when either is missing or not finite."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class LossComparison:
    """Two series aligned by step."""

    base: Path
    candidate: Path
    series: str
    tolerance: float
    rows: tuple[StepRow, ...]
    repeated_base: tuple[int, ...]
    """Steps logged more than once, after a resume; the last value counts."""
    repeated_candidate: tuple[int, ...]
    counted: bool
    """Whether a log has no step numbers, so that its values were counted."""

    @property
    def exit_code(self) -> int:
        """1 when a step is beyond the tolerance, or not finite in one run only."""
        return int(self.first_beyond is not None or bool(self.not_finite))

    @property
    def common(self) -> list[StepRow]:
        """The steps that both runs logged."""
        return [r for r in self.rows if r.base is not None and r.candidate is not None]

    @property
    def finite(self) -> list[StepRow]:
        """The steps that both runs logged with finite values."""
        return [row for row in self.rows if row.relative_error is not None]

    @property
    def mean_relative_error(self) -> float | None:
        """The mean over the steps with finite values."""
        errors = [row.relative_error or 0.0 for row in self.finite]
        return sum(errors) / len(errors) if errors else None

    @property
    def first_beyond(self) -> int | None:
        """The first step whose relative error is beyond the tolerance."""
        rows = (row for row in self.finite if (row.relative_error or 0.0) > self.tolerance)
        return next((row.step for row in rows), None)

    @property
    def not_finite(self) -> list[int]:
        """Steps where one run is NaN or infinite and the other is not the same."""
        return [r.step for r in self.common if r.relative_error is None and not _same(r)]

    def missing(self, side: str) -> list[int]:
        """Return the steps that "base" or "candidate" lacks, within the range it covers."""
        return [row.step for row in self.rows if getattr(row, side) is None]

    def to_json(self) -> object:
        """Return what the command line prints."""
        return {
            "base": str(self.base),
            "candidate": str(self.candidate),
            "series": self.series,
            "tolerance": self.tolerance,
            "common_steps": len(self.common),
            "finite_pairs": len(self.finite),
            "mean_relative_error": self.mean_relative_error,
            "first_step_beyond": self.first_beyond,
            "missing": {"base": self.missing("base"), "candidate": self.missing("candidate")},
            "repeated": {
                "base": list(self.repeated_base),
                "candidate": list(self.repeated_candidate),
            },
            "nan_steps": {"base": self._nan("base"), "candidate": self._nan("candidate")},
            "zero_steps": {"base": self._zero("base"), "candidate": self._zero("candidate")},
            "counted": self.counted,
            "rows": [_cells(row) for row in self.rows],
        }

    def _nan(self, side: str) -> list[int]:
        values = [(row.step, getattr(row, side)) for row in self.rows]
        return [step for step, value in values if value is not None and isnan(value)]

    def _zero(self, side: str) -> list[int]:
        return [row.step for row in self.rows if getattr(row, side) == 0]


def compare(
    base: str | Path,
    candidate: str | Path,
    series: str = LOSS,
    tolerance: float = TOLERANCE,
    pattern: str = "",
    continued: Sequence[str | Path] = (),
    base_continued: Sequence[str | Path] = (),
) -> LossComparison:
    """Compare one series of two training logs.

    `continued` are the files in which the candidate's run went on after a resume, `base_continued`
    those of the base. The values of a step are compared with each other whatever else the logs
    lack; of a repeated step the last value counts. Raises StudioError when a log or the series
    cannot be read.
    """
    one, two = (
        stitched([read_training_log(Path(file), pattern) for file in files])
        for files in ((base, *base_continued), (candidate, *continued))
    )
    return compare_logs(one, two, series, tolerance)


def compare_logs(
    base: TrainingLog, candidate: TrainingLog, series: str = LOSS, tolerance: float = TOLERANCE
) -> LossComparison:
    """Compare one series of two logs that were read."""
    one, two = base.get(series), candidate.get(series)
    left, right = one.latest(), two.latest()
    if not left.keys() & right.keys():
        raise StudioError(tr("The two logs have no step in common."))
    rows = tuple(_row(step, left.get(step), right.get(step)) for step in _steps(one, two))
    return LossComparison(
        base=base.path,
        candidate=candidate.path,
        series=series,
        tolerance=tolerance,
        rows=rows,
        repeated_base=tuple(one.repeated()),
        repeated_candidate=tuple(two.repeated()),
        counted=base.counted or candidate.counted,
    )


def _steps(one: Series, two: Series) -> list[int]:
    return sorted({*one.steps, *two.steps})


def _row(step: int, base: float | None, candidate: float | None) -> StepRow:
    if base is None or candidate is None:
        note = tr("missing in base") if base is None else tr("missing in candidate")
        return StepRow(step, base, candidate, None, note)
    if not isfinite(base) or not isfinite(candidate):
        return StepRow(step, base, candidate, None, tr("not finite"))
    apart = abs(candidate - base)
    error = apart / abs(base) if base else (0.0 if apart == 0 else inf)
    note = tr("exactly 0, which is suspicious") if 0.0 in (base, candidate) else ""
    return StepRow(step, base, candidate, error, note)


def _same(row: StepRow) -> bool:
    one, two = row.base, row.candidate
    if one is None or two is None:
        return False
    return one == two or (isnan(one) and isnan(two))


def _cells(row: StepRow) -> dict[str, object]:
    return {
        "step": row.step,
        "base": _shown(row.base),
        "candidate": _shown(row.candidate),
        "relative_error": row.relative_error,
        "note": row.note,
    }


def _shown(value: float | None) -> object:
    """NaN is a result here, not a missing value."""
    return "nan" if value is not None and isnan(value) else value
