"""Find and replace in a text by Python's regular expressions. No Qt."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

HIT_LIMIT = 20_000
"""Hits beyond this many are not counted; the search says so."""


@dataclass(frozen=True)
class Query:
    """What to look for."""

    text: str
    regex: bool = False
    case: bool = False
    whole_word: bool = False

    @cached_property
    def pattern(self) -> re.Pattern[str] | None:
        """The compiled pattern; None when there is nothing to look for or it is not valid."""
        return None if self.error or not self.text else re.compile(self._source, self._flags)

    def pattern_for(self, text: str) -> re.Pattern[str] | None:
        """The pattern to search a text with: `$` and `.` know the carriage returns that it has."""
        return self._pattern_of_returns if self.regex and "\r" in text else self.pattern

    @cached_property
    def _pattern_of_returns(self) -> re.Pattern[str] | None:
        if self.pattern is None:
            return None
        return re.compile(self._whole(before_returns(self.text)), self._flags)

    @cached_property
    def error(self) -> str:
        """Why the regular expression is not valid, "" when it is."""
        try:
            re.compile(self._source, self._flags)
        except re.error as error:
            return str(error)
        return ""

    @property
    def _source(self) -> str:
        return self._whole(self.text if self.regex else re.escape(self.text))

    def _whole(self, source: str) -> str:
        return rf"(?<!\w)(?:{source})(?!\w)" if self.whole_word else source

    @property
    def _flags(self) -> int:
        return re.MULTILINE | (0 if self.case else re.IGNORECASE)


_END = re.compile(r"\r\n|\r|\n")
_NEW_LINES = re.compile(r"(?:\\r)?\\n|\\.", re.DOTALL)
_SIGNS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\$|\.", re.DOTALL)
_DOT_IS_ALL = re.compile(r"\(\?[aiLmux]*s")


def before_returns(source: str) -> str:
    r"""Let `$` match before `\r\n` and `\r` as before `\n`, and `.` match no `\r`, as editors do.

    Python's own know only `\n`. With the flag `s` the dot goes on matching all.
    """
    signs = {"$": r"(?=\r?\n|\r|\Z)"}
    if not _DOT_IS_ALL.search(source):
        signs["."] = r"[^\r\n]"
    return _SIGNS.sub(lambda sign: signs.get(sign[0], sign[0]), source)


@dataclass(frozen=True)
class Hits:
    """Where a query was found, as character ranges in order."""

    spans: tuple[tuple[int, int], ...] = ()
    more: bool = False

    def after(self, offset: int) -> int:
        """Number of the first hit that begins at or after an offset, wrapping round; -1 if none."""
        if not self.spans:
            return -1
        return bisect_left(self.spans, (offset, -1)) % len(self.spans)

    def before(self, offset: int) -> int:
        """Number of the last hit that begins before an offset, wrapping round; -1 if none."""
        if not self.spans:
            return -1
        return (bisect_left(self.spans, (offset, -1)) - 1) % len(self.spans)

    def at(self, start: int, end: int) -> int:
        """Number of the hit that is exactly this range, or -1."""
        at = bisect_right(self.spans, (start, end)) - 1
        return at if at >= 0 and self.spans[at] == (start, end) else -1


def find_all(query: Query, text: str, start: int = 0, end: int | None = None) -> Hits:
    """Find every hit in a text or a part of it; that of `^` or `$` is an empty range."""
    matches = _matches(query, text, start, end)
    spans = tuple(found.span() for found in islice(matches, HIT_LIMIT))
    return Hits(spans, more=len(spans) == HIT_LIMIT)


def _matches(
    query: Query, text: str, start: int = 0, end: int | None = None
) -> Iterator[re.Match[str]]:
    pattern = query.pattern_for(text)
    if pattern is None:
        return iter(())
    return pattern.finditer(text, start, len(text) if end is None else end)


def replacement(
    query: Query, text: str, span: tuple[int, int], by: str, *, keep_case: bool = False
) -> str:
    r"""Give the text that replaces one hit; `\1` and `\g<name>` work in regular expressions.

    `keep_case` writes it as the hit is written: in capitals, or with a capital first letter.
    Raises `re.error` when the replacement names a group that does not exist.
    """
    found = None
    pattern = query.pattern_for(text) if query.regex else None
    if pattern is not None:
        # An empty match may stand where the hit begins, and come first.
        first = islice(pattern.finditer(text, span[0]), 2)
        found = next((each for each in first if each.span() == span), None)
        found = found or pattern.fullmatch(text, *span)
    new = by if found is None else _expanded(found, with_line_ends(by, text))
    return in_case_of(text[span[0] : span[1]], new) if keep_case else new


def _expanded(found: re.Match[str], by: str) -> str:
    try:
        return found.expand(by)
    except IndexError as error:  # a name of a group that there is not
        raise re.error(str(error)) from error


def with_line_ends(by: str, text: str) -> str:
    r"""A replacement in which line ends as the text has them stand for `\n`.

    Looks through the text for one, so whoever replaces many hits asks for it once.
    """
    if r"\n" not in by:
        return by
    end = _END.search(text)

    def written(sign: re.Match[str]) -> str:
        if sign[0] not in (r"\n", r"\r\n"):
            return sign[0]
        return end[0] if end else "\r\n" if len(sign[0]) > 2 else "\n"

    return _NEW_LINES.sub(written, by)


def in_case_of(model: str, text: str) -> str:
    """Write a text in capitals, in small letters or with a capital first as another one is."""
    if not any(character.isalpha() for character in model):
        return text
    if model.isupper() and len(model) > 1:
        return text.upper()
    if model.islower():
        return text.lower()
    return text[:1].upper() + text[1:] if model[:1].isupper() else text


def replace_all(
    query: Query,
    text: str,
    by: str,
    *,
    keep_case: bool = False,
    within: tuple[int, int] | None = None,
) -> tuple[str, int]:
    """Replace every hit, or those in a range; returns the new text and how many were replaced.

    Raises `re.error` as `replacement` does.
    """
    parts: list[str] = []
    at = count = 0
    by = with_line_ends(by, text) if query.regex else by
    for found in _matches(query, text, *(within or ())):
        new = _expanded(found, by) if query.regex else by
        parts += (text[at : found.start()], in_case_of(found[0], new) if keep_case else new)
        at = found.end()
        count += 1
    parts.append(text[at:])
    return "".join(parts), count
