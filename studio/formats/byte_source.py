"""Files as streams of bytes: plain or gzip, through a fixed buffer, cut ones to their end."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Protocol, Self

from isal import isal_zlib

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

GZIP_MAGIC = b"\x1f\x8b"
PACKED_BLOCK = 1 << 18


class ByteSource(Protocol):
    """A stream of bytes that knows how far it is."""

    size: int
    """Bytes of the file on disk."""
    consumed: int
    """Bytes of the file on disk that were read so far."""
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


def open_bytes(path: Path) -> ByteSource:
    """Open a file for reading; a gzip is recognised by its first bytes, not by its name."""
    with path.open("rb") as file:
        packed = file.read(2) == GZIP_MAGIC
    return GzipBytes(path) if packed else PlainBytes(path)


class PlainBytes:
    """The bytes of a file as they are."""

    def __init__(self, path: Path) -> None:
        self.size = path.stat().st_size
        self.consumed = 0
        self.damage = ""
        self._file = path.open("rb", buffering=0)

    def read(self, size: int) -> bytes:
        """Return up to `size` bytes."""
        block = self._file.read(size)
        self.consumed += len(block)
        return block

    def fill(self, buffer: memoryview) -> int:
        """Write up to as many bytes as the buffer takes."""
        count = self._file.readinto(buffer)
        self.consumed += count
        return count

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()


class GzipBytes:
    """The unpacked bytes of a gzip file, of all its members; a cut one yields what there is."""

    def __init__(self, path: Path) -> None:
        self.size = path.stat().st_size
        self.consumed = 0
        self.damage = ""
        self._file = path.open("rb", buffering=0)
        self._unpacker = isal_zlib.decompressobj(16 + zlib.MAX_WBITS)
        self._packed = b""
        self._started = False

    def read(self, size: int) -> bytes:
        """Return `size` bytes unless the stream ends."""
        blocks: list[bytes] = []
        length = 0
        while length < size and not self.damage:
            block = self._next(size - length)
            if block is None:
                break
            blocks.append(block)
            length += len(block)
        return b"".join(blocks)

    def fill(self, buffer: memoryview) -> int:
        """Write as many bytes as the buffer takes unless the stream ends."""
        block = self.read(len(buffer))
        buffer[: len(block)] = block
        return len(block)

    def _next(self, size: int) -> bytes | None:
        if not self._packed:
            self._packed = self._file.read(PACKED_BLOCK)
            self.consumed += len(self._packed)
            if not self._packed:
                if self._started and not self._unpacker.eof:
                    self.damage = "cut archive"
                return None
        if self._unpacker.eof:
            self._packed = self._packed.lstrip(b"\0")
            if not self._packed:
                return b""
            self._unpacker = isal_zlib.decompressobj(16 + zlib.MAX_WBITS)
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
