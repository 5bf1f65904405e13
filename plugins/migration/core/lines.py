"""Files that are read line by line: their lines without comments, and hits in them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from plugins.migration.core.model import (
    Analysis,
    Change,
    FileStatus,
    Hit,
    Rule,
    Span,
    Status,
    Strategy,
    Value,
)
from plugins.migration.core.rules.environment import CHECK, RENAMED, VARIABLE
from plugins.migration.core.tables import variables

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_LONGEST = 20_000  # longer lines are looked at in parts, which bounds the time for each
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_QUOTED = r"""\\.|"(?:\\.|[^"\\])*"|'[^']*'"""
REMARK = re.compile(_QUOTED + r"|(?P<remark>(?:(?<=\s)|^)#.*|^\s*(?:::|@?[Rr][Ee][Mm]\s).*)")
REMARK_OF_SETTINGS = re.compile(_QUOTED + r"|(?P<remark>(?:(?<=\s)|^)#.*|^\s*;.*)")
REMARK_OF_JSON = re.compile(_QUOTED + r"|(?P<remark>(?:(?<=[\s,{}\[\]])|^)(?:#|//).*|^\s*;.*)")
"""Comments, and the quoted texts in which none begins."""

_NAME = re.compile(rf"(?<![\w-])(?:{VARIABLE.pattern})(?![\w-])")


@dataclass
class TextFile:
    """The text of a file under analysis and the hits found so far."""

    text: str
    hits: list[Hit] = field(default_factory=list)
    strategy: Strategy = "rewrite"

    def code(self, remark: re.Pattern[str] = REMARK) -> Iterator[tuple[int, str]]:
        """The lines that are no comments, each with its offset, a comment behind cut off."""
        position = 0
        while position < len(self.text):
            match = _LINE.match(self.text, position)
            if match is None or match.end() == position:
                return
            row = match[0].rstrip("\r\n")
            if len(row) > _LONGEST:
                yield from ((position + at, part) for at, part in _parts(row))
            else:
                yield position, without_comment(row, remark)
            position = match.end()

    def hit(
        self,
        rule: Rule,
        span: tuple[int, int],
        status: Status,
        changes: Sequence[tuple[int, int, str]] = (),
        *,
        note: str = "",
        source: str = "",
        **values: Value,
    ) -> None:
        """Note that a rule applies to a span, with the changes it proposes."""
        made = tuple(Change(*change) for change in changes)
        self.hits.append(Hit(rule.id, *span, made, status, note, source, values))

    def check_variables(self, start: int, row: str) -> None:
        """Judge the environment variables named in a line."""
        for match in _NAME.finditer(row):
            span = (start + match.start(), start + match.end())
            known = variables().get(match[0])
            if known is None or not known.npu:
                note, source = (known.advice, known.source) if known else ("", "")
                guess = known.guess if known else False
                self.hit(CHECK, span, "review", note=note, source=source, old=match[0], guess=guess)
            else:
                changes = [(*span, known.npu)]
                source = known.source
                self.hit(RENAMED, span, "auto", changes, source=source, old=match[0], new=known.npu)

    def left_out(self, words: re.Pattern[str], start: int, row: str, known: int) -> Span | None:
        """The first of some words in a line that nobody has spoken of yet.

        `known` is how many hits there were before the line. A line that asks for a look anyway says
        enough; one that would only be changed does not.
        """
        here = self.hits[known:]
        if any(not hit.changes for hit in here):
            return None
        for match in words.finditer(row):
            first, last = start + match.start(), start + match.end()
            if not any(hit.start < last and first < hit.end for hit in here):
                return first, last
        return None

    def analysis(self) -> Analysis:
        """What was found."""
        hits = tuple(sorted(self.hits, key=lambda hit: (hit.start, hit.end)))
        status: FileStatus = "migrated" if any(hit.changes for hit in hits) else "clean"
        ends = self.text.count("\n") + self.text.count("\r") - self.text.count("\r\n")
        return Analysis(status, hits, ends + (self.text[-1:] not in "\r\n"))


def _parts(row: str) -> Iterator[tuple[int, str]]:
    """A long line in parts, cut between settings, or else between words, where there are any."""
    at = 0
    while at < len(row):
        end = at + _LONGEST
        if end < len(row):
            cut = max(row.rfind(mark, at, end) for mark in ",;")
            end = (cut + 1 or row.rfind(" ", at, end) + 1) or end
        yield at, row[at:end]
        at = end


def without_comment(row: str, remark: re.Pattern[str]) -> str:
    """A line without its comment; quotes are respected."""
    for match in remark.finditer(row):
        if match["remark"] is not None:
            return row[: match.start()]
    return row
