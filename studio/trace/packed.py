"""Timelines in packs: the columns of a trace inside a `.studio` file, without its raw data.

In the pack, which is a zip archive, they are the files of `studio.trace.folder` below `timeline/`.
To be mapped they are unpacked once into the user's cache. What an event says beyond its columns
stays behind: only the args that were read for every slice are there.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from studio.formats.chrome_columns import ARG_NUMBER, ARG_TEXT
from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.paths import cache_dir
from studio.trace.folder import (
    MANIFEST,
    NotWholeError,
    read_about,
    read_folder,
    write_folder,
)

if TYPE_CHECKING:
    from studio.trace.store import Trace

SUFFIX: Final = ".studio"
"""What the names of packs end with."""

KEPT: Final = 8
"""The timelines of so many packs stay unpacked in the cache."""

_FOLDER: Final = "timeline/"
_MEMBER: Final = re.compile(r"timeline/[A-Za-z_]+(\.[A-Za-z_0-9]+)*\.(npy|json)")
_LARGEST: Final = 64 << 30


def write_timeline(trace: Trace, archive: zipfile.ZipFile) -> None:
    """Add the columns of a trace to a pack that is being written."""
    with tempfile.TemporaryDirectory(dir=_home()) as temporary:
        folder = Path(temporary)
        write_folder(trace, folder, {"stamp": [0, 0]})
        for file in sorted(folder.iterdir()):
            archive.write(file, f"{_FOLDER}{file.name}")


def has_timeline(path: Path) -> bool:
    """Whether a pack holds a timeline."""
    try:
        with zipfile.ZipFile(path) as archive:
            return f"{_FOLDER}{MANIFEST}" in archive.namelist()
    except (OSError, zipfile.BadZipFile):
        return False


def read_timeline(path: Path) -> Trace:
    """Map the timeline of a pack; raises StudioError when there is none or it is damaged."""
    try:
        folder = _unpacked(path)
        return read_folder(folder, read_about(folder), path)
    except OSError as error:
        raise StudioError(
            tr("Cannot read {file}: {reason}.", file=path, reason=error.strerror or error),
            path=path,
        ) from error
    except (NotWholeError, zipfile.BadZipFile, ValueError, KeyError, TypeError) as error:
        text = tr("The timeline in {name} is damaged.", name=path.name)
        raise StudioError(text, path=path) from error


def recorded_event(trace: Trace, index: int) -> dict[str, Any]:
    """What a pack still knows of a slice, as an event of the file would say it."""
    args: dict[str, Any] = {}
    for name, column in trace.arg_columns.items():
        kind = int(column.kind[index])
        if kind == ARG_TEXT:
            args[name] = column.texts[int(column.values[index])]
        elif kind == ARG_NUMBER:
            args[name] = int(column.values[index])
    found: dict[str, Any] = {"ph": "X", "name": trace.names[int(trace.name[index])]}
    category = trace.categories[int(trace.category[index])]
    return found | ({"cat": category} if category else {}) | ({"args": args} if args else {})


def _unpacked(path: Path) -> Path:
    """The folder in the cache that holds the timeline of a pack."""
    status = path.stat()
    about = f"{path.resolve()}|{status.st_size}|{status.st_mtime_ns}"
    folder = _home() / hashlib.sha256(about.encode()).hexdigest()[:24]
    if not (folder / MANIFEST).exists():
        with tempfile.TemporaryDirectory(dir=_home()) as temporary:
            made = Path(temporary) / "timeline"
            made.mkdir()
            _unpack(path, made)
            shutil.rmtree(folder, ignore_errors=True)
            made.rename(folder)
        _make_room(folder)
    return folder


def _unpack(path: Path, folder: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        members = [entry for entry in archive.infolist() if entry.filename.startswith(_FOLDER)]
        if not any(entry.filename == f"{_FOLDER}{MANIFEST}" for entry in members):
            raise StudioError(tr("{name} holds no timeline.", name=path.name), path=path)
        size = sum(entry.file_size for entry in members)
        if size > min(_LARGEST, shutil.disk_usage(folder).free // 2):
            raise StudioError(
                tr(
                    "The timeline in {name} needs {n} MiB of disk, which is not there.",
                    name=path.name,
                    n=f"{size >> 20:,}",
                ),
                path=path,
            )
        for entry in members:
            if _MEMBER.fullmatch(entry.filename) is None:
                raise NotWholeError(entry.filename)
            with (
                archive.open(entry) as source,
                (folder / entry.filename.removeprefix(_FOLDER)).open("wb") as target,
            ):
                shutil.copyfileobj(source, target, 1 << 20)


def _make_room(kept: Path) -> None:
    """Remove the timelines that were unpacked longest ago; those in use stay on disk if need be."""
    folders = [entry for entry in _home().iterdir() if entry.is_dir() and entry != kept]
    folders.sort(key=lambda entry: entry.stat().st_mtime, reverse=True)
    for old in folders[KEPT - 1 :]:
        shutil.rmtree(old, ignore_errors=True)


def _home() -> Path:
    home = cache_dir() / "packs"
    home.mkdir(parents=True, exist_ok=True)
    return home
