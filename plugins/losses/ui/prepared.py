"""What is shown of one series of all runs, prepared apart from the window."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from plugins.losses.core.compare import LossComparison, compare_logs
from plugins.losses.core.curves import smooth
from plugins.losses.ui.polyline import Polyline, polyline
from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.ui.columns import Column, Values, read_columns

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugins.losses.core.curves import Logs
    from studio.kernel.job_context import JobContext

_WEIGHT = 0.9
BASE, CANDIDATE = "base", "candidate"


@dataclass(frozen=True, slots=True)
class Run:
    """The curve of one run; `raw` is what was smoothed, if it was."""

    key: str
    name: str
    curve: Polyline
    raw: Polyline | None


@dataclass(frozen=True, slots=True)
class Prepared:
    """One series of all runs."""

    name: str
    runs: tuple[Run, ...]
    errors: tuple[tuple[str, str, Polyline], ...]
    """Key, name and relative difference of each run that is compared with the base."""
    comparisons: Mapping[str, LossComparison]
    """By the key of the run."""
    problem: str
    """Why the candidate cannot be compared."""
    values: list[Values]
    steps: list[int]

    @property
    def found(self) -> LossComparison | None:
        """The comparison of the candidate."""
        return self.comparisons.get(CANDIDATE)


def prepare(
    logs: Logs, name: str, tolerance: float, smoothed: bool, job: JobContext | None = None
) -> Prepared:
    """Prepare a series for showing; runs that lack it are left out."""
    labels = logs.labels()
    comparisons: dict[str, LossComparison] = {}
    problem = ""
    for key, log in logs.runs():
        if job is not None:
            job.check()
        if logs.base is None or key == BASE:
            continue
        try:
            comparisons[key] = compare_logs(logs.base, log, name, tolerance)
        except StudioError as error:
            if key == CANDIDATE:
                problem = error.message
    runs = []
    for key, log in logs.runs():
        if name not in log.series:
            continue
        latest = log.series[name].latest()
        runs.append(_run(key, labels[key], latest, smoothed))
    values, steps = _table(logs, name, comparisons, labels)
    return Prepared(
        name=name,
        runs=tuple(runs),
        errors=tuple((key, labels[key], _errors(found)) for key, found in comparisons.items()),
        comparisons=comparisons,
        problem=problem,
        values=values,
        steps=steps,
    )


def _run(key: str, name: str, latest: Mapping[int, float], smoothed: bool) -> Run:
    if not smoothed:
        return Run(key, name, polyline(latest), None)
    even = smooth(list(latest.values()), _WEIGHT)
    curve = polyline(dict(zip(latest, even, strict=True)))
    return Run(key, tr("{name} (smoothed)", name=name), curve, polyline(latest))


def _errors(found: LossComparison) -> Polyline:
    errors = {row.step: row.relative_error or 0.0 for row in found.finite}
    return polyline({step: error for step, error in errors.items() if error < inf})


def _table(
    logs: Logs, name: str, comparisons: Mapping[str, LossComparison], labels: Mapping[str, str]
) -> tuple[list[Values], list[int]]:
    found = comparisons.get(CANDIDATE)
    if found is None:
        latest = logs.candidate.series[name].latest() if name in logs.candidate.series else {}
        columns = [Column("step", tr("Step")), Column("value", name, kind="float", digits=6)]
        return read_columns(list(latest.items()), columns), list(latest)
    several = len(comparisons) > 1
    columns = [Column("step", tr("Step")), Column("base", tr("Base"), kind="float", digits=6)]
    cells: dict[str, dict[int, object]] = {"base": {}}
    for key, comparison in comparisons.items():
        title = labels[key] if several else tr("Candidate")
        apart = tr("Difference of {name}", name=labels[key]) if several else tr("Difference")
        columns.append(Column(key, title, kind="float", digits=6))
        columns.append(
            Column(
                f"{key} error",
                apart,
                kind="percent",
                tip=tr("|candidate − base| / |base|"),
                heat=True,
            )
        )
        cells[key] = {row.step: row.candidate for row in comparison.rows}
        cells[f"{key} error"] = {row.step: row.relative_error for row in comparison.rows}
        cells["base"] |= {row.step: row.base for row in comparison.rows}
    columns.append(Column("note", tr("Note")))
    cells["note"] = {row.step: row.note or None for row in found.rows}
    steps = sorted(cells["base"])
    keys = [column.key for column in columns[1:]]
    rows = [(step, *(cells[key].get(step) for key in keys)) for step in steps]
    return read_columns(rows, columns), steps
