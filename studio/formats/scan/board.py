"""The board: one array of numbers through which Python and the kernels tell each other everything.

Kernels take nothing but integers, numbers and addresses: for every array that is handed on, numba
would count references, which takes longer than reading an event. What follows are places on the
board, in bytes from its address, and the layout of the rows that kernels write.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from studio.formats.chrome_builder import GROUPS

if TYPE_CHECKING:
    from numpy.typing import NDArray

LONG: Final = 8
PAIR: Final = 2 * LONG
"""The bytes of a number, and of two: texts are described by their address and size."""

# -- the event that is being read -------------------------------------------------------------
PHASE: Final = 0
TIME: Final = LONG
TIME_STATE: Final = 2 * LONG
DURATION: Final = 3 * LONG
DURATION_STATE: Final = 4 * LONG
ARGS: Final = 5 * LONG
NAME: Final = ARGS + PAIR
CATEGORY: Final = NAME + PAIR
PROCESS: Final = CATEGORY + PAIR
THREAD: Final = PROCESS + PAIR
ID: Final = THREAD + PAIR
"""A letter, times with their states, and texts."""

CHOSEN: Final = ID + PAIR
MOST_CHOSEN: Final = 16
"""The texts of the args that were asked for; size 0 where the event has none."""

READ, ABSENT, MISSING = range(3)
"""States of a time: it was read, it is `null`, it is not in the event."""

# -- work space -------------------------------------------------------------------------------
KEY: Final = CHOSEN + MOST_CHOSEN * PAIR
KEY_PARTS: Final = 5
"""The texts of a key that has to be put together."""

NUMBERS: Final = KEY + KEY_PARTS * PAIR
MOST_SERIES: Final = 8
"""The numbers of a counter event: a text for the key and one for the value."""

# -- what to read -----------------------------------------------------------------------------
TEXTS: Final = NUMBERS + 2 * MOST_SERIES * PAIR
"""The address of `DEFAULTS` and, after them, the names of the args that are wanted, each with its
closing quote."""
CHOSEN_COUNT: Final = TEXTS + LONG
CHOSEN_SIZES: Final = CHOSEN_COUNT + LONG
"""How many args are wanted, and how long each one's name is with its quote."""

DEFAULTS: Final = b'""0null'
EMPTY_SIZE, ZERO_SIZE, NULL_SIZE = 2, 1, 4
"""The values of fields that an event has not, and the size of each."""

# -- rows -------------------------------------------------------------------------------------
NAMED: Final = CHOSEN_SIZES + MOST_CHOSEN * LONG
SAMPLES: Final = NAMED + 3 * LONG
EVENTS: Final = SAMPLES + 3 * LONG
FAULTS: Final = EVENTS + 3 * LONG
ROOM: Final = LONG
USED: Final = 2 * LONG
"""Of each kind of rows the address, the number there is room for, and the number written."""

COMPLETES: Final = FAULTS + 3 * LONG
FLOWS: Final = COMPLETES + 9 * LONG
COLUMNS_ROOM: Final = 7 * LONG
COLUMNS_USED: Final = 8 * LONG
"""Of rows that are written to their columns at once, the addresses of the columns in the order of
`COMPLETE_COLUMNS` and `FLOW_COLUMNS`, the number there is room for, and the number written."""

NAMED_ARGS: Final = FLOWS + 9 * LONG
"""The address of values and kinds of the args that were asked for, a pair each."""
ALL_EVENTS: Final = NAMED_ARGS + LONG
COUNTER_EVENTS: Final = ALL_EVENTS + LONG
SLOW_COUNTERS: Final = COUNTER_EVENTS + LONG
"""Counted events, and whether a counter was met that Python must read."""

# -- tables of texts --------------------------------------------------------------------------
SLOTS: Final = 0
MASK: Final = LONG
STARTS: Final = 2 * LONG
TEXT: Final = 3 * LONG
TEXT_ROOM: Final = 4 * LONG
COUNT: Final = 5 * LONG
TEXT_USED: Final = 6 * LONG
_TABLE_SIZE: Final = 7 * LONG
"""Of each table: addresses of slots, starts and text; number of slots less one, bytes of room for
text; keys and bytes of text so far."""

