"""The kernels that write the event on the board to its rows."""

from __future__ import annotations

from typing import Final

from studio.formats.chrome_columns import ARG_MISSING, ARG_NUMBER
from studio.formats.jit import inlined, inner
from studio.formats.scan.bits import byte, long, put_byte, put_half, put_long
from studio.formats.scan.board import (
    ARG_TABLE,
    ARG_TOKEN,
    ASYNC,
    ASYNC_TABLE,
    CATEGORY,
    CATEGORY_TABLE,
    CHOSEN,
    CHOSEN_COUNT,
    COLUMNS_USED,
    COMPLETE,
    COMPLETES,
    COUNTER_EVENTS,
    DURATION,
    DURATION_STATE,
    EVENT_ROW,
    EVENTS,
    FAULT_ROW,
    FAULTS,
    FLOW_TABLE,
    FLOWS,
    ID,
    KEY,
    LONG,
    MISSING_DURATION,
    NAME,
    NAME_TABLE,
    NAMED,
    NAMED_ARGS,
    NAMED_ROW,
    PAIR,
    PHASE,
    PROCESS,
    READ,
    SAMPLE_ROW,
    SAMPLES,
    SLOW_COUNTERS,
    TIME,
    TRACK_TABLE,
    USED,
    offset,
)
from studio.formats.scan.counters import SLOW, read_counter
from studio.formats.scan.fields import copy_text
from studio.formats.scan.interning import FULL, number_of
from studio.formats.scan.numbers import whole_number

KEPT: Final = 0
NO_ROOM: Final = 1
REFUSED: Final = 2
"""The event was written; a table must grow first; the portable reader must look at the event."""

_QUOTE = 0x22
_LATEST = 2**62
_LONGEST_ARG = 20
_LEGACY_BEGIN, _LEGACY_END, _BEGIN, _END = ord("S"), ord("F"), ord("b"), ord("e")

_TIME, _DURATION, _SOURCE, _TRACK, _NAME = (
    offset(NAMED_ROW, column) for column in ("time", "duration", "source", "track", "name")
)
_CATEGORY, _ID, _KIND, _PHASE, _OPEN = (
    offset(NAMED_ROW, column) for column in ("category", "id", "kind", "phase", "open")
)
_NAMED_SIZE, _SAMPLE_SIZE = NAMED_ROW.itemsize, SAMPLE_ROW.itemsize
_EVENT_SIZE, _FAULT_SIZE = EVENT_ROW.itemsize, FAULT_ROW.itemsize
_EVENT_BEGIN, _EVENT_END = offset(EVENT_ROW, "begin"), offset(EVENT_ROW, "end")
_FAULT_PLACE = offset(FAULT_ROW, "place")
_HALF = LONG // 2


@inlined
def keep_complete(place: int, board: int) -> int:
    """Write a complete event; `place` is its place in the file."""
    is_open = long(board + DURATION_STATE) != READ
    duration = 0 if is_open else long(board + DURATION)
    if duration < 0 or duration > _LATEST - long(board + TIME):
        return REFUSED
    if long(board + COMPLETES):
        return _keep_complete_only(place, duration, is_open, board)
    row = _next_row(board + NAMED, _NAMED_SIZE)
    put_long(row + _DURATION, duration)
    put_byte(row + _OPEN, is_open)
    kept = keep_named(place, COMPLETE, 0, board)
    if kept == KEPT and is_open:
        note_fault(MISSING_DURATION, place, board)
    return kept


@inlined
def _keep_complete_only(place: int, duration: int, is_open: bool, board: int) -> int:
    """Write a complete event to its columns, whose order is that of `COMPLETE_COLUMNS`."""
    track = number_of(board + TRACK_TABLE, board + PROCESS, 2)
    name = number_of(board + NAME_TABLE, board + NAME, 1)
    category = number_of(board + CATEGORY_TABLE, board + CATEGORY, 1)
    if track == FULL or name == FULL or category == FULL:
        return NO_ROOM
    columns = board + COMPLETES
    row = long(columns + COLUMNS_USED)
    put_long(long(columns) + LONG * row, long(board + TIME))
    put_long(long(columns + LONG) + LONG * row, duration)
    put_long(long(columns + 2 * LONG) + LONG * row, place)
    put_half(long(columns + 3 * LONG) + _HALF * row, track)
    put_half(long(columns + 4 * LONG) + _HALF * row, name)
    put_half(long(columns + 5 * LONG) + _HALF * row, category)
    put_byte(long(columns + 6 * LONG) + row, is_open)
    put_long(columns + COLUMNS_USED, row + 1)
    if is_open:
        note_fault(MISSING_DURATION, place, board)
    return KEPT


