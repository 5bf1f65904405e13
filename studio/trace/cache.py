"""Traces that were read before, kept in the user's cache folder as mapped columns.

An entry is used only if it is whole and was made of exactly this file: same path, size and times,
and the same bytes at its start, its end and places between. Entries are written to a folder of
their own and then renamed, by a thread that the program waits for, so that neither a killed program
nor several at once leave anything behind that would be trusted. Nothing is ever written beside the
user's data.
"""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from studio import paths
from studio.formats.byte_source import text_of_file
from studio.trace.folder import MANIFEST, NotWholeError, read_about, read_folder, write_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from studio.formats.byte_source import Text
    from studio.trace.store import Trace

WORTH_KEEPING: Final = 8_000_000
"""Smaller files are read again at once."""

LIMIT: Final = 8_000_000_000
"""How many bytes all entries may take; the ones not used for longest go first."""

PATIENCE: Final = 5.0
"""Seconds that a window has for itself, to show a trace, before the trace is written."""

_LOG: Final = logging.getLogger(__name__)
_HALF_MADE: Final = "making-"
_ABANDONED_SECONDS: Final = 3600
_END: Final = 1 << 16
_BLOCK: Final = 1 << 12
_BLOCKS: Final = 32
_DAMAGE: Final = (NotWholeError, OSError, ValueError, KeyError, TypeError)


def find(
    path: Path, text: Text, stamp: tuple[int, int], arg_columns: Sequence[str] = ()
) -> Trace | None:
    """The trace of a text from the cache, None if it has to be read.

    `stamp` is the size and modification time (ns) that its file has now.
    """
    for entry in _entries(text):
        try:
            manifest = read_about(entry)
            if manifest["about"] != _about(text, stamp):
                _remove(entry)
            elif set(arg_columns) <= set(manifest["args"]):
                trace = read_folder(entry, manifest, path)
                os.utime(entry / MANIFEST)
                args = {name: trace.arg_columns[name] for name in arg_columns}
                return replace(trace, text=text, arg_columns=args)
        except _DAMAGE as error:
            _LOG.warning("The kept trace of %s is not whole and is made again: %s", path, error)
            _remove(entry)
    return None


def keep_soon(trace: Trace) -> threading.Thread:
    """Write a trace to the cache in the background, a little later or when the program ends."""
    folder = _folder()
    thread = threading.Thread(
        target=_keep_quietly, args=(trace, folder, PATIENCE), name="keep trace"
    )
    thread.start()
    return thread


def keep(trace: Trace, folder: Path | None = None, limit: int = LIMIT) -> bool:
    """Write a trace to the cache; False when it is cut, changed meanwhile or there is no room."""
    folder = folder or _folder()
    text = trace.text or text_of_file(trace.path)
    status = text.path.stat()
    if not trace.complete or (status.st_size, status.st_mtime_ns) != trace.stamp:
        return False
    needed = sum(values.nbytes for values in _columns(trace))
    if needed > limit or shutil.disk_usage(folder).free < 2 * needed:
        return False
    about = _about(text, trace.stamp)
    making = Path(tempfile.mkdtemp(prefix=_HALF_MADE, dir=folder))
    try:
        write_folder(trace, making, about)
        _flush(making)
        entry = folder / f"{_key(text)}-{making.name.removeprefix(_HALF_MADE)}"
        making.rename(entry)
    except OSError:
        shutil.rmtree(making, ignore_errors=True)
        raise
    for spare in _spare(entry, about, set(trace.arg_columns), _entries(text, folder)):
        _remove(spare)
    make_room(limit, folder)
    return True


def size(folder: Path | None = None) -> int:
    """The bytes that all entries take."""
    return sum(map(_size, _all(folder or _folder())))


def clear(folder: Path | None = None) -> int:
    """Remove all entries; returns how many bytes that frees."""
    freed = 0
    for entry in _all(folder or _folder()):
        freed += _size(entry)
        _remove(entry)
    return freed


