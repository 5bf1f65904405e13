"""A tensor in a file: known by what the file says of it, its values read when asked for."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from math import prod
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from studio.i18n import tr
from studio.kernel.errors import StudioError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from studio.tensors.values import ElementType

    Chunk = tuple[int, NDArray[Any], NDArray[Any]]
    """The place of the first element, the elements of the first and of the second tensor."""

CHUNK = 1 << 17
"""Elements that are read at a time."""

UNPACK_LIMIT = 1 << 30
"""Bytes that a compressed member of an archive may have, since it is unpacked in memory."""

_READ_WHOLE = 1 << 24


class TensorError(StudioError):
    """A tensor that cannot be read; the message is the reason, without the file's name."""


@dataclass(frozen=True, slots=True)
class Packed:
    """A compressed member of an archive: where its bytes are and how many they will be."""

    start: int
    size: int
    unpacked: int


@dataclass(frozen=True, slots=True)
class TensorFile:
    """A tensor in a file, known by the file's header; its values stay on disk."""

    path: Path
    shape: tuple[int, ...]
    type: ElementType
    fortran_order: bool
    offset: int
    """Where the first element is, in the file or in the unpacked member."""
    strides: tuple[int, ...] | None = None
    """Steps in elements, None when they follow from the order."""
    packed: Packed | None = None
    content: bytes | None = field(default=None, compare=False, repr=False)
    """The whole file, if it is small and was kept to be used at once."""

    @property
    def count(self) -> int:
        """How many elements it has."""
        return prod(self.shape)

    @property
    def nbytes(self) -> int:
        """How many bytes its elements take."""
        return self.count * self.type.stored.itemsize

    @property
    def streamed(self) -> bool:
        """Whether its elements follow each other in the file."""
        return self.strides is None and self.packed is None

    def array(self) -> NDArray[Any]:
        """Return the elements as stored, in the shape of the tensor; large ones memory-mapped."""
        size = self.type.stored.itemsize
        steps = _steps(self)
        span = 0
        if self.count:
            span = sum((n - 1) * step for n, step in zip(self.shape, steps, strict=True)) + 1
        flat = self._elements(span)
        if self.strides is None:
            return flat.reshape(self.shape, order="F" if self.fortran_order else "C")
        view: NDArray[Any] = np.lib.stride_tricks.as_strided(
            flat, self.shape, tuple(step * size for step in steps), writeable=False
        )
        return view

    def _elements(self, count: int) -> NDArray[Any]:
        size = count * self.type.stored.itemsize
        if self.packed is not None:
            data: Any = unpack(self.path, self.packed)[self.offset : self.offset + size]
        elif self.content is not None:
            data = memoryview(self.content)[self.offset : self.offset + size]
        elif size > _READ_WHOLE:
            data = np.memmap(self.path, np.uint8, "r", self.offset, (size,))
        else:
            with self.path.open("rb") as file:
                file.seek(self.offset)
                data = file.read(size)
        if len(data) < size:
            raise TensorError(tr("became shorter while it was read"), path=self.path)
        return np.frombuffer(data, self.type.stored, count) if count else _nothing(self)


def unpack(path: Path, packed: Packed) -> bytes:
    """Return the content of a compressed member, never more than it declares."""
    if packed.unpacked > UNPACK_LIMIT:
        raise TensorError(
            tr(
                "holds a compressed array of {size} bytes, too large to unpack",
                size=packed.unpacked,
            ),
            path=path,
        )
    with path.open("rb") as file:
        file.seek(packed.start)
        compressed = file.read(packed.size)
    try:
        data = zlib.decompressobj(-15).decompress(compressed, packed.unpacked)
    except zlib.error as error:
        raise TensorError(tr("has damaged compressed data"), path=path) from error
    if len(data) != packed.unpacked:
        raise TensorError(tr("has damaged compressed data"), path=path)
    return data


def chunks(first: TensorFile, second: TensorFile) -> Iterator[Chunk]:
    """Walk two tensors of the same shape side by side.

    Elements come as stored, in the memory order of `first` (its rows first, or its columns for
    Fortran order); the places count in that order.
    """
    if first.shape != second.shape:
        raise ValueError("the shapes differ")
    same_order = first.fortran_order == second.fortran_order or len(first.shape) < 2
    if first.streamed and second.streamed and same_order:
        yield from _streamed(first, second)
    else:
        yield from _mixed_order(first, second)


def _streamed(first: TensorFile, second: TensorFile) -> Iterator[Chunk]:
    if first.content is not None and second.content is not None and first.count <= CHUNK:
        if first.count:
            yield 0, first.array().ravel("K"), second.array().ravel("K")
        return
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
    walk = np.nditer(
        [first.array(), second.array()],
        flags=["external_loop", "buffered"],
        order="F" if first.fortran_order else "C",
        buffersize=CHUNK,
    )
    start = 0
    for one, two in walk:
        yield start, one, two
        start += len(one)


def _steps(tensor: TensorFile) -> tuple[int, ...]:
    if tensor.strides is not None:
        return tensor.strides
    shape = tensor.shape if tensor.fortran_order else tensor.shape[::-1]
    steps, step = [], 1
    for length in shape:
        steps.append(step)
        step *= length
    return tuple(steps if tensor.fortran_order else steps[::-1])


def _nothing(tensor: TensorFile) -> NDArray[Any]:
    return np.empty(0, tensor.type.stored)