@inner
def keep_async(place: int, board: int) -> int:
    """Write an asynchronous event, known by its category and id."""
    key = board + KEY
    copy_text(key, board + CATEGORY)
    copy_text(key + PAIR, board + ID)
    number = number_of(board + ASYNC_TABLE, key, 2)
    if number == FULL:
        return NO_ROOM
    phase = long(board + PHASE)
    if phase == _LEGACY_BEGIN:
        put_long(board + PHASE, _BEGIN)
    elif phase == _LEGACY_END:
        put_long(board + PHASE, _END)
    return keep_named(place, ASYNC, number, board)


@inlined
def keep_named(place: int, kind: int, number: int, board: int) -> int:
    """Write what all events with a name have."""
    track = number_of(board + TRACK_TABLE, board + PROCESS, 2)
    name = number_of(board + NAME_TABLE, board + NAME, 1)
    category = number_of(board + CATEGORY_TABLE, board + CATEGORY, 1)
    full = track == FULL or name == FULL or category == FULL
    if full or not _keep_args(board):
        return NO_ROOM
    row = _next_row(board + NAMED, _NAMED_SIZE)
    put_long(row + _TIME, long(board + TIME))
    put_long(row + _SOURCE, place)
    put_half(row + _TRACK, track)
    put_half(row + _NAME, name)
    put_half(row + _CATEGORY, category)
    put_half(row + _ID, number)
    put_byte(row + _KIND, kind)
    put_byte(row + _PHASE, long(board + PHASE))
    count_up(board + NAMED + USED, 1)
    return KEPT


@inner
def _keep_args(board: int) -> bool:
    """Write the args that were asked for; False when their table must grow first."""
    chosen = long(board + CHOSEN_COUNT)
    row = long(board + NAMED_ARGS) + PAIR * chosen * long(board + NAMED + USED)
    for text in range(board + CHOSEN, board + CHOSEN + PAIR * chosen, PAIR):
        p, size = long(text), long(text + LONG)
        value, kind = 0, ARG_MISSING
        if size:
            quoted = byte(p) == _QUOTE
            value, plain = whole_number(p + quoted, p + size - quoted)
            kind = ARG_NUMBER
            if not plain or size > _LONGEST_ARG:
                value = number_of(board + ARG_TABLE, text, 1)
                kind = ARG_TOKEN
                if value == FULL:
                    return False
        put_long(row, value)
        put_long(row + LONG, kind)
        row += PAIR
    return True


@inlined
def keep_flow(place: int, board: int) -> int:
    """Write one end of an arrow to its columns, whose order is that of `FLOW_COLUMNS`."""
    p, size = long(board + ID), long(board + ID + LONG)
    quoted = byte(p) == _QUOTE
    number, plain = whole_number(p + quoted, p + size - quoted)
    if not plain:
        number = number_of(board + FLOW_TABLE, board + ID, 1)
    track = number_of(board + TRACK_TABLE, board + PROCESS, 2)
    category = number_of(board + CATEGORY_TABLE, board + CATEGORY, 1)
    if number == FULL or track == FULL or category == FULL:
        return NO_ROOM
    columns = board + FLOWS
    row = long(columns + COLUMNS_USED)
    put_long(long(columns) + LONG * row, long(board + TIME))
    put_long(long(columns + LONG) + LONG * row, place)
    put_long(long(columns + 2 * LONG) + LONG * row, number)
    put_half(long(columns + 3 * LONG) + _HALF * row, track)
    put_half(long(columns + 4 * LONG) + _HALF * row, category)
    put_byte(long(columns + 5 * LONG) + row, long(board + PHASE))
    put_byte(long(columns + 6 * LONG) + row, not plain)
    put_long(columns + COLUMNS_USED, row + 1)
    return KEPT


@inner
def keep_counter(board: int) -> int:
    """Write the numbers of a counter, unless one before it already needs Python."""
    if long(board + SLOW_COUNTERS):
        return KEPT
    found = read_counter(board, _next_row(board + SAMPLES, _SAMPLE_SIZE))
    if found == FULL:
        return NO_ROOM
    if found == SLOW:
        put_long(board + SLOW_COUNTERS, 1)
        return KEPT
    count_up(board + SAMPLES + USED, found)
    count_up(board + COUNTER_EVENTS, 1)
    return KEPT


@inlined
def note_event(kind: int, begin: int, end: int, board: int) -> None:
    """Leave an event to Python."""
    row = _next_row(board + EVENTS, _EVENT_SIZE)
    put_long(row, kind)
    put_long(row + _EVENT_BEGIN, begin)
    put_long(row + _EVENT_END, end)
    count_up(board + EVENTS + USED, 1)


@inner
def note_fault(fault: int, place: int, board: int) -> None:
    """Write down a fault and its place in the file."""
    row = _next_row(board + FAULTS, _FAULT_SIZE)
    put_long(row, fault)
    put_long(row + _FAULT_PLACE, place)
    count_up(board + FAULTS + USED, 1)


@inlined
def count_up(at: int, more: int) -> None:
    """Add to a number on the board."""
    put_long(at, long(at) + more)


@inlined
def _next_row(rows: int, size: int) -> int:
    """The address of the row that is written next."""
    return long(rows) + size * long(rows + USED)
