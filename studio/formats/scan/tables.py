"""Tables of texts as Python sees them: made larger when they are full, read when texts are new."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np

from studio.formats.scan.board import (
    COUNT,
    LONG,
    MASK,
    SLOTS,
    STARTS,
    TEXT,
    TEXT_ROOM,
    TEXT_USED,
)
from studio.formats.scan.interning import SLACK, move_keys

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

FIRST_SLOTS: Final = 1 << 12
_TEXT_OF_SLOT: Final = 32


class TextTable:
    """One table; keys have `parts` JSON values each.

    `resolve` gives the final numbers of keys that are new: it takes the values of each as a list.
    `slots`, a power of two, is the room at first.
    """

    def __init__(
        self,
        board: NDArray[np.int64],
        place: int,
        parts: int,
        resolve: Callable[[list[list[Any]]], NDArray[np.int64]],
        slots: int = FIRST_SLOTS,
    ) -> None:
        self._line = board[place // LONG : (place + TEXT_USED) // LONG + 1]
        self._parts = parts
        self._resolve = resolve
        self._slots = np.zeros(2 * slots, np.int64)
        self._starts = np.zeros(slots, np.int64)
        self._text = np.zeros(slots * _TEXT_OF_SLOT, np.uint8)
        self._numbers = np.zeros(slots, np.int64)
        self._resolved = 0
        self._in_order = True
        self._write_addresses()

    @property
    def in_order(self) -> bool:
        """Whether every key's final number is the one it has here."""
        return self._in_order

    def numbers(self) -> NDArray[np.int64]:
        """The final number of every key, in the order of first appearance."""
        count = int(self._line[COUNT // LONG])
        if count > self._resolved:
            self._read(self._resolved, count)
            self._resolved = count
        return self._numbers[:count]

    def make_room(self, text: int) -> None:
        """Grow if need be, so that a key of `text` bytes fits in."""
        if 2 * int(self._line[COUNT // LONG]) > int(self._line[MASK // LONG]) - 2:
            self._grow_slots()
            self._write_addresses()
        if int(self._line[TEXT_USED // LONG]) + text + SLACK > len(self._text):
            self._text = _longer(self._text, len(self._text) + text + SLACK)
            self._write_addresses()

    def _read(self, first: int, last: int) -> None:
        begin, end = self._starts[first], self._starts[last] - 1
        values = msgspec.json.decode(b"[" + self._text[begin:end].tobytes() + b"]")
        parts = self._parts
        keys = [values[at : at + parts] for at in range(0, len(values), parts)]
        found = self._resolve(keys)
        self._numbers[first:last] = found
        self._in_order = self._in_order and bool((found == np.arange(first, last)).all())

    def _grow_slots(self) -> None:
        old = self._slots
        self._slots = np.zeros(2 * len(old), np.int64)
        count = len(old) // 2
        move_keys(old.ctypes.data, count, self._slots.ctypes.data, 2 * count - 1)
        self._starts = _longer(self._starts, len(self._starts))
        self._numbers = _longer(self._numbers, len(self._numbers))

    def _write_addresses(self) -> None:
        line = self._line
        line[SLOTS // LONG] = self._slots.ctypes.data
        line[MASK // LONG] = len(self._slots) // 2 - 1
        line[STARTS // LONG] = self._starts.ctypes.data
        line[TEXT // LONG] = self._text.ctypes.data
        line[TEXT_ROOM // LONG] = len(self._text)


def _longer(values: NDArray[Any], more: int) -> NDArray[Any]:
    grown = np.zeros(len(values) + more, values.dtype)
    grown[: len(values)] = values
    return grown
