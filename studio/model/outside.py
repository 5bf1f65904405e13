"""Reading an open file again after another program changed it, where that takes time. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from studio.model.encoding import decode
from studio.model.stamps import stamp

if TYPE_CHECKING:
    from pathlib import Path

    from studio.model.encoding import Decoded
    from studio.model.stamps import Stamp

LONG = 4_000_000
"""A file of more bytes takes longer to read and decode than a window may stand still."""


@dataclass(frozen=True, slots=True)
class FileNow:
    """A file as it is: its bytes, its text, and what tells this state from others."""

    data: bytes
    decoded: Decoded
    found: Stamp


def read_now(path: Path, encoding: str | None = None) -> FileNow:
    """Read a file in a given encoding, or in the one it seems to have; raises OSError."""
    data = path.read_bytes()
    return FileNow(data, decode(data, encoding), stamp(path, data))


def read_if_other(
    path: Path, encoding: str | None = None, known: Stamp | None = None
) -> FileNow | Stamp:
    """Read a file as `read_now` does; one that holds what is known is not decoded."""
    data = path.read_bytes()
    found = stamp(path, data)
    if known is not None and found.digest == known.digest:
        return found
    return FileNow(data, decode(data, encoding), found)