NAME_TABLE: Final = SLOW_COUNTERS + LONG
CATEGORY_TABLE: Final = NAME_TABLE + _TABLE_SIZE
TRACK_TABLE: Final = CATEGORY_TABLE + _TABLE_SIZE
ASYNC_TABLE: Final = TRACK_TABLE + _TABLE_SIZE
FLOW_TABLE: Final = ASYNC_TABLE + _TABLE_SIZE
SERIES_TABLE: Final = FLOW_TABLE + _TABLE_SIZE
ARG_TABLE: Final = SERIES_TABLE + _TABLE_SIZE
"""Tables; a key of `SERIES_TABLE` is the process, name, id, accelerator and key of a curve."""

BOARD_SIZE: Final = ARG_TABLE + _TABLE_SIZE

# -- rows that kernels write ------------------------------------------------------------------
NAMED_ROW: Final = np.dtype(
    [
        ("time", np.int64),
        ("duration", np.int64),
        ("source", np.int64),
        ("track", np.int32),
        ("name", np.int32),
        ("category", np.int32),
        ("id", np.int32),
        ("kind", np.uint8),
        ("phase", np.uint8),
        ("open", np.bool_),
    ],
    align=True,
)
"""An event that has a name: all but flows, counters and metadata, and most complete ones."""

COMPLETE_COLUMNS: Final[dict[str, np.dtype[Any]]] = {
    "time": np.dtype(np.int64),
    "duration": np.dtype(np.int64),
    "source": np.dtype(np.int64),
    "track": np.dtype(np.int32),
    "name": np.dtype(np.int32),
    "category": np.dtype(np.int32),
    "open": np.dtype(np.bool_),
}
"""What complete events are written to when no args were asked for; else they are `NAMED_ROW`s."""

FLOW_COLUMNS: Final[dict[str, np.dtype[Any]]] = {
    "time": np.dtype(np.int64),
    "source": np.dtype(np.int64),
    "id": np.dtype(np.int64),
    "track": np.dtype(np.int32),
    "category": np.dtype(np.int32),
    "phase": np.dtype(np.uint8),
    "text_id": np.dtype(np.bool_),
}
"""What ends of arrows are written to."""

SAMPLE_ROW: Final = np.dtype([("time", np.int64), ("series", np.int64), ("value", np.float64)])
"""A value of a counter."""

EVENT_ROW: Final = np.dtype([("kind", np.int64), ("begin", np.int64), ("end", np.int64)])
"""An event that Python may have to read: where it is in what was scanned."""

FAULT_ROW: Final = np.dtype([("fault", np.int64), ("place", np.int64)])
"""A fault, as a number in `FAULT_KINDS`."""

UNKNOWN_PHASE, MISSING_DURATION = range(2)
FAULT_KINDS: Final = ("unknown phase", "missing duration")

ARG_TOKEN: Final = 3
"""The kind of an arg whose value is still a number of `ARG_TABLE`."""

COMPLETE, SPAN, ASYNC, INSTANT, FLOW, COUNTER, METADATA = range(1, 8)
KIND_GROUPS: Final = (
    "complete", "spans", "asyncs", "instants", "flows", "counters", "metadata",
)  # fmt: skip
"""Kinds of events, and the groups of `chrome_builder` that they are, in the same order."""


def kinds_of_phases() -> NDArray[np.uint8]:
    """The kind of event that each letter means, 0 for unknown ones."""
    kinds = np.zeros(128, np.uint8)
    for number, group in enumerate(KIND_GROUPS, COMPLETE):
        for letter in GROUPS[group]:
            kinds[ord(letter)] = number
    return kinds


def offset(row: np.dtype[np.void], column: str) -> int:
    """Where in a row a column is."""
    fields = row.fields
    assert fields is not None
    return int(fields[column][1])
