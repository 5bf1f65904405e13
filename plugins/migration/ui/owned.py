"""Which findings stand behind each change of a comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugins.migration.ui.decisions import can_decide
from plugins.migration.ui.looks import joined

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plugins.migration.ui.review import Review
    from studio.model.findings import Finding
    from studio.ui.diff import Decision
    from studio.ui.diffedits import EditedText


@dataclass(frozen=True, slots=True)
class OwnedChanges:
    """A text with its edits made, and the finding that each edit belongs to."""

    edited: EditedText
    owners: Sequence[Finding]

    def of(self, change: int) -> list[Finding]:
        """The findings behind a change, each once."""
        if not 0 <= change < len(self.edited.parts):
            return []
        found: dict[str, Finding] = {}
        for number in self.edited.parts[change]:
            found.setdefault(self.owners[number].key, self.owners[number])
        return list(found.values())

    def change_of(self, finding: Finding) -> int:
        """The first change that a finding stands behind, -1 if there is none."""
        for change, numbers in enumerate(self.edited.parts):
            if any(self.owners[number].key == finding.key for number in numbers):
                return change
        return -1

    def decisions(self, review: Review) -> list[Decision | None]:
        """What was decided about each change; None for one that follows others."""
        return self.decided(lambda f: review.decision(f) if can_decide(f) else None)

    def decided(self, decision: Callable[[Finding], Decision | None]) -> list[Decision | None]:
        """What `decision` says of the findings behind each change."""
        decisions: list[Decision | None] = []
        for numbers in self.edited.parts:
            found = [decision(self.owners[number]) for number in numbers]
            known = [one for one in found if one is not None]
            decisions.append(joined(known) if known else None)
        return decisions
