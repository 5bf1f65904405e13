"""Slices to pixels in numpy: at most O(pixels) work per row, whatever the number of slices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from plugins.timeline.ui.rows import Rows
    from plugins.timeline.ui.viewport import Viewport

NOTHING = 0
"""The colour slot of a pixel without any slice."""

WIDE = 4.0
"""Slices of at least this many pixels are drawn one by one: with an edge, perhaps with a label."""

SHARES = 64
"""Steps of brightness between an empty and a fully busy pixel."""

_EXACT = 2
"""Up to this many slices per pixel every slice is looked at, above that groups of them."""

_LONGEST = np.int64(1) << 54


@dataclass(frozen=True, slots=True)
class Grid:
    """The edges of the pixel columns, as exact times."""

    start: int
    scale: float
    offsets: NDArray[np.float64]
    times: NDArray[np.int64]

    @property
    def width(self) -> int:
        """Number of pixel columns."""
        return self.offsets.size - 1


def grid(view: Viewport, width: int) -> Grid:
    """Lay `width` pixel columns over a view."""
    offsets = view.fraction + np.arange(width + 1, dtype=np.float64) * view.scale
    times = np.int64(view.start) + np.ceil(offsets).astype(np.int64)
    return Grid(view.start, view.scale, offsets, times)


@dataclass(frozen=True, slots=True)
class Pixels:
    """One row as pixels: colour slot and busy share of each column, and its wide slices."""

    slot: NDArray[np.uint8]
    share: NDArray[np.float32]
    wide: NDArray[np.int64]


def raster_row(rows: Rows, row: int, columns: Grid) -> Pixels | None:
    """Return the pixels of one row, or None where the view holds nothing of it.

    The share of a column is the part of its time that slices cover. Its slot is that of the slice
    with the longest part in it; among very many slices, one may lose that is shorter than another
    close by in the next column. A column that only holds slices without duration counts as full.
    """
    first, last = int(rows.first[row]), int(rows.last[row])
    if first >= last:
        return None
    index = np.searchsorted(rows.start[first:last], columns.times) + first
    low, high = int(index[0]), int(index[-1])
    before = np.maximum(index - 1, first)
    tail = (rows.start[before] + rows.duration[before] - columns.start) - columns.offsets
    tail[index == first] = 0.0
    np.maximum(tail, 0.0, out=tail)
    if low == high and not tail[0]:
        return None
    covered = (rows.covered[index] - rows.covered[low]) - tail
    share = (np.diff(covered) / columns.scale).astype(np.float32)
    count = np.diff(index)
    starts = count > 0

    # parts of a column: the slice running in from the left, the last one that starts, the others
    carried = np.minimum(tail[:-1], columns.scale)
    newest = before[1:]
    part = np.where(starts, rows.duration[newest] - tail[1:], -1.0)
    slot = np.where(part >= carried, rows.slot[newest], rows.slot[before[:-1]])
    best = np.maximum(part, carried)
    _others(rows, index, count, best, slot)

    slot[~starts & (carried <= 0)] = NOTHING
    share[starts & (best <= 0)] = 1.0
    np.clip(share, 0.0, 1.0, out=share)
    return Pixels(slot, share, _wide(rows, columns, index, tail, starts))


def _others(
    rows: Rows,
    index: NDArray[np.int64],
    count: NDArray[np.int64],
    best: NDArray[np.float64],
    slot: NDArray[np.uint8],
) -> None:
    """Let the longest slice that lies wholly inside a column win its colour."""
    many = np.flatnonzero(count > 1)
    if not many.size:
        return
    low, high = int(index[0]), int(index[-1])
    begin, stop = index[many], index[many + 1] - 1
    level = max(0, (high - low - 1) // (_EXACT * count.size)).bit_length()
    if level < 2 or not rows.longest:
        duration, colour = rows.duration[low:high], rows.slot[low:high]
        begin, stop = begin - low, stop - low
    else:
        level = min(level, len(rows.longest) + 1)
        groups = rows.longest[level - 2]
        offset = low >> level
        member = groups[offset : ((high - 1) >> level) + 1]
        duration, colour = rows.duration[member], rows.slot[member]
        begin = (begin >> level) - offset + (member[(begin >> level) - offset] < begin)
        at = np.minimum((stop >> level) - offset, member.size - 1)
        stop = (stop >> level) - offset + (member[at] < stop)
        filled = stop > begin
        many, begin, stop = many[filled], begin[filled], stop[filled]
        if not many.size:
            return
    keys = (np.minimum(duration, _LONGEST) << np.int64(8)) | colour
    bounds = np.empty(begin.size * 2, np.int64)
    bounds[0::2], bounds[1::2] = begin, stop
    if bounds[-1] >= keys.size:
        keys = np.append(keys, np.int64(0))
    winner = np.maximum.reduceat(keys, bounds)[0::2]
    longer = (winner >> np.int64(8)) > best[many]
    slot[many[longer]] = (winner[longer] & np.int64(255)).astype(np.uint8)
    best[many] = np.maximum(best[many], winner >> np.int64(8))


def _wide(
    rows: Rows,
    columns: Grid,
    index: NDArray[np.int64],
    tail: NDArray[np.float64],
    starts: NDArray[np.bool_],
) -> NDArray[np.int64]:
    """Find the slices that are at least `WIDE` pixels wide and reach into the view."""
    least = WIDE * columns.scale
    low, high = int(index[0]), int(index[-1])
    if high - low <= _EXACT * columns.width:
        found = np.flatnonzero(rows.duration[low:high] >= least) + low
        if tail[0] > 0 and rows.duration[low - 1] >= least:
            found = np.concatenate(([low - 1], found))
        return found.astype(np.int64)
    # among too many to look at each: those that fill a whole column in which none starts
    filled = ~starts & (tail[:-1] >= columns.scale)
    running = index[:-1][filled] - 1
    once = running[np.concatenate(([True], np.diff(running) > 0))] if running.size else running
    return np.asarray(once[rows.duration[once] >= least], np.int64)


def mark_edges(
    shares: NDArray[np.float32],
    row: NDArray[np.int64],
    wide: NDArray[np.int64],
    rows: Rows,
    columns: Grid,
) -> None:
    """Darken the first column of wide slices, so that neighbours of one colour stay apart.

    `row` tells for each slice in which row of `shares` it is.
    """
    offsets = (rows.start[wide] - np.int64(columns.start)).astype(np.float64)
    column = np.floor((offsets - columns.offsets[0]) / columns.scale).astype(np.int64)
    inside = (column >= 0) & (column < columns.width)
    row, column = row[inside], column[inside]
    shares[row, column] = np.minimum(shares[row, column], 0.5)


def shade(
    slots: NDArray[np.uint8], shares: NDArray[np.float32], table: NDArray[np.uint32]
) -> NDArray[np.uint32]:
    """Turn slots and shares of any shape into colours; `table` holds `SHARES` colours per slot."""
    steps = (shares * (SHARES - 1) + 0.5).astype(np.int32)
    colours: NDArray[np.uint32] = table[slots.astype(np.int32) * SHARES + steps]
    return colours
