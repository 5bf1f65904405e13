"""The result of comparing two dumps."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from plugins.precision.core.align.change import MATCHED, CallPair, Change
from plugins.precision.core.csv_text import csv_text
from plugins.precision.core.dump_row import DumpRow
from plugins.precision.core.result import Comparison
from studio.tensors.dumps.collecting import without_collection

if TYPE_CHECKING:
    from collections.abc import Iterable

    from studio.tensors.dumps.model import Call


_LISTS = {"shape_base", "shape_candidate", "first_differing", "histogram"}
_GROUPS: tuple[tuple[str, ...], ...] = (
    ("elements", "cosine", "max_rel", "mean_abs", "rmse", "zero_base", "snr", "first_differing"),
    ("nan_base", "nan_candidate", "nan_both"),
    ("inf_base", "inf_candidate", "inf_both", "non_finite_mismatch"),
    ("ulp_max", "ulp_mean", "ulp_above", "balance", "small_count", "small_errors", "histogram"),
    ("noise",),
    ("max_base",),
    ("max_candidate",),
    ("min_base",),
    ("min_candidate",),
    ("mean_base",),
    ("mean_candidate",),
    ("norm_base",),
    ("norm_candidate",),
)
"""Columns that are there together, by the first of each."""


@dataclass(frozen=True, slots=True)
class PartResult:
    """One rank in one step: its calls side by side, and the rows of each pair of calls."""

    label: str
    step: int | None
    rank: int | None
    pairs: tuple[CallPair, ...]
    rows: tuple[tuple[DumpRow, ...], ...]
    """As many as pairs."""
    faults: tuple[str, ...] = ()

    def named(self, change: Change) -> list[str]:
        """Return the names of the calls with a change; backward calls of a new one count as it."""
        calls = [p.candidate or p.base for p in self.pairs if p.change is change]
        forward = {(c.api, c.number) for c in calls if c and c.phase == "forward"}
        return [c.name for c in calls if c and not _belongs(c, forward)]


@dataclass(frozen=True, slots=True)
class DumpComparison(Comparison):
    """All rows in the order of the run, and how its calls were aligned."""

    parts: tuple[PartResult, ...] = ()
    missing: tuple[str, ...] = ()
    """Steps and ranks that only one of the two dumps has."""

    @property
    def ordered(self) -> bool:
        """Dumps list their calls in the order of execution."""
        return True

    def changes(self) -> dict[Change, int]:
        """How many calls have each change that occurs."""
        found = Counter(pair.change for part in self.parts for pair in part.pairs)
        return {change: found[change] for change in Change if found[change]}

    def to_json(self) -> object:
        """Return what the command line prints."""
        return {
            "base": str(self.base),
            "candidate": str(self.candidate),
            "mode": "strict",
            "first": self.first.name if self.first else None,
            "counts": {status.value: count for status, count in self.counts().items()},
            "calls": {change.value: count for change, count in self.changes().items()},
            "changed": self._changed(),
            "missing": {"parts": list(self.missing)},
            "notes": {"faults": list(dict.fromkeys(f for p in self.parts for f in p.faults))},
            "rows": [row_cells(row, self._columns()) for row in self.dump_rows()],
        }

    def dump_rows(self) -> Iterable[DumpRow]:
        """The rows with all that a dump knows."""
        return (row for row in self.rows if isinstance(row, DumpRow))

    def to_text(self) -> str:
        """Say what deviates, in a few lines."""
        from plugins.precision.core.dump_text import describe

        return describe(self)

    def to_csv(self) -> str:
        """Return the rows with the columns that have any value."""
        with without_collection():
            columns = self._columns()
            get = attrgetter(*columns)
            return csv_text(columns, map(get, self.dump_rows()), lists=_LISTS & set(columns))

    def _changed(self) -> dict[str, list[str]]:
        changes = (Change.INSERTED, Change.REMOVED, Change.REORDERED, Change.REPLACED)
        found = {}
        for change in (*changes, Change.FUSED, Change.RECOMPUTED, Change.FUZZY):
            names = [name for part in self.parts for name in part.named(change)]
            if names:
                found[change.value] = names
        return found

    def _columns(self) -> list[str]:
        rows = list(self.dump_rows())
        absent: set[str] = set()
        for names in _GROUPS:
            if all(getattr(row, names[0]) is None for row in rows):
                absent.update(names)
        if all(not row.part for row in rows):
            absent.add("part")
        return [name for name in DumpRow.__struct_fields__ if name not in absent]


def row_cells(row: DumpRow, columns: list[str]) -> dict[str, Any]:
    """Return the cells of a row; NaN as the text "nan", since it is a result."""
    cells: dict[str, Any] = {}
    for name in columns:
        value = getattr(row, name)
        cells[name] = "nan" if value != value else value  # only NaN is not itself
    return cells


def is_matched(pair: CallPair) -> bool:
    """Whether a pair has a call on both sides."""
    return pair.change in MATCHED


def _belongs(call: Call, forward: set[tuple[str, int]]) -> bool:
    return call.phase == "backward" and (call.api, call.number) in forward
