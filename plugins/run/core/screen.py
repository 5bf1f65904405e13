"""What a program writes to a terminal, as lines of styled text.

Understands what progress bars and coloured logs use of ECMA-48: carriage return, backspace, cursor
up and down, erasing a line, and the colours of "select graphic rendition"; the rest is left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

_SEQUENCE = re.compile(
    r"\x1b\[([0-9;:?]*)([@-~])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[()][A-Z0-9]|\x1b[=>78MDEc]"
    r"|[\r\n\b\x07\x0b\x0c\x00]"
)
_UNFINISHED = re.compile(r"\x1b(?:\[[0-9;:?]*|\][^\x07\x1b]*\x1b?|[()])?\Z")
_REACH = 200
_COLOURS = ((30, "ink", 0), (90, "ink", 8), (40, "ground", 0), (100, "ground", 8))
_BAR_LIMIT = 20_000


@dataclass(frozen=True, slots=True)
class Style:
    """How a piece looks; a colour is 0–255 of the xterm palette, "#rrggbb", or None."""

    ink: int | str | None = None
    ground: int | str | None = None
    bold: bool = False
    faint: bool = False
    italic: bool = False
    underlined: bool = False
    inverse: bool = False


PLAIN = Style()
Run = tuple[str, Style]
"""A piece of a line in one style."""


class Screen:
    """Takes text as it comes; `changed_from` is the first line that is not as it was before."""

    def __init__(self) -> None:
        self.lines: list[list[Run]] = [[]]
        self.dropped = 0
        self.changed_from = 0
        self._row = 0
        self._column = 0
        self._style = PLAIN
        self._rest = ""

    @property
    def count(self) -> int:
        """How many lines there were, those that were dropped included."""
        return self.dropped + len(self.lines)

    def feed(self, text: str) -> None:
        """Take more text; a sequence that is cut off waits for its rest."""
        text = self._rest + text
        cut = _UNFINISHED.search(text)
        self._rest = text[cut.start() :] if cut and len(text) - cut.start() < 256 else ""
        text = text[: len(text) - len(self._rest)]
        at = 0
        for found in _SEQUENCE.finditer(text):
            if found.start() > at:
                self._write(text[at : found.start()])
            at = found.end()
            if found[2]:
                self._control(found[1], found[2])
            else:
                self._sign(found[0])
        if at < len(text):
            self._write(text[at:])

    def drop(self, keep: int) -> None:
        """Forget the oldest lines beyond `keep`."""
        extra = len(self.lines) - max(keep, _REACH)
        if extra > 0:
            del self.lines[:extra]
            self.dropped += extra
            self._row -= extra

    # -- inside -----------------------------------------------------------------------------------
    def _sign(self, sign: str) -> None:
        if sign == "\n":
            self._row += 1
            self._column = 0
            if self._row == len(self.lines):
                self.lines.append([])
        elif sign == "\r":
            self._column = 0
        elif sign == "\b":
            self._column = max(self._column - 1, 0)

    def _control(self, values: str, final: str) -> None:
        if final == "m":
            self._style = styled(self._style, values)
            return
        if values.startswith("?"):
            return
        numbers = [int(v) if v.isdigit() else 0 for v in values.split(";")]
        count = max(numbers[0], 1)
        lowest = max(len(self.lines) - _REACH, 0)
        match final:
            case "A":
                self._row = max(self._row - count, lowest)
            case "B" | "E":
                self._row = min(self._row + count, len(self.lines) - 1)
            case "C":
                self._column += min(count, _BAR_LIMIT)
            case "D":
                self._column = max(self._column - count, 0)
            case "F":
                self._row = max(self._row - count, lowest)
            case "G":
                self._column = min(count - 1, _BAR_LIMIT)
            case "K":
                self._erase(numbers[0])
        if final in "EF":
            self._column = 0

    def _erase(self, what: int) -> None:
        line = self.lines[self._row]
        before = [] if what == 2 else _cut(line, 0, self._column)
        after = _cut(line, self._column, None) if what == 1 else []
        if what == 1:
            before = [(" " * self._column, PLAIN)] if self._column else []
        self._set(_joined([*before, *after]))

    def _write(self, text: str) -> None:
        line = self.lines[self._row]
        length = sum(len(piece) for piece, _ in line)
        pieces: list[Run] = _cut(line, 0, self._column) if self._column < length else list(line)
        if self._column > length:
            pieces.append((" " * (self._column - length), PLAIN))
        pieces.append((text, self._style))
        self._column += len(text)
        if self._column < length:
            pieces += _cut(line, self._column, None)
        self._set(_joined(pieces))

    def _set(self, line: list[Run]) -> None:
        self.lines[self._row] = line
        self.changed_from = min(self.changed_from, self.dropped + self._row)


def styled(style: Style, values: str) -> Style:
    """The style after "select graphic rendition" with some values (ECMA-48 8.3.117, xterm)."""
    numbers = [int(v) if v.isdigit() else 0 for v in re.split("[;:]", values)]
    at = 0
    while at < len(numbers):
        number = numbers[at]
        at += 1
        if number in (38, 48):
            colour, used = _extended(numbers[at:])
            at += used
            name = "ink" if number == 38 else "ground"
            style = replace(style, **{name: colour})  # type: ignore[arg-type]
        else:
            style = _simple(style, number)
    return style


def _simple(style: Style, number: int) -> Style:
    if number == 0:
        return PLAIN
    flags = {1: "bold", 2: "faint", 3: "italic", 4: "underlined", 7: "inverse"}
    if number in flags:
        return replace(style, **{flags[number]: True})
    if number == 22:
        return replace(style, bold=False, faint=False)
    off = {23: "italic", 24: "underlined", 27: "inverse"}
    if number in off:
        return replace(style, **{off[number]: False})
    for first, name, shift in _COLOURS:
        if first <= number < first + 8:
            return replace(style, **{name: number - first + shift})  # type: ignore[arg-type]
    if number in (39, 49):
        return replace(style, **{"ink" if number == 39 else "ground": None})  # type: ignore[arg-type]
    return style


def _extended(numbers: list[int]) -> tuple[int | str | None, int]:
    """A colour given as "5;n" or "2;r;g;b", and how many numbers it took."""
    if len(numbers) >= 2 and numbers[0] == 5:
        return min(numbers[1], 255), 2
    if len(numbers) >= 4 and numbers[0] == 2:
        red, green, blue = (min(n, 255) for n in numbers[1:4])
        return f"#{red:02x}{green:02x}{blue:02x}", 4
    return None, len(numbers)


def _cut(line: list[Run], start: int, end: int | None) -> list[Run]:
    """The pieces of a line between two columns."""
    pieces: list[Run] = []
    at = 0
    for text, style in line:
        first, last = max(start - at, 0), len(text) if end is None else end - at
        if part := text[first : max(last, 0)]:
            pieces.append((part, style))
        at += len(text)
    return pieces


def _joined(pieces: list[Run]) -> list[Run]:
    """The same with neighbours of one style made one."""
    joined: list[Run] = []
    for text, style in pieces:
        if joined and joined[-1][1] == style:
            joined[-1] = (joined[-1][0] + text, style)
        elif text:
            joined.append((text, style))
    return joined
