"""The one selection that all views share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from studio.kernel.events import Event

if TYPE_CHECKING:
    from pathlib import Path

    from studio.model.locations import Location
    from studio.model.ranges import Ranges


@dataclass(frozen=True, slots=True)
class Selection:
    """What the user looks at: immutable, with the `origin` (plugin id) that set it.

    Times are integer nanoseconds of the item's clock, end exclusive. Where what is looked at is a
    sum over many stretches of time, `ranges` holds them all, and the time is the whole from the
    first to the last, or one of them. A view ignores a selection whose origin is itself.
    """

    origin: str = ""
    item: Path | None = None
    ranks: frozenset[int] = frozenset()
    step: int | None = None
    start_ns: int | None = None
    end_ns: int | None = None
    rows: frozenset[str] = frozenset()
    source: Location | None = None
    tensor: str | None = None
    ranges: Ranges | None = None

    @property
    def is_sum(self) -> bool:
        """Whether the time only spans many stretches and is none of them."""
        ranges = self.ranges
        if ranges is None or len(ranges.start) < 2:
            return False
        return (self.start_ns, self.end_ns) == ranges.extent()


@dataclass(frozen=True, slots=True)
class Pointed:
    """The time under the pointer in a view of an item; None when the pointer has left it."""

    origin: str
    item: Path
    time_ns: int | None


class SharedSelection:
    """Holds the current selection and tells when it changes, and what the pointer is at."""

    def __init__(self) -> None:
        self.changed: Event[Selection] = Event("selection.changed")
        self.pointed: Event[Pointed] = Event("selection.pointed")
        self._value = Selection()

    @property
    def value(self) -> Selection:
        """The current selection."""
        return self._value

    def set(self, value: Selection) -> None:
        """Replace the selection; equal values are not announced again."""
        if value != self._value:
            self._value = value
            self.changed.emit(value)
