"""The texts that are compared: what is open in an editor, else what is on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.model.encoding import decode

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from studio.api import Studio
    from studio.model.findings import Finding


def text_of(studio: Studio, path: Path) -> tuple[str, object]:
    """The text of a file as it is shown, and what differs once it changed."""
    document = studio.project.documents.get(path) if studio.project else None
    if document is not None:
        return document.shown_text, (id(document), document.version)
    data = path.read_bytes()
    return decode(data).shown, hash(data)


def next_by_hand(findings: Sequence[Finding], line: int) -> Finding | None:
    """The next finding below a line that proposes no change; after the last one the first."""
    notes = [finding for finding in findings if finding.fix is None]
    later = (finding for finding in notes if (finding.location.line or 0) > line)
    return next(later, notes[0] if notes else None)
