"""A diagnosis in a few lines of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugins.precision.core.words import part_words
from studio.i18n import tr

if TYPE_CHECKING:
    from plugins.precision.core.diagnosis import Deviation, Diagnosis, PartDiagnosis

_SHOWN = 10


def describe(result: Diagnosis) -> str:
    """Return the diagnosis as text to read in a terminal."""
    lines: list[str] = []
    part = result.first
    if part is None or part.first is None:
        lines.append(tr("The runs do not deviate."))
    else:
        text = tr("First deviation: {operator}", operator=part.first.operator)
        lines.append(f"{text} ({part_words(part)})" if part.label else text)
        lines += _details(part.first)
        if part.then is not None:
            lines.append(tr("Then: {operator}", operator=part.then.operator))
            lines += _details(part.then)
        lines += _ranking(part)
    lines += _changed(part or (result.parts[0] if result.parts else None))
    others = [p for p in result.parts if p is not part and p.first is not None]
    for other in others:
        assert other.first is not None
        lines.append(
            tr("{part}: first {operator}", part=part_words(other), operator=other.first.operator)
        )
    lines += result.notes
    return "\n".join(lines)


def _details(entry: Deviation) -> list[str]:
    lines = []
    if entry.module:
        lines.append("  " + tr("in {module}", module=entry.module))
    lines.append(f"  {entry.reason}")
    if entry.source:
        lines.append(f"  {entry.source}")
    return lines


def _ranking(part: PartDiagnosis) -> list[str]:
    if not part.ranking:
        return []
    lines = [tr("Operators by the error they add:")]
    for entry in part.ranking[:_SHOWN]:
        lines.append(f"  {entry.added or 0.0:10.3g}  {entry.operator}")
    return lines


def _changed(part: PartDiagnosis | None) -> list[str]:
    lines = []
    if part and part.inserted:
        lines.append(tr("Inserted calls: {names}", names=", ".join(part.inserted[:_SHOWN])))
    if part and part.removed:
        lines.append(tr("Removed calls: {names}", names=", ".join(part.removed[:_SHOWN])))
    return lines
