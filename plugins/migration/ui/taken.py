"""Which steps of a guide are taken: all, except for those that the user leaves out. No Qt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugins.migration.core.edits import IMPORT_RULE, edits_for
from plugins.migration.core.guide.guiding import OPTIONAL
from plugins.migration.core.model import OFFERED
from studio.ui.diff import Decision

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugins.migration.core.guide.guiding import Guide
    from studio.model.edits import TextEdit
    from studio.model.findings import Finding


class Taken:
    """The decisions about one script; `saved` holds the keys of what was left out.

    The steps rely on each other: leaving one out leaves all out, except for those that can be
    missed (`OPTIONAL`), which in turn need the others. The usual changes of the migration in the
    same file are taken or left one by one.
    """

    def __init__(self, guide: Guide, saved: list[str]) -> None:
        self.guide = guide
        self._left = saved
        steps = [f for f in guide.findings if f.rule != IMPORT_RULE]
        self._steps = {f.key for f in steps if f.rule not in OPTIONAL}
        self._optional = {f.key for f in steps if f.rule in OPTIONAL}

    def changes(self) -> list[Finding]:
        """What is proposed, by place: the steps and what the migration needs in this file."""
        found = self.guide.result.findings if self.guide.ready else ()
        return [f for f in found if f.fix is not None and f.category != OFFERED]

    def belongs(self, finding: Finding) -> bool:
        """Whether a change is taken or left together with others."""
        return finding.key in self._steps

    def of(self, finding: Finding) -> Decision | None:
        """What was decided; None for the import, which comes with the first change taken."""
        if finding.rule == IMPORT_RULE:
            return None
        return Decision.REJECTED if finding.key in self._left else Decision.ACCEPTED

    def decide(self, findings: Sequence[Finding], decision: Decision) -> bool:
        """Take or leave changes, and those they belong to; False if nothing is different then."""
        keys = {finding.key for finding in findings if finding.rule != IMPORT_RULE}
        if keys & self._steps:
            keys |= self._steps
            if decision is Decision.REJECTED:
                keys |= self._optional
        elif keys & self._optional and decision is not Decision.REJECTED:
            keys |= self._steps
        before = set(self._left)
        after = before | keys if decision is Decision.REJECTED else before - keys
        self._left[:] = sorted(after)
        return after != before

    def chosen(self) -> list[Finding]:
        """The changes that are taken."""
        return [f for f in self.changes() if self.of(f) is Decision.ACCEPTED]

    def edits(self) -> list[TextEdit]:
        """The edits of what is taken, and the import it needs."""
        return edits_for(self.chosen(), self.guide.result.findings)

    @property
    def takes_steps(self) -> bool:
        """Whether the script is led at all, so that it needs the file that starts it."""
        return any(self.belongs(finding) for finding in self.chosen())


def saved_for(state: dict[str, Any], script: str) -> list[str]:
    """The saved keys of one script in the plugin's saved values."""
    saved: dict[str, list[str]] = state.setdefault("guide_left_out", {})
    return saved.setdefault(script, [])
