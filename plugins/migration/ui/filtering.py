"""Which findings are listed, and in which groups."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from plugins.migration.ui.counts import Aspects, aspects_of
from plugins.migration.ui.review import can_decide
from studio.ui.diff import Decision

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from plugins.migration.ui.review import Review
    from studio.model.findings import Finding

Grouping = Literal["file", "rule", "category"]

QUIET = frozenset(["library-ready", "custom-operator-import"])
"""Rules that ask for nothing and stand in most files: they are listed when they are asked for."""


@dataclass(frozen=True, slots=True)
class Filter:
    """Which findings are listed: those with all words, and one of the values of each aspect."""

    words: tuple[str, ...] = ()
    statuses: frozenset[str] = frozenset()
    only_open: bool = False
    aspects: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @property
    def is_plain(self) -> bool:
        """Whether nothing in particular is asked for."""
        return not (self.words or self.statuses or self.aspects)


@dataclass(frozen=True, slots=True)
class Group:
    """A file, rule or category with those of its findings that are listed."""

    key: str
    findings: tuple[Finding, ...]
    path: Path | None = None


@dataclass(frozen=True, slots=True)
class _Entry:
    finding: Finding
    text: str
    aspects: Aspects


class Lister:
    """Lists what a review found; what is searched in a file is put together once."""

    def __init__(self, review: Review) -> None:
        self._review = review
        self._files: dict[Path, tuple[object, list[_Entry]]] = {}

    def groups(self, wanted: Filter, grouping: Grouping, root: Path | None) -> list[Group]:
        """The findings that a filter lets through: files by path, others by their number."""
        if grouping == "file":
            found = [
                Group(str(path), tuple(e.finding for e in self._listed(entries, wanted)), path)
                for path, entries in self._entries(root)
            ]
            return [group for group in found if group.findings]
        by_key: dict[str, list[Finding]] = {}
        for _path, entries in self._entries(root):
            for entry in self._listed(entries, wanted):
                key = entry.aspects.rule if grouping == "rule" else entry.aspects.category
                by_key.setdefault(key, []).append(entry.finding)
        ordered = sorted(by_key.items(), key=lambda pair: (-len(pair[1]), pair[0]))
        return [Group(key, tuple(findings)) for key, findings in ordered]

    def _entries(self, root: Path | None) -> Iterator[tuple[Path, list[_Entry]]]:
        files = self._review.files()
        for path in files:
            findings = self._review.findings(path)
            known = self._files.get(path)
            if known is None or known[0] is not findings:
                known = findings, _entries(path, findings, root)
                self._files[path] = known
            yield path, known[1]
        if len(self._files) > 2 * len(files):
            self._files = {path: self._files[path] for path in files}

    def _listed(self, entries: list[_Entry], wanted: Filter) -> list[_Entry]:
        """What is left after each condition; one list after the other is quicker than a test."""
        if wanted.is_plain:
            entries = [entry for entry in entries if entry.aspects.rule not in QUIET]
        if wanted.statuses:
            entries = [entry for entry in entries if entry.aspects.status in wanted.statuses]
        for name, values in wanted.aspects.items():
            place = Aspects._fields.index(name)
            entries = [entry for entry in entries if entry.aspects[place] in values]
        for word in wanted.words:
            entries = [entry for entry in entries if word in entry.text]
        if wanted.only_open:
            decision = self._review.decision
            entries = [
                entry
                for entry in entries
                if can_decide(entry.finding) and decision(entry.finding) is Decision.OPEN
            ]
        return entries


def parse_filter(text: str) -> Filter:
    """Read what was typed: words, and "rule:…", "category:…", "status:…" and the like."""
    words: list[str] = []
    aspects: dict[str, frozenset[str]] = {}
    for word in text.split():
        name, colon, value = word.partition(":")
        if colon and value and name in Aspects._fields:
            aspects[name] = aspects.get(name, frozenset()) | {value}
        else:
            words.append(word.casefold())
    return Filter(tuple(words), aspects=aspects)


def relative(path: Path, root: Path | None) -> str:
    """A path within the project, with slashes."""
    if root is not None and path.is_relative_to(root):
        return path.relative_to(root).as_posix()
    return str(path)


def _entries(path: Path, findings: Sequence[Finding], root: Path | None) -> list[_Entry]:
    place = relative(path, root)
    return [
        _Entry(f, f"{place} {f.title} {f.rule} {f.category}".casefold(), aspects_of(f))
        for f in findings
    ]
