"""The events of a Chrome trace, batch by batch with their byte offsets, never as one document.

A file is read through a buffer. Each chunk is cut where one event ends and the next begins and is
decoded as a whole; only a chunk that cannot be decoded is walked event by event (`chrome_salvage`).
Everything outside the list of events is kept as `head` and `tail` texts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from studio.formats.chrome_event import EVENT_LIST, ONE_EVENT
from studio.formats.chrome_salvage import TRAILING, Salvage, Walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from studio.formats.byte_source import ByteSource
    from studio.formats.chrome_event import Event
    from studio.formats.faults import FaultLog

    Places = NDArray[np.int64]

CHUNK = 1 << 20
KEPT_TEXT = 1 << 20
"""How much is kept of what stands before and after the list of events."""

_BOM = b"\xef\xbb\xbf"
_SPACE = b" \t\r\n"
_LIST_KEY: Final = re.compile(rb'"traceEvents"\s*:\s*(\[|[^\s\[])')
_SAFE_BORDER: Final = re.compile(rb'\}\s*,\s*(?=\{\s*"[A-Za-z_])')
_PHASE: Final = re.compile(rb'"ph"\s*:\s*"[A-Za-z]"')
_MORE_EVENTS: Final = re.compile(rb'[\s,\[\]]*\{\s*"')


class NotATraceError(ValueError):
    """The file holds no list of events."""


class EventReader:
    """Reads the events of one source, in the order of the file.

    `batches` reads them all. Who reads plain parts by other means calls `start`, takes the text
    that comes next with `take` and gives back what is left of it with `put_back` (with `close_list`
    when the list has ended), and lets `step` read what is not plain, until `done`.
    """

    def __init__(self, source: ByteSource, faults: FaultLog, chunk: int = CHUNK) -> None:
        self.head = b""
        self.tail = b""
        self.done = False
        self._source = source
        self._faults = faults
        self._chunk = chunk
        self._wanted = chunk
        self._pending = b""
        self._base = 0
        self._root = ""
        self._damaged = False
        self._at_end = False

    def batches(self) -> Iterator[tuple[list[Event], Places]]:
        """Yield events and the byte offset of each; raises NotATraceError before the first."""
        self.start()
        while not self.done:
            events, places = self.step()
            if events:
                yield events, places

    def start(self) -> None:
        """Find the list of events; raises NotATraceError when there is none."""
        if not self._find_list():
            self._finish()

    def step(self) -> tuple[list[Event], Places]:
        """Read one chunk of events and the byte offset of each; there may be none in it."""
        while len(self._pending) < self._wanted and not self._at_end:
            block = self._source.read(self._chunk)
            self._at_end = not block
            self._pending += block
        part = self._pending[: self._wanted]
        final = self._at_end and len(part) == len(self._pending)
        cut, following = (len(part), len(part)) if final else _last_border(part)
        if not cut and not final:
            self._wanted += self._chunk
            return [], np.zeros(0, np.int64)
        walk = self._decode(part[:cut], final)
        whole = walk.consumed == cut and not walk.ended
        self._drop(following if whole else walk.consumed)
        self._wanted = self._chunk if walk.consumed else self._wanted + self._chunk
        if walk.ended:
            self.close_list()
        elif final:
            if self._root != "lines" and not self._source.damage:
                self._faults.add("file ended early", self._base)
            self._finish()
        return walk.events, np.asarray(walk.places, np.int64)

    def take(self) -> tuple[bytes, int] | None:
        """Hand out the text that comes next and its byte offset, None where damage goes on."""
        if self._damaged or self.done or self._at_end:
            return None
        self._drop(len(self._pending) - len(self._pending.lstrip(_SPACE)))
        text, self._pending = self._pending, b""
        return text, self._base

    def put_back(self, text: bytes, base: int, *, at_end: bool = False) -> None:
        """Take the text that comes next, which begins at a byte offset."""
        self._pending = text
        self._base = base
        self._at_end = self._at_end or at_end
        self._wanted = self._chunk

    def close_list(self) -> None:
        """Look what stands after the bracket that closed the list."""
        if not self._goes_on():
            self._finish()

    def _finish(self) -> None:
        self._note_damage()
        self.done = True

    def _note_damage(self) -> None:
        if self._source.damage:
            self._faults.add(self._source.damage, self._base + len(self._pending))

    def _drop(self, count: int) -> None:
        self._pending = self._pending[count:]
        self._base += count

    def _decode(self, body: bytes, final: bool) -> Walk:
        if self._damaged:
            return self._salvage(body, final)
        try:
            events = EVENT_LIST.decode(b"[%b]" % body)
            ended = False
        except (msgspec.DecodeError, RecursionError) as error:
            match = TRAILING.search(str(error))
            if match is None:
                return self._salvage(body, final)
            body = body[: int(match.group(1)) - 2]
            events = EVENT_LIST.decode(b"[" + body)
            ended = True
        places = _places(body, len(events))
        if places is None:
            return self._salvage(body, final)
        return Walk(events, places + self._base, len(body), ended)

    def _salvage(self, body: bytes, final: bool) -> Walk:
        walk = Salvage(body, self._base, final, self._faults, self._damaged).run()
        self._damaged = walk.damaged
        return walk

    # -- around the list ----------------------------------------------------------------------
    def _find_list(self) -> bool:
        """Read up to the first event; False when the file is empty."""
        self._pending = self._source.read(self._chunk)
        if self._pending.startswith(_BOM):
            self._drop(len(_BOM))
        while not self._pending.lstrip(_SPACE):
            self._drop(len(self._pending))
            self._pending = self._source.read(self._chunk)
            if not self._pending:
                self._faults.add("empty file", 0)
                return False
        self._drop(len(self._pending) - len(self._pending.lstrip(_SPACE)))
        if self._pending.startswith(b"["):
            self._root = "list"
            self._drop(1)
            return True
        if self._pending.startswith(b"{") and not _starts_with_event(self._pending):
            return self._find_key()
        return self._find_loose_events()

    def _find_loose_events(self) -> bool:
        """Take what looks like events for events although no list was opened."""
        if not _PHASE.search(self._pending[:KEPT_TEXT]):
            raise NotATraceError
        self._root = "lines"
        self._faults.add("list not opened", self._base)
        self._damaged = True
        return True

    def _find_key(self) -> bool:
        while True:
            match = _LIST_KEY.search(self._pending)
            room = KEPT_TEXT - len(self.head)
            if match:
                self.head += self._pending[: min(match.start(), room)]
                self._root = "object"
                self._drop(match.end())
                return match.group(1) == b"["
            if not self.head and _PHASE.search(self._pending):
                self._drop(1)
                return self._find_loose_events()
            keep = min(len(self._pending), 200)
            passed = len(self._pending) - keep
            self.head += self._pending[: min(passed, room)]
            self._drop(passed)
            block = self._source.read(self._chunk)
            if not block:
                raise NotATraceError
            self._pending += block

    def _goes_on(self) -> bool:
        """Keep what stands after the list; True when more events follow all the same."""
        while len(self._pending) < KEPT_TEXT and (block := self._source.read(self._chunk)):
            self._pending += block
        text = self._pending.strip(_SPACE)
        self._drop(len(self._pending) - len(self._pending.lstrip(_SPACE)))
        more = _MORE_EVENTS.match(self._pending)
        again = _LIST_KEY.search(self._pending)
        if more and not (again and again.start() < more.end()):
            self._faults.add("text between events", self._base)
            self._drop(more.end() - len(more.group().rsplit(b"{", 1)[-1]) - 1)
            return True
        if again is None and _PHASE.search(self._pending):
            self._faults.add("text between events", self._base)
            self._damaged = True
            return True
        if again is not None and again.group(1) == b"[":
            self._faults.add("second list of events", self._base + again.start())
            self._drop(again.end())
            return True
        self.tail = self._pending[:KEPT_TEXT]
        if self._root == "list" and text:
            self._faults.add("text after the list", self._base)
        elif self._root == "object" and not text.endswith(b"}") and len(text) < KEPT_TEXT:
            self._faults.add("file ended early", self._base + len(self._pending))
        return False


def _starts_with_event(data: bytes) -> bool:
    try:
        event = ONE_EVENT.decode(data)
    except (msgspec.DecodeError, RecursionError) as error:
        match = TRAILING.search(str(error))
        if match is None:
            return False
        event = ONE_EVENT.decode(data[: int(match.group(1)) - 1])
    return event.ph is not None


def _last_border(data: bytes) -> tuple[int, int]:
    """Where the last but one event ends and the last one begins; zeros when none is found."""
    window = 1 << 14
    while True:
        start = max(0, len(data) - window)
        borders = [found.span() for found in _SAFE_BORDER.finditer(data, start)]
        if borders:
            return borders[-1][0] + 1, borders[-1][1]
        if not start:
            return 0, 0
        window *= 8


def _places(body: bytes, count: int) -> Places | None:
    """Where the events of a decoded chunk begin, or None when that is not plain to see.

    Every border between two events looks like `}`, `,`, `{"`. When as many are found as there are
    borders, they are the borders; args that hold lists of objects make more.
    """
    text = np.frombuffer(body, np.uint8)
    begins = np.flatnonzero(text == ord("{"))
    if not count:
        return begins[:0]
    if not len(begins):
        return None
    first, candidates = begins[:1], begins[1:]
    before = _step_back(text, candidates)
    after_comma = text[before] == ord(",")
    candidates, before = candidates[after_comma], before[after_comma]
    before = _step_back(text, before)
    candidates = candidates[text[before] == ord("}")]
    if len(candidates) != count - 1:
        return None
    return np.concatenate((first, candidates))


def _step_back(text: NDArray[np.uint8], places: Places) -> Places:
    """The last place before each that is not white space."""
    before = np.maximum(places - 1, 0)
    for _ in range(64):
        blank = text[before] <= 32
        if not blank.any():
            break
        before = np.maximum(before - blank, 0)
    return before
