"""Lines of text below what has to be worked on by hand, in the comparison: what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugins.migration.ui.evidence import evidence_of
from plugins.migration.ui.looks import status_of, status_title

if TYPE_CHECKING:
    from collections.abc import Iterable

    from studio.model.findings import Finding

_NOTED = ("manual", "unsupported", "review")
_LONGEST, _MOST = 110, 300


def notes_of(findings: Iterable[Finding]) -> dict[int, str]:
    """One text per line that has findings without a change: the suggested approach, in short."""
    notes: dict[int, str] = {}
    for finding in findings:
        line = finding.location.line or 0
        if status_of(finding) not in _NOTED or line in notes:
            continue
        row = evidence_of(finding, "", "")
        said = " ".join(row.remarks) if row and row.remarks else " ".join(finding.why.split())
        said = said or finding.title
        short = said if len(said) <= _LONGEST else f"{said[: _LONGEST - 1]}…"
        notes[line] = f"{status_title(status_of(finding))}: {short}"
        if len(notes) == _MOST:
            break
    return notes
