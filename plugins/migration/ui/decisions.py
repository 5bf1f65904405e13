"""What the user decided about findings, saved with the project.

A decision belongs to the key of a finding (its rule, its text, the line, function and lines around
it), never to the number of a line, so that it survives edits elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from plugins.migration.core.edits import IMPORT_RULE
from plugins.migration.core.keys import decided, lasting, place_of
from studio.ui.diff import Decision

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from studio.model.findings import Finding

_SAVED = {Decision.ACCEPTED: "accepted", Decision.REJECTED: "rejected"}
_DECIDED = {name: decision for decision, name in _SAVED.items()}


class Tally(NamedTuple):
    """The changes of one file; `safe` are those that need no look and are not decided yet."""

    changes: int
    accepted: int
    rejected: int
    safe: int


class Decisions:
    """The decisions of one project; `state` are the plugin's saved values for it."""

    def __init__(self, state: dict[str, Any], relative: Callable[[Path], str]) -> None:
        self._saved: dict[str, dict[str, str]] = state.setdefault("decisions", {})
        self._relative = relative
        self._names: dict[Path, str] = {}
        self._tallies: dict[Path, Tally] = {}
        self.revision = 0

    def of(self, finding: Finding) -> Decision:
        """What was decided about a finding."""
        return _DECIDED.get(decided(self._of_file(finding.location.path), finding.key), _OPEN)

    def of_all(self, findings: Iterable[Finding]) -> list[Decision]:
        """What was decided about those of many findings that propose a change."""
        found: list[Decision] = []
        last: Path | None = None
        saved: dict[str, str] = {}
        for finding in findings:
            if not can_decide(finding):
                continue
            path = finding.location.path
            if path is not last:  # those of one file follow each other
                last, saved = path, self._of_file(path)
            found.append(_DECIDED.get(decided(saved, finding.key), _OPEN) if saved else _OPEN)
        return found

    def decide(self, findings: Iterable[Finding], decision: Decision) -> frozenset[Path]:
        """Decide about findings that propose a change; returns the files of those that changed."""
        paths: set[Path] = set()
        wanted = _SAVED.get(decision, "")
        for finding in findings:
            saved = self._of_file(finding.location.path)
            known = decided(saved, finding.key)
            if not can_decide(finding) or known == wanted:
                continue
            if known:
                saved.pop(place_of(saved, finding.key), None)
            if wanted:
                saved[lasting(finding.key)] = wanted
            paths.add(finding.location.path)
        self.forget(paths)
        return frozenset(paths)

    def accept_safe(self, path: Path, findings: Sequence[Finding]) -> int:
        """Accept the changes of a file that are open and need no look; returns how many."""
        saved = self._of_file(path)
        still_open = (f for f in findings if is_safe(f) and can_decide(f))
        found = [lasting(f.key) for f in still_open if not decided(saved, f.key)]
        saved.update(dict.fromkeys(found, _SAVED[Decision.ACCEPTED]))
        return len(found)

    def tally(self, path: Path, findings: Sequence[Finding]) -> Tally:
        """Count the changes of a file by what was decided."""
        if path not in self._tallies:
            saved = self._of_file(path)
            changes = [finding for finding in findings if can_decide(finding)]
            known = [decided(saved, finding.key) for finding in changes]
            accepted, rejected = (known.count(name) for name in _SAVED.values())
            safe = sum(not d and is_safe(f) for f, d in zip(changes, known, strict=True))
            self._tallies[path] = Tally(len(known), accepted, rejected, safe)
        return self._tallies[path]

    def forget(self, paths: Iterable[Path]) -> None:
        """Count files anew, whose findings or decisions are others now."""
        self.revision += 1
        for path in paths:
            self._tallies.pop(path, None)

    def _of_file(self, path: Path) -> dict[str, str]:
        name = self._names.get(path)
        if name is None:
            name = self._names[path] = self._relative(path)
        return self._saved.setdefault(name, {})


def can_decide(finding: Finding) -> bool:
    """Whether a finding proposes a change; the import comes with the first accepted one."""
    return finding.fix is not None and finding.rule != IMPORT_RULE


def is_safe(finding: Finding) -> bool:
    """Whether the proposed change needs no look."""
    return finding.fix is not None and finding.fix.safe


_OPEN = Decision.OPEN
