"""Places in a text: the parser's lines and columns, offsets in characters, lines for people."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache
from itertools import accumulate

_LINE_END = re.compile(r"\r\n|\r|\n")


class Positions:
    """Maps the parser's positions to character offsets of the text it was given.

    Python's parser ends a line at LF, CR LF and a lone CR, never at a form feed, and counts columns
    in bytes of UTF-8, whatever the encoding of the file was.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = _line_starts(text)
        self._ascii = text.isascii()

    def offset(self, line: int, byte_column: int) -> int:
        """The offset of a parser position (line from 1, column from 0)."""
        start = self.starts[line - 1]
        if self._ascii:
            return start + byte_column
        end = self.starts[line] if line < len(self.starts) else len(self.text)
        row = self.text[start:end]
        if row.isascii():
            return start + byte_column
        return start + len(row.encode("utf-8", "surrogatepass")[:byte_column].decode())

    def parser_position(self, offset: int) -> tuple[int, int]:
        """The parser's line and byte column of an offset."""
        line = bisect_right(self.starts, offset)
        before = self.text[self.starts[line - 1] : offset]
        return line, len(before) if self._ascii else len(before.encode("utf-8", "surrogatepass"))

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column in characters of an offset, both from 1."""
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1

    def line_text(self, line: int) -> str:
        """The text of a line, from 1, without its end."""
        return self._row(line).rstrip("\r\n")

    def line_end(self, line: int) -> str:
        """The characters that end a line, "" at the end of the text."""
        row = self._row(line)
        return row[len(row.rstrip("\r\n")) :]

    def end_of_line(self, line: int) -> int:
        """The offset just before the end of a line."""
        return self.starts[line - 1] + len(self.line_text(line))

    def _row(self, line: int) -> str:
        end = self.starts[line] if line < len(self.starts) else len(self.text)
        return self.text[self.starts[line - 1] : end]


@lru_cache(maxsize=1)
def positions_in(text: str) -> Positions:
    """The positions of a text; those of the last one are at hand, as several steps ask for them."""
    return Positions(text)


def _line_starts(text: str) -> list[int]:
    if text.count("\r") != text.count("\r\n"):
        return [0, *(match.end() for match in _LINE_END.finditer(text))]
    lengths = map((1).__add__, map(len, text.split("\n")))
    return list(accumulate(lengths, initial=0))[:-1]
