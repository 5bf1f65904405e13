"""Recognising what lies in a project: scripts, profiles, dumps, logs.

What there is to recognise is declared by plugins; here only the matching happens. An error in a
plugin's function is reported with the plugin to blame and never keeps anything from being listed.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studio.i18n import tr, trn
from studio.kernel.errors import StudioError, report_error
from studio.model.items import Item
from studio.model.tree import Found, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from studio.kernel.job_context import JobContext
    from studio.model.items import FactValue


@dataclass(frozen=True, slots=True)
class Scanner:
    """One declaration of a plugin: which files (or folders) are items of which kind.

    A pattern with "/" is matched against the end of the path, part by part; any other against the
    name. `sniff` decides after the name fits, `facts` tells what is known without opening the item.
    """

    plugin: str
    kind: str
    patterns: tuple[str, ...]
    folders: bool = False
    priority: int = 50
    sniff: Callable[[Path], bool] | None = None
    facts: Callable[[Path], Mapping[str, FactValue]] | None = None


@dataclass(frozen=True, slots=True)
class Scan:
    """The result of scanning one root."""

    root: Path
    items: list[Item] = field(default_factory=list)
    found: Found = field(default_factory=Found)
    by_path: Mapping[Path, Item] = field(init=False, repr=False, compare=False)
    by_kind: Mapping[str, list[Item]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # Here, in the job that scans: for many items it takes longer than a window may wait.
        object.__setattr__(self, "by_path", {item.path: item for item in self.items})
        by_kind: dict[str, list[Item]] = {}
        for item in self.items:
            by_kind.setdefault(item.kind, []).append(item)
        object.__setattr__(self, "by_kind", by_kind)

    def to_json(self) -> object:
        """The items as plain values, paths relative to the root."""
        return {
            "root": os.fspath(self.root),
            "items": [
                {"path": _relative(item.path, self.root), "kind": item.kind, "facts": item.facts}
                for item in self.items
            ],
        }


def scan(root: Path, scanners: Sequence[Scanner], job: JobContext | None = None) -> Scan:
    """Walk a folder (or look at one file) and recognise its items, ordered by path.

    The folder itself may be one, such as a profile that was opened alone.
    """
    if not root.exists():
        raise StudioError(tr("{path} does not exist.", path=root), path=root)
    if not root.is_dir():
        items = recognise([root], Recogniser(scanners))
        return Scan(root.parent, items, Found(files=[root.name]))
    found = walk(root, check=lambda count: walked(job, count))
    recogniser = Recogniser(scanners)
    names = [*(name + "/" for name in found.folders), *found.files]
    base = os.fspath(root)
    items = recognise([root], recogniser)
    for number, name in enumerate(sorted(names)):
        if number % 500 == 0 and job:
            job.report(number / len(names), tr("Looking at {name}", name=name))
            job.check()
        if candidates := recogniser.candidates(name):
            path = Path(base, name)
            if item := _first(candidates, path):
                items.append(item)
    return Scan(root, in_order(items), found)


def scan_project(
    root: Path, scanners: Sequence[Scanner], job: JobContext | None = None
) -> list[Item]:
    """The items of a folder."""
    return scan(root, scanners, job).items


def recognise(paths: Iterable[Path], recogniser: Recogniser) -> list[Item]:
    """The items among some paths that exist, without looking into folders."""
    items = []
    for path in paths:
        if path.exists():
            name = path.as_posix() + ("/" if path.is_dir() else "")
            if item := _first(recogniser.candidates(name), path):
                items.append(item)
    return items


class Recogniser:
    """Finds the scanners whose patterns fit a name, fast enough for 100,000 names a second."""

    def __init__(self, scanners: Iterable[Scanner]) -> None:
        self._exact: dict[tuple[bool, str], list[Scanner]] = {}
        self._suffix: dict[tuple[bool, str], list[Scanner]] = {}
        self._other: list[tuple[bool, str, Scanner]] = []
        self._order: dict[int, int] = {}
        ordered = sorted(scanners, key=lambda scanner: -scanner.priority)
        for rank, scanner in enumerate(ordered):
            self._order[id(scanner)] = rank
            for pattern in scanner.patterns:
                self._add(pattern, scanner)
        self._kept = ordered

    def candidates(self, name: str) -> list[Scanner]:
        """The scanners that fit a path with "/" between its parts and, for a folder, at its end."""
        folder = name.endswith("/")
        path = name.rstrip("/")
        last = path[path.rfind("/") + 1 :]
        fitting = {id(s): s for s in self._exact.get((folder, last), ())}
        dot = last.find(".")
        while dot >= 0:
            fitting.update((id(s), s) for s in self._suffix.get((folder, last[dot:]), ()))
            dot = last.find(".", dot + 1)
        for wants_folder, pattern, scanner in self._other:
            if wants_folder is folder and _fits(path, last, pattern):
                fitting[id(scanner)] = scanner
        return sorted(fitting.values(), key=lambda scanner: self._order[id(scanner)])

    def _add(self, pattern: str, scanner: Scanner) -> None:
        special = any(sign in pattern[1:] for sign in "*?[/") or pattern[:1] in ("?", "[", "/")
        if not special and not pattern.startswith("*"):
            self._exact.setdefault((scanner.folders, pattern), []).append(scanner)
        elif not special and pattern.startswith("*."):
            self._suffix.setdefault((scanner.folders, pattern[1:]), []).append(scanner)
        else:
            self._other.append((scanner.folders, pattern, scanner))


def scan_command(path: Path, *, studio: Any, job: JobContext | None = None) -> Scan:  # noqa: ANN401 - the facade is a layer above
    """List what is recognised in a folder (`studio project scan`)."""
    root = Path(os.path.abspath(path))
    return scan(root, studio.scanners(), job)


def _fits(path: str, last: str, pattern: str) -> bool:
    if "/" not in pattern:
        return fnmatchcase(last, pattern)
    parts, wanted = path.split("/"), pattern.strip("/").split("/")
    return len(parts) >= len(wanted) and all(
        map(fnmatchcase, parts[len(parts) - len(wanted) :], wanted)
    )


def _first(scanners: Iterable[Scanner], path: Path) -> Item | None:
    """The item that the most important scanner makes of a path."""
    for scanner in scanners:
        try:
            if scanner.sniff and not scanner.sniff(path):
                continue
        except (Exception, SystemExit) as error:  # noqa: BLE001 - reported; the next has its turn
            report_error(error, f"scanner for {scanner.kind} of plugin {scanner.plugin}")
            continue
        return Item(path, scanner.kind, _facts(scanner, path), scanner.plugin)
    return None


def _facts(scanner: Scanner, path: Path) -> Mapping[str, FactValue]:
    if scanner.facts is None:
        return {}
    try:
        return dict(scanner.facts(path))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - reported; listed without facts
        report_error(error, f"facts of {scanner.kind} of plugin {scanner.plugin}")
        return {}


def in_order(items: list[Item]) -> list[Item]:
    """Items ordered by path."""
    return sorted(items, key=lambda item: os.fspath(item.path))


def walked(job: JobContext | None, count: int) -> None:
    """Tell a job how far a walk is."""
    if job:
        job.report(None, trn("{n} file", "{n} files", count))
        job.check()


def _relative(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()
