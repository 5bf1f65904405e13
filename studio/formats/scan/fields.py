"""The kernel that reads one event: where its fields are, and its times."""

from __future__ import annotations

from typing import Final

import numpy as np

from studio.formats.jit import inlined, inner
from studio.formats.scan.bits import BLOCK, byte, first, long, plain_stops, put_long, word
from studio.formats.scan.board import (
    ARGS,
    CATEGORY,
    CHOSEN,
    CHOSEN_COUNT,
    CHOSEN_SIZES,
    DEFAULTS,
    DURATION,
    DURATION_STATE,
    EMPTY_SIZE,
    ID,
    LONG,
    MISSING,
    NAME,
    NULL_SIZE,
    PAIR,
    PHASE,
    PROCESS,
    TEXTS,
    THREAD,
    TIME,
    TIME_STATE,
    ZERO_SIZE,
)
from studio.formats.scan.numbers import end_of_digits, end_of_number, end_of_word
from studio.formats.scan.strings import end_of_string, is_plain, is_utf8, same_bytes
from studio.formats.scan.times import read_time
from studio.formats.scan.values import (
    end_of_list,
    end_of_simple_value,
    end_of_value,
    next_key,
    past_colon,
    past_space,
    value_after_key,
)

ZERO_AT: Final = EMPTY_SIZE
NULL_AT: Final = EMPTY_SIZE + ZERO_SIZE
"""Where in `DEFAULTS` a zero and `null` stand; an empty string is at its start."""

_QUOTE, _DOT, _OPEN, _CLOSE = 0x22, 0x2E, 0x7B, 0x7D
_OPEN_LIST, _BACKSLASH, _ZERO, _NINE = 0x5B, 0x5C, 0x30, 0x39
_LONGEST_NUMBER = 40
_DEFAULTS_SIZE = len(DEFAULTS)
_REFUSED = 0
_U64 = np.uint64


def _key(text: bytes) -> np.uint64:
    return _U64(int.from_bytes(text + b'"', "little"))


_S, _OF_ONE = _key(b"s"), _U64((1 << 16) - 1)
_PH, _TS, _ID, _OF_TWO = _key(b"ph"), _key(b"ts"), _key(b"id"), _U64((1 << 24) - 1)
_PID, _TID, _DUR, _CAT = _key(b"pid"), _key(b"tid"), _key(b"dur"), _key(b"cat")
_ID2, _OF_THREE = _key(b"id2"), _U64((1 << 32) - 1)
_NAME, _ARGS, _OF_FOUR = _key(b"name"), _key(b"args"), _U64((1 << 40) - 1)


@inner
def read_event(p: int, end: int, board: int) -> int:
    """Read the event whose `{` is at `p` to the board; returns its end.

    Returns the place, negated, where the event is no JSON, or not of the plain kind that needs no
    second look.
    """
    begin = p
    _clear(board)
    p = past_space(p + 1)
    if byte(p) == _CLOSE:
        return p + 1
    if byte(p) != _QUOTE:
        return -p
    key = p + 1
    while True:
        p = _read_field(key, end, board)
        if p == _REFUSED:
            return -begin
        if p < 0:
            return p
        key = next_key(p)
        if key <= 0:
            return key if key else past_space(p) + 1


@inlined
def end_of_text(p: int) -> int:
    """The end of a string, number or word that is surely decoded as it stands."""
    if p < 0:
        return p
    mark = byte(p)
    if mark == _QUOTE:
        end = p + 1
        stops = plain_stops(end)
        while stops == 0:
            end += BLOCK
            stops = plain_stops(end)
        end += first(stops)
        if byte(end) == _QUOTE:
            return end + 1
        end = end_of_string(p + 1)
        if end < 0:
            return end
        if not is_plain(p, end - p) and not is_utf8(p, end):
            return -p
        return end + 1
    if mark in (_OPEN, _OPEN_LIST):
        return -p
    if mark > _NINE:
        return end_of_word(p)
    end = end_of_digits(p)
    odd = end == p or (byte(p) == _ZERO and end > p + 1) or byte(end) == _DOT
    if not odd and byte(end) | 0x20 != 0x65 and end - p <= _LONGEST_NUMBER:
        return end
    end = end_of_number(p)
    if end - p > _LONGEST_NUMBER:
        return -p
    for place in range(p, end):
        if byte(place) | 0x20 == 0x65:
            return -p
    return end


@inlined
def put_text(at: int, p: int, size: int) -> None:
    """Write down where a text is."""
    put_long(at, p)
    put_long(at + LONG, size)


@inlined
def copy_text(to: int, at: int) -> None:
    """Write down at another address where a text is."""
    put_text(to, long(at), long(at + LONG))


