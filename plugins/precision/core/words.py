"""What verdicts and changes are called in the user's language."""

from __future__ import annotations

from typing import Protocol

from plugins.precision.core.align.change import Change
from plugins.precision.core.result import Status
from studio.i18n import tr


class Placed(Protocol):
    """A part of a run: the values of one step and rank, with its key in English."""

    @property
    def label(self) -> str:
        """The key, which files and the command line know it by; "" for the only part."""

    @property
    def step(self) -> int | None:
        """The step, if there are several."""

    @property
    def rank(self) -> int | None:
        """The rank, if there are several."""


def part_words(part: Placed) -> str:
    """Return the step and rank of a part in words; "" for the only part."""
    if not part.label:
        return ""
    step = "" if part.step is None else tr("step {step}", step=part.step)
    rank = "" if part.rank is None else tr("rank {rank}", rank=part.rank)
    return tr("{step}, {rank}", step=step, rank=rank) if step and rank else step or rank


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
