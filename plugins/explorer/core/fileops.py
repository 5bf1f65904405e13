"""Making, renaming and copying files and folders; nothing that exists is ever overwritten."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from studio.i18n import tr
from studio.kernel.errors import StudioError

if TYPE_CHECKING:
    from pathlib import Path

_COPY = " copy"


def create_file(folder: Path, name: str) -> Path:
    """Make an empty file; "a/b.py" makes the folder a as well."""
    path = _new_path(folder, name)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x"):
            pass
    except OSError as error:
        raise _failed(path, error) from error
    return path


def create_folder(folder: Path, name: str) -> Path:
    """Make an empty folder, with those above it."""
    path = _new_path(folder, name)
    try:
        path.mkdir(parents=True)
    except OSError as error:
        raise _failed(path, error) from error
    return path


def rename(path: Path, name: str) -> Path:
    """Give a file or folder another name in its folder, and return its new path."""
    if "/" in name or "\\" in name:
        raise StudioError(tr("A name has no slashes: {name}", name=name), path=path)
    if name == path.name:
        return path
    target = path.with_name(_checked(name))
    # On systems that do not tell capitals apart the old name stands in the way of itself.
    if os.path.lexists(target) and not _same(path, target):
        raise StudioError(tr("{path} exists already.", path=target), path=target)
    try:
        os.rename(path, target)
    except OSError as error:
        raise _failed(path, error) from error
    return target


def duplicate(path: Path) -> Path:
    """Copy a file, or a folder with all that is in it, beside itself."""
    target = free_copy_name(path)
    try:
        if path.is_dir() and not path.is_symlink():
            shutil.copytree(path, target, symlinks=True)
        else:
            shutil.copy2(path, target, follow_symlinks=False)
    except OSError as error:
        raise _failed(path, error) from error
    return target


def delete(path: Path) -> Path:
    """Remove a file, or a folder with all that is in it, for good; links are not followed."""
    try:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    except OSError as error:
        raise _failed(type(path)(error.filename or path), error) from error
    return path


def free_copy_name(path: Path) -> Path:
    """A name for a copy that nothing has: "a copy.py", "a copy 2.py", and so on."""
    stem, ending = (path.name, "") if path.is_dir() else (path.stem, path.suffix)
    number = 1
    while True:
        extra = _COPY if number == 1 else f"{_COPY} {number}"
        target = path.with_name(f"{stem}{extra}{ending}")
        if not os.path.lexists(target):
            return target
        number += 1


def _new_path(folder: Path, name: str) -> Path:
    parts = [_checked(part) for part in name.replace("\\", "/").strip("/").split("/")]
    path = folder.joinpath(*parts)
    if os.path.lexists(path):
        raise StudioError(tr("{path} exists already.", path=path), path=path)
    return path


def _checked(name: str) -> str:
    if not name.strip() or name in (".", "..") or "\0" in name:
        raise StudioError(tr("“{name}” is not a name for a file.", name=name))
    return name


def _same(one: Path, other: Path) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False


def _failed(path: Path, error: OSError) -> StudioError:
    reason = error.strerror or str(error)
    return StudioError(tr("{path}: {reason}.", path=path, reason=reason), path=path)
