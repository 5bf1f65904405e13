"""The files of a project as last found by a scan, for quick opening, search and path mapping."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from studio.model.tree import Entry, Found, list_folder

if TYPE_CHECKING:
    from collections.abc import Iterator


class Files:
    """All files below the root, without skipped folders; the folders are listed on demand."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._found = Found()

    def __len__(self) -> int:
        return len(self._found.files)

    @property
    def names(self) -> list[str]:
        """Every file, relative to the root, with "/" between the parts."""
        return self._found.files

    @property
    def links(self) -> list[str]:
        """Every symbolic link, relative to the root."""
        return self._found.links

    @property
    def locked(self) -> list[str]:
        """Every folder that could not be read, relative to the root."""
        return self._found.locked

    def paths(self) -> Iterator[Path]:
        """Every file."""
        base = os.fspath(self.root)
        return (Path(base, name) for name in self._found.files)

    def list_folder(self, folder: Path) -> list[Entry]:
        """The entries of one folder as they are now."""
        return list_folder(folder)

    def take(self, found: Found) -> None:
        """Replace what is known by the result of a new walk."""
        self._found = found
