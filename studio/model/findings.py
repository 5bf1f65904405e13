"""Findings: single things worth knowing, from any plugin."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from studio.kernel.events import Event

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from studio.model.edits import Fix
    from studio.model.items import FactValue
    from studio.model.locations import Location


class Severity(Enum):
    """How bad a finding is, worst first."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"
    HINT = "hint"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing worth knowing: where, how bad, what, why, the evidence, and if possible a fix.

    `key` is stable over scans of the same content, so that a decision about a finding survives.
    """

    key: str
    rule: str
    severity: Severity
    title: str
    location: Location
    why: str = ""
    evidence: str = ""
    category: str = ""
    fix: Fix | None = None
    facts: Mapping[str, FactValue] = field(default_factory=dict, compare=False, hash=False)


class Findings:
    """All findings of a project, kept per plugin and per file so that a rescan replaces its own."""

    def __init__(self) -> None:
        self.changed: Event[frozenset[Path]] = Event("findings.changed")
        self._by_source: dict[tuple[str, Path], tuple[Finding, ...]] = {}

    def replace(self, plugin: str, per_file: Mapping[Path, Iterable[Finding]]) -> None:
        """Set the findings of `plugin` for these files (an empty list clears one file)."""
        for path, findings in per_file.items():
            kept = tuple(findings)
            if kept:
                self._by_source[plugin, path] = kept
            else:
                self._by_source.pop((plugin, path), None)
        self.changed.emit(frozenset(per_file))

    def clear(self, plugin: str) -> None:
        """Drop all findings of one plugin."""
        paths = frozenset(path for owner, path in self._by_source if owner == plugin)
        for path in paths:
            del self._by_source[plugin, path]
        self.changed.emit(paths)

    def of_file(self, path: Path) -> list[Finding]:
        """The findings located in one file, by place."""
        found = [f for (_, where), fs in self._by_source.items() if where == path for f in fs]
        return sorted(found, key=_place)

    def all(self, plugin: str = "") -> list[Finding]:
        """Every finding, or those of one plugin, by file and place."""
        per_file: dict[Path, list[Finding]] = {}
        for (owner, path), findings in self._by_source.items():
            if plugin in ("", owner):
                per_file.setdefault(path, []).extend(findings)
        return [f for path in sorted(per_file, key=str) for f in sorted(per_file[path], key=_place)]

    def __len__(self) -> int:
        return sum(map(len, self._by_source.values()))


def _place(finding: Finding) -> tuple[int, int]:
    return finding.location.line or 0, finding.location.column or 0
