"""Where the elements of a value are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from studio.i18n import tr
from studio.tensors.tensor import TensorError
from studio.tensors.tensor_file import open_tensor_file

if TYPE_CHECKING:
    from pathlib import Path

    from studio.tensors.tensor import TensorFile


@dataclass(frozen=True, slots=True)
class Place:
    """A file, the tensor in it, and the type of its elements if the dump knows it."""

    path: Path
    dtype: str = ""
    member: str = ""


def open_place(place: Place, *, keep: bool = False) -> TensorFile:
    """Open the tensor at a place; with `keep`, it may hold the bytes of a small file.

    Raises TensorError when it is not there or refused.
    """
    tensors = open_tensor_file(place.path, place.dtype, keep=keep)
    if place.member in tensors:
        return tensors[place.member]
    if place.member in tensors.refused:
        raise TensorError(tensors.refused[place.member], path=place.path)
    raise TensorError(tr("holds {n} tensors instead of one", n=len(tensors)), path=place.path)
