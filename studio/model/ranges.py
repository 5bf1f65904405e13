"""Stretches of time that belong together: all that a number is the sum of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Times = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Ranges:
    """Disjoint stretches in the order of time: integer nanoseconds, `end` exclusive.

    Two are equal only when they are the same: there may be millions of stretches.
    """

    start: Times
    end: Times

    @classmethod
    def over(cls, start: Times, end: Times) -> Ranges | None:
        """These stretches, disjoint and in order as `studio.trace.intervals.union` makes them.

        None without any.
        """
        return cls(start, end) if start.size else None

    def extent(self) -> tuple[int, int]:
        """From the begin of the first to the end of the last."""
        return int(self.start[0]), int(self.end[-1])

    def hold(self, start: int, end: int) -> bool:
        """Whether a stretch lies in one of these, or spans from the first to the last."""
        if (start, end) == self.extent():
            return True
        place = int(np.searchsorted(self.start, start, "right")) - 1
        return place >= 0 and end <= int(self.end[place])
