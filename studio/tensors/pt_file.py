"""Read `.pt` files of PyTorch without PyTorch, and without running the code they may carry."""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from studio.i18n import tr
from studio.tensors.dtypes import named_type
from studio.tensors.pickle_check import pickle_end
from studio.tensors.pt_pickle import Described, Storage, load
from studio.tensors.tensor import Packed, TensorError, TensorFile
from studio.tensors.zip_index import NotZip, ZipIndex

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_PICKLE_LIMIT = 256 << 20
_SINGLE_LIMIT = 1024
_VALUE_LIMIT = 1_000_000
_DEPTH_LIMIT = 64
_LEGACY_MAGIC = 0x1950A86A20F9469CFC6C


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the bytes of a storage are, and how many."""

    start: int
    size: int
    packed: Packed | None = None


def open_pt(path: Path, *, keep: bool = False) -> dict[str, TensorFile]:
    """Return the tensors of a `.pt` file by their names; nested names are joined with dots.

    A file that holds just one tensor gives it the name "". With `keep`, a small file's tensors keep
    its bytes. Raises TensorError when the file holds code, is cut off, or is no such file.
    """
    try:
        try:
            index = ZipIndex(path)
        except NotZip:
            return _open_legacy(path)
        found = _open_zip(path, index)
    except OSError as error:
        raise TensorError(error.strerror or str(error), path=path) from error
    except TensorError as error:
        raise TensorError(error.message, path=path) from error
    if not keep or index.whole is None:
        return found
    return {name: replace(tensor, content=index.whole) for name, tensor in found.items()}


def _open_zip(path: Path, index: ZipIndex) -> dict[str, TensorFile]:
    entry = next((n for n in index.members if n.rsplit("/", 1)[-1] == "data.pkl"), None)
    if entry is None:
        raise TensorError(tr("is an archive, but not one of PyTorch"))
    root = entry.removesuffix("data.pkl")
    pickled = index.content(index.members[entry], _PICKLE_LIMIT)
    content = (_single(pickled) if len(pickled) <= _SINGLE_LIMIT else None) or load(pickled)
    order = index.members.get(root + "byteorder")
    little = order is None or index.content(order, 64).strip() != b"big"
    places = {}
    for name, member in index.members.items():
        if name.startswith(root + "data/"):
            key = name.removeprefix(root + "data/")
            places[key] = _Place(member.start, member.unpacked, member.packed)
    return _tensors(path, content, places, little, index.size)


@lru_cache(maxsize=64)
def _single(pickled: bytes) -> Described | None:
    """Read the description of one tensor, which many files of a dump have in common."""
    content = load(pickled)
    return content if isinstance(content, Described) else None


def _open_legacy(path: Path) -> dict[str, TensorFile]:
    """Read the format from before PyTorch 1.6: pickles one after the other, then the storages."""
    size = path.stat().st_size
    if not size:
        raise TensorError(tr("is not a file of PyTorch"))
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        pickles = _Pickles(data)
        if pickles.next() != _LEGACY_MAGIC:
            raise TensorError(tr("is not a file of PyTorch"))
        pickles.next()
        system = pickles.next()
        little = not isinstance(system, dict) or system.get("little_endian") is not False
        content = pickles.next()
        keys = pickles.next()
        sizes = {s.key: s for _, d in _named(content) for s in [d.storage]}
        places = _legacy_places(data, pickles.at, keys, sizes)
        return _tensors(path, content, places, little, size)


class _Pickles:
    """Pickles that follow each other in a file."""

    def __init__(self, data: mmap.mmap) -> None:
        self._data = data
        self.at = 0

    def next(self) -> Any:  # noqa: ANN401 - plain containers
        head = self._data[self.at : self.at + _PICKLE_LIMIT]
        end = pickle_end(head)
        self.at += end
        return load(head[:end])


def _legacy_places(
    data: mmap.mmap,
    at: int,
    keys: Any,  # noqa: ANN401 - checked here
    sizes: dict[str, Storage],
) -> dict[str, _Place]:
    places = {}
    for key in keys if isinstance(keys, list) else ():
        storage = sizes.get(key) if isinstance(key, str) else None
        kind = named_type(storage.dtype) if storage else None
        head = data[at : at + 8]
        if kind is None or len(head) < 8:
            raise TensorError(tr("is cut off or damaged"))
        size = struct.unpack("<q", head)[0] * kind.stored.itemsize
        if size < 0:
            raise TensorError(tr("is cut off or damaged"))
        places[key] = _Place(at + 8, size)
        at += 8 + size
    return places


def _tensors(
    path: Path, content: object, places: dict[str, _Place], little: bool, end: int
) -> dict[str, TensorFile]:
    found = {}
    for name, tensor in _named(content):
        place = places.get(tensor.storage.key)
        if place is None:
            text = tr("the values of its tensor {name} are missing", name=repr(name))
            raise TensorError(text)
        found[name] = _placed(path, tensor, place, end, little)
    return found


def _placed(path: Path, tensor: Described, place: _Place, end: int, little: bool) -> TensorFile:
    size = tensor.type.stored.itemsize
    last = sum((n - 1) * s for n, s in zip(tensor.shape, tensor.strides, strict=True))
    need = (tensor.offset + last + 1) * size if 0 not in tensor.shape else 0
    have = place.size if place.packed else min(place.size, end - place.start)
    if need > have:
        raise TensorError(
            tr(
                "is cut off: its header promises {need} bytes, {have} are there",
                need=need,
                have=max(have, 0),
            )
        )
    kind = tensor.type if little else named_type(tensor.type.name, little_endian=False)
    offset = tensor.offset * size + (0 if place.packed else place.start)
    steps = None if _contiguous(tensor) else tensor.strides
    return TensorFile(path, tensor.shape, kind or tensor.type, False, offset, steps, place.packed)


def _contiguous(tensor: Described) -> bool:
    step = 1
    for length, stride in zip(tensor.shape[::-1], tensor.strides[::-1], strict=True):
        if length != 1 and stride != step:
            return 0 in tensor.shape
        step *= length
    return True


def _named(content: object) -> Iterator[tuple[str, Described]]:
    """Find all tensors in nested containers; bounded, since a pickle can nest without end."""
    waiting: list[tuple[str, object, int]] = [("", content, 0)]
    seen = 0
    while waiting:
        name, value, depth = waiting.pop()
        seen += 1
        if seen > _VALUE_LIMIT or depth > _DEPTH_LIMIT:
            raise TensorError(tr("its contents are nested too deeply"))
        if isinstance(value, Described):
            yield name, value
            continue
        below: Any = ()
        if isinstance(value, dict):
            below = [(str(key)[:200], entry) for key, entry in value.items()]
        elif isinstance(value, (list, tuple)):
            below = list(enumerate(value))
        for key, entry in reversed(below):
            if isinstance(entry, (Described, dict, list, tuple)):
                waiting.append((f"{name}.{key}" if name else str(key), entry, depth + 1))
