"""What was wrong in a file that was read anyway, by kind."""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

KEPT_PLACES = 100
"""How many places of one kind of fault are kept; all are counted."""

FAULT_KINDS: Final = (
    # the file as a whole
    "empty file",
    "no events",
    "file ended early",
    "cut archive",
    "damaged archive",
    "list not opened",
    "second list of events",
    "refused member",
    "text after the list",
    # how events are written
    "incomplete event",
    "unreadable event",
    "repaired event",
    "control character",
    "bad UTF-8",
    "lone surrogate",
    "bare NaN",
    "missing comma",
    "trailing comma",
    "text between events",
    # what events say
    "unknown phase",
    "event without time",
    "time is not a number",
    "time out of range",
    "missing duration",
    "negative duration",
    "duration is not a number",
    "duration out of range",
    "counter without number",
    "begin without end",
    "end without begin",
    "flow start without end",
    "flow end without start",
    "far from the rest",
    # tables
    "unreadable row",
    "row of another width",
    "row without time",
    "size is not a number",
    "cell is not a number",
    "time rounded by a spreadsheet",
    "counted from the first event",
    # snapshots of memory
    "entry is no segment",
    "entry is no event",
)
"""Every kind of fault; each is a message id of the catalogue of translations."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One kind of fault: how often it was met and where.

    `first` is the byte offset of the first one in the file (of the unpacked text of a `.gz`), None
    when it has no place; `places` holds the first hundred offsets.
    """

    kind: str
    count: int
    first: int | None
    places: tuple[int, ...] = ()


@dataclass(slots=True)
class FaultLog:
    """Collects faults while a file is read."""

    _counts: dict[str, int] = field(default_factory=dict)
    _places: dict[str, list[int]] = field(default_factory=dict)

    def add(self, kind: str, place: int | None = None, count: int = 1) -> None:
        """Count faults of a kind that were met at one place."""
        self._counts[kind] = self._counts.get(kind, 0) + count
        places = self._places.setdefault(kind, [])
        if place is not None and (len(places) < KEPT_PLACES or place < places[-1]):
            insort(places, place)
            del places[KEPT_PLACES:]

    def add_all(self, kind: str, places: Iterable[int | None]) -> None:
        """Count one fault of a kind for each place."""
        for place in places:
            self.add(kind, place)

    def count(self, kind: str) -> int:
        """How many faults of a kind were met."""
        return self._counts.get(kind, 0)

    def faults(self) -> tuple[Fault, ...]:
        """All kinds, by the place of their first fault."""
        found = [
            Fault(kind, count, places[0] if places else None, tuple(places))
            for kind, count in self._counts.items()
            for places in (self._places[kind],)
        ]
        order = sorted(found, key=lambda fault: (fault.first is None, fault.first or 0, fault.kind))
        return tuple(order)
