"""Which call encloses a moment, on threads whose calls nest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]


def innermost(
    thread: Numbers, start: Numbers, end: Numbers, at_thread: Numbers, at: Numbers
) -> Numbers:
    """The position of the innermost call of a thread that covers each moment; -1 where none does.

    A call covers from its start up to, not including, its end.
    """
    found = np.full(len(at), -1, np.int64)
    for number in np.intersect1d(thread, at_thread).tolist():
        asked = np.flatnonzero(at_thread == number)
        calls = np.flatnonzero(thread == number)
        calls = calls[np.lexsort((-end[calls], start[calls]))]
        outer = _enclosing(start[calls], end[calls])
        place = np.searchsorted(start[calls], at[asked], "right") - 1
        while True:
            over = place >= 0
            over[over] = end[calls[place[over]]] <= at[asked][over]
            if not over.any():
                break
            place[over] = outer[place[over]]
        inside = place >= 0
        found[asked[inside]] = calls[place[inside]]
    return found


def enclosing(thread: Numbers, start: Numbers, end: Numbers) -> Numbers:
    """The position of the call around each call on its thread, -1 where there is none."""
    found = np.full(len(start), -1, np.int64)
    for number in np.unique(thread).tolist():
        calls = np.flatnonzero(thread == number)
        calls = calls[np.lexsort((-end[calls], start[calls]))]
        outer = _enclosing(start[calls], end[calls])
        inside = outer >= 0
        found[calls[inside]] = calls[outer[inside]]
    return found


def _enclosing(start: Numbers, end: Numbers) -> Numbers:
    """The call before in the stack of each call, -1 at the bottom; calls come by start."""
    outer: list[int] = []
    stack: list[int] = []
    ends = end.tolist()
    for position, begin in enumerate(start.tolist()):
        while stack and ends[stack[-1]] <= begin:
            stack.pop()
        outer.append(stack[-1] if stack else -1)
        stack.append(position)
    return np.array(outer, np.int64)
