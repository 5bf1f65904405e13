"""Read `.safetensors` files: a length, a JSON header, then the bytes of the tensors.

Format: https://github.com/huggingface/safetensors#format
"""

from __future__ import annotations

import io
import json
import struct
from math import prod
from typing import TYPE_CHECKING, Any

from studio.i18n import tr
from studio.tensors.dtypes import named_type
from studio.tensors.tensor import TensorError, TensorFile

if TYPE_CHECKING:
    from pathlib import Path

_HEADER_LIMIT = 100_000_000


def open_safetensors(path: Path) -> dict[str, TensorFile]:
    """Return the tensors of a file by their names; raises TensorError when it is damaged."""
    try:
        with path.open("rb") as file:
            head = file.read(8)
            size = file.seek(0, io.SEEK_END)
            length = struct.unpack("<Q", head)[0] if len(head) == 8 else size
            if length > min(_HEADER_LIMIT, size - 8):
                raise TensorError(tr("is cut off or no safetensors file"), path=path)
            file.seek(8)
            header = json.loads(file.read(length))
    except OSError as error:
        raise TensorError(error.strerror or str(error), path=path) from error
    except (ValueError, RecursionError) as error:
        raise TensorError(tr("has a damaged header"), path=path) from error
    if not isinstance(header, dict):
        raise TensorError(tr("has a damaged header"), path=path)
    header.pop("__metadata__", None)
    start = 8 + length
    return {name: _tensor(path, name, entry, start, size - start) for name, entry in header.items()}


def _tensor(path: Path, name: str, entry: Any, start: int, size: int) -> TensorFile:  # noqa: ANN401
    match entry:
        case {"dtype": str(dtype), "shape": list(shape), "data_offsets": [int(first), int(last)]}:
            pass
        case _:
            raise TensorError(tr("has a damaged header"), path=path)
    kind = named_type(dtype)
    if kind is None:
        text = tr("its tensor {name} has the unknown type {type}", name=repr(name), type=dtype)
        raise TensorError(text, path=path)
    if not all(type(n) is int and n >= 0 for n in shape):
        raise TensorError(tr("its header has an impossible shape {shape}", shape=shape), path=path)
    if not 0 <= first <= last <= size or last - first != prod(shape) * kind.stored.itemsize:
        raise TensorError(
            tr("the place of its tensor {name} lies outside the file", name=repr(name)), path=path
        )
    return TensorFile(path, tuple(shape), kind, False, start + first)
