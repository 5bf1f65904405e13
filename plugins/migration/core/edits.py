"""Changing a text by spans, so that everything outside of them stays as it is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from studio.model.edits import apply_edits

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plugins.migration.core.model import Change
    from studio.model.edits import TextEdit
    from studio.model.findings import Finding

IMPORT_RULE = "import-torch-npu"

_WORD = re.compile(r"[\w.]+")


def changed(text: str, changes: Iterable[Change]) -> str:
    """The text with all changes made; they must not overlap."""
    parts: list[str] = []
    done = 0
    for change in sorted(changes, key=lambda change: (change.start, change.end)):
        parts += (text[done : change.start], change.text)
        done = change.end
    parts.append(text[done:])
    return "".join(parts)


def plain_change(text: str, change: Change) -> bool:
    """Whether a change puts one word for another, which cannot break the syntax."""
    old = text[change.start : change.end]
    return bool(_WORD.fullmatch(old) and _WORD.fullmatch(change.text))


def edits_for(accepted: Iterable[Finding], findings: Iterable[Finding]) -> list[TextEdit]:
    """The edits of the accepted findings of one file, and the import they need.

    `findings` are all findings of the file. The import of torch_npu comes with the first accepted
    change and is never made alone.
    """
    chosen = [f for f in accepted if f.fix is not None and f.rule != IMPORT_RULE]
    if not chosen:
        return []
    chosen += [f for f in findings if f.rule == IMPORT_RULE and f.fix is not None]
    return [edit for finding in chosen if finding.fix for edit in finding.fix.edits]


def migrated_text(
    text: str, accepted: Sequence[Finding], findings: Iterable[Finding] | None = None
) -> str:
    """The text with the accepted findings applied; raises StudioError if it is not their text."""
    return apply_edits(text, edits_for(accepted, accepted if findings is None else findings))
