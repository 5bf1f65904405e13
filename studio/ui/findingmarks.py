"""The findings of a file as marks in its text."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Protocol

from studio.i18n import tr
from studio.ui.code import Mark, Squiggle

if TYPE_CHECKING:
    from collections.abc import Iterable

    from studio.model.findings import Finding

_LIMIT = 2_000


class Places(Protocol):
    """A text whose places are looked for, such as an editor's."""

    def line_count(self) -> int:
        """The number of lines."""

    def line_text(self, line: int) -> str:
        """One line."""

    def offset_at(self, line: int, column: int = 1) -> int:
        """The offset of a place."""


def squiggles(edit: Places, findings: Iterable[Finding]) -> list[Squiggle]:
    """Place findings in a text; those beyond its end are left out."""
    found: list[Squiggle] = []
    lines = edit.line_count()
    for finding in findings:
        place = finding.location
        if not place.line or place.line > lines:
            continue
        start = edit.offset_at(place.line, place.column or 1)
        end = edit.offset_at(place.end_line or place.line, place.end_column or 1)
        if end <= start:
            text = edit.line_text(place.line)
            start = edit.offset_at(place.line) + len(text) - len(text.lstrip())
            end = max(edit.offset_at(place.line) + len(text.rstrip()), start + 1)
        found.append(Squiggle(start, end, Mark(finding.severity.value), hover_text(finding)))
        if len(found) == _LIMIT:
            break
    return found


def hover_text(finding: Finding) -> str:
    """What the mouse shows over a finding, as rich text."""
    parts = [f"<b>{escape(finding.title)}</b>"]
    if finding.why:
        parts.append(escape(finding.why))
    if finding.fix is not None and finding.fix.title != finding.title:
        after = tr("Change proposed: {title}", title=finding.fix.title)
        parts.append(f"<i>{escape(after)}</i>")
    return f"<div style='max-width: 420px'>{'<br>'.join(parts)}</div>"
