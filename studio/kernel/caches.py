"""What the program keeps of files that it has read: how much that is, and removing it.

Every reader makes anew what it does not find, so that this may be removed at any time, also while
traces are open. What does not come from the user's files (machine code, pictures) is no part of it.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from tempfile import gettempprefix
from typing import TYPE_CHECKING

from studio import paths

if TYPE_CHECKING:
    from pathlib import Path

_OF_PROGRAM = ("kernels", "marks")
"""Folders with nothing of the user's files; all others, those of plugins too, have some."""


@dataclass(frozen=True, slots=True)
class Cache:
    """What is kept: the folder, its bytes, and whether they were removed."""

    folder: Path
    bytes: int
    cleared: bool = False


def look_at_cache() -> Cache:
    """How much is kept."""
    folder = paths.cache_dir()
    return Cache(folder, sum(map(_size, _of_files(folder))))


def clear_cache() -> Cache:
    """Remove it; what another program holds on to stays."""
    found = look_at_cache()
    for folder in _of_files(found.folder):
        shutil.rmtree(folder, ignore_errors=True)
    return Cache(found.folder, found.bytes - look_at_cache().bytes, cleared=True)


def cache(clear: bool = False) -> Cache:
    """Tell how much is kept, or remove it (`studio cache`)."""
    return clear_cache() if clear else look_at_cache()


def _of_files(cache: Path) -> list[Path]:
    """The folders of what was read, but not the temporary ones that somebody works with."""
    if not cache.is_dir():
        return []
    return [
        folder
        for folder in cache.iterdir()
        if folder.name not in _OF_PROGRAM
        and not folder.name.startswith(gettempprefix())
        and folder.is_dir()
    ]


def _size(folder: Path) -> int:
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(place, name)).st_size
            except OSError:
                continue
    return total
