"""The parts of a text that have names: classes, functions, headings, keys."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plugins.editor.core import marking, pythonic
from studio.model.document import unreadable
from studio.model.encoding import decode
from studio.model.locations import Location

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

_LARGEST = 4_000_000
MOST = 20_000
"""A text has no more symbols than this; an outline of more helps nobody."""

Found = tuple[str, str, int, int, int]
"""Name, kind, line, depth, and last line (0: up to the next one of that depth)."""

_READERS: dict[str, Callable[[str], list[Found]]] = {
    ".py": pythonic.of_python,
    ".pyi": pythonic.of_python,
    ".md": marking.of_markdown,
    ".markdown": marking.of_markdown,
    ".sh": marking.of_shell,
    ".yaml": marking.of_yaml,
    ".yml": marking.of_yaml,
    ".toml": marking.of_toml,
    ".json": marking.of_json,
}


@dataclass(frozen=True, slots=True)
class Symbol:
    """A named part; `within` names what it stands in, lines count from 1 and include `end`."""

    name: str
    kind: str
    line: int
    within: str = ""
    depth: int = 0
    end: int = 0

    @property
    def title(self) -> str:
        """The full name."""
        return f"{self.within}.{self.name}" if self.within else self.name


def symbols_of(text: str, ending: str) -> list[Symbol]:
    """The symbols of a text, by the ending of its file, in their order."""
    reader = _READERS.get(ending.lower())
    if reader is None or len(text) > _LARGEST:
        return []
    found = reader(text)[:MOST]
    lines = text.count("\n") + 1
    ends: list[int] = [0] * len(found)
    following: list[tuple[int, int]] = []  # depth and line of what comes later, nearest last
    for n in range(len(found) - 1, -1, -1):
        _, _, line, depth, end = found[n]
        while following and following[-1][0] > depth:
            following.pop()
        ends[n] = end or (following[-1][1] - 1 if following else lines)
        following.append((depth, line))
    symbols: list[Symbol] = []
    above: list[Symbol] = []
    for (name, kind, line, depth, _), end in zip(found, ends, strict=True):
        while above and above[-1].depth >= depth:
            above.pop()
        within = ".".join(symbol.name for symbol in above)
        symbol = Symbol(name, kind, line, within, depth, max(end, line))
        symbols.append(symbol)
        above.append(symbol)
    return symbols


def around(symbols: Sequence[Symbol], line: int) -> list[Symbol]:
    """The symbols that a line stands in, outermost first."""
    last = bisect_right(symbols, line, key=lambda symbol: symbol.line) - 1
    found: list[Symbol] = []
    depth = None
    for n in range(last, -1, -1):
        symbol = symbols[n]
        if (depth is None or symbol.depth < depth) and symbol.line <= line <= symbol.end:
            found.append(symbol)
            depth = symbol.depth
            if not depth:
                break
    return found[::-1]


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
