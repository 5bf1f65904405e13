"""The findings of other plugins about a profile, the worst first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from studio.model.findings import Severity
from studio.ui.barlist import Bar

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from studio.api import Studio
    from studio.model.findings import Finding

MOST: Final = 5
_TOKENS: Final = {
    Severity.ERROR: "error",
    Severity.WARNING: "warn",
    Severity.INFO: "info",
    Severity.HINT: "muted",
}


def findings_of(studio: Studio, path: Path) -> list[Finding]:
    """The worst findings about files of a profile."""
    if studio.project is None:
        return []
    order = list(Severity)
    found = [
        finding
        for finding in studio.project.findings.all()
        if finding.location.path.is_relative_to(path)
    ]
    return sorted(found, key=lambda finding: order.index(finding.severity))[:MOST]


def finding_bars(findings: Sequence[Finding]) -> list[Bar]:
    """One row per finding, in the colour of its severity."""
    return [
        Bar(
            finding.title,
            "",
            0.0,
            _TOKENS[finding.severity],
            finding.evidence or finding.why,
            "\n".join(part for part in (finding.title, finding.why, finding.evidence) if part),
        )
        for finding in findings
    ]
