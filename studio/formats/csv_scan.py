"""Reads large CSV tables with compiled kernels; the results are those of the portable reader."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from studio.formats import cells
from studio.formats import csv_kernels as kernels

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import BinaryIO

    from numpy.typing import NDArray

    from studio.formats.cells import States

    Places = NDArray[np.int32]
    Times = tuple[NDArray[np.int64], States, list[tuple[int, str]]]
    """Times, their states, and the cells that were read one by one."""

_PIECE: Final = 1 << 23
_LARGEST_ROW: Final = 1 << 26
DECIMALS: Final = {"s": 9, "ms": 6, "us": 3}
"""Units of times that may have fractions, and how many of their decimals count."""
_PADDING: Final = bytes(64)
_MARK: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Cells:
    """The cells of some rows of a table: where each begins and ends in `data`, by column."""

    data: NDArray[np.uint8]
    starts: Places
    ends: Places
    doubled: NDArray[np.uint8]
    lines: NDArray[np.int64]
    encoding: str
    point: int

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self.starts.shape[1])

    def text(self, column: int, row: int) -> str:
        """One cell as text, without blanks and quotes around it."""
        raw = self.data[self.starts[column, row] : self.ends[column, row]].tobytes()
        text = raw.decode(self.encoding, "replace")
        return text.replace('""', '"') if self.doubled[column, row] else text

    def texts(self, column: int) -> tuple[Places, list[str]]:
        """The numbers of the distinct texts of a column, and those texts."""
        size = 1 << (2 * self.rows).bit_length()
        table, firsts = np.full(size, -1, np.int32), np.empty(self.rows, np.int32)
        codes = np.empty(self.rows, np.int32)
        count = kernels.number_texts(
            self.data.ctypes.data,
            self.starts[column],
            self.ends[column],
            self.doubled[column],
            table,
            codes,
            firsts,
        )
        return codes, [self.text(column, row) for row in firsts[:count].tolist()]

    def whole_numbers(self, columns: Sequence[int]) -> list[tuple[NDArray[np.int64], States]]:
        """Columns of whole numbers; many at once are read faster than one by one."""
        values, states = self._room(columns, np.int64)
        kernels.read_wholes(self.data, self.starts, self.ends, _places(columns), values, states)
        for column, own, own_states in zip(columns, values, states, strict=True):
            for row, text in self._slow(column, own_states):
                one, state = cells.whole_numbers((text,))
                own[row], own_states[row] = one[0], state[0]
        return list(zip(values, states, strict=True))

    def numbers(self, columns: Sequence[int]) -> list[tuple[NDArray[np.float64], States]]:
        """Columns of numbers with fractions."""
        values, states = self._room(columns, np.float64)
        kernels.read_reals(
            self.data, self.starts, self.ends, _places(columns), self.point, values, states
        )
        for column, own, own_states in zip(columns, values, states, strict=True):
            for row, text in self._slow(column, own_states):
                one, state = cells.numbers((self._plain(text),))
                own[row], own_states[row] = one[0], state[0]
        return list(zip(values, states, strict=True))

    def times(self, columns: Sequence[int], units: Sequence[str]) -> list[Times]:
        """Columns of times in whole nanoseconds; their units are `DECIMALS`."""
        values, states = self._room(columns, np.int64)
        decimals = _places([DECIMALS[unit] for unit in units])
        kernels.read_times(
            self.data, self.starts, self.ends, _places(columns), self.point, decimals,
            values, states,
        )  # fmt: skip
        found = []
        for column, unit, own, own_states in zip(columns, units, values, states, strict=True):
            slow = self._slow(column, own_states)
            for row, text in slow:
                one, state = cells.times((self._plain(text),), unit)
                own[row], own_states[row] = one[0], state[0]
            found.append((own, own_states, slow))
        return found

    def _room(self, columns: Sequence[int], kind: type) -> tuple[NDArray[Any], States]:
        shape = len(columns), self.rows
        return np.empty(shape, kind), np.empty(shape, np.uint8)

    def _slow(self, column: int, states: States) -> list[tuple[int, str]]:
        rows = np.flatnonzero(states == kernels.SLOW).tolist()
        return [(row, self.text(column, row)) for row in rows]

    def _plain(self, text: str) -> str:
        return text if self.point == ord(".") else text.replace(",", ".")


@dataclass(frozen=True, slots=True)
class Piece:
    """Some rows of a file in order: those that fit, and the lines of those that do not."""

    cells: Cells
    bad_lines: list[int]
    unreadable: list[int]
    offset: int
    """How much of the file was read."""


def scan_rows(
    file: BinaryIO, *, width: int, delimiter: str, encoding: str, rows: int, skip: int
) -> Iterator[Piece]:
    """Read a file of `width` columns, at most `rows` rows at a time.

    The first `skip` rows are left out, such as the header. A cell whose quotes are not closed
    within 64 MB makes its row unreadable.
    """
    board = _Board(width, rows)
    point = ord(".") if delimiter == "," else ord(",")
    left, line, at_end = b"", 0, False
    while not at_end:
        more = file.read(_PIECE)
        at_end = not more
        block = left + more
        if not line and skip and block.startswith(_MARK):
            block = block[len(_MARK) :]
        if at_end and block and not block.endswith(b"\n"):
            block += b"\n"
        data = np.frombuffer(block + _PADDING, np.uint8)
        place = 0
        while place < len(block):
            unreadable: list[int] = []
            found, after, breaks = kernels.split_rows(
                data, place, len(block), ord(delimiter), *board.arrays
            )
            if not found:
                if len(block) - place <= _LARGEST_ROW and not at_end:
                    break
                after = block.find(b"\n", place) + 1 or len(block)
                unreadable, breaks = [line + 1], 1
            yield board.piece(data, found, line, unreadable, skip, encoding, point, file.tell())
            skip = max(skip - found, 0)
            line += int(breaks)
            place = int(after)
        left = block[place:]


def _places(numbers: Sequence[int]) -> Places:
    return np.array(numbers, np.int32)


class _Board:
    """Where kernels write the places of cells; used again for every piece."""

    def __init__(self, width: int, rows: int) -> None:
        self.starts = np.empty((width, rows), np.int32)
        self.ends = np.empty((width, rows), np.int32)
        self.doubled = np.empty((width, rows), np.uint8)
        self.states = np.empty(rows, np.uint8)
        self.lines = np.empty(rows, np.int64)

    @property
    def arrays(self) -> tuple[Any, ...]:
        return self.starts, self.ends, self.doubled, self.states, self.lines

    def piece(
        self,
        data: NDArray[np.uint8],
        found: int,
        line: int,
        unreadable: list[int],
        skip: int,
        encoding: str,
        point: int,
        offset: int,
    ) -> Piece:
        first = min(skip, found)
        states, lines = self.states[first:found], self.lines[first:found] + line
        bad = lines[states == kernels.OTHER_WIDTH].tolist()
        good = states == kernels.GOOD
        starts, ends = self.starts[:, first:found], self.ends[:, first:found]
        doubled = self.doubled[:, first:found]
        if not good.all():
            starts, ends, doubled = starts[:, good], ends[:, good], doubled[:, good]
            lines = lines[good]
        places = np.ascontiguousarray(starts), np.ascontiguousarray(ends)
        read = Cells(data, *places, np.ascontiguousarray(doubled), lines, encoding, point)
        return Piece(read, bad, unreadable, offset)
