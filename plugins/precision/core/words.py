"""What verdicts and changes are called in the user's language."""

from __future__ import annotations

from plugins.precision.core.align.change import Change
from plugins.precision.core.result import Status
from studio.i18n import tr


def word(status: Status) -> str:
    """Return a verdict in words."""
    match status:
        case Status.OK:
            return tr("ok")
        case Status.REVIEW:
            return tr("review")
        case Status.DIFFERS:
            return tr("differs")
        case Status.SHAPE:
            return tr("shape differs")
        case Status.NO_BASE:
            return tr("missing in base")
        case Status.NO_CANDIDATE:
            return tr("missing in candidate")
        case Status.UNREADABLE:
            return tr("unreadable")
        case Status.EMPTY:
            return tr("empty")


def change_word(change: Change) -> str:
    """Return what became of a call in words."""
    match change:
        case Change.SAME:
            return tr("same")
        case Change.RENUMBERED:
            return tr("renumbered")
        case Change.FUZZY:
            return tr("probably same")
        case Change.REORDERED:
            return tr("reordered")
        case Change.REPLACED:
            return tr("replaced")
        case Change.FUSED:
            return tr("fused")
        case Change.RECOMPUTED:
            return tr("recomputed")
        case Change.MAPPED:
            return tr("mapped")
        case Change.INSERTED:
            return tr("inserted")
        case Change.REMOVED:
            return tr("removed")
