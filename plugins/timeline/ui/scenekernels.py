"""Compiled steps of making a scene."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.formats.jit import kernel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Longs = NDArray[np.int64]
    Ints = NDArray[np.int32]
    Shorts = NDArray[np.int16]


@kernel
def colour_slots(
    lane: Ints,
    category: Ints,
    name: Ints,
    of_lane: Shorts,
    of_category: Shorts,
    refined: Shorts,
    shade: Shorts,
    variants: int,
    slots: NDArray[np.uint8],
) -> None:
    """The colour slot of every slice.

    Its kind is that of its category, else of its lane, -1 if neither has one. The last row of
    `refined` is for kind -1; where a row names a kind for a name, that kind counts instead.
    """
    for index in range(lane.size):
        kind = of_lane[lane[index]]
        if category[index] >= 0 and of_category[category[index]] >= 0:
            kind = of_category[category[index]]
        row = kind if kind >= 0 else refined.shape[0] - 1
        if refined[row, name[index]] >= 0:
            kind = refined[row, name[index]]
        slots[index] = 1 + kind * variants + shade[name[index]]


@kernel
def nested(start: Longs, duration: Longs, bounds: Longs) -> bool:
    """Whether all slices of each row of a lane but the first lie inside one of the row above.

    Row r of the lane holds the slices `bounds[r]` to `bounds[r + 1]`, by time.
    """
    for row in range(1, bounds.size - 1):
        holder = bounds[row - 1]
        for index in range(bounds[row], bounds[row + 1]):
            while holder + 1 < bounds[row] and start[holder + 1] <= start[index]:
                holder += 1
            outside = start[index] < start[holder]
            late = start[index] + duration[index] > start[holder] + duration[holder]
            if outside or late:
                return False
    return True