def make_room(limit: int, folder: Path | None = None) -> None:
    """Remove what was not used for longest until all entries take at most `limit` bytes."""
    entries = sorted(_all(folder or _folder()), key=_last_use, reverse=True)
    total = 0
    for entry in entries:
        total += _size(entry)
        if total > limit or _is_abandoned(entry):
            _remove(entry)


def _keep_quietly(trace: Trace, folder: Path, patience: float) -> None:
    threading.main_thread().join(patience)
    try:
        keep(trace, folder)
    except OSError as error:
        _LOG.warning("The trace %s is not kept: %s", trace.path, error)


def _folder() -> Path:
    folder = paths.cache_dir() / "traces"
    folder.mkdir(exist_ok=True)
    return folder


def _name(text: Text) -> bytes:
    """What tells a text from all others: the path of its file, and its name in an archive."""
    path = os.path.abspath(text.path)
    return f"{path}\0{text.member}".encode("utf-8", "surrogateescape")


def _key(text: Text) -> str:
    return hashlib.sha256(_name(text)).hexdigest()[:24]


def _entries(text: Text, folder: Path | None = None) -> list[Path]:
    return sorted((folder or _folder()).glob(f"{_key(text)}-*"), key=_last_use, reverse=True)


def _spare(
    entry: Path, about: dict[str, Any], args: set[str], entries: Sequence[Path]
) -> Iterator[Path]:
    """The entries that nobody needs now that `entry` is there; it may be among them itself.

    Of entries that serve the same, the one with the first name stays. Programs that write at the
    same time all decide so, and never remove each other's.
    """
    for other in entries:
        if other == entry:
            continue
        try:
            manifest = read_about(other)
        except _DAMAGE:
            yield other
            continue
        others = set(manifest["args"])
        if manifest["about"] != about or others < args:
            yield other
        elif others >= args:
            yield other if others == args and entry.name < other.name else entry


def _all(folder: Path) -> list[Path]:
    return [entry for entry in folder.iterdir() if entry.is_dir()]


def _about(text: Text, stamp: tuple[int, int]) -> dict[str, Any]:
    return {
        "name": _name(text).hex(),
        "stamp": list(stamp),
        "changed": text.path.stat().st_ctime_ns,
        "probe": _probe(text.path, stamp[0]),
    }


def _probe(path: Path, length: int) -> str:
    """A digest of the first and last bytes of a file and of blocks in between."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        digest.update(file.read(_END))
        for block in range(1, _BLOCKS):
            file.seek(length * block // _BLOCKS)
            digest.update(file.read(_BLOCK))
        file.seek(max(0, length - _END))
        digest.update(file.read(_END))
    return digest.hexdigest()


def _columns(trace: Trace) -> list[Any]:
    return [
        trace.start, trace.duration, trace.source, trace.name, trace.category, trace.lane,
        trace.depth, *(getattr(trace.flows, name) for name in trace.flows.__slots__),
        *(column.values for column in trace.arg_columns.values()),
    ]  # fmt: skip


def _flush(folder: Path) -> None:
    """Make sure that files are on the disk before they count."""
    for path in folder.iterdir():
        with path.open("rb+") as file:
            os.fsync(file.fileno())


def _last_use(entry: Path) -> float:
    for path in (entry / MANIFEST, entry):
        with suppress(OSError):
            return path.stat().st_mtime
    return 0.0


def _size(entry: Path) -> int:
    with suppress(OSError):
        return sum(path.stat().st_size for path in entry.iterdir())
    return 0


def _is_abandoned(entry: Path) -> bool:
    old = time.time() - _last_use(entry) > _ABANDONED_SECONDS
    return entry.name.startswith(_HALF_MADE) and old


def _remove(entry: Path) -> None:
    """Remove an entry; without its manifest it is none, even if files of it stay in use."""
    with suppress(OSError):
        (entry / MANIFEST).unlink(missing_ok=True)
    shutil.rmtree(entry, ignore_errors=True)
