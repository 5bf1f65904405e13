"""Reading a whole trace with the scanner, and with the portable reader what is not plain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from studio.formats.scan.events import ENDED, MORE
from studio.formats.scan.scanner import ROWS, Scanner

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from studio.formats.byte_source import ByteSource
    from studio.formats.chrome_builder import ColumnBuilder
    from studio.formats.chrome_events import EventReader
    from studio.formats.faults import FaultLog

BUFFER: Final = 1 << 18
"""The bytes that are read at once: so few that they stay in the fast memory."""

LARGEST_BUFFER: Final = 1 << 28
"""Events that are larger are left to the portable reader."""

_TURNS: Final = 32
"""How many buffers are read between two reports of progress: telling takes time as well."""

_PADDING: Final = 128
"""Zeros after the text, so that kernels may read on and stop there."""


class PlainReader:
    """Fills the columns of a builder from a source, part by part."""

    def __init__(
        self,
        source: ByteSource,
        reader: EventReader,
        builder: ColumnBuilder,
        faults: FaultLog,
        arg_columns: Sequence[str] = (),
        size: int = BUFFER,
        rows: int = ROWS,
    ) -> None:
        self._source = source
        self._reader = reader
        self._builder = builder
        self._scanner = Scanner(builder, faults, arg_columns, rows)
        self._buffer = np.zeros(size + _PADDING, np.uint8)

    def parts(self) -> Iterator[None]:
        """Read part after part; raises NotATraceError when the source holds no trace."""
        reader = self._reader
        reader.start()
        while not reader.done:
            yield from self._read_plain()
            if not reader.done:
                events, places = reader.step()
                if events:
                    self._builder.add(events, places)
                yield

    def _read_plain(self) -> Iterator[None]:
        """Scan as far as everything is plain."""
        taken = self._reader.take()
        if taken is None:
            return
        text, base = taken
        begin, ahead = base, memoryview(text)
        filled, at_end, turns = 0, False, 0
        status = MORE
        while status == MORE and not at_end:
            room = len(self._buffer) - _PADDING
            if filled == room:
                if room >= LARGEST_BUFFER:
                    break
                self._hold(2 * room)
                room = len(self._buffer) - _PADDING
            count = min(len(ahead), room - filled)
            if count:
                self._buffer.data[filled : filled + count] = ahead[:count]
                ahead = ahead[count:]
            else:
                count = self._source.fill(self._buffer.data[filled:room])
                at_end = count == 0
            filled += count
            self._buffer[filled : filled + _PADDING] = 0
            if self._buffer[0] != ord("{"):
                break
            self._scanner.fraction = self._source.consumed / max(self._source.size, 1)
            used, status = self._scanner.scan(self._buffer, filled, base)
            base += used
            filled -= used
            self._buffer[:filled] = self._buffer[used : used + filled].copy()
            turns += 1
            if turns % _TURNS == 0:
                yield
        self._scanner.flush()
        rest = self._buffer[:filled].tobytes() + bytes(ahead)
        if base == begin and not at_end:
            # the portable reader may have had too little to find the end of an event
            more = self._source.read(len(self._buffer))
            at_end = not more
            rest += more
        self._reader.put_back(rest, base, at_end=at_end)
        if status == ENDED:
            self._reader.close_list()

    def _hold(self, size: int) -> None:
        """Let the buffer take at least `size` bytes and keep what is in it."""
        if size + _PADDING > len(self._buffer):
            larger = np.zeros(size + _PADDING, np.uint8)
            larger[: len(self._buffer)] = self._buffer
            self._buffer = larger
