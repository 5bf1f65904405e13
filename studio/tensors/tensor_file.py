"""Open any file that holds tensors: `.npy`, `.npz`, `.pt`, `.safetensors`."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from studio.i18n import tr
from studio.tensors.dtypes import canonical
from studio.tensors.npy import open_npy, read_npy
from studio.tensors.pt_file import open_pt
from studio.tensors.safetensors import open_safetensors
from studio.tensors.tensor import TensorError, TensorFile
from studio.tensors.zip_index import Member, ZipIndex, head_of

if TYPE_CHECKING:
    from pathlib import Path

SUFFIXES = (".npy", ".npz", ".pt", ".pth", ".safetensors")
"""The endings of files that can be opened here."""


class TensorSet(Mapping[str, TensorFile]):
    """The tensors of one file by name ("" for a file of just one), and what was refused and why."""

    def __init__(self, tensors: Mapping[str, TensorFile], refused: Mapping[str, str]) -> None:
        self._tensors = dict(tensors)
        self.refused = dict(refused)

    def __getitem__(self, name: str) -> TensorFile:
        return self._tensors[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tensors)

    def __len__(self) -> int:
        return len(self._tensors)


def open_tensor_file(path: Path, dtype: str = "", *, keep: bool = False) -> TensorSet:
    """Read the headers of a file; values stay on disk, and no code in it ever runs.

    `dtype` names the type of raw bytes, when something else knows it. With `keep`, tensors that are
    used at once may hold the bytes of a small file. Raises TensorError when the file as a whole
    cannot be read; single refused members are listed in `refused`.
    """
    suffix = path.suffix.casefold()
    if suffix == ".npy":
        return TensorSet({"": open_npy(path, lambda: canonical(dtype))}, {})
    if suffix == ".npz":
        return _open_npz(path)
    if suffix == ".safetensors":
        return TensorSet(open_safetensors(path), {})
    if suffix in (".pt", ".pth", ".ckpt", ".bin"):
        return TensorSet(open_pt(path, keep=keep), {})
    raise TensorError(tr("is no kind of tensor file that is known here"), path=path)


def open_one(path: Path, dtype: str = "") -> TensorFile:
    """Return the tensor of a file that holds exactly one."""
    tensors = open_tensor_file(path, dtype)
    if len(tensors) != 1:
        raise TensorError(tr("holds {n} tensors instead of one", n=len(tensors)), path=path)
    return next(iter(tensors.values()))


def _open_npz(path: Path) -> TensorSet:
    try:
        index = ZipIndex(path)
    except OSError as error:
        raise TensorError(error.strerror or str(error), path=path) from error
    tensors, refused = {}, {}
    for name, member in index.members.items():
        if not name.endswith(".npy"):
            continue
        try:
            tensors[name.removesuffix(".npy")] = _member(index, member)
        except TensorError as error:
            refused[name.removesuffix(".npy")] = error.message
    return TensorSet(tensors, refused)


def _member(index: ZipIndex, member: Member) -> TensorFile:
    if member.packed is not None:
        head = io.BytesIO(head_of(index, member))
        return read_npy(head, index.path, member.unpacked, packed=member.packed)
    with index.path.open("rb") as file:
        file.seek(member.start)
        return read_npy(file, index.path, member.start + member.size)
