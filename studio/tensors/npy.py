"""Read `.npy` files from anywhere: headers checked, never unpickled, streamed in chunks."""

from __future__ import annotations

import io
import tokenize
import warnings
from typing import IO, TYPE_CHECKING, Any

from numpy.lib import format as npy_format

from studio.i18n import tr
from studio.tensors.pickle_names import called_names
from studio.tensors.tensor import CHUNK, Packed, TensorError, TensorFile, chunks
from studio.tensors.values import element_type

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import numpy as np

__all__ = ["CHUNK", "TensorError", "TensorFile", "chunks", "open_npy", "read_npy"]

_HEADER_LIMIT = 16_384
_OBJECT_LIMIT = 1 << 20
_DIMENSIONS = 64


def open_npy(path: Path, hint: Callable[[], str] = str) -> TensorFile:
    """Read and check the header of a `.npy` file.

    `hint()` is asked for the name of the type when the file has only raw bytes. Raises TensorError
    when the file is not what it says: wrong magic, hostile or odd header, objects, cut off.
    """
    try:
        with path.open("rb") as file:
            size = file.seek(0, io.SEEK_END)
            file.seek(0)
            return read_npy(file, path, size, hint)
    except OSError as error:
        raise TensorError(error.strerror or str(error), path=path) from error


def read_npy(
    file: IO[bytes],
    path: Path,
    size: int,
    hint: Callable[[], str] = str,
    packed: Packed | None = None,
) -> TensorFile:
    """Read and check a header at the present place of a file whose array ends at `size`.

    With `packed`, `file` holds the beginning of an unpacked member of an archive.
    """
    try:
        shape, fortran_order, stored = _read_header(file)
    except TensorError as error:
        raise TensorError(error.message, path=path) from error
    offset = file.tell()
    if stored.hasobject:
        raise TensorError(_objects(file), path=path)
    kind = element_type(stored) or element_type(stored, hint() if stored.kind == "V" else "")
    if kind is None:
        raise TensorError(_unknown_type(stored), path=path)
    if len(shape) > _DIMENSIONS or any(length < 0 for length in shape):
        raise TensorError(tr("its header has an impossible shape {shape}", shape=shape), path=path)
    tensor = TensorFile(path, shape, kind, fortran_order, offset, packed=packed)
    if size - offset < tensor.nbytes:
        text = tr(
            "is cut off: its header promises {need} bytes, {have} are there",
            need=tensor.nbytes,
            have=max(size - offset, 0),
        )
        raise TensorError(text, path=path)
    return tensor


def _read_header(file: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    start = file.tell()
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
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # headers of Python 2 are as good as others
            return head(file, max_header_size=_HEADER_LIMIT)
    except (
        ValueError,
        TypeError,
        SyntaxError,
        RecursionError,
        MemoryError,
        UnicodeError,
        tokenize.TokenError,
    ) as error:
        file.seek(start)
        # The values may be fine; the type's name in the header says what to do.
        name = _type_name(file.read(_HEADER_LIMIT))
        if name:
            message = tr("has the type {name}, which NumPy does not know", name=repr(name))
            raise TensorError(message) from error
        raise TensorError(tr("has a damaged header")) from error


def _objects(file: IO[bytes]) -> str:
    names = called_names(file.read(_OBJECT_LIMIT))
    if names:
        return tr(
            "holds Python objects that would run code ({names}); it was not loaded",
            names=", ".join(names),
        )
    return tr("holds Python objects, which are never loaded")


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
