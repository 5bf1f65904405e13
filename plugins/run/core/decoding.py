"""Bytes of a running program to text: UTF-8, and line by line what older programs write."""

from __future__ import annotations

import re

from studio.model.guessing import guess

_LOOK = 512
"""Bytes of a line that its encoding is guessed from."""
_MOST_MISSES = 40
"""After so many lines that are no text in a row nothing is guessed any more: it is binary."""
_NO_TEXT = re.compile(rb"[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f]")
_LONGEST = 4
"""Bytes of a character."""


class OutputDecoder:
    """Takes bytes as they come and gives text at once; a character that is cut off waits.

    A line that is not UTF-8 is read in the encoding that it looks like (GBK, Big5, Windows-1252),
    since compilers and older scripts write that of their system; bytes that are no text become
    U+FFFD.
    """

    def __init__(self) -> None:
        self._held = b""
        self._encoding = ""
        self._misses = 0

    def decode(self, data: bytes, *, final: bool = False) -> str:
        """The text of more bytes; at the end also that of what was held back."""
        data = self._held + data
        self._held = b""
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            cut = error.start
            if not final and error.end == len(data) and len(data) - cut < _LONGEST:
                self._held = data[cut:]
                return data[:cut].decode()
        lines = data.splitlines(keepends=True)
        ended = final or lines[-1].endswith((b"\n", b"\r"))
        return "".join(map(self._line, lines if ended else lines[:-1])) + (
            "" if ended else self._begun(lines[-1])
        )

    def _line(self, line: bytes) -> str:
        return self._text(line) or line.decode("utf-8", "replace")

    def _begun(self, line: bytes) -> str:
        """A line that may go on: its last bytes wait when they are the begin of a character."""
        for cut in range(min(_LONGEST, len(line))):
            text = self._text(line[: len(line) - cut])
            if text:
                self._held = line[len(line) - cut :]
                return text
        return line.decode("utf-8", "replace")

    def _text(self, line: bytes) -> str:
        """The line as text, "" when it is none."""
        if text := _strict(line, "utf-8"):
            return text
        if self._misses >= _MOST_MISSES or _NO_TEXT.search(line):
            return ""
        if self._encoding and (text := _strict(line, self._encoding)):
            return text
        found = guess(line[:_LOOK])
        text = _strict(line, found) if found and not found.startswith("utf-16") else ""
        self._misses = 0 if text else self._misses + 1
        self._encoding = found if text else self._encoding
        return text


def _strict(line: bytes, encoding: str) -> str:
    try:
        return line.decode(encoding)
    except UnicodeError:
        return ""
