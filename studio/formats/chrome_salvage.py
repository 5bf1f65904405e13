"""Walking a damaged part of a Chrome trace event by event: only the damage itself is lost."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import msgspec

from studio.formats.chrome_event import ONE_EVENT, Event, event_of
from studio.formats.json_repair import DamageError, Repaired, read_lenient, repair_object

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.formats.faults import FaultLog

BORDER: Final = re.compile(rb'\}[\s,\[\]]*(?=\{\s*["A-Za-z_}])')
"""Where one event may end and another begin; also matches inside args that hold objects."""
TRAILING: Final = re.compile(r"trailing characters \(byte (\d+)\)")
TRUNCATED: Final = "Input data was truncated"

_NOT_SPACE: Final = re.compile(rb"[^ \t\r\n]")
_WINDOW = 1 << 16
_LARGEST_EVENT = 1 << 28
_LOOK_AHEAD = 1 << 18
"""What is read beyond a damaged event before it is judged, wherever chunks end."""
_MOST_BORDERS = 16
_SPACE = b" \t\r\n"
_NAN_TEXTS = frozenset({b"NaN", b"Infinity", b"-Infinity"})


@dataclass(slots=True)
class Walk:
    """What was read of a chunk: events with their places, and how far."""

    events: list[Event] = field(default_factory=list)
    places: list[int] | NDArray[np.int64] = field(default_factory=list)
    consumed: int = 0
    ended: bool = False
    """Whether the list's closing bracket was met (it is consumed)."""
    damaged: bool = False
    """Whether the last thing read was damage, so that what follows may be a part of it."""


@dataclass(slots=True)
class Salvage:
    """Reads what can be read of one chunk of events.

    `base` is the file offset of the chunk, `final` whether the file ends with it. Without `final`
    an event that goes on after the chunk is left to the next one.
    """

    body: bytes
    base: int
    final: bool
    faults: FaultLog
    damaged: bool = False
    walk: Walk = field(default_factory=Walk)
    _places: list[int] = field(default_factory=list)
    _possible_end: int = 0

    def run(self) -> Walk:
        """Walk the whole chunk."""
        walk, body = self.walk, self.body
        walk.places = self._places
        while True:
            start = body.find(b"{", walk.consumed)
            gap = body[walk.consumed : start if start >= 0 else len(body)]
            if self._closes(gap, last=start < 0):
                walk.consumed += gap.find(b"]") + 1
                walk.ended = True
                return walk
            if start < 0:
                walk.ended = self.final and self._possible_end > 0
                walk.consumed = self._possible_end if walk.ended else len(body)
                break
            walk.consumed = start
            if not self._read_event(start):
                break
        walk.damaged = self.damaged
        return walk

    def _closes(self, gap: bytes, *, last: bool) -> bool:
        """Judge what stands between two events; True when it closes the list."""
        bracket = gap.find(b"]")
        text = (gap if bracket < 0 else gap[:bracket]).strip(_SPACE)
        first = self.walk.consumed == 0
        clean = text in (b"", b",")
        if not self.damaged and (bracket < 0 or clean):
            if not clean:
                self._blame("text between events")
            elif bracket >= 0 and text == b"," and not first:
                self._blame("trailing comma", still_fine=True)
            elif bracket < 0 and text == b"" and not first and not last:
                self._blame("missing comma", still_fine=True)
            return bracket >= 0
        if not self.damaged:
            self._blame("text between events")
        if bracket >= 0:
            # of the list, or of one in the args of a damaged event: whatever follows will tell
            self._possible_end = self._possible_end or self.walk.consumed + bracket + 1
        return False

    def _blame(self, kind: str, *, still_fine: bool = False) -> None:
        place = _NOT_SPACE.search(self.body, self.walk.consumed)
        at = place.start() if place else len(self.body)
        self.faults.add(kind, self.base + at)
        self.damaged = not still_fine

    def _read_event(self, start: int) -> bool:
        """Read the event at `start`; False when the chunk does not hold its end."""
        view = memoryview(self.body)
        size = len(view)
        window = _WINDOW
        message = TRUNCATED
        while message == TRUNCATED:
            stop = min(size, start + window)
            try:
                self._keep(ONE_EVENT.decode(view[start:stop]), start, stop)
                return True
            except (msgspec.DecodeError, RecursionError) as error:
                message = str(error)
            if match := TRAILING.search(message):
                stop = start + int(match.group(1)) - 1
                self._keep(ONE_EVENT.decode(view[start:stop]), start, stop)
                return True
            # msgspec also calls a lone surrogate truncated, so look whether the event is whole
            if message == TRUNCATED and window == _WINDOW and self._keep_lenient(start):
                return True
            if stop == size:
                break
            window *= 8
        if message == TRUNCATED and not self.final and size - start < _LARGEST_EVENT:
            return False
        if not self.final and size - start < _LOOK_AHEAD:
            return False
        self._repair(start, cut=message == TRUNCATED)
        return True

    def _keep(self, event: Event, start: int, stop: int) -> None:
        self.walk.consumed = stop
        if event.ph is None and self.damaged:
            return  # a part of the damaged event's args
        self.damaged = False
        self._possible_end = 0
        self.walk.events.append(event)
        self._places.append(self.base + start)

    def _borders(self, start: int) -> list[tuple[int, int]]:
        """Places after `start` where its event may end and the next one begin."""
        found: list[tuple[int, int]] = []
        at = start
        while len(found) < _MOST_BORDERS and (border := BORDER.search(self.body, at)):
            found.append((border.start() + 1, border.end()))
            at = border.start() + 1
        return found

    def _keep_lenient(self, start: int) -> bool:
        for end, _ in self._borders(start):
            repaired = read_lenient(self.body[start:end])
            if repaired is not None:
                return self._keep_repaired(repaired, start)
        return False

    def _repair(self, start: int, *, cut: bool) -> None:
        borders = self._borders(start)
        for end, following in borders or [(len(self.body), len(self.body))]:
            try:
                repaired = repair_object(self.body[start:end])
            except DamageError as error:
                cut = cut or (error.unfinished and not borders)
                if error.unfinished and not self._is_event(following):
                    continue
                break
            if not cut and self._keep_repaired(repaired, start):
                return
            break
        self.walk.consumed = borders[0][0] if borders else len(self.body)
        if not self.damaged or b'"ph"' in self.body[start : self.walk.consumed]:
            self.faults.add("incomplete event" if cut else "unreadable event", self.base + start)
        self.damaged = True

    def _is_event(self, start: int) -> bool:
        """Whether a whole event stands here, so that a damaged one before it has ended."""
        borders = self._borders(start)
        try:
            return (
                bool(borders) and ONE_EVENT.decode(self.body[start : borders[0][0]]).ph is not None
            )
        except (msgspec.DecodeError, RecursionError):
            return False

    def _keep_repaired(self, repaired: Repaired, start: int) -> bool:
        if "ph" not in repaired.fields:
            return False
        event = event_of(repaired.fields)
        self._keep(event, start, start + repaired.length)
        if repaired.kind != "bare NaN" or not event.time_texts & _NAN_TEXTS:
            self.faults.add(repaired.kind, self.base + start)
        self.damaged = repaired.kind == "repaired event"
        return True
