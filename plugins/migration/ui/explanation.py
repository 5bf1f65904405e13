"""The text that explains a finding, as rich text in the colours of the theme."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from plugins.migration.ui.evidence import VERDICT_LOOKS, Evidence, evidence_of, verdict_title
from plugins.migration.ui.looks import (
    decision_title,
    effort_title,
    status_colour,
    status_of,
    status_title,
)
from plugins.migration.ui.review import can_decide
from studio.i18n import tr
from studio.ui.fonts import mono_font
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from plugins.migration.ui.review import Review
    from studio.model.context import ContextValues
    from studio.model.findings import Finding

ROW_LINK = "row:"
"""What the links to rows of tables begin with; the key of the finding follows."""
_BY_HAND = ("manual", "unsupported")


def hint() -> str:
    """What stands there while nothing is selected."""
    text = tr("Select a change to see why it is proposed.")
    return f"<p style='color:{_muted()}'>{escape(text)}</p>"


def explained(
    finding: Finding, review: Review, values: ContextValues | None, *, wide: bool = False
) -> str:
    """Why a finding is one, what becomes of it, and what says so; side by side if there is room."""
    reason, proof = _reason(finding, review), _proof(finding, values)
    if not wide:
        return reason + proof
    cells = (f"<td width='50%'>{part}</td>" for part in (reason, proof))
    return f"<table width='100%' cellspacing='8'><tr>{''.join(cells)}</tr></table>"


def _reason(finding: Finding, review: Review) -> str:
    status = status_of(finding)
    colour = status_colour(status).name()
    facts = [f"<span style='color:{colour}'>● {escape(status_title(status))}</span>"]
    if effort := effort_title(str(finding.facts.get("effort", ""))):
        facts.append(escape(tr("effort: {effort}", effort=effort)))
    if can_decide(finding):
        facts.append(escape(decision_title(review.decision(finding))))
    parts = [
        f"<p style='font-size:large;margin-bottom:2px'><b>{escape(finding.title)}</b></p>",
        f"<p style='color:{_muted()};margin-top:0'>{' &nbsp;·&nbsp; '.join(facts)}</p>",
    ]
    if status in _BY_HAND:
        parts.append(f"<p style='color:{_muted()};margin-bottom:0'>{escape(tr('What to do'))}</p>")
    parts += [f"<p>{escape(line)}</p>" for line in finding.why.splitlines() if line.strip()]
    return "".join(parts)


def _proof(finding: Finding, values: ContextValues | None) -> str:
    parts: list[str] = []
    old, new = str(finding.facts.get("old", "")), str(finding.facts.get("new", ""))
    if new:
        parts += [_code(old, "removed", "-"), _code(new, "added", "+")]
    elif old:
        parts.append(_code(old, "", ""))
    torch, chip = (values.torch_version, values.chip) if values else ("", "")
    row = evidence_of(finding, torch, chip)
    if row is not None:
        parts.append(_table(row, finding, torch, chip))
    foot = [
        tr("line {line}", line=finding.location.line),
        tr("rule {rule}", rule=finding.rule),
    ]
    source = finding.evidence or (row.source if row else "")
    if source:
        foot.append(tr("source: {source}", source=source))
    small = "<br>".join(escape(text) for text in foot)
    parts.append(f"<p style='color:{_muted()};font-size:small'>{small}</p>")
    return "".join(parts)


def _table(row: Evidence, finding: Finding, torch: str, chip: str) -> str:
    """The row of the support table, the chosen version marked, and the way there."""
    theme = current_theme()
    link = (
        f"<a href='{ROW_LINK}{finding.key}' style='color:{theme.tokens['accent']}'>"
        f"{escape(tr('open the row in {table}', table=row.table))}</a>"
    )
    heads, cells = [], []
    for version, verdict in row.verdicts.items():
        sign, token = VERDICT_LOOKS.get(verdict, ("–", "muted"))
        chosen = version == torch
        back = f" bgcolor='{theme.tokens['selected']}'" if chosen else ""
        heads.append(f"<td align='center'{back}>{escape(version)}</td>")
        colour = theme.tokens[token]
        cells.append(f"<td align='center'{back} style='color:{colour}'><b>{sign}</b></td>")
    parts = [f"<p style='margin-bottom:2px'><b>{escape(row.name)}</b> &nbsp; {link}</p>"]
    if heads:
        parts.append(
            f"<table cellpadding='3' style='font-size:small'><tr style='color:{_muted()}'>"
            f"{''.join(heads)}</tr><tr>{''.join(cells)}</tr></table>"
        )
        verdict = verdict_title(row.verdicts.get(torch, "not stated"))
        said = (
            tr("torch {torch} on {chip}: {verdict}", torch=torch, chip=chip, verdict=verdict)
            if row.per_chip
            else tr("torch {torch}: {verdict}", torch=torch, verdict=verdict)
        )
        parts.append(f"<p style='margin-top:2px'>{escape('; '.join((said, *row.remarks)))}</p>")
    return "".join(parts)


def _code(text: str, kind: str, sign: str) -> str:
    if not text:
        return ""
    theme = current_theme()
    back = theme.diff[kind] if kind else theme.tokens["raised"]
    family = mono_font().families()[0]
    lines = "<br>".join(
        escape(f"{sign} {line}" if sign else line).replace(" ", "&nbsp;")
        for line in text.splitlines()
    )
    return (
        f"<table width='100%' cellpadding='5' style='margin-top:2px'><tr>"
        f"<td bgcolor='{back}' style='font-family:\"{family}\"'>{lines}</td></tr></table>"
    )


def _muted() -> str:
    return current_theme().tokens["muted"]
