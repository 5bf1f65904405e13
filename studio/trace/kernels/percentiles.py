"""Kernels that find percentiles of lengths by name without sorting the lengths.

The lengths of each name are divided into steps by edges that were found once for the whole trace;
each slice's step is kept. In a window the slices of each step are counted, which tells in which
step a percentile lies, and only that step's lengths are looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from studio.formats.jit import inner, kernel
from studio.trace.kernels.sums import outer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Longs = NDArray[np.int64]
    Numbers = NDArray[np.int32]
    Flags = NDArray[np.bool_]
    Steps = NDArray[np.uint8]

STEPS: Final = 32
"""How many steps the lengths of a name are divided into: a power of two."""

UNFINISHED: Final = 255
"""The step of slices whose end is not known: they have no length."""

_HALVES = 5
_WIDTH = np.uint64(STEPS)


@kernel
def steps_of(duration: Longs, name: Numbers, is_open: Flags, edges: Longs, found: Steps) -> None:
    """The step of each slice; `edges` has the `STEPS - 1` edges of each name in a row."""
    for index in range(duration.size):
        step = step_of(edges, name[index], duration[index])
        found[index] = UNFINISHED if is_open[index] else step


@inner
def step_of(edges: Longs, name: int, length: int) -> int:
    """How many edges a length exceeds."""
    step, half = 0, STEPS >> 1
    for _ in range(_HALVES):
        step += half * (edges[name, step + half - 1] < length)
        half >>= 1
    return step


@kernel
def count_steps(
    start: Longs,
    duration: Longs,
    name: Numbers,
    steps: Steps,
    edges: Longs,
    first: Longs,
    last: Longs,
    t0: int,
    t1: int,
    found: Numbers,
) -> None:
    """How many slices of each name are of each step in the window: added to `found`.

    The slices that touch it are given as ranges, one per row: only the outer ones may be cut.
    """
    for row in range(first.size):
        for index in range(first[row] + 1, last[row] - 1):
            step = steps[index]
            if step != UNFINISHED:
                found[np.uint64(name[index]) * _WIDTH + np.uint64(step)] += 1
        for index in outer(first[row], last[row]):
            if steps[index] != UNFINISHED:
                length = min(start[index] + duration[index], t1) - max(start[index], t0)
                found[name[index] * STEPS + step_of(edges, name[index], length)] += 1


@kernel
def lengths_of_steps(
    start: Longs,
    duration: Longs,
    name: Numbers,
    steps: Steps,
    edges: Longs,
    first: Longs,
    last: Longs,
    t0: int,
    t1: int,
    free: Longs,
    wanted: NDArray[np.uint32],
    found: Longs,
) -> None:
    """Write the lengths of the slices of some steps to `found`, each step's together.

    `free` tells for each name and step where its lengths begin, -1 if they are not wanted; it is
    changed. `wanted` has room for a number per name.
    """
    wanted[:] = 0
    for number in range(free.size):
        if free[number] >= 0:
            wanted[number // STEPS] |= np.uint32(1) << np.uint32(number % STEPS)
    for row in range(first.size):
        for index in range(first[row] + 1, last[row] - 1):
            step, own_name = steps[index], np.uint64(name[index])
            if (wanted[own_name] >> np.uint32(step & (STEPS - 1))) & np.uint32(1):
                at = own_name * _WIDTH + np.uint64(step)
                if step != UNFINISHED:
                    found[free[at]] = duration[index]
                    free[at] += 1
        for index in outer(first[row], last[row]):
            if steps[index] != UNFINISHED:
                length = min(start[index] + duration[index], t1) - max(start[index], t0)
                own = name[index] * STEPS + step_of(edges, name[index], length)
                if free[own] >= 0:
                    found[free[own]] = length
                    free[own] += 1
