"""Bringing a scan up to date after some files changed, without walking the whole project."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from studio.model.scan import Recogniser, Scan, in_order, recognise, walked
from studio.model.tree import SKIPPED, Found, walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from studio.kernel.job_context import JobContext
    from studio.model.scan import Scanner


def rescan(
    before: Scan, paths: Iterable[Path], scanners: Sequence[Scanner], job: JobContext | None = None
) -> Scan:
    """Bring a scan up to date where `paths` were made, changed or removed.

    The folders above them are recognised anew as well, since what lies in a folder may tell what
    the folder is.
    """
    root = before.root
    tops = _tops({name for path in paths if (name := _inside(path, root))})
    fresh = Found()
    for name in tops:
        _look_at(root, name, fresh, job)
    above = {name[:end] for name in tops for end, letter in enumerate(name) if letter == "/"}
    above |= {""} if tops else set()
    names = [*above, *fresh.folders, *fresh.files]
    places = [Path(root, name) for name in names]
    linked = {path for path in places if path.is_symlink() and path != root}
    new = recognise((path for path in places if path not in linked), Recogniser(scanners))
    stale = {os.fspath(Path(root, name)) for name in above}
    changed = {os.path.join(root, name) for name in tops}
    kept = [
        item
        for item in before.items
        if (place := os.fspath(item.path)) not in stale and not _below(place, changed, os.sep)
    ]
    return Scan(root, in_order([*kept, *new]), _merged(before.found, fresh, tops))


def _tops(names: set[str]) -> set[str]:
    """The names that lie in none of the others."""
    return {name for name in names if not _below(name.rpartition("/")[0], names, "/")}


def _below(name: str, tops: set[str], separator: str) -> bool:
    """Whether a name is one of `tops` or lies in one of them."""
    while name:
        if name in tops:
            return True
        name = name.rpartition(separator)[0]
    return False


def _inside(path: Path, root: Path) -> str:
    """The name of a path relative to the root; "" outside, and in a skipped folder."""
    if path == root or not path.is_relative_to(root):
        return ""
    inner = path.relative_to(root)
    return "" if SKIPPED.intersection(inner.parts[:-1]) else inner.as_posix()


def _look_at(root: Path, name: str, fresh: Found, job: JobContext | None) -> None:
    """Add what is at a name now, and if it is a folder, what lies in it."""
    path = Path(root, name)
    if path.is_symlink():
        fresh.links.append(name)
    elif not path.is_dir():
        if path.is_file():
            fresh.files.append(name)
    elif path.name not in SKIPPED:
        inner = walk(path, check=lambda count: walked(job, count))
        fresh.folders.append(name)
        for mine, its in zip(fresh.lists(), inner.lists(), strict=True):
            mine.extend(f"{name}/{part}" if part else name for part in its)


def _merged(before: Found, fresh: Found, tops: set[str]) -> Found:
    lists = [
        sorted([*(name for name in old if not _below(name, tops, "/")), *new])
        for old, new in zip(before.lists(), fresh.lists(), strict=True)
    ]
    return Found(*lists)
