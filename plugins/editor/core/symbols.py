"""The parts of a text that have names: classes, functions, headings, keys."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from studio.model.document import unreadable
from studio.model.encoding import decode
from studio.model.locations import Location

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_LARGEST = 4_000_000
_HALF_WRITTEN = re.compile(r"^([ \t]*)(?:async[ \t]+)?(class|def)[ \t]+(\w+)", re.MULTILINE)
_OTHERS = {
    ".md": re.compile(r"^(#{1,6})[ \t]+(.+?)[ \t#]*$", re.MULTILINE),
    ".sh": re.compile(r"^()(?:function[ \t]+)?([\w-]+)[ \t]*\(\)", re.MULTILINE),
    ".yaml": re.compile(r"^()([\w.-]+):", re.MULTILINE),
    ".yml": re.compile(r"^()([\w.-]+):", re.MULTILINE),
    ".toml": re.compile(r"^()\[+([^\]\n]+)\]+", re.MULTILINE),
}


@dataclass(frozen=True, slots=True)
class Symbol:
    """A named part; `within` names what it stands in, `line` counts from 1."""

    name: str
    kind: str
    line: int
    within: str = ""

    @property
    def title(self) -> str:
        """The full name."""
        return f"{self.within}.{self.name}" if self.within else self.name


def symbols_of(text: str, ending: str) -> list[Symbol]:
    """The symbols of a text, by the ending of its file, in their order."""
    if ending in (".py", ".pyi"):
        return _of_python(text)
    pattern = _OTHERS.get(ending)
    if pattern is None:
        return []
    return [
        Symbol(found[2], "heading", text.count("\n", 0, found.start()) + 1)
        for found in pattern.finditer(text)
    ]


def find_symbols(query: str, studio: Any, path: Path | None) -> list[tuple[str, str, Location]]:  # noqa: ANN401 - the facade is a layer above
    """The symbols of the file in front that fit what is typed after "@"."""
    if path is None or not path.is_file() or path.stat().st_size > _LARGEST:
        return []
    project = studio.project
    document = project.documents.get(path) if project is not None else None
    if document is not None:
        text = document.text
    else:
        try:
            text = decode(path.read_bytes()).text
        except OSError as error:
            raise unreadable(path, error) from error
    words = query.casefold().split()
    return [
        (symbol.title, f"{symbol.kind} · {symbol.line}", Location.source(path, symbol.line))
        for symbol in symbols_of(text, path.suffix)
        if all(word in symbol.title.casefold() for word in words)
    ]


def _of_python(text: str) -> list[Symbol]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return list(_of_half_written(text))
    return list(_walk(tree.body, "", in_class=False))


def _walk(body: list[ast.stmt], within: str, *, in_class: bool) -> Iterator[Symbol]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield Symbol(node.name, "class", node.lineno, within)
            yield from _walk(node.body, _below(within, node.name), in_class=True)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield Symbol(node.name, "method" if in_class else "function", node.lineno, within)
            yield from _walk(node.body, _below(within, node.name), in_class=False)
        else:
            for field in ("body", "orelse", "finalbody"):
                inner = getattr(node, field, None)
                if isinstance(inner, list):
                    yield from _walk(inner, within, in_class=in_class)


def _of_half_written(text: str) -> Iterator[Symbol]:
    above: list[tuple[int, str, str]] = []
    for found in _HALF_WRITTEN.finditer(text):
        depth = len(found[1].expandtabs())
        while above and above[-1][0] >= depth:
            above.pop()
        within = ".".join(name for _, name, _ in above)
        in_class = bool(above) and above[-1][2] == "class"
        kind = "class" if found[2] == "class" else ("method" if in_class else "function")
        yield Symbol(found[3], kind, text.count("\n", 0, found.start()) + 1, within)
        above.append((depth, found[3], found[2]))


def _below(within: str, name: str) -> str:
    return f"{within}.{name}" if within else name
