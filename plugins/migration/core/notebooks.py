"""Notebooks: the code of their cells is analysed as one program; all else keeps its bytes."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from plugins.migration.core.model import Analysis, Change, Hit, ScanContext, Use
from plugins.migration.core.parsing import Fault, parses

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugins.migration.core.model import Site, Span, Strategy

_BLANK = re.compile(r"[ \t\r\n]*")
_CHARACTER = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\]",
    re.DOTALL,
)
_MAGIC = re.compile(r"^[ \t]*[%!?]|^.*\?[ \t]*$")
_COUNTED = re.compile(r"[^\r\n]")


@dataclass(frozen=True, slots=True)
class Text:
    """A string of the notebook: its value and where its characters stand between the quotes."""

    value: str
    start: int
    end: int


class _Broken(ValueError):
    """The text is no notebook."""


def analyse(text: str, context: ScanContext) -> Analysis:
    """Analyse a notebook; changes are proposed in the notation of its file."""
    from plugins.migration.core import python, shell

    try:
        cells = list(_code_cells(text))
    except (_Broken, IndexError, ValueError, RecursionError):
        return Analysis("skipped", fault=Fault("The file is no valid notebook."))
    if not cells:
        return Analysis("clean", lines=text.count("\n"))
    code = "\n".join("".join(part.value for part in cell) for cell in cells)
    program = "\n".join(_program(cell) for cell in cells)
    analysis = python.analyse(program, context)
    others = shell.analyse(_only_blanked(code, program), context)
    places = _Places(text, cells)
    found = _moved(analysis, others, places)
    if analysis.twin is None:
        return found
    strategy: Strategy = "shim" if context.strategy == "rewrite" else "rewrite"
    others = shell.analyse(_only_blanked(code, program), replace(context, strategy=strategy))
    return replace(found, twin=_moved(analysis.twin, others, places))


def _moved(analysis: Analysis, others: Analysis, places: _Places) -> Analysis:
    """The analyses of the program and of the shell commands as one of the notebook."""
    hits = sorted((*analysis.hits, *others.hits), key=lambda hit: (hit.start, hit.end))
    return replace(
        analysis,
        status=analysis.status if others.status == "clean" else others.status,
        hits=tuple(map(places.moved, hits)),
        unverified=tuple(map(places.used, analysis.unverified)),
        sites={name: tuple(map(places.site, sites)) for name, sites in analysis.sites.items()},
        left=tuple(places.span(*span) for span in analysis.left),
        twin=None,
    )


def _program(cell: list[Text]) -> str:
    """The code of a cell with magic lines, or a cell that is no Python as a whole, blanked out."""
    code = "".join(part.value for part in cell)
    lines = code.split("\n")
    if lines and lines[0].startswith("%%") and not lines[0].startswith(("%%time", "%%capture")):
        return _blanked(code)
    kept, goes_on = [], False
    for line in lines:
        magic = goes_on or _MAGIC.match(line) is not None
        kept.append(_blanked(line) if magic else line)
        goes_on = magic and line.rstrip("\r").endswith("\\")
    program = "\n".join(kept)
    return program if parses(program) else _blanked(code)


def _blanked(code: str) -> str:
    return _COUNTED.sub("#", code)


def _only_blanked(code: str, program: str) -> str:
    """What was blanked out of the code (shell commands, magics), at the same offsets."""
    pairs = zip(code, program, strict=True)
    kept = (
        old if old in "\r\n" or (new == "#" and old not in "#!%") else " " for old, new in pairs
    )
    return "".join(kept)


class _Places:
    """Maps offsets of the joined program to offsets of the notebook's text."""

    def __init__(self, text: str, cells: list[list[Text]]) -> None:
        self._text = text
        self._offsets: list[int] = []
        self._first: dict[int, Text] = {}
        self._cell_end: dict[int, int] = {}
        end = 0
        for number, cell in enumerate(cells):
            if number:
                self._cell_end[len(self._offsets) + 1] = end
                self._offsets.append(end)
            for part in cell:
                self._first[len(self._offsets)] = part
                characters = _CHARACTER.finditer(text, part.start, part.end)
                self._offsets.extend(match.start() for match in characters)
                end = part.end
        self._offsets.append(end)

    def moved(self, hit: Hit) -> Hit:
        """A hit of the program as one of the notebook."""
        changes = tuple(map(self._change, hit.changes))
        return replace(
            hit, start=self._offsets[hit.start], end=self._end(hit.start, hit.end), changes=changes
        )

    def used(self, use: Use) -> Use:
        """A use in the program as one in the notebook."""
        start, end = self.span(use.start, use.end)
        return replace(use, start=start, end=end)

    def site(self, site: Site) -> Site:
        """A use of an API in the program as one in the notebook."""
        start, end = self.span(site.start, site.end)
        return site._replace(start=start, end=end)

    def span(self, start: int, end: int) -> Span:
        """A part of the program in the notebook."""
        return self._offsets[start], self._end(start, end)

    def _change(self, change: Change) -> Change:
        written = json.dumps(change.text, ensure_ascii=False)
        if change.start == change.end and change.text.endswith("\n"):
            return self._new_line(change, written)
        start = self._offsets[change.start]
        return Change(start, self._end(change.start, change.end), written[1:-1])

    def _new_line(self, change: Change, written: str) -> Change:
        """A line of its own: an element of the list of lines, or part of the one string."""
        if change.start in self._cell_end:
            place = self._cell_end[change.start]
            return Change(place, place, "\\n" + written[1:-1].removesuffix("\\n"))
        part = self._first.get(change.start)
        before = None if part is None else self._text.rfind('"', 0, part.start - 1)
        separator = (
            "" if part is None or before is None else self._text[before + 1 : part.start - 1]
        )
        if part is not None and separator.strip() == ",":
            return Change(part.start - 1, part.start - 1, written + separator)
        place = self._offsets[change.start]
        return Change(place, place, written[1:-1])

    def _end(self, start: int, end: int) -> int:
        if end == start:
            return self._offsets[end]
        last = self._offsets[end - 1]
        match = _CHARACTER.match(self._text, last)
        return match.end() if match else last + 1


