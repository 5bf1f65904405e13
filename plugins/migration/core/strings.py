"""String literals as they stand in the source: where their text is, and the parts of f-strings.

The parser of Python 3.11 does not say where the parts of an f-string stand; this module finds them
by reading the literal, in a way that also holds for the nested quotes of newer versions.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugins.migration.core.parsing import parse_expression

if TYPE_CHECKING:
    from plugins.migration.core.positions import Positions

_OPENING = re.compile(r"([A-Za-z]{0,2})('''|\"\"\"|'|\")")
_BETWEEN = re.compile(r"(?:\s|\\\r?\n|#[^\r\n]*)*")
_BRACKETS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of an f-string: literal text, or an expression (without its braces)."""

    literal: bool
    start: int
    end: int


class BrokenStringError(ValueError):
    """The literal could not be followed; nothing is known about its parts."""


def body(text: str, start: int, end: int, value: str) -> tuple[int, int] | None:
    """The span of a literal's text, if it is one plain literal without escapes, else None."""
    match = _OPENING.match(text, start, end)
    if match is None:
        return None
    first, last = match.end(), end - len(match[2])
    return (first, last) if text[first:last] == value else None


def pieces(text: str, start: int, end: int) -> list[Piece]:
    """The parts of an f-string (or of several literals side by side) in order."""
    found: list[Piece] = []
    position = start
    while position < end:
        match = _OPENING.match(text, position, end)
        if match is None:
            raise BrokenStringError
        position = _literal(text, match, end, found)
        between = _BETWEEN.match(text, position, end)
        position = between.end() if between else position
    return found


def place_parts(node: ast.JoinedStr, text: str, positions: Positions) -> None:
    """Give the expressions inside an f-string their true positions."""
    start = positions.offset(node.lineno, node.col_offset)
    end = positions.offset(node.end_lineno or node.lineno, node.end_col_offset or 0)
    try:
        spans = [piece for piece in pieces(text, start, end) if not piece.literal]
    except (BrokenStringError, IndexError):
        return
    fields = _fields(node)
    if len(spans) == len(fields):
        for piece, place in zip(spans, fields, strict=True):
            _replace(place, piece, text, positions)


def _fields(node: ast.JoinedStr) -> list[ast.FormattedValue]:
    """The formatted values in the order of the source, those of format specifications included."""
    found = []
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            found.append(part)
            if isinstance(part.format_spec, ast.JoinedStr):
                found.extend(_fields(part.format_spec))
    return found


def _replace(field: ast.FormattedValue, piece: Piece, text: str, positions: Positions) -> None:
    tree = parse_expression(text[piece.start : piece.end])
    if tree is None:
        return
    line, column = positions.parser_position(piece.start)
    for child in ast.walk(tree):
        if isinstance(child, ast.expr | ast.keyword | ast.arg):
            child.lineno, child.col_offset = _moved(child.lineno, child.col_offset, line, column)
            child.end_lineno, child.end_col_offset = _moved(
                child.end_lineno or 1, child.end_col_offset or 0, line, column
            )
    field.value = tree


def _moved(line: int, column: int, base_line: int, base_column: int) -> tuple[int, int]:
    """A position in `(source)` as a position in the file; the bracket before takes one column."""
    return base_line + line - 1, column + base_column - 1 if line == 1 else column


def _literal(text: str, match: re.Match[str], end: int, found: list[Piece] | None) -> int:
    """Read one string literal, note its pieces, return the offset behind it."""
    prefix, quote = match[1].lower(), match[2]
    position = first = match.end()
    while position < end:
        if text.startswith(quote, position):
            _note(found, True, first, position)
            return position + len(quote)
        character = text[position]
        if character == "\\" and not ("f" in prefix and text[position + 1] in "{}"):
            named = "r" not in prefix and text.startswith("\\N{", position)
            position = text.index("}", position) + 1 if named else position + 2
        elif "f" in prefix and character in "{}":
            if text[position + 1] == character:
                position += 2
                continue
            _note(found, True, first, position)
            position = first = _field(text, position + 1, end, found)
        else:
            position += 1
    raise BrokenStringError


def _field(text: str, start: int, end: int, found: list[Piece] | None) -> int:
    """Read a replacement field behind its brace; return the offset behind its closing brace."""
    position = _expression_end(text, start, end)
    last = position
    before = text[start:position].rstrip()
    if before.endswith("=") and not before.endswith(("==", "!=", "<=", ">=")):
        last = start + len(before) - 1
    _note(found, False, start, last)
    if text[position] == "!":
        position += 2
        while text[position].isspace():
            position += 1
    if text[position] == ":":
        position += 1
        while text[position] != "}":
            nested = text[position] == "{"
            position = _field(text, position + 1, end, found) if nested else position + 1
            if position >= end:
                raise BrokenStringError
    if text[position] != "}":
        raise BrokenStringError
    return position + 1


def _expression_end(text: str, position: int, end: int) -> int:
    """The offset of what ends an expression in a replacement field: `!`, `:` or the brace."""
    depth = 0
    while position < end:
        character = text[position]
        match = _OPENING.match(text, position, end)
        if match is not None and not (position and text[position - 1].isalnum()):
            position = _literal(text, match, end, None)
            continue
        if depth == 0 and (character in ":}" or (character == "!" and text[position + 1] != "=")):
            return position
        depth += _BRACKETS.get(character, 0)
        position += 1
    raise BrokenStringError


def _note(found: list[Piece] | None, literal: bool, start: int, end: int) -> None:
    if found is not None and (end > start or not literal):
        found.append(Piece(literal, start, end))
