"""Finding a query in one text, line by line, as fast as the text allows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studio.model.encoding import decode, line_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from studio.model.textsearch import Query

PROBE = 8192
"""As many bytes tell whether a file is text."""

_BEFORE, _SHOWN = 60, 300
_MARKS = (b"\xff\xfe", b"\xfe\xff")
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


def is_binary(data: bytes) -> bool:
    """Whether bytes are no text: a zero byte near the start, and no mark of UTF-16 before it."""
    return b"\0" in data[:PROBE] and not data.startswith(_MARKS)


def text_with(query: Query, data: bytes) -> str | None:
    """Decode a file in which the query may occur; None when it surely does not.

    Nearly all files do not, and are told from their bytes alone, without decoding them.
    """
    if query.regex or not query.text or _maybe_wide(data):
        return decode(data).text
    wanted = query.text.encode(errors="surrogatepass")
    if data.isascii():
        surely_not = not _occurs(wanted, data, query.case)
    else:
        # In every encoding read here an ASCII character is its own byte: a text of them that does
        # not occur in the bytes does not occur in the text either.
        surely_not = query.case and wanted.isascii() and wanted not in data
    return None if surely_not else decode(data).text


def _maybe_wide(data: bytes) -> bool:
    """Whether bytes may stand for other characters than ASCII has: UTF-16, or escape sequences."""
    return b"\0" in data or b"\x1b" in data


def _occurs(wanted: bytes, data: bytes, case: bool) -> bool:
    return wanted in data if case else wanted.lower() in data.lower()


def spans(query: Query, text: str) -> Iterator[tuple[int, int]]:
    """Every hit that is not empty, in order; none spans lines unless the query names line ends."""
    pattern = query.pattern
    if pattern is None:
        return
    if not query.regex and (query.case or (text.isascii() and query.text.isascii())):
        yield from _literal_spans(query, text, pattern)
        return
    over_lines = not query.regex or _NEW_LINE.search(query.text) is not None
    at = 0
    while found := pattern.search(text, at):
        start, end = found.span()
        if not over_lines and ("\n" in found[0] or "\r" in found[0]):
            line_end = _line_end(text, start)
            found = pattern.search(text, start, line_end)
            if found is None or found.end() == found.start():
                at = line_end + 1
                continue
            start, end = found.span()
        if end > start:
            yield start, end
        at = max(end, start + 1)
        if at > len(text):
            return


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


def hits_in(query: Query, text: str) -> Iterator[Hit]:
    """Every hit with its place and its line."""
    line, line_start, counted = 1, 0, 0
    for start, end in spans(query, text):
        line += line_of(text[counted:start], start - counted) - 1
        if counted and text[counted - 1 : counted + 1] == "\r\n":
            line -= 1
        counted = start
        end_before = max(text.rfind(end_of, line_start, start) for end_of in ("\n", "\r"))
        if end_before >= 0:
            line_start = end_before + 1
        first = max(line_start, start - _BEFORE) if start - line_start > _SHOWN // 2 else line_start
        stop = min(_line_end(text, start), first + _SHOWN)
        shown = text[first:stop]
        stripped = shown.lstrip() if first == line_start and not text[start].isspace() else shown
        first += len(shown) - len(stripped)
        yield Hit(
            start,
            end,
            line,
            start - line_start + 1,
            text[start:end],
            stripped,
            start - first,
            max(min(end, stop) - start, 0),
        )


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    end = len(text) if end < 0 else end
    bare = text.find("\r", start, end)
    return end if bare < 0 else bare
