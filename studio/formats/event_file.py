"""Single events of a Chrome trace, read again at their byte offset when someone looks at them."""

from __future__ import annotations

import zlib
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import msgspec

from studio.formats.byte_source import GZIP, PACKED_BLOCK, PLAIN
from studio.formats.chrome_event import plain_value
from studio.formats.chrome_salvage import BORDER, TRAILING
from studio.formats.json_repair import DamageError, repair_object
from studio.formats.trace_text import find_text
from studio.i18n import tr
from studio.kernel.errors import StudioError

if TYPE_CHECKING:
    from pathlib import Path

    from studio.formats.byte_source import Text

WINDOW = 1 << 16
CHECKPOINT = 1 << 24
"""A gzip is entered every 16 MB of unpacked text; the first visit of a place unpacks up to it."""

AHEAD: Final = 1 << 22
"""So much of a packed text is unpacked at once: events are often read in the order of the file."""

_EVENT: Final = msgspec.json.Decoder(dict[str, Any])


class EventFile:
    """Reads events of one trace file, as long as it is the one that was loaded.

    `text` tells where in the file the trace stands; without it that is found out.
    """

    def __init__(self, path: Path, stamp: tuple[int, int], text: Text | None = None) -> None:
        self._path = path
        self._stamp = stamp
        self._text = text
        self._checkpoints: list[_Checkpoint] = []
        self._ahead = _Stretch(0, b"", at_end=False)

    def read(self, offset: int) -> dict[str, Any]:
        """The event at a byte offset (of the unpacked text of a gzip)."""
        self._check_unchanged()
        window = WINDOW
        while True:
            data = self._bytes(offset, window)
            try:
                return _EVENT.decode(data)
            except (msgspec.DecodeError, RecursionError) as error:
                if match := TRAILING.search(str(error)):
                    return _EVENT.decode(data[: int(match.group(1)) - 1])
            if BORDER.search(data) or len(data) < window:
                damaged = _repaired(data)
                if damaged is not None:
                    return damaged
                if len(data) < window:
                    raise StudioError(
                        tr("The event at byte {offset} cannot be read.", offset=offset),
                        path=self._path,
                    )
            window *= 8

    def _where(self) -> Text:
        if self._text is None:
            self._text = find_text(self._path).text
        return self._text

    def _check_unchanged(self) -> None:
        try:
            status = self._where().path.stat()
        except OSError as error:
            raise StudioError(
                tr(
                    "Cannot read {file}: {reason}.", file=self._path, reason=error.strerror or error
                ),
                path=self._path,
            ) from error
        if (status.st_size, status.st_mtime_ns) != self._stamp:
            raise StudioError(
                tr("{name} has changed since it was loaded; load it again.", name=self._path.name),
                path=self._path,
            )

    def _bytes(self, offset: int, size: int) -> bytes:
        text = self._where()
        if text.length is not None:
            size = max(0, min(size, text.length - offset))
        if text.packing != PLAIN:
            room = AHEAD if text.length is None else min(AHEAD, text.length - offset)
            return self._unpacked_ahead(text, text.skip + offset, size, max(size, room))
        with text.path.open("rb") as file:
            file.seek(text.begin + offset)
            return file.read(size)

    def _unpacked_ahead(self, text: Text, offset: int, size: int, more: int) -> bytes:
        kept = self._ahead
        if not kept.holds(offset, size):
            data = self._unpacked(text, offset, more)
            kept = self._ahead = _Stretch(offset, data, at_end=len(data) < more)
        return kept.data[offset - kept.begin : offset - kept.begin + size]

    def _unpacked(self, text: Text, offset: int, size: int) -> bytes:
        if not self._checkpoints:
            first = _Checkpoint(0, text.begin, zlib.decompressobj(text.packing))
            self._checkpoints.append(first)
        known = bisect_right(self._checkpoints, offset, key=lambda point: point.unpacked) - 1
        begin = self._checkpoints[known]
        at, packed_at, unpacker = begin.unpacked, begin.packed, begin.unpacker.copy()
        found = bytearray()
        with text.path.open("rb") as file:
            file.seek(packed_at)
            while at < offset + size and (packed := file.read(PACKED_BLOCK)):
                packed_at += len(packed)
                while packed:
                    try:
                        block = unpacker.decompress(packed)
                    except zlib.error:
                        return bytes(found)
                    found += block[max(0, offset - at) : max(0, offset + size - at)]
                    at += len(block)
                    if unpacker.eof and text.packing != GZIP:
                        return bytes(found)
                    packed = unpacker.unused_data.lstrip(b"\0") if unpacker.eof else b""
                    if packed:
                        unpacker = zlib.decompressobj(GZIP)
                if at - self._checkpoints[-1].unpacked >= CHECKPOINT:
                    self._checkpoints.append(_Checkpoint(at, packed_at, unpacker.copy()))
        return bytes(found)


@dataclass(frozen=True, slots=True)
class _Stretch:
    """A part of an unpacked text that is in memory."""

    begin: int
    data: bytes
    at_end: bool

    def holds(self, offset: int, size: int) -> bool:
        """Whether it has all that there is of a part of the text."""
        end = self.begin + len(self.data)
        return self.begin <= offset and (offset + size <= end or (self.at_end and offset <= end))


class _Checkpoint:
    """A place where unpacking can go on: offsets in both texts and the unpacker's state there."""

    __slots__ = ("packed", "unpacked", "unpacker")

    def __init__(self, unpacked: int, packed: int, unpacker: zlib._Decompress) -> None:
        self.unpacked = unpacked
        self.packed = packed
        self.unpacker = unpacker


def _repaired(data: bytes) -> dict[str, Any] | None:
    """A damaged event, by the same rules as when the file was loaded."""
    ends = [border.start() + 1 for border in BORDER.finditer(data)][:16] or [len(data)]
    for end in ends:
        try:
            fields = repair_object(data[:end]).fields
        except DamageError:
            continue
        return {key: plain_value(value) for key, value in fields.items()}
    return None
