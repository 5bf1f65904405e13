"""The bytes of a file, sixteen in a row, and what some of them may mean. No Qt."""

from __future__ import annotations

import re
import struct
from typing import TYPE_CHECKING

from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.model.document import unreadable

if TYPE_CHECKING:
    from pathlib import Path

    from studio.kernel.job_context import JobContext

ROW = 16

_CHUNK = 1 << 22
_PAIRS = re.compile(r"(?:0x)?((?:[0-9a-fA-F]{2}[\s,]*)+)")
_VALUES = ((1, "b", "int8"), (2, "<h", "int16"), (4, "<i", "int32"), (8, "<q", "int64"))
_FLOATS = ((2, "<e", "float16"), (4, "<f", "float32"), (8, "<d", "float64"))


def size_of(path: Path) -> int:
    """The number of bytes of a file; raises StudioError when it cannot be looked at."""
    try:
        return path.stat().st_size
    except OSError as error:
        raise unreadable(path, error) from error


def read_part(path: Path, start: int, count: int) -> bytes:
    """Some bytes of a file, fewer at its end; raises StudioError when it cannot be read."""
    try:
        with path.open("rb") as file:
            file.seek(start)
            return file.read(count)
    except OSError as error:
        raise unreadable(path, error) from error


def hex_of(data: bytes) -> str:
    """Bytes as pairs of digits."""
    return data.hex(" ")


def signs_of(data: bytes) -> str:
    """Bytes as ASCII, a dot for what cannot be printed."""
    return "".join(chr(byte) if 32 <= byte < 127 else "." for byte in data)


def offset_from(text: str) -> int | None:
    """The offset that a user typed: decimal, or hexadecimal as 0x1f or 1fh; None for anything else.

    A mere number with letters a to f is hexadecimal too.
    """
    plain = text.strip().replace("_", "").replace(",", "").lower()
    digits = plain.removeprefix("-")
    try:
        if digits.isascii() and digits.isdigit():  # also with zeros in front
            return max(int(plain), 0)
        return max(int(plain.removesuffix("h"), 16), 0)
    except ValueError:
        return None


def wanted_bytes(text: str) -> bytes:
    """What to look for: pairs of digits as "de ad be ef", otherwise the text itself in UTF-8."""
    text = text.strip()
    pairs = _PAIRS.fullmatch(text)
    if pairs and (text.lower().startswith("0x") or re.search(r"[\s,]", text)):
        return bytes.fromhex(re.sub(r"[\s,]", "", pairs[1]))
    return text.encode()


def find_bytes(path: Path, wanted: bytes, start: int, job: JobContext | None = None) -> int:
    """The offset of some bytes at or after `start`, then from the beginning; -1 without one."""
    size = size_of(path)
    found = _find(path, wanted, start, size, job)
    return found if found >= 0 else _find(path, wanted, 0, min(start + len(wanted), size), job)


def meanings(data: bytes) -> str:
    """What the bytes are as little-endian numbers, of the sizes that begin there: for one line."""
    parts = []
    for size, code, name in (*_VALUES, *_FLOATS):
        if len(data) >= size:
            (value,) = struct.unpack(code, data[:size])
            parts.append(f"{name} {value:.7g}" if isinstance(value, float) else f"{name} {value}")
    return "   ".join(parts)


def _find(path: Path, wanted: bytes, start: int, end: int, job: JobContext | None) -> int:
    if not wanted:
        raise StudioError(tr("There is nothing to look for."), path=path)
    at = start
    while at + len(wanted) <= end:
        data = read_part(path, at, min(_CHUNK + len(wanted) - 1, end - at))
        found = data.find(wanted)
        if found >= 0:
            return at + found
        if job:
            job.report(at / max(end, 1), "")
            job.check()
        at += _CHUNK
    return -1
