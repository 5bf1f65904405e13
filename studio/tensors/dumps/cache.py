"""Keep the index of large dumps in the user's cache folder; a wrong or half file is rebuilt."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from studio.kernel.files import write_atomic
from studio.paths import cache_dir
from studio.tensors.dumps.model import Part  # noqa: TC001 - msgspec reads the annotation

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

_VERSION = 1
_WORTH_IT = 1 << 20
_MANY = 2000
_KEPT = 200


class _Kept(msgspec.Struct, frozen=True):
    key: list[str]
    part: Part


def cached_part(files: Sequence[Path], scope: str, read: Callable[[], Part]) -> Part:
    """Return what `read()` gives, from the cache when none of the files has changed."""
    key = [f"{_VERSION} {scope}", *(_stamp(path) for path in files)]
    if sum(path.stat().st_size for path in files if path.is_file()) < _WORTH_IT:
        return read()
    return _cached(key, f"{scope}\n{files[0]}", read)


def cached_folder(root: Path, files: Sequence[str], read: Callable[[], Part]) -> Part:
    """Return what `read()` gives for a folder of many files, named relative to it.

    From the cache when there are the same files with the same sizes and times; a few thousand are
    read faster than compared.
    """
    if len(files) < _MANY:
        return read()
    state = hashlib.sha256()
    for name in files:
        state.update(_stamp(root / name).encode("utf-8", "surrogateescape"))
    return _cached([f"{_VERSION} {root}", state.hexdigest()], f"{root}\nfolder", read)


def cached_listing(
    folder: Path, names: Sequence[str], tables: Sequence[Path], read: Callable[[], Part]
) -> Part:
    """Return what `read()` gives for a folder whose files' names and some tables say everything.

    From the cache when the folder has the same names and no table has changed.
    """
    size = sum(path.stat().st_size for path in tables if path.is_file())
    if len(names) < _MANY and size < _WORTH_IT:
        return read()
    listed = hashlib.sha256("\0".join(names).encode("utf-8", "surrogateescape")).hexdigest()
    key = [f"{_VERSION} {folder}", listed, *map(_stamp, tables)]
    return _cached(key, f"{folder}\nlisting", read)


def _cached(key: list[str], name: str, read: Callable[[], Part]) -> Part:
    folder = cache_dir() / "dumps"
    name = hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:32]
    path = folder / f"{name}.index"
    with suppress(OSError, msgspec.MsgspecError, ValueError):
        kept = msgspec.msgpack.decode(path.read_bytes(), type=_Kept)
        if kept.key == key:
            return kept.part
    part = read()
    # What does not fit (integers beyond 64 bits) or cannot be written is read anew next time.
    with suppress(OSError, OverflowError, TypeError, msgspec.MsgspecError):
        data = msgspec.msgpack.encode(_Kept(key, part))
        folder.mkdir(parents=True, exist_ok=True)
        write_atomic(path, data)
        _prune(folder)
    return part


def _stamp(path: Path) -> str:
    try:
        stat = path.stat()
    except OSError:
        return f"{path} -"
    return f"{path} {stat.st_size} {stat.st_mtime_ns} {stat.st_ino}"


def _prune(folder: Path) -> None:
    files = sorted(folder.glob("*.index"), key=lambda path: path.stat().st_mtime)
    for path in files[:-_KEPT]:
        path.unlink(missing_ok=True)
