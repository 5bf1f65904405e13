"""The result of comparing two runs: one row per tensor, and what they say together."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from math import isnan
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from pathlib import Path


class Status(StrEnum):
    """The verdict on one pair; the values are what the command line prints."""

    OK = "ok"
    """Equal, or every element within the tolerance of its type."""
    REVIEW = "review"
    """Someone should look: NaN or infinities at the same places on both sides, or a single number
    that is off by less than its own size."""
    DIFFERS = "differs"
    SHAPE = "shape differs"
    NO_BASE = "missing in base"
    NO_CANDIDATE = "missing in candidate"
    UNREADABLE = "unreadable"
    EMPTY = "empty"
    """No element on either side: nothing to compare."""


class Row(msgspec.Struct, frozen=True, gc=False):
    """One tensor of both runs. None means that there is no such value, the reason says why.

    A msgspec struct, since a comparison has hundreds of thousands of them.
    """

    name: str
    status: Status
    reason: str
    shape_base: tuple[int, ...] | None = None
    shape_candidate: tuple[int, ...] | None = None
    dtype_base: str | None = None
    dtype_candidate: str | None = None
    cosine: float | None = None
    max_abs: float | None = None
    max_rel: float | None = None
    mean_abs: float | None = None
    rmse: float | None = None
    elements: int | None = None
    differing: int | None = None
    """Elements beyond the tolerance; those that are not finite on one side only count too."""
    zero_base: int | None = None
    """Elements that are 0 in the base and not in the candidate: they make max_rel infinite."""
    nan_base: int | None = None
    nan_candidate: int | None = None
    nan_both: int | None = None
    inf_base: int | None = None
    inf_candidate: int | None = None
    inf_both: int | None = None
    non_finite_mismatch: int | None = None
    first_differing: tuple[int, ...] | None = None

    @property
    def deviates(self) -> bool:
        """Whether the runs disagree about this tensor."""
        if self.status == Status.REVIEW:
            return bool(self.differing)
        return self.status not in (Status.OK, Status.EMPTY)

    def to_json(self) -> object:
        """Return the row with NaN as the text "nan": it is a result here, not a missing value."""
        values = {name: getattr(self, name) for name in self.__struct_fields__}
        return {
            name: "nan" if isinstance(value, float) and isnan(value) else value
            for name, value in values.items()
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """All rows, in the order of the run as far as the names tell it."""

    base: Path
    candidate: Path
    rows: tuple[Row, ...]

    @property
    def exit_code(self) -> int:
        """1 when the runs deviate anywhere, 3 when no pair could be read, else 0."""
        return 3 if self.nothing_read else int(self.first is not None)

    @property
    def nothing_read(self) -> bool:
        """Whether every pair is unreadable."""
        return bool(self.rows) and all(row.status is Status.UNREADABLE for row in self.rows)

    @property
    def first(self) -> Row | None:
        """The first tensor that deviates."""
        return next((row for row in self.rows if row.deviates), None)

    @property
    def ordered(self) -> bool:
        """Whether the names begin with numbers, as dumps number their calls."""
        return bool(self.rows) and all(row.name[:1].isdigit() for row in self.rows)

    def counts(self) -> dict[Status, int]:
        """How many rows have each status that occurs, in the order of the statuses."""
        found = Counter(row.status for row in self.rows)
        return {status: found[status] for status in Status if found[status]}

    def to_json(self) -> object:
        """Return what the command line prints."""
        return {
            "base": str(self.base),
            "candidate": str(self.candidate),
            "first": self.first.name if self.first else None,
            "counts": {status.value: count for status, count in self.counts().items()},
            "rows": self.rows,
        }
