"""Working on many slices with two threads; kernels do not hold Python's lock."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Times = NDArray[np.int64]

T = TypeVar("T")

_WORTH_A_THREAD: Final = 200_000


def parts_of(first: Times, last: Times) -> list[tuple[Times, Times]]:
    """Ranges of slices in two parts of as many slices each; in one where there are few."""
    up_to = np.cumsum(np.maximum(last - first, 0))
    total = int(up_to[-1]) if len(up_to) else 0
    if not total or total < _WORTH_A_THREAD or (os.cpu_count() or 1) < 2:
        return [(first, last)]
    row = int(np.searchsorted(up_to, total // 2))
    middle = last[row] - (up_to[row] - total // 2)
    return [
        (first[: row + 1].copy(), np.append(last[:row], middle)),
        (np.append(middle, first[row + 1 :]), last[row:].copy()),
    ]


def halves_of(t0: int, t1: int, slices: int) -> list[tuple[int, int]]:
    """A window of time in two halves, or as it is where there are few slices."""
    if slices < _WORTH_A_THREAD or t1 - t0 < 2 or (os.cpu_count() or 1) < 2:
        return [(t0, t1)]
    middle = (t0 + t1) // 2
    return [(t0, middle), (middle, t1)]


def at_once(calls: Sequence[Callable[[], T]]) -> list[T]:
    """What each of some calls returns; they run at the same time."""
    if len(calls) == 1:
        return [calls[0]()]
    with ThreadPoolExecutor(len(calls) - 1) as pool:
        others = [pool.submit(call) for call in calls[1:]]
        return [calls[0](), *(other.result() for other in others)]
