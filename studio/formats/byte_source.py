"""Texts as streams of bytes: plain or packed, through a fixed buffer, cut ones to their end."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol, Self

from isal import isal_zlib

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

GZIP_MAGIC = b"\x1f\x8b"
PACKED_BLOCK = 1 << 18

_RATIO: Final = 8
"""How much larger a packed text is when unpacked, roughly."""
_MOST_RATIO: Final = 1032
"""What no text is packed better than."""
_GZIP_END: Final = 4

PLAIN: Final = 0
DEFLATE: Final = -zlib.MAX_WBITS
GZIP: Final = 16 + zlib.MAX_WBITS
"""How the text of a file is packed, as zlib names it."""


@dataclass(frozen=True, slots=True)
class Text:
    """Where a text stands in a file.

    It begins at the byte `begin` of the file, or, if it is packed from there on, after `skip` bytes
    of what is unpacked. `length` is None when it goes on to the end of the file; `size` tells how
    many bytes it takes on disk, if that is known. `member` is its name in an archive.
    """

    path: Path
    packing: int = PLAIN
    begin: int = 0
    skip: int = 0
    length: int | None = None
    size: int | None = None
    member: str = ""


class ByteSource(Protocol):
    """A stream of bytes that knows how far it is."""

    size: int
    """Bytes on disk that the text takes."""
    consumed: int
    """Bytes of these that were read so far."""
    damage: str
    """Why the stream ended early: "", "cut archive" or "damaged archive"."""

    def read(self, size: int) -> bytes:
        """Return at most `size` bytes, and b"" only at the end."""

    def fill(self, buffer: memoryview) -> int:
        """Write at most as many bytes as the buffer takes; returns how many, 0 only at the end."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


def text_of_file(path: Path) -> Text:
    """The text of a file; a gzip is recognised by its first bytes, not by its name."""
    with path.open("rb") as file:
        packed = file.read(2) == GZIP_MAGIC
    return Text(path, GZIP if packed else PLAIN)


def unpacked_size(text: Text, on_disk: int) -> int:
    """About how many bytes a text has: a guess for what is packed, by what its end says.

    A gzip ends with the size of its last member, modulo 2^32.
    """
    packed = text.size or on_disk
    if text.packing == PLAIN:
        return packed
    told = 0
    if text.packing == GZIP and not text.member and on_disk > _GZIP_END:
        with text.path.open("rb") as file:
            file.seek(on_disk - _GZIP_END)
            told = int.from_bytes(file.read(_GZIP_END), "little")
    return max(packed * _RATIO, told if told < packed * _MOST_RATIO else 0)


def open_bytes(path: Path) -> ByteSource:
    """Open the text of a file for reading."""
    return open_text(text_of_file(path))


def open_text(text: Text) -> ByteSource:
    """Open a text for reading."""
    return PlainBytes(text) if text.packing == PLAIN else PackedBytes(text)


class PlainBytes:
    """The bytes of a text as they are."""

    def __init__(self, text: Text) -> None:
        whole = text.path.stat().st_size - text.begin
        self.size = whole if text.length is None else min(whole, text.length)
        self.consumed = 0
        self.damage = ""
        self._text = text
        self._file = text.path.open("rb", buffering=0)
        self._file.seek(text.begin)

    def read(self, size: int) -> bytes:
        """Return up to `size` bytes."""
        block = self._file.read(min(size, self._left(size)))
        self.consumed += len(block)
        return block

    def fill(self, buffer: memoryview) -> int:
        """Write up to as many bytes as the buffer takes."""
        count = self._file.readinto(buffer[: self._left(len(buffer))])
        self.consumed += count
        return count

    def _left(self, wanted: int) -> int:
        """A file may grow while it is read; a text in an archive ends where it does."""
        return wanted if self._text.length is None else self._text.length - self.consumed

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()


class PackedBytes:
    """The unpacked bytes of a text, of all members of a gzip; a cut one yields what there is."""

    def __init__(self, text: Text) -> None:
        self.size = text.size or text.path.stat().st_size - text.begin
        self.consumed = 0
        self.damage = ""
        self._text = text
        self._file = text.path.open("rb", buffering=0)
        self._file.seek(text.begin)
        self._unpacker = isal_zlib.decompressobj(text.packing)
        self._packed = b""
        self._started = False
        self._skip = text.skip
        self._given = 0

    def read(self, size: int) -> bytes:
        """Return `size` bytes unless the stream ends."""
        while self._skip and (block := self._unpacked(min(self._skip, PACKED_BLOCK))):
            self._skip -= len(block)
        if self._text.length is not None:
            size = min(size, self._text.length - self._given)
        block = self._unpacked(size)
        self._given += len(block)
        return block

    def fill(self, buffer: memoryview) -> int:
        """Write as many bytes as the buffer takes unless the stream ends."""
        block = self.read(len(buffer))
        buffer[: len(block)] = block
        return len(block)

    def _unpacked(self, size: int) -> bytes:
        blocks: list[bytes] = []
        length = 0
        while length < size and not self.damage:
            block = self._next(size - length)
            if block is None:
                break
            blocks.append(block)
            length += len(block)
        return b"".join(blocks)

    def _next(self, size: int) -> bytes | None:
        if self._unpacker.eof and self._text.packing != GZIP:
            return None
        if not self._packed:
            left = PACKED_BLOCK if self._text.size is None else self._text.size - self.consumed
            self._packed = self._file.read(min(left, PACKED_BLOCK))
            self.consumed += len(self._packed)
            if not self._packed:
                if self._started and not self._unpacker.eof:
                    self.damage = "cut archive"
                return None
        if self._unpacker.eof:
            self._packed = self._packed.lstrip(b"\0")
            if not self._packed:
                return b""
            self._unpacker = isal_zlib.decompressobj(GZIP)
        self._started = True
        try:
            block: bytes = self._unpacker.decompress(self._packed, size)
        except isal_zlib.IsalError:  # type: ignore[misc]  # its stub declares an instance
            self.damage = "damaged archive"
            return None
        self._packed = self._unpacker.unused_data or self._unpacker.unconsumed_tail
        return block

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()
