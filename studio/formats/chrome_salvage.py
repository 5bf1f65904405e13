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

_WINDOW = 1 << 16
_LARGEST_EVENT = 1 << 28
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
    walk: Walk = field(default_factory=Walk)
    _places: list[int] = field(default_factory=list)
    _damaged: bool = False

    def run(self) -> Walk:
        """Walk the whole chunk."""
        walk, body = self.walk, self.body
        walk.places = self._places
        while True:
            start = body.find(b"{", walk.consumed)
            gap = body[walk.consumed : start if start >= 0 else len(body)]
            bracket = gap.find(b"]")
            self._judge_gap(gap if bracket < 0 else gap[:bracket], closing=bracket >= 0)
            if bracket >= 0:
                walk.consumed += bracket + 1
                walk.ended = True
                return walk
            if start < 0:
                walk.consumed = len(body)
                return walk
            walk.consumed = start
            if not self._read_event(start):
                return walk

    def _judge_gap(self, gap: bytes, *, closing: bool) -> None:
        text = gap.strip(_SPACE)
        if not self.walk.consumed:
            kind = {b"": "", b",": ""}.get(text, "text between events")
        elif closing:
            kind = {b"": "", b",": "trailing comma"}.get(text, "text between events")
        elif self.walk.consumed + len(gap) == len(self.body):
            kind = ""
        else:
            kind = {b",": "", b"": "missing comma"}.get(text, "text between events")
        if kind:
            self.faults.add(kind, self.base + self.walk.consumed)

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
            except msgspec.DecodeError as error:
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
        self._repair(start, cut=message == TRUNCATED)
        return True

    def _keep(self, event: Event, start: int, stop: int) -> None:
        self.walk.consumed = stop
        if event.ph is None and self._damaged:
            return  # a part of the damaged event's args
        self._damaged = False
        self.walk.events.append(event)
        self._places.append(self.base + start)

    def _keep_lenient(self, start: int) -> bool:
        border = BORDER.search(self.body, start)
        if border is None:
            return False
        repaired = read_lenient(self.body[start : border.start() + 1])
        return repaired is not None and self._keep_repaired(repaired, start)

    def _repair(self, start: int, *, cut: bool) -> None:
        ends: list[int] = []
        at = start
        while len(ends) < _MOST_BORDERS and (border := BORDER.search(self.body, at)):
            ends.append(border.start() + 1)
            at = border.start() + 1
        for end in ends or [len(self.body)]:
            try:
                repaired = repair_object(self.body[start:end])
            except DamageError as error:
                if error.unfinished:
                    continue
                break
            if self._keep_repaired(repaired, start):
                return
            break
        kind = "incomplete event" if cut and not ends else "unreadable event"
        self.faults.add(kind, self.base + start)
        self.walk.consumed = ends[0] if ends else len(self.body)
        self._damaged = True

    def _keep_repaired(self, repaired: Repaired, start: int) -> bool:
        if "ph" not in repaired.fields:
            return False
        event = event_of(repaired.fields)
        self._keep(event, start, start + repaired.length)
        if repaired.kind != "bare NaN" or not event.time_texts & _NAN_TEXTS:
            self.faults.add(repaired.kind, self.base + start)
        return True
