"""Large columns in a file without a name, of which memory only holds what is looked at.

A table of millions of rows has many columns that nobody asks for. In a file they cost no memory;
the system reads those that are used, and may let go of them again. The file vanishes with the last
of its columns, also when the program is killed.
"""

from __future__ import annotations

import mmap
import tempfile
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import numpy as np

from studio.paths import cache_dir

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    Array = NDArray[Any]


def kept_in_file(parts: Iterable[Array], kind: np.dtype[Any]) -> Array:
    """Join parts to one column of a type in a file; nothing may be written to it."""
    count = 0
    with nameless_file() as file:
        for part in parts:
            file.write(np.ascontiguousarray(part.astype(kind, copy=False)).data)
            count += len(part)
        file.flush()
        if not count:
            return np.zeros(0, kind)
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return np.frombuffer(mapped, kind, count)


def let_go(column: Array) -> None:
    """Take what was read of a column in a file out of memory; it is read again when needed."""
    held: object = column
    while isinstance(held, np.ndarray):
        held = held.base
    mapped = held.obj if isinstance(held, memoryview) else held
    if isinstance(mapped, mmap.mmap) and hasattr(mapped, "madvise"):
        mapped.madvise(mmap.MADV_DONTNEED)


def nameless_file() -> BinaryIO:
    """A file in the user's cache that vanishes when it is closed."""
    folder = cache_dir()
    folder.mkdir(parents=True, exist_ok=True)
    return cast("BinaryIO", tempfile.TemporaryFile(dir=folder))


class Spill:
    """Arrays of one kind of values, written to a file as they come and read back in order."""

    def __init__(self) -> None:
        self._file = nameless_file()
        self._parts: list[tuple[np.dtype[Any], int]] = []

    def add(self, part: Array) -> None:
        """Write an array behind the others."""
        self._file.write(np.ascontiguousarray(part).data)
        self._parts.append((part.dtype, len(part)))

    def __iter__(self) -> Iterator[Array]:
        self._file.seek(0)
        for kind, count in self._parts:
            yield np.frombuffer(self._file.read(kind.itemsize * count), kind)
        self._file.seek(0, 2)

    def close(self) -> None:
        """Give the file up."""
        self._file.close()
