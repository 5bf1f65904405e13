"""Hits put into words: the findings that window, reports and command line show."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from plugins.migration.core import registry
from plugins.migration.core.edits import IMPORT_RULE, changed
from plugins.migration.core.keys import digest, keys_of
from plugins.migration.core.positions import positions_in
from plugins.migration.core.rules.unreadable import ASIDE, UNREADABLE
from studio.i18n import tr
from studio.model.edits import Fix, TextEdit
from studio.model.findings import Finding
from studio.model.locations import Location

if TYPE_CHECKING:
    from pathlib import Path

    from plugins.migration.core.model import Analysis, Hit
    from plugins.migration.core.parsing import Fault
    from plugins.migration.core.positions import Positions
    from studio.model.items import FactValue

_SHOWN = 200


def findings_of(path: Path, text: str, analysis: Analysis) -> tuple[Finding, ...]:
    """The findings of one file, in the language of the user."""
    if analysis.fault is not None:
        return (unreadable(path, analysis.fault),)
    if not analysis.hits:
        return ()
    positions = positions_in(text)
    keys = keys_of(text, positions, analysis.hits)
    pairs = zip(analysis.hits, keys, strict=True)
    return tuple(_finding(path, text, positions, hit, key) for hit, key in pairs)


def unreadable(path: Path, fault: Fault) -> Finding:
    """The finding for a file that cannot be analysed."""
    reason = tr(fault.message, **fault.values)
    rule = ASIDE if fault.aside else UNREADABLE
    return Finding(
        key=digest(rule.id, reason),
        rule=rule.id,
        severity=rule.severity,
        title=f"{tr(rule.title)}: {reason}",
        location=Location.source(path, fault.line, 1),
        why=tr(rule.why),
        category=rule.category,
        facts={"status": rule.status, "effort": rule.effort, "old": "", "new": ""},
    )


def _finding(path: Path, text: str, positions: Positions, hit: Hit, key: str) -> Finding:
    rule = registry.rules()[hit.rule]
    title = tr(rule.title, **hit.values)
    why = [tr(rule.why, **hit.values)]
    if hit.note:
        why.append(tr(hit.note))
    if hit.values.get("guess"):
        why.append(tr("This is a guess: nobody has stated it."))
    line, column = positions.place(hit.start)
    end_line, end_column = positions.place(hit.end)
    old, new = _before_and_after(text, hit)
    edits = tuple(
        TextEdit(path, c.start, c.end, c.text, text[c.start : c.end]) for c in hit.changes
    )
    facts: dict[str, FactValue] = {
        "status": hit.status,
        "effort": str(hit.values.get("effort", rule.effort)),
        "old": old,
        "new": new,
        **{key: hit.values[key] for key in hit.values if key not in ("old", "new")},
    }
    return Finding(
        key=key,
        rule=hit.rule,
        severity=rule.severity,
        title=title,
        location=Location.source(path, line, column, end_line, end_column),
        why=" ".join(why),
        evidence=hit.source,
        category=rule.category,
        fix=Fix(title, edits, safe=hit.status in ("auto", "limited")) if edits else None,
        facts=facts,
    )


def _before_and_after(text: str, hit: Hit) -> tuple[str, str]:
    """The text a hit is about, and what becomes of it."""
    if hit.rule == IMPORT_RULE:
        return "", "import torch_npu"
    start = min([hit.start, *(change.start for change in hit.changes)])
    end = max([hit.end, *(change.end for change in hit.changes)])
    old = text[start:end]
    if not hit.changes:
        return _short(old), ""
    inside = (replace(c, start=c.start - start, end=c.end - start) for c in hit.changes)
    return _short(old), _short(changed(old, inside))


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
