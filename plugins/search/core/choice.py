"""Which files are searched: those of a folder, less what git ignores and what globs leave out."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.model.ignored import Ignored
from studio.model.tree import walk

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from pathspec import GitIgnoreSpec


@dataclass(frozen=True)
class Choice:
    """Globs as in `.gitignore`, several separated by commas ("*.py, src/"); empty means all."""

    include: str = ""
    exclude: str = ""
    ignored: bool = False

    def __post_init__(self) -> None:
        _spec(self.include)
        _spec(self.exclude)


def chosen_files(
    root: Path, choice: Choice, check: Callable[[int], object] | None = None
) -> list[str]:
    """The files to search, relative to `root`; of a single file, its name."""
    if not root.exists():
        raise StudioError(tr("{path} does not exist.", path=root), path=root)
    if not root.is_dir():
        return [root.name]
    names = chosen(walk(root, check=check).files, choice)
    return names if choice.ignored else Ignored(root).kept(names)


def chosen(names: Sequence[str], choice: Choice) -> list[str]:
    """The names that the globs let through."""
    include, exclude = _spec(choice.include), _spec(choice.exclude)
    if include is not None:
        names = [name for name in names if include.match_file(name)]
    if exclude is not None:
        names = [name for name in names if not exclude.match_file(name)]
    return list(names)


def base_of(root: Path) -> str:
    """The folder that the names of `chosen_files` are relative to."""
    return os.fspath(root if root.is_dir() else root.parent)


def _spec(globs: str) -> GitIgnoreSpec | None:
    parts = [part.strip() for part in globs.split(",") if part.strip()]
    if not parts:
        return None
    from pathspec import GitIgnoreSpec  # takes long to import, and most searches need none

    try:
        return GitIgnoreSpec.from_lines(parts)
    except ValueError as error:
        raise StudioError(tr("“{globs}” is not a valid pattern of files.", globs=globs)) from error
