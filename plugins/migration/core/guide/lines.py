"""Adding lines to a script, as deep and with the line ends that stand there."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from plugins.migration.core.guide import rules
from plugins.migration.core.guide.training import Refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugins.migration.core.guide.program import Program

Edit = tuple[int, int, str]


def indent_of(program: Program, node: ast.stmt) -> str:
    """The blanks before a statement; raises Refusal if something else stands before it."""
    positions = program.file.positions
    start = positions.starts[first_line(node) - 1]
    before = program.text[start : positions.offset(node.lineno, node.col_offset)]
    if first_line(node) < node.lineno:  # a decorator stands before it
        return before[: len(before) - len(before.lstrip())]
    if before.strip():
        raise Refusal(rules.SHARED_LINE, node)
    return before


def before(program: Program, node: ast.stmt, lines: Sequence[str]) -> Edit:
    """Add lines before a statement."""
    indent = indent_of(program, node)
    place = program.file.positions.starts[first_line(node) - 1]
    return place, place, "".join(f"{indent}{line}{line_end(program)}" for line in lines)


def after(program: Program, node: ast.stmt, lines: Sequence[str]) -> Edit:
    """Add lines behind a statement."""
    indent = indent_of(program, node)
    positions = program.file.positions
    last = node.end_lineno or node.lineno
    stop = positions.end_of_line(last)
    rest = program.text[program.file.span(node)[1] : stop].strip()
    if rest and not rest.startswith("#"):
        raise Refusal(rules.SHARED_LINE, node)
    text = "".join(f"{line_end(program)}{indent}{line}" for line in lines)
    return stop, stop, text


def guarded(program: Program, body: Sequence[ast.stmt], test: str) -> list[Edit] | None:
    """Put statements that follow each other under an `if`; None where that cannot be written."""
    try:
        indent = indent_of(program, body[0])
        for node in body:
            indent_of(program, node)
            after(program, node, ())
    except Refusal:
        return None
    unit = unit_of(program, indent)
    starts = program.file.positions.starts
    kept = _inside_strings(body)
    first = starts[body[0].lineno - 1]
    edits: list[Edit] = [(first, first, f"{indent}if {test}:{line_end(program)}")]
    for line in range(body[0].lineno, (body[-1].end_lineno or body[-1].lineno) + 1):
        if line not in kept and program.file.positions.line_text(line).strip():
            edits.append((starts[line - 1], starts[line - 1], unit))
    # The first line gets both: one edit keeps them in order.
    edits[0:2] = [(first, first, edits[0][2] + unit)]
    return edits


def line_end(program: Program) -> str:
    """How lines end in this script."""
    return program.file.positions.line_end(1) or "\n"


def first_line(node: ast.stmt) -> int:
    """The first line of a statement, its decorators included."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(one.lineno for one in decorators)])


def unit_of(program: Program, indent: str = "") -> str:
    """By how much the script indents, where something is indented already."""
    if "\t" in indent:
        return "\t"
    depths = [
        part.col_offset - node.col_offset
        for node in ast.walk(program.tree)
        if isinstance(node, ast.FunctionDef | ast.For | ast.If)
        for part in node.body[:1]
        if part.lineno > node.lineno
    ]
    return " " * (min(depths, default=4) or 4)


def _inside_strings(body: Sequence[ast.stmt]) -> set[int]:
    """The lines that begin inside a string, where blanks would become part of it."""
    found: set[int] = set()
    for statement in body:
        for node in ast.walk(statement):
            text = isinstance(node, ast.Constant) and isinstance(node.value, str)
            if isinstance(node, ast.expr) and (text or isinstance(node, ast.JoinedStr)):
                found.update(range(node.lineno + 1, (node.end_lineno or node.lineno) + 1))
    return found
