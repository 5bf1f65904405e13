"""Kernels that pair the ends of arrows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from studio.formats.jit import inner, kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Longs = NDArray[np.int64]
    Numbers = NDArray[np.int32]

LARGEST_SORTED: Final = 64
"""Larger groups are sorted by time before they are paired."""

_START, _STEP = ord("s"), ord("t")
_SPREAD = np.uint64(0x9E3779B97F4A7C15)


@kernel
def group_numbers(
    category: Numbers,
    id: Longs,
    text_id: NDArray[np.bool_],
    group: Numbers,
    example: Numbers,
    slots: Numbers,
) -> int:
    """Number the pairs of category and id in order of first appearance; returns how many there are.

    `group` gets the number of each, `example` the first one of each number. `slots` is a hash table
    to use, larger than the others, its size a power of two.
    """
    slots[:] = -1
    size = slots.size
    shift = np.uint64(64)
    while np.uint64(size) >> (np.uint64(64) - shift) > np.uint64(1):
        shift -= np.uint64(1)
    count = 0
    for place in range(id.size):
        mixed = (np.uint64(id[place]) + np.uint64(category[place]) * _SPREAD) * _SPREAD
        slot = np.int64((mixed ^ (mixed >> np.uint64(29))) * _SPREAD >> shift)
        while True:
            found = slots[slot]
            if found < 0:
                slots[slot] = count
                example[count] = place
                group[place] = count
                count += 1
                break
            other = example[found]
            if (
                id[other] == id[place]
                and category[other] == category[place]
                and text_id[other] == text_id[place]
            ):
                group[place] = found
                break
            slot = (slot + 1) & (size - 1)
    return count


@kernel
def sources(
    phase: NDArray[np.uint8], time: Longs, order: Longs, bounds: Longs, found: Longs
) -> None:
    """The start or step that each step and end hangs on, -1 where there is none."""
    found[:] = -1
    for group in range(bounds.size - 1):
        begin, stop = bounds[group], bounds[group + 1]
        sort_few(phase, time, order, begin, stop)
        first_start = -1
        for place in range(begin, stop):
            if phase[order[place]] == _START:
                first_start = order[place]
                break
        if first_start < 0:
            continue
        last_tail = -1
        for place in range(begin, stop):
            index = order[place]
            if phase[index] != _START:
                found[index] = last_tail if last_tail >= 0 else first_start
            if phase[index] in (_START, _STEP):
                last_tail = index


@inner
def sort_few(phase: NDArray[np.uint8], time: Longs, order: Longs, begin: int, stop: int) -> None:
    """Sort a part by time, starts before steps before ends; quick if it nearly is."""
    for place in range(begin + 1, stop):
        index = order[place]
        at = place
        while at > begin:
            other = order[at - 1]
            if time[other] < time[index] or (
                time[other] == time[index] and rank(phase[other]) <= rank(phase[index])
            ):
                break
            order[at] = other
            at -= 1
        order[at] = index


@inner
def rank(phase: int) -> int:
    """Where a phase stands among those of one time."""
    return 0 if phase == _START else 1 if phase == _STEP else 2
