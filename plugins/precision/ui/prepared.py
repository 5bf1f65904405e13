"""What the job of a comparison prepares for the window, so that showing it takes no time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from plugins.precision.core.align.change import Change
from plugins.precision.core.network import Overview, module_of_row, overview
from plugins.precision.core.parts import PartSummary, summaries
from plugins.precision.core.result import Status
from plugins.precision.ui.rows import cells, columns
from studio.ui.columns import Values, read_columns

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from plugins.precision.core.dump_row import DumpRow
    from studio.kernel.job_context import JobContext

ALL, DEVIATING, CHANGED = "", "deviating", "changed"
"""Filters besides the single verdicts; "changed" may be followed by one change."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A comparison with the cells of its table and all that its filters need."""

    overview: Overview
    rows: tuple[DumpRow, ...]
    values: list[Values]
    parts: tuple[PartSummary, ...]
    counts: Mapping[Status, int]
    changes: Mapping[Change, int]
    places: Mapping[str, int]
    """The first row of each name."""
    status: NDArray[np.int16]
    change: NDArray[np.int16]
    part: NDArray[np.int16]
    module: NDArray[np.int32]
    modules: tuple[str, ...]
    deviates: NDArray[np.bool_]

    def matching(self, wanted: str, part: str, module: str) -> NDArray[np.int64]:
        """Return the rows of a filter; "" as part or module stands for all."""
        kept = np.ones(len(self.rows), bool)
        if wanted == DEVIATING:
            kept &= self.deviates
        elif wanted == CHANGED:
            kept &= self.change != _CHANGES[Change.SAME]
        elif wanted.startswith(f"{CHANGED} "):
            kept &= self.change == _CHANGES[Change(wanted.split(" ", 1)[1])]
        elif wanted:
            kept &= self.status == _STATUSES[Status(wanted)]
        labels = [found.label for found in self.parts]
        if part in labels and len(labels) > 1:
            kept &= self.part == labels.index(part)
        if module:
            below = [f"{name}.".startswith(f"{module}.") for name in self.modules]
            kept &= np.array(below, bool)[self.module]
        return np.flatnonzero(kept)

    def cells_of(self, rows: NDArray[np.int64]) -> list[Values]:
        """Return the cells of some rows."""
        if len(rows) == len(self.rows):
            return self.values
        return [
            replace(
                values,
                array=values.array[rows],
                missing=values.missing[rows],
                inapplicable=values.inapplicable[rows],
            )
            for values in self.values
        ]


def prepare(job: JobContext | None = None, **wanted: Any) -> Prepared:  # noqa: ANN401 - see below
    """Compare two dumps and prepare all that the window shows; `wanted` is for `overview`."""
    return prepared(overview(**wanted, job=job), job)


def prepared(found: Overview, job: JobContext | None = None) -> Prepared:
    """Prepare a comparison that was made."""
    rows = tuple(found.result.dump_rows())
    if job is not None:
        job.check()
    shown = [cells(row, added) for row, added in zip(rows, found.added, strict=True)]
    values = read_columns(shown, columns())
    if job is not None:
        job.check()
    parts = summaries(found.result, found.diagnosis)
    labels = {part.label: number for number, part in enumerate(parts)}
    numbers: dict[str, int] = {}
    module = [numbers.setdefault(module_of_row(row), len(numbers)) for row in rows]
    places: dict[str, int] = {}
    for number, row in enumerate(rows):
        for name in (row.name, row.base_name, row.candidate_name):
            if name:
                places.setdefault(name, number)
    return Prepared(
        overview=found,
        rows=rows,
        values=values,
        parts=parts,
        counts=found.result.counts(),
        changes=found.result.changes(),
        places=places,
        status=np.array([_STATUSES[row.status] for row in rows], np.int16),
        change=np.array([_CHANGES[row.change] for row in rows], np.int16),
        part=np.array([labels.get(row.part, 0) for row in rows], np.int16),
        module=np.array(module, np.int32),
        modules=tuple(numbers),
        deviates=np.array([row.deviates for row in rows], bool),
    )


_STATUSES = {status: number for number, status in enumerate(Status)}
_CHANGES = {change: number for number, change in enumerate(Change)}
