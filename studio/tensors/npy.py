"""Read `.npy` files from anywhere: headers checked, never unpickled, streamed in chunks."""

from __future__ import annotations

import io
from dataclasses import dataclass
from math import prod
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.lib import format as npy_format

from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.tensors.values import ElementType, element_type

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    Chunk = tuple[int, NDArray[Any], NDArray[Any]]
    """The place of the first element, the elements of the first and of the second tensor."""

CHUNK = 1 << 17
"""Elements that are read at a time."""

_HEADER_LIMIT = 16_384
_DIMENSIONS = 64


class TensorError(StudioError):
    """A tensor that cannot be read; the message is the reason, without the file's name."""


@dataclass(frozen=True, slots=True)
class TensorFile:
    """A tensor in a `.npy` file, known by its header; its values stay on disk."""

    path: Path
    shape: tuple[int, ...]
    type: ElementType
    fortran_order: bool
    offset: int

    @property
    def count(self) -> int:
        """How many elements it has."""
        return prod(self.shape)

    @property
    def nbytes(self) -> int:
        """How many bytes its elements take."""
        return self.count * self.type.stored.itemsize


def open_npy(path: Path, hint: Callable[[], str] = str) -> TensorFile:
    """Read and check the header of a `.npy` file.

    `hint()` is asked for the name of the type when the file has only raw bytes. Raises TensorError
    when the file is not what it says: wrong magic, hostile or odd header, objects, cut off.
    """
    try:
        with path.open("rb") as file:
            shape, fortran_order, stored = _read_header(file)
            offset = file.tell()
            size = file.seek(0, io.SEEK_END) - offset
    except OSError as error:
        raise TensorError(error.strerror or str(error), path=path) from error
    if stored.hasobject:
        raise TensorError(tr("holds Python objects, which are never loaded"), path=path)
    kind = element_type(stored) or element_type(stored, hint() if stored.kind == "V" else "")
    if kind is None:
        raise TensorError(_unknown_type(stored), path=path)
    if len(shape) > _DIMENSIONS or any(length < 0 for length in shape):
        raise TensorError(tr("its header has an impossible shape {shape}", shape=shape), path=path)
    tensor = TensorFile(path, shape, kind, fortran_order, offset)
    if size < tensor.nbytes:
        text = tr(
            "is cut off: its header promises {need} bytes, {have} are there",
            need=tensor.nbytes,
            have=size,
        )
        raise TensorError(text, path=path)
    return tensor


def chunks(first: TensorFile, second: TensorFile) -> Iterator[Chunk]:
    """Walk two tensors of the same shape side by side.

    Elements come as stored, in the memory order of `first`; the places count in that order.
    """
    if first.shape != second.shape:
        raise ValueError("the shapes differ")
    if first.fortran_order == second.fortran_order or len(first.shape) < 2:
        yield from _streamed(first, second)
    else:
        yield from _mixed_order(first, second)


def _streamed(first: TensorFile, second: TensorFile) -> Iterator[Chunk]:
    # Plain reads, no memory map: a file that shrinks meanwhile gives an error, not a crash.
    with first.path.open("rb") as one, second.path.open("rb") as two:
        one.seek(first.offset)
        two.seek(second.offset)
        for start in range(0, first.count, CHUNK):
            count = min(CHUNK, first.count - start)
            yield start, _read(one, first, count), _read(two, second, count)


def _read(file: IO[bytes], tensor: TensorFile, count: int) -> NDArray[Any]:
    data = file.read(count * tensor.type.stored.itemsize)
    if len(data) < count * tensor.type.stored.itemsize:
        raise TensorError(tr("became shorter while it was read"), path=tensor.path)
    return np.frombuffer(data, tensor.type.stored)


def _mixed_order(first: TensorFile, second: TensorFile) -> Iterator[Chunk]:
    if first.count == 0:
        return
    maps = [
        np.memmap(t.path, t.type.stored, "r", t.offset, t.shape, "F" if t.fortran_order else "C")
        for t in (first, second)
    ]
    walk = np.nditer(
        maps,
        flags=["external_loop", "buffered"],
        order="F" if first.fortran_order else "C",
        buffersize=CHUNK,
    )
    start = 0
    for one, two in walk:
        yield start, one, two
        start += len(one)


def _read_header(file: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    try:
        version = npy_format.read_magic(file)
    except ValueError as error:
        raise TensorError(tr("is not a .npy file")) from error
    if version not in ((1, 0), (2, 0), (3, 0)):
        raise TensorError(tr("has the unknown .npy version {version}", version=version))
    head = npy_format.read_array_header_1_0
    if version >= (2, 0):
        head = npy_format.read_array_header_2_0
    try:
        return head(file, max_header_size=_HEADER_LIMIT)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError, UnicodeError) as error:
        file.seek(0)
        # The values may be fine; the type's name in the header says what to do.
        name = _type_name(file.read(_HEADER_LIMIT))
        if name:
            message = tr("has the type {name}, which NumPy does not know", name=repr(name))
            raise TensorError(message) from error
        raise TensorError(tr("has a damaged header")) from error


def _type_name(head: bytes) -> str:
    parts = head.split(b"'descr': '", 1)
    if len(parts) < 2:
        return ""
    return parts[1].split(b"'", 1)[0][:40].decode("latin-1")


def _unknown_type(stored: np.dtype[Any]) -> str:
    name = stored.str if stored.fields is None else str(stored.descr)[:80]
    if stored.kind == "V" and stored.fields is None and stored.itemsize == 2:
        return tr(
            "holds 2-byte values without a type ({name}), probably bfloat16; "
            "the dump.json beside it would tell",
            name=name,
        )
    if stored.kind == "V" and stored.fields is None:
        return tr(
            "holds {size}-byte values without a type ({name}); the dump.json beside it would tell",
            size=stored.itemsize,
            name=name,
        )
    return tr("holds {name}, which are not numbers", name=name)
