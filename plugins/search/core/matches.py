"""Finding a query in one text, line by line, as fast as the text allows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, AnyStr, Generic

from plugins.search.core.required import required_by

if TYPE_CHECKING:
    from collections.abc import Iterator

    from studio.model.textsearch import Query

_BEFORE, _SHOWN = 60, 300
_NEW_LINE = re.compile(r"\\[nRr]|\n|\(\?[a-z]*s")


@dataclass(frozen=True, slots=True)
class Hit:
    """One hit: `[start, end)` in characters of the decoded text, line and column from 1.

    `shown` is its line, or the part of a long line around it, with the hit at `[at, at + size)`;
    `after` is what replaces it, None when nothing is to be replaced.
    """

    start: int
    end: int
    line: int
    column: int
    found: str
    shown: str
    at: int
    size: int
    after: str | None = None


def over_lines(query: Query) -> bool:
    """Whether a hit may go over the end of its line: only where the query names line ends."""
    return not query.regex or _NEW_LINE.search(query.text) is not None


def spans(query: Query, text: str | bytes) -> Iterator[tuple[int, int]]:
    """Every hit that is not empty, in order; none spans lines unless the query names line ends.

    In bytes, which are ASCII, plain texts are looked for, and expressions that need a text of which
    `required_by` says that it is found within one line; there must be no carriage returns then.
    """
    pattern = query.pattern if isinstance(text, bytes) else query.pattern_for(text)
    if pattern is None:
        return
    if isinstance(text, bytes):
        find = _spans_of_lines if query.regex else _spans_in_bytes
        yield from find(query, text, pattern)
        return
    if not query.regex and (query.case or (text.isascii() and query.text.isascii())):
        yield from _literal_spans(query, text, pattern)
        return
    freely = over_lines(query)
    at = 0
    while found := _filled(pattern, text, at, len(text)):
        if not freely and ("\n" in found[0] or "\r" in found[0]):
            line_end = _line_end(text, found.start())
            found = _filled(pattern, text, found.start(), line_end)
            if found is None:
                at = line_end + 1
                continue
        yield found.span()
        at = found.end()


def _filled(pattern: re.Pattern[str], text: str, at: int, end: int) -> re.Match[str] | None:
    """The first match that is not empty; one may begin where an empty one stands."""
    return next((found for found in pattern.finditer(text, at, end) if found[0]), None)


def _literal_spans(query: Query, text: str, pattern: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """The same for a plain text, which `str.find` finds many times faster than a pattern."""
    wanted = query.text if query.case else query.text.lower()
    inside = text if query.case else text.lower()
    at = inside.find(wanted)
    while at >= 0:
        if not query.whole_word or pattern.match(text, at):
            yield at, at + len(wanted)
            at = inside.find(wanted, at + len(wanted))
        else:
            at = inside.find(wanted, at + 1)


def _spans_in_bytes(
    query: Query, data: bytes, pattern: re.Pattern[str]
) -> Iterator[tuple[int, int]]:
    """The same in bytes; of these only a hit and its neighbours are decoded."""
    wanted = query.text.encode("ascii")
    inside = data
    if not query.case:
        wanted, inside = wanted.lower(), data.lower()
    at = inside.find(wanted)
    while at >= 0:
        first = max(at - 1, 0)
        around = data[first : at + len(wanted) + 1]
        if not query.whole_word or pattern.match(around.decode("ascii"), at - first):
            yield at, at + len(wanted)
            at = inside.find(wanted, at + len(wanted))
        else:
            at = inside.find(wanted, at + 1)


def _spans_of_lines(
    query: Query, data: bytes, pattern: re.Pattern[str]
) -> Iterator[tuple[int, int]]:
    """The hits of an expression, looked for only in the lines that have what it requires."""
    wanted = required_by(query.text).longest.encode("ascii")
    inside = data
    if not query.case:
        wanted, inside = wanted.lower(), data.lower()
    at = inside.find(wanted)
    while at >= 0:
        first = data.rfind(b"\n", 0, at) + 1
        stop = data.find(b"\n", at)
        stop = len(data) if stop < 0 else stop
        for found in pattern.finditer(data[first:stop].decode("ascii")):
            yield first + found.start(), first + found.end()
        at = inside.find(wanted, stop)


def hits_in(query: Query, text: str | bytes) -> Iterator[Hit]:
    """Every hit with its place and its line."""
    lines = _lines_of(text)
    for start, end in spans(query, text):
        line, line_start, line_end = lines.at(start)
        first = max(line_start, start - _BEFORE) if start - line_start > _SHOWN // 2 else line_start
        stop = min(line_end, first + _SHOWN)
        found, shown = lines.part(start, end), lines.part(first, stop)
        stripped = shown.lstrip() if first == line_start and not found[0].isspace() else shown
        first += len(shown) - len(stripped)
        yield Hit(
            start,
            end,
            line,
            start - line_start + 1,
            found,
            stripped,
            start - first,
            max(min(end, stop) - start, 0),
        )


def _lines_of(text: str | bytes) -> _Lines[str] | _Lines[bytes]:
    if isinstance(text, bytes):
        return _Lines(text, b"\n", b"\r", b"\r\n")
    return _Lines(text, "\n", "\r", "\r\n")


class _Lines(Generic[AnyStr]):
    """Finds the lines of places that come in order; a text of bytes is ASCII."""

    def __init__(self, text: AnyStr, feed: AnyStr, bare: AnyStr, both: AnyStr) -> None:
        self._text: AnyStr = text
        self._feed: AnyStr = feed
        self._bare: AnyStr = bare
        self._both: AnyStr = both
        self._line, self._start, self._end, self._counted = 1, 0, 0, 0
        self._has_bare: bool | None = None

    def part(self, start: int, end: int) -> str:
        """A part of the text."""
        part = self._text[start:end]
        return part.decode("ascii") if isinstance(part, bytes) else part

    def at(self, place: int) -> tuple[int, int, int]:
        """The number of the line with a place, and where that line begins and ends."""
        if place < self._end:
            return self._line, self._start, self._end
        text, feed = self._text, self._feed
        if self._has_bare is None:
            self._has_bare = self._bare in text
        self._line += text.count(feed, self._counted, place)
        before = text.rfind(feed, self._start, place)
        end = text.find(feed, place)
        end = len(text) if end < 0 else end
        if self._has_bare:
            bare, both = self._bare, self._both
            self._line += text.count(bare, self._counted, place)
            self._line -= text.count(both, max(self._counted - 1, 0), place)
            before = max(before, text.rfind(bare, max(self._start, before), place))
            bare_end = text.find(bare, place, end)
            end = end if bare_end < 0 else bare_end
        if before >= 0:
            self._start = before + 1
        self._counted, self._end = place, end
        return self._line, self._start, end


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    end = len(text) if end < 0 else end
    bare = text.find("\r", start, end)
    return end if bare < 0 else bare