@inlined
def _clear(board: int) -> None:
    """Put down what an event has that has no fields."""
    put_long(board + PHASE, 0)
    put_long(board + TIME_STATE, MISSING)
    put_long(board + DURATION_STATE, MISSING)
    texts = long(board + TEXTS)
    put_text(board + NAME, texts, EMPTY_SIZE)
    put_text(board + CATEGORY, texts, EMPTY_SIZE)
    put_text(board + PROCESS, texts + ZERO_AT, ZERO_SIZE)
    put_text(board + THREAD, texts + ZERO_AT, ZERO_SIZE)
    put_text(board + ID, texts + NULL_AT, NULL_SIZE)
    _clear_args(board)


@inlined
def _clear_args(board: int) -> None:
    put_long(board + ARGS + LONG, 0)
    for number in range(long(board + CHOSEN_COUNT)):
        put_long(board + CHOSEN + PAIR * number + LONG, 0)


@inlined
def _read_field(p: int, end: int, board: int) -> int:
    """Read a key, whose text starts at `p`, and its value; returns the value's end."""
    text = word(p)
    if text & _OF_FOUR == _ARGS:
        return _read_args(past_colon(p + 5), board)
    if text & _OF_TWO == _PH:
        return _read_phase(past_colon(p + 3), end, board)
    kept, size = 0, 4
    if text & _OF_FOUR == _NAME:
        kept, size = NAME, 5
    elif text & _OF_THREE == _PID:
        kept = PROCESS
    elif text & _OF_THREE == _TID:
        kept = THREAD
    elif text & _OF_THREE == _CAT:
        kept = CATEGORY
    elif text & _OF_TWO == _ID:
        kept, size = ID, 3
    if kept:
        return _keep(board + kept, past_colon(p + size))
    if text & _OF_TWO == _TS:
        kept, size = TIME, 3
    elif text & _OF_THREE == _DUR:
        kept = DURATION
    if kept:
        return read_time(past_colon(p + size), board + kept)
    if text & _OF_ONE == _S:
        return end_of_text(past_colon(p + 2))
    value = value_after_key(p)
    if value < 0:
        return value
    if text & _OF_THREE == _ID2 or _has_escape(p):
        return _REFUSED
    return end_of_value(value)


@inlined
def _keep(at: int, p: int) -> int:
    end = end_of_text(p)
    put_text(at, p, end - p)
    return end


@inlined
def _keep_arg(at: int, p: int) -> int:
    """Keep a wanted arg, which may be a list such as shapes are."""
    if p < 0 or byte(p) != _OPEN_LIST:
        return _keep(at, p)
    end = end_of_list(p)
    put_text(at, p, end - p)
    return end


@inlined
def _read_phase(p: int, end: int, board: int) -> int:
    if p < 0:
        return p
    if p + 3 > end:
        return -end
    letter = byte(p + 1)
    if byte(p) != _QUOTE or byte(p + 2) != _QUOTE or not 0x20 <= letter < 0x80:
        return -p
    if letter in (_QUOTE, _BACKSLASH):
        return -p
    put_long(board + PHASE, letter)
    return p + 3


@inlined
def _read_args(p: int, board: int) -> int:
    if p < 0:
        return p
    _clear_args(board)
    end = _read_object(p, board) if byte(p) == _OPEN else end_of_value(p)
    put_text(board + ARGS, p, end - p)
    return end


@inlined
def _read_object(p: int, board: int) -> int:
    """Walk over the object of args and keep the places of those that are wanted."""
    some_wanted = long(board + CHOSEN_COUNT) > 0
    p = past_space(p + 1)
    if byte(p) == _CLOSE:
        return p + 1
    if byte(p) != _QUOTE:
        return -p
    key = p + 1
    while True:
        p = value_after_key(key)
        if p < 0:
            return p
        wanted = _which(key, board) if some_wanted else -1
        if wanted >= 0:
            p = _keep_arg(board + CHOSEN + PAIR * wanted, p)
        elif some_wanted and _has_escape(key):
            return -key
        else:
            p = end_of_simple_value(p)
        if p < 0:
            return p
        key = next_key(p)
        if key <= 0:
            return key if key else past_space(p) + 1


@inner
def _which(key: int, board: int) -> int:
    name = long(board + TEXTS) + _DEFAULTS_SIZE
    for number in range(long(board + CHOSEN_COUNT)):
        size = long(board + CHOSEN_SIZES + LONG * number)
        if same_bytes(key, name, size):
            return number
        name += size
    return -1


@inner
def _has_escape(key: int) -> bool:
    while byte(key) != _QUOTE:
        if byte(key) == _BACKSLASH:
            return True
        key += 1
    return False
