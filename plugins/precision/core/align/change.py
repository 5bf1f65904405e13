"""What can become of a call from one run to the other."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from studio.tensors.dumps.model import Call


class Change(StrEnum):
    """What became of a call; the values are what the command line prints."""

    SAME = "same"
    RENUMBERED = "renumbered"
    """The same call with another number, since calls before it were added or removed."""
    FUZZY = "fuzzy"
    """Probably the same call: the same operator between the same neighbours."""
    REORDERED = "reordered"
    REPLACED = "replaced"
    """Another operator in the same place with an output of the same shape."""
    FUSED = "fused"
    """Several operators of the base became one, or one became several."""
    RECOMPUTED = "recomputed"
    """A forward call done again for the backward pass."""
    MAPPED = "mapped"
    INSERTED = "inserted"
    REMOVED = "removed"


MATCHED = frozenset(Change) - {Change.INSERTED, Change.REMOVED}
"""Changes that have a call on both sides."""


@dataclass(frozen=True, slots=True)
class CallPair:
    """A call of the base and one of the candidate; None where there is none."""

    change: Change
    base: Call | None
    candidate: Call | None
    others: tuple[Call, ...] = ()
    """The other calls of a fused group, in order."""

    @property
    def name(self) -> str:
        """The name of the call in the base, or in the candidate when only there."""
        call = self.base or self.candidate
        return call.name if call else ""
