"""The kernel that walks from event to event."""

from __future__ import annotations

from typing import Final

from studio.formats.jit import inlined, inner, kernel
from studio.formats.scan.bits import byte, long
from studio.formats.scan.board import (
    ALL_EVENTS,
    ASYNC,
    COLUMNS_ROOM,
    COLUMNS_USED,
    COMPLETE,
    COMPLETES,
    COUNTER,
    FAULTS,
    FLOW,
    FLOWS,
    LONG,
    METADATA,
    MOST_SERIES,
    NAMED,
    PHASE,
    READ,
    ROOM,
    TIME_STATE,
    UNKNOWN_PHASE,
    USED,
    kinds_of_phases,
)
from studio.formats.scan.fields import read_event
from studio.formats.scan.rows import (
    KEPT,
    NO_ROOM,
    REFUSED,
    count_up,
    keep_async,
    keep_complete,
    keep_counter,
    keep_flow,
    keep_named,
    note_event,
    note_fault,
)
from studio.formats.scan.values import past_space

MORE: Final = 0
"""The buffer ends within an event: read on."""
MAKE_ROOM: Final = 1
"""Rows or a table are full: make room and go on."""
ENDED: Final = 2
"""The list was closed."""
ODD: Final = 3
"""The next event is not plain JSON: the portable reader must look at it."""

_COMMA, _OPEN, _CLOSE_LIST = 0x2C, 0x7B, 0x5D
_KINDS = kinds_of_phases()


@kernel
def scan(base: int, size: int, place: int, board: int) -> tuple[int, int]:
    """Read the events from `base` on, where the first of them starts; in the file that is `place`.

    Returns how many bytes were used up, always whole events with the comma after them (or the
    closing bracket), and why it stopped. An event counts when what follows it is in order as well.
    """
    end = base + size
    p = base
    left = _events_with_room(board)
    while left > 0:
        left -= 1
        closed = read_event(p, end, board)
        if closed < 0:
            return p - base, MORE if -closed >= end else ODD
        following = past_space(closed)
        mark = byte(following)
        if mark == _COMMA:
            following = past_space(following + 1)
        if following >= end:
            return p - base, MORE
        if byte(following) != _OPEN if mark == _COMMA else mark != _CLOSE_LIST:
            return p - base, ODD
        kept = _keep_event(p - base, closed - base, place, board)
        if kept != KEPT:
            return p - base, MAKE_ROOM if kept == NO_ROOM else ODD
        count_up(board + ALL_EVENTS, 1)
        p = following
        if left == 0:
            left = _events_with_room(board)
        if mark == _CLOSE_LIST:
            return p + 1 - base, ENDED
    return p - base, MAKE_ROOM


@inlined
def _events_with_room(board: int) -> int:
    """How many events can be written for sure, of whatever kind."""
    room = long(board + NAMED + ROOM)
    for rows in range(board + NAMED, board + FAULTS + LONG, 3 * LONG):
        room = min(room, long(rows + ROOM) - long(rows + USED))
    for columns in (board + COMPLETES, board + FLOWS):
        if long(columns):
            room = min(room, long(columns + COLUMNS_ROOM) - long(columns + COLUMNS_USED))
    return room // MOST_SERIES


@inner
def _keep_event(begin: int, end: int, place: int, board: int) -> int:
    """Write the event on the board, which stands between `begin` and `end`, to its rows."""
    phase = long(board + PHASE)
    kind = _KINDS[phase]
    if kind == METADATA:
        note_event(METADATA, begin, end, board)
        return KEPT
    if phase == 0:
        return REFUSED
    if kind == 0:
        note_fault(UNKNOWN_PHASE, place + begin, board)
        return KEPT
    if long(board + TIME_STATE) != READ:
        return REFUSED
    if kind == COMPLETE:
        return keep_complete(place + begin, board)
    if kind == FLOW:
        return keep_flow(place + begin, board)
    if kind == ASYNC:
        return keep_async(place + begin, board)
    if kind != COUNTER:
        return keep_named(place + begin, kind, 0, board)
    kept = keep_counter(board)
    if kept == KEPT:
        note_event(COUNTER, begin, end, board)
    return kept
