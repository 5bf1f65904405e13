"""What an editor does while one types, as functions of text: indentation and comments. No Qt."""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from studio.ui.codelanguages import Language

BRACKETS = {"(": ")", "[": "]", "{": "}"}
"""Opening brackets and what closes them."""
_BEFORE_THESE = " \t)]},:;."
"""What may follow a character that closes itself; the end of the line may too."""
_INDENT = re.compile(r"[ \t]*")
_LEAVES = re.compile(r"\s*(return|raise|break|continue|pass)\b")


class LineChange(Enum):
    """What `change_lines` does; the last ones only add selections."""

    UP = "up"
    DOWN = "down"
    COPY = "copy"
    DELETE = "delete"
    JOIN = "join"
    SELECT_NEXT = "select next"
    SELECT_EVERY = "select every"
    CARET_ABOVE = "caret above"
    CARET_BELOW = "caret below"

    @property
    def only_selects(self) -> bool:
        """Whether the text stays as it is."""
        return self in _SELECTING


_SELECTING = frozenset(
    {
        LineChange.SELECT_NEXT,
        LineChange.SELECT_EVERY,
        LineChange.CARET_ABOVE,
        LineChange.CARET_BELOW,
    }
)


def closes_itself(char: str, before: str, behind: str, quotes: str) -> bool:
    """Whether a typed character brings along what closes it.

    `before` is the line left of the caret, `behind` the character right of it, "" at the end.
    """
    if behind and behind not in _BEFORE_THESE:
        return False
    if char not in quotes:
        return char in BRACKETS
    last = before[-1:]
    within_word = last.isalnum() or last == "_"
    return last != char and not within_word and before.count(char) % 2 == 0


def indent_of(line: str) -> str:
    """The white space a line begins with."""
    found = _INDENT.match(line)
    return found.group() if found else ""


def detect_indent(lines: Sequence[str], default: int, *, tabs: bool = False) -> tuple[str, int]:
    """Find a file's own unit of indentation: (unit, width)."""
    steps: dict[int, int] = {}
    tabbed = previous = 0
    for line in lines:
        if not line.strip():
            continue
        indent = indent_of(line)
        if "\t" in indent:
            tabbed += 1
            continue
        step = abs(len(indent) - previous)
        if 1 < step <= 8:
            steps[step] = steps.get(step, 0) + 1
        previous = len(indent)
    if tabbed > sum(steps.values()) or (tabs and not steps):
        return "\t", default
    width = max(steps, key=lambda step: (steps[step], -step)) if steps else default
    return " " * width, width


def indent_for_new_line(before: str, language: Language, unit: str) -> str:
    """Say how a line begins that follows `before`, the text left of the cursor."""
    indent = indent_of(before)
    code = _without_comment(before, language).rstrip()
    if code and language.indent_after and code[-1] in language.indent_after + "([{":
        return indent + unit
    if language.lexer == "python" and _LEAVES.match(code) and indent.endswith(unit):
        return indent[: -len(unit)]
    return indent


def toggle_comment(
    lines: Sequence[str], sign: str, around: tuple[str, str] | None = None
) -> list[str]:
    """Comment all given lines, or uncomment them if every non-empty one is a comment.

    Line ends stay as they are. `around` is what stands before and behind a comment in languages
    that have no sign for a line; without either the lines come back unchanged.
    """
    filled = [line for line in lines if line.strip()]
    if not filled or not (sign or around):
        return list(lines)
    if not sign and around:
        return _toggle_around(list(lines), *around)
    if all(line.lstrip().startswith(sign) for line in filled):
        return [_uncommented(line, sign) for line in lines]
    column = min(len(indent_of(line)) for line in filled)
    return [f"{line[:column]}{sign} {line[column:]}" if line.strip() else line for line in lines]


def moved_by(old: str, new: str) -> int:
    """By how much the text of a line moves when it becomes a comment, or none."""
    both = min(old.strip(), new.strip(), key=len)
    return new.find(both) - old.find(both)


def _toggle_around(lines: list[str], before: str, behind: str) -> list[str]:
    """Make one comment of the lines from the first to the last that is not empty, or none."""
    filled = [number for number, line in enumerate(lines) if line.strip()]
    first, last = filled[0], filled[-1]
    indent = indent_of(lines[first])
    text = lines[last].rstrip()
    end = lines[last][len(text) :]
    within = lines[first][len(indent) :]
    apart = first != last or len(within.rstrip()) >= len(before) + len(behind)
    if within.startswith(before) and text.endswith(behind) and apart:
        text = text.removesuffix(behind).removesuffix(" ")
        lines[last] = text + end
        rest = lines[first][len(indent) + len(before) :]
        lines[first] = indent + rest.removeprefix(" ")
        return lines
    lines[last] = f"{text} {behind}{end}"
    lines[first] = f"{indent}{before} {lines[first][len(indent) :]}"
    return lines


def _uncommented(line: str, sign: str) -> str:
    if not line.strip():
        return line
    indent = indent_of(line)
    rest = line[len(indent) + len(sign) :]
    return indent + rest.removeprefix(" ")


def _without_comment(line: str, language: Language) -> str:
    """Cut a trailing comment; a sign within quotes stays, which is enough for indentation."""
    if not language.comment:
        return line
    quote = ""
    for at, char in enumerate(line):
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif line.startswith(language.comment, at):
            return line[:at]
    return line


def changed_lines(lines: list[str], first: int, last: int, change: str) -> tuple[list[str], int]:
    """Lines after some of them (from 1, both included) were moved, copied or deleted.

    `change` is "up", "down", "copy", "delete" or "join" (with each other, a single one with the
    next); also returns by how many lines they moved.
    """
    if change == "join" and first == last:
        last += 1
    before, block, after = lines[: first - 1], lines[first - 1 : last], lines[last:]
    if change == "join":
        return [*before, _joined(block), *after], 0
    if change == "delete":
        return before + after, 0
    if change == "copy":
        return before + _ended(block, lines) + block + after, last - first + 1
    if change == "up" and before:
        above = before[-1]
        if not block[-1].endswith(("\n", "\r")):
            block, above = _ended(block, lines), above.rstrip("\r\n")
        return before[:-1] + block + [above] + after, -1
    if change == "down" and after:
        if not after[0].endswith(("\n", "\r")):
            end = _line_end(lines)
            block = [*block[:-1], block[-1].rstrip("\r\n")]
            return [*before, after[0] + end, *block, *after[1:]], 1
        return [*before, after[0], *block, *after[1:]], 1
    return lines, 0


def _joined(block: list[str]) -> str:
    """One line of several: what was indented or ended stands one space behind the line before."""
    texts = [line.rstrip("\r\n") for line in block]
    line = texts[0]
    for text in texts[1:]:
        rest = text.lstrip(" \t")
        line = line.rstrip(" \t") + " " + rest if line.strip() and rest else line + rest
    return line + block[-1][len(texts[-1]) :]


def _ended(block: list[str], lines: list[str]) -> list[str]:
    """The same lines, the last one with a line end."""
    if block and not block[-1].endswith(("\n", "\r")):
        return [*block[:-1], block[-1] + _line_end(lines)]
    return block


def _line_end(lines: list[str]) -> str:
    first = lines[0]
    return first[len(first.rstrip("\r\n")) :] or "\n"
