"""Putting a plugin from a folder or a zip file among the user's own; none of its code is run."""

from __future__ import annotations

import re
import shutil
import stat
import time
import zipfile
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING
from uuid import uuid4

from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.kernel.manifest import FILE_NAME, read_manifest

if TYPE_CHECKING:
    from collections.abc import Iterator

LARGEST = 100_000_000
"""All files of a plugin together may have so many bytes."""

_MOST_FILES = 5_000
_ID = re.compile(r"[a-z][a-z0-9_]*")
_LEFT_OUT = ("__pycache__", ".git", ".venv", ".mypy_cache", ".ruff_cache", ".pytest_cache")


def install_plugin(source: Path, into: Path) -> Path:
    """Copy a plugin into a folder of plugins and return where it is now.

    `source` is a folder with a `plugin.toml`, whose name is the plugin's id, or a zip file with one
    such folder. One of the same id that is there already is kept beside it under a hidden name.
    Raises StudioError, and ManifestError with every fault of the manifest.
    """
    into.mkdir(parents=True, exist_ok=True)
    waiting = into / f".new-{uuid4().hex}"
    try:
        name = _copy(source, waiting) if source.is_dir() else _extract(source, waiting)
        folder = waiting / name
        read_manifest(folder / FILE_NAME)
        target = into / name
        if target.exists():
            target.rename(into / f".old-{name}-{time.strftime('%Y%m%d-%H%M%S')}-{uuid4().hex[:4]}")
        folder.rename(target)
    except OSError as error:
        reason = error.strerror or str(error)
        raise StudioError(
            tr("{file} cannot be installed: {reason}.", file=source.name, reason=reason),
            path=source,
        ) from error
    finally:
        shutil.rmtree(waiting, ignore_errors=True)
    return target


def _copy(source: Path, waiting: Path) -> str:
    if not (source / FILE_NAME).is_file():
        raise _unfit(source, tr("it holds no {name}", name=FILE_NAME))
    name = _checked(source, source.name)
    sizes = [p.lstat().st_size for p in source.rglob("*") if not set(p.parts) & set(_LEFT_OUT)]
    _check_size(source, len(sizes), sum(sizes))
    ignore = shutil.ignore_patterns(*_LEFT_OUT, "*.pyc")
    shutil.copytree(source, waiting / name, symlinks=True, ignore=ignore)
    return name


def _extract(source: Path, waiting: Path) -> str:
    try:
        with zipfile.ZipFile(source) as archive:
            members = [entry for entry in archive.infolist() if not entry.is_dir()]
            _check_size(source, len(members), sum(entry.file_size for entry in members))
            name = _checked(source, _folder_in(source, members))
            for entry, inner in _inside(source, members, name):
                place = waiting / name / inner
                place.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(entry) as packed, place.open("xb") as file:
                    # No more than was said, whatever the archive really holds.
                    file.write(packed.read(entry.file_size))
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise _unfit(source, tr("it is no zip file that can be read")) from error
    return name


def _folder_in(source: Path, members: list[zipfile.ZipInfo]) -> str:
    """The name of the only folder of a zip file with a manifest right in it."""
    paths = [PurePosixPath(entry.filename) for entry in members]
    found = [path.parts[0] for path in paths if len(path.parts) == 2 and path.name == FILE_NAME]
    if len(found) != 1:
        raise _unfit(source, tr("it holds no single folder with a {name}", name=FILE_NAME))
    return found[0]


def _inside(
    source: Path, members: list[zipfile.ZipInfo], name: str
) -> Iterator[tuple[zipfile.ZipInfo, Path]]:
    """The members below the plugin's folder; refuses links and what would lie outside."""
    for entry in members:
        parts = PurePosixPath(entry.filename.replace("\\", "/")).parts
        if stat.S_ISLNK(entry.external_attr >> 16) or ".." in parts or parts[0] == "/":
            raise _unfit(source, tr("{member} would lie outside of it", member=entry.filename))
        if ":" in parts[0] or (len(parts) > 1 and any(":" in part for part in parts)):
            raise _unfit(source, tr("{member} would lie outside of it", member=entry.filename))
        if parts[0] == name and len(parts) > 1 and not set(parts) & set(_LEFT_OUT):
            yield entry, Path(*parts[1:])


def _checked(source: Path, name: str) -> str:
    if not _ID.fullmatch(name):
        raise _unfit(source, tr("“{name}” is not a name for a plugin", name=name))
    return name


def _check_size(source: Path, files: int, size: int) -> None:
    if files > _MOST_FILES or size > LARGEST:
        raise _unfit(source, tr("it is too large for a plugin"))


def _unfit(source: Path, reason: str) -> StudioError:
    return StudioError(
        tr("{file} cannot be installed: {reason}.", file=source.name, reason=reason), path=source
    )
