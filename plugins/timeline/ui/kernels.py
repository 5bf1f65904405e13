"""Compiled painting of rows.

Dense rows carry cells: stretches of `2 ** shift` ns from the start of the row on, each with the
share of it that is busy and the colour slot that takes most of it, in levels of halved number.
`COVERED` marks a cell that a single slice fills.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from studio.formats.jit import inner, kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Longs = NDArray[np.int64]
    Slots = NDArray[np.uint8]
    Shares = NDArray[np.float32]
    Floats = NDArray[np.float64]
    Table = tuple[Longs, Longs, Slots, Longs, Longs, Longs, Longs, Shares, Slots]

COVERED = 128
_SLOT = 127
_FEW = 2
_WIDE = 4.0
_TOP = 128


@kernel
def plan_cells(
    start: Longs,
    duration: Longs,
    first: Longs,
    last: Longs,
    least: int,
    shift: Longs,
    offset: Longs,
) -> int:
    """The size of the cells of each row, about two slices in each, and where they are kept.

    `shift` holds zeros at first. Returns how many cells the longest row has.
    """
    offset[0] = 0
    most = 0
    for row in range(first.size):
        count = last[row] - first[row]
        offset[row + 1] = offset[row]
        if count < least:
            continue
        span = start[last[row] - 1] + duration[last[row] - 1] - start[first[row]]
        while (span >> shift[row]) + 1 > count // 2:
            shift[row] += 1
        cells = (span >> shift[row]) + 1
        most = max(most, cells)
        while True:
            offset[row + 1] += cells
            if cells <= _TOP:
                break
            cells = (cells + 1) >> 1
    return most


@kernel
def fill_cells(
    start: Longs,
    duration: Longs,
    slot: Slots,
    first: Longs,
    last: Longs,
    shift: Longs,
    offset: Longs,
    busy: Shares,
    colour: Slots,
    best: Shares,
) -> None:
    """Fill the cells of all rows; `best` has room for the finest cells of every row."""
    for row in range(first.size):
        place = offset[row]
        if offset[row + 1] == place:
            continue
        size = shift[row]
        origin = start[first[row]]
        end = start[last[row] - 1] + duration[last[row] - 1] - origin
        cells = (end >> size) + 1
        whole = np.int64(1) << size
        best[:cells] = 0.0
        busy[place : place + cells] = 0.0
        colour[place : place + cells] = 0
        for index in range(first[row], last[row]):
            left = start[index] - origin
            right = left + max(duration[index], 1)
            cell = left >> size
            while left < right and cell < cells:
                border = (cell + 1) << size
                part = np.float32(min(right, border) - left) / np.float32(whole)
                busy[place + cell] += part
                if part > best[cell]:
                    best[cell] = part
                    colour[place + cell] = slot[index]
                    if left == border - whole and right >= border:
                        colour[place + cell] |= np.uint8(COVERED)
                left = border
                cell += 1
        while cells > _TOP:
            upper = (cells + 1) >> 1
            for cell in range(upper):
                one = place + 2 * cell
                other = one + 1
                target = place + cells + cell
                if 2 * cell + 1 >= cells:
                    busy[target] = busy[one] / 2
                    colour[target] = colour[one] & np.uint8(_SLOT)
                    continue
                busy[target] = (busy[one] + busy[other]) / 2
                more = one if busy[one] >= busy[other] else other
                both = colour[one] & colour[other] & np.uint8(COVERED)
                colour[target] = (colour[more] & np.uint8(_SLOT)) | both
            place += cells
            cells = upper


@kernel
def paint_rows(
    table: Table,
    numbers: Longs,
    times: Longs,
    offsets: Floats,
    origin: int,
    scale: float,
    slots: Slots,
    shares: Shares,
    wide: Longs,
    found: Longs,
    best: Floats,
) -> None:
    """Paint rows into `slots` and `shares`; `wide` gets the slices of some width, row after row.

    `table` is the columns of `Rows` and its cells in the order of `painting`; `found` tells how
    many wide slices each row has. `best` has room for a number per column.
    """
    start, duration, slot, first, last, shift, offset, busy, colour = table
    width = offsets.size - 1
    total = 0
    for number in range(numbers.size):
        row = numbers[number]
        begin, stop = first[row], last[row]
        before = total
        low = _not_before(start, begin, stop, times[0])
        high = _not_before(start, low, stop, times[width])
        running = low
        if low > begin and (start[low - 1] + duration[low - 1] - origin) - offsets[0] > 0:
            running = low - 1
        if running < high:
            dense = offset[row + 1] > offset[row] and high - low > _FEW * width
            if dense:
                total = _paint_cells(
                    start, duration, busy, colour, begin, stop, shift[row], offset[row],
                    offsets, origin, scale, slots[number], shares[number], wide, total,
                )  # fmt: skip
            else:
                best[:] = 0.0
                total = _paint_slices(
                    start, duration, slot, running, high, offsets, origin, scale,
                    slots[number], shares[number], best, wide, total,
                )  # fmt: skip
        found[number] = total - before


@inner
def _paint_slices(
    start: Longs,
    duration: Longs,
    slot: Slots,
    begin: int,
    stop: int,
    offsets: Floats,
    origin: int,
    scale: float,
    slots: Slots,
    shares: Shares,
    best: Floats,
    wide: Longs,
    total: int,
) -> int:
    """Add up the part of every slice in every column."""
    width = offsets.size - 1
    inverse = 1.0 / scale
    one = np.float32(1.0)
    column = 0
    for index in range(begin, stop):
        left = np.float64(start[index] - origin)
        right = left + np.float64(duration[index])
        while column + 1 < width and left >= offsets[column + 1]:
            column += 1
        if duration[index] == 0:
            if best[column] == 0.0:
                # alone in its column, for now
                best[column] = -1.0
                slots[column], shares[column] = slot[index], one
            continue
        if duration[index] >= _WIDE * scale and total < wide.size:
            wide[total] = index
            total += 1
        reached = column
        while reached < width and right > offsets[reached]:
            part = min(right, offsets[reached + 1]) - max(left, offsets[reached])
            if part > 0.0:
                if best[reached] < 0.0:
                    best[reached], shares[reached] = 0.0, np.float32(0.0)
                shares[reached] = min(shares[reached] + np.float32(part * inverse), one)
                if part > best[reached]:
                    best[reached], slots[reached] = part, slot[index]
            reached += 1
    return total


@inner
def _paint_cells(
    start: Longs,
    duration: Longs,
    busy: Shares,
    colour: Slots,
    begin: int,
    stop: int,
    shift: int,
    offset: int,
    offsets: Floats,
    origin: int,
    scale: float,
    slots: Slots,
    shares: Shares,
    wide: Longs,
    total: int,
) -> int:
    """Sum up cells, at least four in each column where they are that small."""
    base = np.float64(start[begin] - origin)
    cells = ((start[stop - 1] + duration[stop - 1] - start[begin]) >> shift) + 1
    size = np.float64(np.int64(1) << shift)
    while size * 2 * _FEW <= scale and cells > _TOP:
        offset += cells
        cells = (cells + 1) >> 1
        size *= 2.0
    seen = offsets[0]
    for column in range(offsets.size - 1):
        low = (offsets[column] - base) / size
        high = min((offsets[column + 1] - base) / size, np.float64(cells))
        cell = max(int(np.floor(low)), 0)
        covered, most, amount, chosen = True, 0.0, 0.0, 0
        while cell < high:
            part = min(high, cell + 1.0) - max(low, np.float64(cell))
            share = busy[offset + cell] * part
            amount += share
            if share > most:
                most, chosen = share, colour[offset + cell]
            if colour[offset + cell] < COVERED:
                covered = False
            cell += 1
        if most <= 0.0:
            continue
        slots[column] = chosen & _SLOT
        shares[column] = min(np.float32(amount * size / scale), np.float32(1.0))
        if covered and offsets[column] >= seen and total < wide.size:
            middle = origin + int((offsets[column] + offsets[column + 1]) / 2)
            index = _not_before(start, begin, stop, middle + 1) - 1
            if index >= begin and duration[index] >= _WIDE * scale:
                wide[total] = index
                total += 1
                seen = np.float64(start[index] - origin + duration[index])
    return total


@kernel
def shaded(
    slots: Slots,
    shares: Shares,
    table: NDArray[np.uint32],
    steps: int,
    colours: NDArray[np.uint32],
) -> None:
    """Turn slots and shares into colours."""
    for row in range(slots.shape[0]):
        for column in range(slots.shape[1]):
            step = int(shares[row, column] * np.float32(steps - 1) + np.float32(0.5))
            colours[row, column] = table[slots[row, column] * steps + step]


@inner
def _not_before(times: Longs, first: int, last: int, time: int) -> int:
    """The first of sorted times in a range that is not before a time."""
    while first < last:
        middle = (first + last) >> 1
        if times[middle] < time:
            first = middle + 1
        else:
            last = middle
    return first
