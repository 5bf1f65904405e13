"""How statuses, efforts and decisions look: an icon, a colour and a word for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from studio.i18n import tr
from studio.ui.diff import Decision
from studio.ui.icons import icon
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from studio.model.findings import Finding

STATUSES = ("auto", "limited", "review", "manual", "unsupported", "unreadable", "info")
"""What is to be done, the easiest first."""

ICONS = {
    "auto": ("ok", "ok"),
    "limited": ("info", "info"),
    "review": ("eye", "warn"),
    "manual": ("edit", "warn"),
    "unsupported": ("error", "error"),
    "unreadable": ("warn", "warn"),
    "info": ("hint", "muted"),
}
"""Drawing and colour token of each status."""

SEVERITIES = {
    "error": ("error", "error"),
    "warning": ("warn", "warn"),
    "info": ("info", "info"),
    "hint": ("hint", "muted"),
}
"""Drawing and colour token of each severity."""

EFFORTS = {"minutes": 0.0, "hours": 0.5, "days": 1.0}
"""How much red stands in the bar of each effort."""


def status_colour(status: str) -> QColor:
    """The colour of a status in bars, where each needs its own."""
    theme = current_theme()
    if status == "manual":
        return theme.mix("warn", "error", 0.5)
    return theme.colour(ICONS[status][1])


def status_of(finding: Finding) -> str:
    """What is to be done about a finding."""
    return str(finding.facts.get("status", "info"))


def status_title(status: str) -> str:
    """A status as the user reads it."""
    return {
        "auto": tr("Automatic"),
        "limited": tr("With limits"),
        "review": tr("To review"),
        "manual": tr("By hand"),
        "unsupported": tr("Not supported"),
        "unreadable": tr("Skipped"),
        "info": tr("For information"),
    }.get(status, status)


def severity_title(severity: str) -> str:
    """A severity as the user reads it."""
    return {
        "error": tr("Errors"),
        "warning": tr("Warnings"),
        "info": tr("Infos"),
        "hint": tr("Hints"),
    }.get(severity, severity)


def effort_title(effort: str) -> str:
    """An effort as the user reads it, "" for none."""
    return {
        "minutes": tr("minutes"),
        "hours": tr("hours"),
        "days": tr("days"),
    }.get(effort, "")


def decision_title(decision: Decision) -> str:
    """A decision as the user reads it."""
    return {
        Decision.OPEN: tr("Undecided"),
        Decision.ACCEPTED: tr("Accepted"),
        Decision.REJECTED: tr("Rejected"),
        Decision.MIXED: tr("Partly accepted"),
    }[decision]


def paint_decision(painter: QPainter, place: QRect, decision: Decision | None) -> None:
    """Paint the box of a decision; None is a change that follows others and has none."""
    theme = current_theme()
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    box = QRectF(place).adjusted(0.5, 0.5, -0.5, -0.5)
    if decision is None:
        icon("link", "muted").paint(painter, place)
    elif decision is Decision.ACCEPTED:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("ok"))
        painter.drawRoundedRect(box, 3, 3)
        icon("accept", "bg").paint(painter, place.adjusted(1, 1, -1, -1))
    else:
        token = "error" if decision is Decision.REJECTED else "muted"
        painter.setPen(theme.colour(token))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box, 3, 3)
        if decision is Decision.REJECTED:
            icon("reject", "error").paint(painter, place.adjusted(1, 1, -1, -1))
        elif decision is Decision.MIXED:
            middle = QRectF(box.center().x() - 3, box.center().y() - 1, 6, 2)
            painter.fillRect(middle, theme.colour("ok"))
    painter.restore()


def joined(decisions: list[Decision]) -> Decision:
    """One decision for several: theirs if they agree, else mixed."""
    if not decisions:
        return Decision.OPEN
    first = decisions[0]
    return first if all(other is first for other in decisions) else Decision.MIXED
