"""Steps and ranks of a comparison side by side: how bad each is, and where it begins."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from plugins.precision.core.network import worst
from plugins.precision.core.result import Status

if TYPE_CHECKING:
    from plugins.precision.core.diagnosis import Diagnosis
    from plugins.precision.core.dump_result import DumpComparison
    from plugins.precision.core.dump_row import DumpRow


@dataclass(frozen=True, slots=True)
class PartSummary:
    """What one rank says in one step."""

    label: str
    step: int | None
    rank: int | None
    status: Status
    """The verdict that matters most among all its values."""
    deviating: int
    total: int
    error: float
    """The largest relative error of an output of a matched call; infinite when it is NaN."""
    first: str = ""
    """The first operator that deviates."""


def summaries(result: DumpComparison, diagnosis: Diagnosis) -> tuple[PartSummary, ...]:
    """Sum up each step and rank, in the order of the comparison."""
    firsts = {part.label: part.first for part in diagnosis.parts}
    found = []
    for part in result.parts:
        rows = [row for group in part.rows for row in group]
        errors = [row.relative_error for row in rows if row.role in ("output", "") and row.deviates]
        first = firsts.get(part.label)
        found.append(
            PartSummary(
                part.label,
                part.step,
                part.rank,
                _verdict(rows),
                sum(row.deviates for row in rows),
                len(rows),
                max((inf if e != e else e for e in errors if e is not None), default=0.0),
                first.operator if first else "",
            )
        )
    return tuple(found)


def _verdict(rows: list[DumpRow]) -> Status:
    deviating = [row.status for row in rows if row.deviates]
    if deviating:
        return worst(deviating)
    return Status.OK if rows else Status.EMPTY
