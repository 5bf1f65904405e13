"""Folders and files as they lie on disk: walking that always ends, and listing one folder."""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SKIPPED = frozenset(
    {
        ".git",
        ".hg",
        ".svn",
        ".idea",
        ".vscode",
        ".venv",
        "venv",
        "node_modules",
        "__pycache__",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".tox",
        ".nox",
        ".ipynb_checkpoints",
        ".eggs",
    }
)
"""Names of folders that neither scanning, nor search, nor watching goes into."""

_DIGITS = re.compile(r"\d+")


class Entry(NamedTuple):
    """One name in a folder.

    `folder` is true for folders and for links to folders. A `link` is never walked into on its own;
    a `broken` one leads nowhere or to itself, a `loop` back to a folder it lies in. A `locked`
    folder may not be read, and a `skipped` one is left out of scanning, search and watching.
    """

    place: str
    folder: bool = False
    link: bool = False
    broken: bool = False
    loop: bool = False
    locked: bool = False
    skipped: bool = False

    @property
    def name(self) -> str:
        """The name, fit for display: bytes that are no text and line breaks are replaced."""
        return shown_name(os.path.basename(self.place))

    @property
    def path(self) -> Path:
        """The path; made anew at each call, since a folder may have very many entries."""
        return Path(self.place)


def list_folder(folder: Path) -> list[Entry]:
    """The entries of one folder, folders first, in natural order; nothing for an unreadable one."""
    try:
        with os.scandir(folder) as found:
            entries = {natural_key(item.name): _entry(item) for item in found}
    except OSError:
        return []
    ordered = [entries[key] for key in sorted(entries)]
    return [e for e in ordered if e.folder] + [e for e in ordered if not e.folder]


def is_locked(folder: str | Path) -> bool:
    """Whether a folder may not be read; only trying tells on every system."""
    try:
        os.scandir(folder).close()
    except OSError:
        return True
    return False


def natural_key(name: str) -> str:
    """A sort key by which "step2" comes before "step10"."""
    return _DIGITS.sub(_padded, name.casefold()) + "\0" + name


def shown_name(name: str) -> str:
    """A file name fit for display on one line."""
    if name.isprintable():
        return name
    return "".join(character if character.isprintable() else "\ufffd" for character in name)


@dataclass(slots=True)
class Found:
    """What a walk found, as paths relative to its root with "/" between the parts."""

    files: list[str] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    locked: list[str] = field(default_factory=list)

    def lists(self) -> tuple[list[str], list[str], list[str], list[str]]:
        """The four lists, in the order of the fields."""
        return self.files, self.folders, self.links, self.locked


def walk(
    root: Path,
    *,
    skip: frozenset[str] = SKIPPED,
    check: Callable[[int], object] | None = None,
) -> Found:
    """Find every file below `root` once, without following links and without skipped folders.

    Pipes, sockets and devices are no files: who reads one may wait for ever.
    Folders are told apart by device and inode, so that a folder mounted into itself ends the walk
    as well. Pipes, sockets and devices are no files: who reads one may wait for ever. `check` is
    called with the number of files found so far after each folder; it may raise.
    """
    found = Found()
    for prefix, items in _folders(root, skip, found):
        for item in items:
            if item.is_symlink():
                found.links.append(prefix + item.name)
            elif item.is_dir(follow_symlinks=False):
                found.folders.append(prefix + item.name)
            elif item.is_file(follow_symlinks=False):
                found.files.append(prefix + item.name)
        if check:
            check(len(found.files))
    return found


def _folders(
    root: Path, skip: frozenset[str], found: Found
) -> Iterator[tuple[str, list[os.DirEntry[str]]]]:
    pending = [""]
    seen: set[tuple[int, int]] = set()
    base = os.fspath(root)
    while pending:
        prefix = pending.pop()
        folder = os.path.join(base, prefix) if prefix else base
        try:
            facts = os.stat(folder)
            if (facts.st_dev, facts.st_ino) in seen:
                continue
            seen.add((facts.st_dev, facts.st_ino))
            with os.scandir(folder) as opened:
                items = sorted(opened, key=lambda item: item.name)
        except OSError:
            found.locked.append(prefix.rstrip("/"))
            continue
        items = [item for item in items if item.name not in skip or not _is_folder(item)]
        yield prefix, items
        inner = [prefix + item.name + "/" for item in items if _is_folder(item)]
        pending.extend(reversed(inner))


def _padded(digits: re.Match[str]) -> str:
    return digits[0].zfill(24)


def _is_folder(item: os.DirEntry[str]) -> bool:
    try:
        return item.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _entry(item: os.DirEntry[str]) -> Entry:
    if item.is_symlink():
        return _link(item.path)
    if not _is_folder(item):
        return Entry(item.path)
    return Entry(item.path, folder=True, locked=is_locked(item.path), skipped=item.name in SKIPPED)


def _link(path: str) -> Entry:
    try:
        facts = os.stat(path)
    except OSError:
        return Entry(path, link=True, broken=True)
    if not stat.S_ISDIR(facts.st_mode):
        return Entry(path, link=True)
    place, target = os.path.realpath(os.path.dirname(path)), os.path.realpath(path)
    loop = os.path.join(place, "").startswith(os.path.join(target, ""))
    return Entry(path, folder=True, link=True, loop=loop)
