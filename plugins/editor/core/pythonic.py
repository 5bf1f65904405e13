"""The classes and functions of a Python text, also of one that is half written."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

Found = tuple[str, str, int, int, int]

_HALF_WRITTEN = re.compile(r"^([ \t]*)(?:async[ \t]+)?(class|def)[ \t]+(\w+)", re.MULTILINE)


def of_python(text: str) -> list[Found]:
    """Name, kind, line, depth and last line of each class, function and method."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return list(_of_half_written(text))
    return list(_walk(tree.body, 0, in_class=False))


def _walk(body: list[ast.stmt], depth: int, *, in_class: bool) -> Iterator[Found]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield node.name, "class", node.lineno, depth, node.end_lineno or node.lineno
            yield from _walk(node.body, depth + 1, in_class=True)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            kind = "method" if in_class else "function"
            yield node.name, kind, node.lineno, depth, node.end_lineno or node.lineno
            yield from _walk(node.body, depth + 1, in_class=False)
        else:
            for field in ("body", "orelse", "finalbody"):
                inner = getattr(node, field, None)
                if isinstance(inner, list):
                    yield from _walk(inner, depth, in_class=in_class)


def _of_half_written(text: str) -> Iterator[Found]:
    above: list[tuple[int, str]] = []
    line, at = 1, 0
    for found in _HALF_WRITTEN.finditer(text):
        line += text.count("\n", at, found.start())
        at = found.start()
        indent = len(found[1].expandtabs())
        while above and above[-1][0] >= indent:
            above.pop()
        in_class = bool(above) and above[-1][1] == "class"
        kind = "class" if found[2] == "class" else ("method" if in_class else "function")
        yield found[3], kind, line, len(above), 0
        above.append((indent, found[2]))