def _code_cells(text: str) -> Iterator[list[Text]]:
    """The sources of the code cells, each as its list of strings."""
    start = _BLANK.match(text)
    position = start.end() if start else 0
    for key, place in _members(text, position):
        if key == "cells" and text[place] == "[":
            for cell in _elements(text, place):
                fields = dict(_members(text, cell))
                kind = fields.get("cell_type")
                source = fields.get("source")
                if kind is None or source is None or text[kind : kind + 6] != '"code"':
                    continue
                places = [source] if text[source] == '"' else list(_elements(text, source))
                parts = [_string(text, one) for one in places]
                if parts:
                    yield parts


def _members(text: str, position: int) -> Iterator[tuple[str, int]]:
    """The keys of an object and where their values begin."""
    if text[position] != "{":
        raise _Broken
    position = _skip(text, position + 1)
    while text[position] != "}":
        key, position = _read(text, position)
        position = _skip(text, position)
        if text[position] != ":":
            raise _Broken
        position = _skip(text, position + 1)
        yield key, position
        position = _next(text, _value_end(text, position))


def _elements(text: str, position: int) -> Iterator[int]:
    """Where the elements of a list begin."""
    position = _skip(text, position + 1)
    while text[position] != "]":
        yield position
        position = _next(text, _value_end(text, position))


def _value_end(text: str, position: int) -> int:
    return json.JSONDecoder().raw_decode(text, position)[1]


def _next(text: str, position: int) -> int:
    position = _skip(text, position)
    return _skip(text, position + 1) if text[position] == "," else position


def _skip(text: str, position: int) -> int:
    match = _BLANK.match(text, position)
    return match.end() if match else position


def _string(text: str, position: int) -> Text:
    value, end = _read(text, position)
    return Text(value, position + 1, end - 1)


def _read(text: str, position: int) -> tuple[str, int]:
    value, end = json.JSONDecoder().raw_decode(text, position)
    if not isinstance(value, str):
        raise _Broken
    return value, end
