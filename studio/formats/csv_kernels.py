"""Compiled loops over the bytes of CSV tables: where cells are, and what numbers they hold.

What is not written in the usual way is left to the portable code, cell by cell (`SLOW`), so that
both give the same results. Cells are trimmed of blanks, TABs and quotes, as `cells.clean` does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from studio.formats.jit import inlined, inner, kernel
from studio.formats.scan.bits import word

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Places = NDArray[np.int32]
    Column = NDArray[Any]

VALUE: Final = 0
BLANK: Final = 1
NOT_APPLICABLE: Final = 2
SLOW: Final = 255
"""The states of cells: those of `studio.formats.cells`, and "not read yet"."""

GOOD: Final = 0
OTHER_WIDTH: Final = 1
EMPTY: Final = 2
"""The states of rows."""

_TAB, _NEWLINE, _RETURN, _SPACE, _QUOTE = 0x09, 0x0A, 0x0D, 0x20, 0x22
_MINUS, _SLASH, _ZERO = 0x2D, 0x2F, 0x30
_N, _A, _SMALL = 0x6E, 0x61, 0x20
_LARGEST_NS = 9_200_000_000_000_000_000
_POWERS = np.array([10.0**power for power in range(23)])
_EXACT_DIGITS = 15
_BLOCK_ROWS = 1024
_MASKS = np.array([(1 << (8 * count)) - 1 for count in range(8)], np.uint64)
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


@kernel
def split_rows(
    data: Bytes, first: int, last: int, delimiter: int, starts: Column, ends: Column,
    doubled: Column, states: Column, lines: Column,
) -> tuple[int, int, int]:  # fmt: skip
    """Find the cells of whole rows in a piece of a file.

    `starts`, `ends` and `doubled` (quotes inside a cell) have a row per column and a place per row
    of the table; `lines` gets the line breaks up to the end of each row. Returns how many rows were
    found, and where the first one begins that is not whole.
    """
    width, most = starts.shape
    row, p, breaks = 0, first, 0
    while row < most and p < last:
        begin, before = p, breaks
        column, filled, whole = 0, False, False
        while True:
            cell = p
            inside = False
            if p < last and data[p] == _QUOTE:
                inside = True
                p += 1
            else:
                p = _end_of_plain(data, p, last, delimiter)
            while p < last:
                c = data[p]
                if inside:
                    if c == _QUOTE:
                        if p + 1 < last and data[p + 1] == _QUOTE:
                            p += 1
                        else:
                            inside = False
                    elif c == _NEWLINE:
                        breaks += 1
                elif c in (delimiter, _NEWLINE):
                    break
                p += 1
            if p >= last:
                break
            end = p
            while cell < end and data[cell] <= _QUOTE and _is_margin(data[cell]):
                cell += 1
            while end > cell and data[end - 1] <= _QUOTE and _is_margin(data[end - 1]):
                end -= 1
            filled = filled or end > cell
            if column < width:
                starts[column, row], ends[column, row] = cell, end
                has_quote = 0
                if data[p - 1] == _QUOTE:
                    for place in range(cell, end):
                        if data[place] == _QUOTE:
                            has_quote = 1
                doubled[column, row] = has_quote
            column += 1
            p += 1
            if data[p - 1] == _NEWLINE:
                breaks += 1
                whole = True
                break
        if not whole:
            return row, begin, before
        states[row] = GOOD if column == width else (OTHER_WIDTH if filled else EMPTY)
        lines[row] = breaks
        row += 1
    return row, p, breaks


@inlined
def _end_of_plain(data: Bytes, p: int, last: int, delimiter: int) -> int:
    """The first delimiter or line break from `p` on; `last` or more without one."""
    while p < last and data[p] != delimiter and data[p] != _NEWLINE:
        p += 1
    return p


@inner
def _is_margin(c: int) -> bool:
    return c in (_SPACE, _QUOTE, _TAB, _NEWLINE, _RETURN)


@inner
def _state(data: Bytes, begin: int, end: int) -> int:
    """Blank, not applicable ("N/A", "NA"), or something that this does not know."""
    if end == begin:
        return BLANK
    is_short = end - begin == 2 or (end - begin == 3 and data[begin + 1] == _SLASH)
    if is_short and data[begin] | _SMALL == _N and data[end - 1] | _SMALL == _A:
        return NOT_APPLICABLE
    return SLOW


@inner
def read_whole(data: Bytes, starts: Places, ends: Places, values: Column, states: Column) -> None:
    """Read whole numbers of up to 18 digits."""
    for row in range(len(starts)):
        p, end = starts[row], ends[row]
        negative = p < end and data[p] == _MINUS
        p += negative
        value = 0
        good = p < end and end - p <= 18
        while good and p < end:
            digit = data[p] - _ZERO
            good = 0 <= digit <= 9
            value = value * 10 + digit
            p += 1
        values[row] = (-value if negative else value) if good else 0
        states[row] = VALUE if good else _state(data, starts[row], ends[row])


@inner
def read_time(
    data: Bytes,
    starts: Places,
    ends: Places,
    point: int,
    decimals: int,
    values: Column,
    states: Column,
) -> None:  # fmt: skip
    """Read times as whole nanoseconds: `decimals` of them count, the next one rounds."""
    factor = 10**decimals
    for row in range(len(starts)):
        p, end = starts[row], ends[row]
        negative = p < end and data[p] == _MINUS
        p += negative
        begin, value = p, 0
        while p < end and 0 <= data[p] - _ZERO <= 9 and p - begin <= 16:
            value = value * 10 + (data[p] - _ZERO)
            p += 1
        good = p > begin and p - begin <= 16 and value < _LARGEST_NS // factor
        if good:
            value *= factor
        if good and p < end:
            good = data[p] == point
            p += 1
            scale = factor
            while good and p < end:
                digit = data[p] - _ZERO
                good = 0 <= digit <= 9
                if scale > 1:
                    scale //= 10
                    value += digit * scale
                elif scale == 1:
                    value += digit >= 5
                    scale = 0
                p += 1
        values[row] = (-value if negative else value) if good else 0
        states[row] = VALUE if good else _state(data, starts[row], ends[row])


@inner
def read_real(
    data: Bytes, starts: Places, ends: Places, point: int, values: Column, states: Column
) -> None:
    """Read numbers of up to 15 digits, which one division of exact floats rounds correctly."""
    for row in range(len(starts)):
        p, end = starts[row], ends[row]
        negative = p < end and data[p] == _MINUS
        p += negative
        mantissa, digits, fraction = 0, 0, 0
        after, good = False, p < end
        while good and p < end:
            c = data[p]
            if c == point and not after:
                after = True
            elif 0 <= c - _ZERO <= 9:
                mantissa = mantissa * 10 + (c - _ZERO)
                digits += 1
                fraction += after
            else:
                good = False
            p += 1
        good = good and 0 < digits <= _EXACT_DIGITS
        value = float(mantissa) / _POWERS[fraction] if good else np.nan
        values[row] = -value if negative else value
        states[row] = VALUE if good else _state(data, starts[row], ends[row])


@kernel
def read_wholes(
    data: Bytes, starts: Column, ends: Column, columns: Places, values: Column, states: Column
) -> None:
    """`read_whole` for some columns: a row each in `values` and `states`.

    A block of rows is read column by column before the next one, so that its bytes are still in the
    fast memory. It is the same for the kernels that follow.
    """
    for first in range(0, starts.shape[1], _BLOCK_ROWS):
        last = min(first + _BLOCK_ROWS, starts.shape[1])
        for place in range(columns.size):
            column = columns[place]
            read_whole(
                data, starts[column, first:last], ends[column, first:last],
                values[place, first:last], states[place, first:last],
            )  # fmt: skip


@kernel
def read_times(
    data: Bytes,
    starts: Column,
    ends: Column,
    columns: Places,
    point: int,
    decimals: Places,
    values: Column,
    states: Column,
) -> None:  # fmt: skip
    """`read_time` for some columns, each with its `decimals`."""
    for first in range(0, starts.shape[1], _BLOCK_ROWS):
        last = min(first + _BLOCK_ROWS, starts.shape[1])
        for place in range(columns.size):
            column = columns[place]
            read_time(
                data, starts[column, first:last], ends[column, first:last], point,
                decimals[place], values[place, first:last], states[place, first:last],
            )  # fmt: skip


@kernel
def read_reals(
    data: Bytes,
    starts: Column,
    ends: Column,
    columns: Places,
    point: int,
    values: Column,
    states: Column,
) -> None:  # fmt: skip
    """`read_real` for some columns."""
    for first in range(0, starts.shape[1], _BLOCK_ROWS):
        last = min(first + _BLOCK_ROWS, starts.shape[1])
        for place in range(columns.size):
            column = columns[place]
            read_real(
                data, starts[column, first:last], ends[column, first:last], point,
                values[place, first:last], states[place, first:last],
            )  # fmt: skip


@kernel
def number_texts(
    address: int, starts: Places, ends: Places, doubled: Column, table: Places, codes: Places,
    firsts: Places,
) -> int:  # fmt: skip
    """Number the distinct cells of a column in order of first appearance; returns how many.

    `address` is that of the data, after which eight more bytes may be read. `table` has a power of
    two places, more than there are cells, all -1; `firsts` gets the row in which each distinct cell
    comes first.
    """
    mask = np.uint64(len(table) - 1)
    count = 0
    for row in range(len(starts)):
        begin, size = address + starts[row], ends[row] - starts[row]
        place = np.int64(_key(begin, size) & mask)
        while True:
            known = table[place]
            if known < 0:
                table[place] = count
                firsts[count] = row
                codes[row] = count
                count += 1
                break
            other = firsts[known]
            same = _are_same(begin, size, address + starts[other], ends[other] - starts[other])
            if same and doubled[other] == doubled[row]:
                codes[row] = known
                break
            place = np.int64(np.uint64(place + 1) & mask)
    return count


@inner
def _key(begin: int, size: int) -> np.uint64:
    """A number that is the same for the same bytes."""
    key = np.uint64(size) * _FACTOR
    for offset in range(0, size, 8):
        key = (key ^ _eight(begin + offset, size - offset)) * _FACTOR
        key ^= key >> np.uint64(32)
    return key


@inner
def _are_same(one: int, size: int, other: int, other_size: int) -> bool:
    if size != other_size:
        return False
    for offset in range(0, size, 8):
        left = size - offset
        if _eight(one + offset, left) != _eight(other + offset, left):
            return False
    return True


@inner
def _eight(p: int, left: int) -> np.uint64:
    """The next eight bytes, or as many as are left."""
    found = word(p)
    return found if left >= 8 else found & _MASKS[left]
