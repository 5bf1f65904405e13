"""The kernel that takes the numbers out of a counter event."""

from __future__ import annotations

from typing import Final

import numpy as np

from studio.formats.jit import inlined, inner
from studio.formats.scan.bits import byte, long, put_long, put_real, word
from studio.formats.scan.board import (
    ARGS,
    ID,
    KEY,
    KEY_PARTS,
    LONG,
    MOST_SERIES,
    NAME,
    NULL_SIZE,
    NUMBERS,
    PAIR,
    PROCESS,
    SAMPLE_ROW,
    SERIES_TABLE,
    TEXTS,
    TIME,
    offset,
)
from studio.formats.scan.fields import NULL_AT, copy_text, end_of_text, put_text
from studio.formats.scan.interning import FULL, number_of
from studio.formats.scan.numbers import exact_float
from studio.formats.scan.strings import end_of_string, is_plain, same_bytes
from studio.formats.scan.values import past_colon, past_space

SLOW: Final = -2
"""The event is not of the plain kind: Python has to take the counters of this stretch."""

_QUOTE, _OPEN, _CLOSE = 0x22, 0x7B, 0x7D
_MINUS, _ZERO, _NINE = 0x2D, 0x30, 0x39
_ACC_ID = np.uint64(int.from_bytes(b'"acc_id"', "little"))
_TIME, _SERIES, _VALUE = (offset(SAMPLE_ROW, name) for name in ("time", "series", "value"))
_ROW = SAMPLE_ROW.itemsize


@inner
def read_counter(board: int, row: int) -> int:
    """Write the numbers of the event on the board; returns how many, or `FULL` or `SLOW`."""
    numbers = board + NUMBERS
    count = _find_numbers(long(board + ARGS), numbers) if long(board + ARGS + LONG) else 0
    if count <= 0:
        return SLOW
    key = board + KEY
    copy_text(key, board + PROCESS)
    copy_text(key + PAIR, board + NAME)
    copy_text(key + 2 * PAIR, board + ID)
    put_text(key + 3 * PAIR, long(board + TEXTS) + NULL_AT, NULL_SIZE)
    accelerator = _accelerator(numbers, count)
    if accelerator:
        copy_text(key + 3 * PAIR, accelerator + PAIR)
    begin = row
    for number in range(numbers, numbers + 2 * PAIR * count, 2 * PAIR):
        if number == accelerator:
            continue
        place = long(number + PAIR)
        value, exact = exact_float(place, place + long(number + PAIR + LONG))
        if not exact:
            return SLOW
        copy_text(key + 4 * PAIR, number)
        series = number_of(board + SERIES_TABLE, key, KEY_PARTS)
        if series == FULL:
            return FULL
        put_long(row + _TIME, long(board + TIME))
        put_long(row + _SERIES, series)
        put_real(row + _VALUE, value)
        row += _ROW
    return (row - begin) // _ROW


@inner
def _find_numbers(p: int, numbers: int) -> int:
    """Keep the texts of keys and values; returns how many, -1 if they are not all plain."""
    if byte(p) != _OPEN:
        return -1
    p = past_space(p + 1)
    for count in range(MOST_SERIES):
        if byte(p) != _QUOTE:
            return -1
        end = end_of_string(p + 1) + 1
        size = end - p
        if not is_plain(p, size):
            return -1
        number = numbers + 2 * PAIR * count
        for other in range(numbers, number, 2 * PAIR):
            if long(other + LONG) == size and same_bytes(p, long(other), size):
                return -1
        put_text(number, p, size)
        p = past_colon(end)
        if byte(p) != _MINUS and not _ZERO <= byte(p) <= _NINE:
            return -1
        end = end_of_text(p)
        if end < 0:
            return -1
        put_text(number + PAIR, p, end - p)
        p = past_space(end)
        if byte(p) == _CLOSE:
            return count + 1
        p = past_space(p + 1)
    return -1


@inlined
def _accelerator(numbers: int, count: int) -> int:
    """Which of several numbers only tells curves apart (`acc_id`), 0 if none."""
    if count > 1:
        for number in range(numbers, numbers + 2 * PAIR * count, 2 * PAIR):
            if long(number + LONG) == 8 and word(long(number)) == _ACC_ID:
                return number
    return 0
