"""The list of members of a zip archive and where their bytes are; fast for tiny archives.

Dumps consist of tens of thousands of archives with four members each, for which `zipfile` takes
most of the time. Format: PKWARE APPNOTE 6.3, with the 64-bit extension.
"""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from studio.i18n import tr
from studio.tensors.tensor import Packed, TensorError, unpack

if TYPE_CHECKING:
    from pathlib import Path

_BEGIN = b"PK\x03\x04"
_END = b"PK\x05\x06"
_END_SIZE = 22
_COMMENT = 1 << 16
_SMALL = 1 << 19
_WIDE_PLACE = struct.Struct("<4sLQL")
_WIDE_END = struct.Struct("<4sQ2H2L4Q")
_ENTRY = struct.Struct("<4s6H3L5H2L")
_LOCAL = struct.Struct("<4s5H3L2H")
_MEMBER_LIMIT = 1_000_000
_HEAD = 1 << 16


class NotZip(TensorError):
    """A file that does not begin as an archive does."""


@dataclass(frozen=True, slots=True)
class Member:
    """One member: how it is stored and where its bytes begin."""

    name: str
    stored: bool
    start: int
    size: int
    unpacked: int

    @property
    def packed(self) -> Packed | None:
        """How to unpack it, None when its bytes lie in the file as they are."""
        return None if self.stored else Packed(self.start, self.size, self.unpacked)


class ZipIndex:
    """The members of an archive by name; raises TensorError when it is damaged or cut off."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with open(path, "rb", buffering=0) as file:
            self.size = os.fstat(file.fileno()).st_size
            # A small archive is read in one go.
            small = self.size <= _SMALL
            head = file.read(self.size if small else len(_BEGIN))
            if not head.startswith(_BEGIN):
                raise NotZip(tr("is no archive"), path=path)
            self.whole = head if small else None
            tail = head if small else self._tail(file)
            try:
                self.members = self._read(file, tail)
            except (struct.error, IndexError) as error:
                raise self._damaged() from error

    def content(self, member: Member, limit: int) -> bytes:
        """Return the bytes of a small member."""
        if member.unpacked > limit:
            text = tr(
                "its part {name} is too large ({size} bytes)",
                name=member.name,
                size=member.unpacked,
            )
            raise TensorError(text, path=self.path)
        if member.packed is not None:
            return unpack(self.path, member.packed)
        if self.whole is not None:
            return self.whole[member.start : member.start + member.size]
        with self.path.open("rb") as file:
            file.seek(member.start)
            return file.read(member.size)

    def _tail(self, file: IO[bytes]) -> bytes:
        length = _END_SIZE + _COMMENT
        file.seek(self.size - length)
        return file.read(length)

    def _read(self, file: IO[bytes], tail: bytes) -> dict[str, Member]:
        place = tail.rfind(_END)
        if place < 0 or len(tail) - place < _END_SIZE:
            raise TensorError(
                tr("is cut off or no archive: its list of members is missing"), path=self.path
            )
        count, size, start = struct.unpack_from("<H2L", tail, place + 10)
        if 0xFFFF in (count,) or 0xFFFFFFFF in (size, start):
            count, size, start = self._wide(file, tail, place)
        if count > _MEMBER_LIMIT or start + size > self.size:
            raise self._damaged()
        directory = self._bytes(file, start, size)
        members, at = {}, 0
        for _ in range(count):
            member, at = self._member(file, directory, at)
            members[member.name] = member
        return members

    def _wide(self, file: IO[bytes], tail: bytes, place: int) -> tuple[int, int, int]:
        magic, _, where, _ = _WIDE_PLACE.unpack_from(tail, place - _WIDE_PLACE.size)
        if magic != b"PK\x06\x07":
            raise self._damaged()
        fields = _WIDE_END.unpack(self._bytes(file, where, _WIDE_END.size))
        return fields[7], fields[8], fields[9]

    def _member(self, file: IO[bytes], directory: bytes, at: int) -> tuple[Member, int]:
        fields = _ENTRY.unpack_from(directory, at)
        if fields[0] != b"PK\x01\x02":
            raise self._damaged()
        flags, method = fields[3], fields[4]
        size, unpacked, header = fields[8], fields[9], fields[16]
        names, extras, comments = fields[10:13]
        at += _ENTRY.size
        name = directory[at : at + names].decode("utf-8", "replace")
        extra = directory[at + names : at + names + extras]
        unpacked, size, header = _widened(extra, unpacked, size, header)
        if flags & 1 or method not in (0, 8):
            raise TensorError(
                tr("its part {name} is encrypted or compressed in an unknown way", name=name),
                path=self.path,
            )
        local = _LOCAL.unpack(self._bytes(file, header, _LOCAL.size))
        start = header + _LOCAL.size + local[9] + local[10]
        if local[0] != b"PK\x03\x04" or start + size > self.size:
            raise TensorError(tr("is cut off within its part {name}", name=name), path=self.path)
        stored = method == 0
        if stored and size != unpacked:
            raise self._damaged()
        return Member(name, stored, start, size, unpacked), at + names + extras + comments

    def _bytes(self, file: IO[bytes], start: int, size: int) -> bytes:
        if start < 0 or start + size > self.size:
            raise self._damaged()
        if self.whole is not None:
            return self.whole[start : start + size]
        file.seek(start)
        return file.read(size)

    def _damaged(self) -> TensorError:
        return TensorError(tr("is a damaged archive"), path=self.path)


def _widened(extra: bytes, *values: int) -> tuple[int, ...]:
    """Replace values that did not fit 32 bits by those of the 64-bit extra field."""
    if 0xFFFFFFFF not in values:
        return values
    at = 0
    while at + 4 <= len(extra):
        kind, size = struct.unpack_from("<2H", extra, at)
        if kind == 1:
            wide = iter(struct.unpack_from(f"<{min(size // 8, 3)}Q", extra, at + 4))
            return tuple(next(wide, v) if v == 0xFFFFFFFF else v for v in values)
        at += 4 + size
    return values


def head_of(index: ZipIndex, member: Member) -> bytes:
    """Return the beginning of a member, unpacked: enough for a header."""
    import zlib

    with index.path.open("rb") as file:
        file.seek(member.start)
        data = file.read(min(member.size, _HEAD))
    if member.stored:
        return data
    try:
        return zlib.decompressobj(-15).decompress(data, _HEAD)
    except zlib.error as error:
        raise TensorError(tr("has damaged compressed data"), path=index.path) from error
