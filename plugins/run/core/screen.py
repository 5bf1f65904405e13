"""What a program writes to a terminal, as lines of styled text.

Understands what progress bars and coloured logs use of ECMA-48: carriage return, backspace, moving
the cursor, erasing lines and the page, and the colours of "select graphic rendition"; the rest is
left out, and so are control characters, which a text widget would take for its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

_SEQUENCE = re.compile(
    r"\x1b\[([0-9;:?]*)([@-~])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[()][A-Z0-9]|\x1b[=>78MDEc]?"
    r"|\r\n|[\x00-\x08\n-\x1a\x1c-\x1f\x7f]"
)
_BREAKS = re.compile("[\u0085\u2028\u2029\ufdd0\ufdd1\ud800-\udfff]")
"""What Qt, or the splitting of lines, takes for the end of a line, and bytes of odd file names."""
_UNFINISHED = re.compile(r"\x1b(?:\[[0-9;:?]*|\][^\x07\x1b]*\x1b?|[()])?\Z")
_UNFINISHED_MOST = 256
_REACH = 200
_COLOURS = ((30, "ink", 0), (90, "ink", 8), (40, "ground", 0), (100, "ground", 8))
_WIDEST = 4000
"""A line goes on in the next one after so many characters, as in a terminal, only later."""


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
        self._length = 0  # of the line of the cursor
        self._page: int | None = None  # where the page begins that was cleared, dropped lines too
        self._style = PLAIN
        self._rest = ""

    @property
    def count(self) -> int:
        """How many lines there were, those that were dropped included."""
        return self.dropped + len(self.lines)

    def feed(self, text: str) -> None:
        """Take more text; a sequence that is cut off waits for its rest."""
        text = self._rest + text
        cut = _UNFINISHED.search(text, max(len(text) - _UNFINISHED_MOST, 0))
        self._rest = text[cut.start() :] if cut else ""
        text = text[: len(text) - len(self._rest)]
        if not text.isascii():
            text = _BREAKS.sub("\ufffd", text)
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

    def to_end(self) -> None:
        """Put the cursor behind all that was written, in a line of its own."""
        self._go(len(self.lines) - (0 if self.lines[-1] else 1))
        self._column = 0
        self._page = None
        self._style = PLAIN
        self._rest = ""

    # -- inside -----------------------------------------------------------------------------------
    def _sign(self, sign: str) -> None:
        if sign[-1] == "\n":
            self._go(self._row + 1)
            self._column = 0
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
        numbers = [int(v[:6]) if v.isdecimal() else 0 for v in values.split(";")]
        count = max(numbers[0], 1)
        lowest = max(len(self.lines) - _REACH, 0)
        match final:
            case "A" | "F":
                self._go(max(self._row - count, lowest))
            case "B" | "E":
                self._go(min(self._row + count, len(self.lines) - 1))
            case "C":
                self._column = min(self._column + count, _WIDEST)
            case "D":
                self._column = max(self._column - count, 0)
            case "G":
                self._column = min(count - 1, _WIDEST)
            case "H" | "f":
                self._home(count, max(numbers[1], 1) if len(numbers) > 1 else 1)
            case "J":
                self._erase_page(numbers[0])
            case "K":
                self._erase(numbers[0])
        if final in "EF":
            self._column = 0

    def _go(self, row: int) -> None:
        """Put the cursor into a line; the one after the last is made."""
        self._row = row
        if row == len(self.lines):
            self.lines.append([])
            self._length = 0
            return
        self._length = sum(len(piece) for piece, _ in self.lines[row])

    def _home(self, row: int, column: int) -> None:
        """Go to a place of the page: of what was written since the page was cleared."""
        if self._page is None:
            return
        top = max(self._page - self.dropped, len(self.lines) - _REACH, 0)
        wanted = top + min(row, _REACH) - 1
        while len(self.lines) <= wanted:
            self.lines.append([])
        self._go(wanted)
        self._column = min(column - 1, _WIDEST)

    def _erase_page(self, what: int) -> None:
        """Erase what follows the cursor, or the page; what was written before the page stays."""
        if what == 0:
            self._erase(0)
            self._shorten(self._row + 1)
        elif what in (2, 3):
            if self._page is None:
                self._go(len(self.lines) - (0 if self.lines[-1] else 1))
                self._page = self.dropped + self._row
            top = min(max(self._page - self.dropped, 0), len(self.lines) - 1)
            self._shorten(top + 1)
            self._row, self._column = top, 0
            self._set([])

    def _shorten(self, count: int) -> None:
        if count < len(self.lines):
            del self.lines[count:]
            self.changed_from = min(self.changed_from, self.dropped + count - 1)

    def _erase(self, what: int) -> None:
        line = self.lines[self._row]
        before = [] if what == 2 else _cut(line, 0, self._column)
        after = _cut(line, self._column, None) if what == 1 else []
        if what == 1:
            before = [(" " * self._column, PLAIN)] if self._column else []
        self._set(_joined([*before, *after]))

    def _write(self, text: str) -> None:
        while self._column + len(text) > _WIDEST:
            room = _WIDEST - self._column
            self._write_in_line(text[:room])
            text = text[room:]
            if self._row < len(self.lines) - 1:
                return  # within older lines nothing is pushed down
            self._go(self._row + 1)
            self._column = 0
        self._write_in_line(text)

    def _write_in_line(self, text: str) -> None:
        line = self.lines[self._row]
        length = self._length
        if self._column == length:  # nearly always
            if line and line[-1][1] == self._style:
                line[-1] = (line[-1][0] + text, self._style)
            elif text:
                line.append((text, self._style))
            self._column = self._length = length + len(text)
            self.changed_from = min(self.changed_from, self.dropped + self._row)
            return
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
        self._length = sum(len(piece) for piece, _ in line)
        self.changed_from = min(self.changed_from, self.dropped + self._row)


@lru_cache(4096)
def styled(style: Style, values: str) -> Style:
    """The style after "select graphic rendition" with some values (ECMA-48 8.3.117, xterm)."""
    numbers = [number for part in values.split(";") for number in _numbers(part)]
    at = 0
    while at < len(numbers):
        number = numbers[at]
        at += 1
        if number in (38, 48, 58):
            colour, used = _extended(numbers[at:])
            at += used
            if number == 58:  # of the line below, which has the colour of the text here
                continue
            name = "ink" if number == 38 else "ground"
            style = replace(style, **{name: colour})  # type: ignore[arg-type]
        else:
            style = _simple(style, number)
    return style


def _numbers(part: str) -> list[int]:
    """One value; one with parts (ISO 8613-6) as without them, its colour space left out."""
    numbers = [int(v[:6]) if v.isdecimal() else 0 for v in part.split(":")]
    if len(numbers) == 1:
        return numbers
    if numbers[0] == 4:  # a wavy or dotted line is a line
        return [4 if numbers[1] else 24]
    if numbers[1] == 2 and len(numbers) > 5:
        return [*numbers[:2], *numbers[3:6]]
    return numbers


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
