"""Packages that commands install: `pip install flash-attn` in scripts, images and workflows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from plugins.migration.core.requirements import CUDA_BUILD, named_by_place, report, told_apart
from plugins.migration.core.tables import packages

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugins.migration.core.lines import TextFile
    from plugins.migration.core.model import Span

_COMMAND = re.compile(
    r"(?<![\w-])(?:pip[\d.]*|uv|poetry|pdm|conda|mamba|micromamba)\s+(?:pip\s+)?"
    r"(?:-\S+\s+)*(?:install|add)\b"
)
_WORD = re.compile(r"""["']?([^\s"']+)["']?[^\s]*""")
_END = re.compile(r"&&|\|\||[;|)`]")
_NAME = re.compile(r"([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?(?:[<>=!~@;].*)?")
_PART = re.compile(r"""[^\s"']+""")
_BUILD = re.compile(r"[+/]cu\d+")
_WITH_VALUE = re.compile(
    r"-[rcifePtn]|--(?:requirement|constraint|index-url|extra-index-url|find-links|target|prefix"
    r"|editable|channel|name|python|root|src|platform|group|source)"
)


class Installs:
    """Tells the libraries that the lines of one file install, once each."""

    def __init__(self, file: TextFile) -> None:
        self._file = file
        self._told: set[str] = set()
        self._goes_on = False

    def check(self, start: int, row: str) -> None:
        """Judge the packages that a line installs; a backslash lets a command go on."""
        if self._goes_on and not row.strip() and self._file.text.startswith("#", start + len(row)):
            return  # a command of an image goes on behind a comment
        if "/cu" in row or "+cu" in row:
            self._check_builds(start, row)
        for place, word in self._words(row):
            name = named_by_place(word) if "/" in word or word.endswith(".whl") else _name(word)
            if name in packages() and name not in self._told:
                self._told.add(name)
                report(self._file, _moved(start, place, word), name)

    def _check_builds(self, start: int, row: str) -> None:
        """Tell the versions and indexes of packages that are built for CUDA."""
        for part in _PART.finditer(row):
            build = _BUILD.search(part[0])
            if build is not None and (build[0][0] == "+" or "/whl/" in part[0]):
                option = part[0].startswith("-") and part[0].find("=") + 1
                first, last = start + part.start() + option, start + part.end()
                old = self._file.text[first:last]
                self._file.hit(CUDA_BUILD, (first, last), "manual", old=old)

    def _words(self, row: str) -> Iterator[tuple[int, str]]:
        """What is to be installed, and where it stands in the line."""
        if not self._goes_on and "install" not in row and " add" not in row:
            return
        commands = list(_COMMAND.finditer(row))
        stops = [*(match.start() for match in commands), len(row)]
        spans = [(0, stops[0])] if self._goes_on else []
        spans += zip((match.end() for match in commands), stops[1:], strict=True)
        self._goes_on = False
        for start, stop in spans:
            match = _END.search(row, start, stop)
            end = match.start() if match else stop
            value = False
            for found in _WORD.finditer(row, start, end):
                word = found[1]
                if not (value or word.startswith(("-", "$")) or word == "\\"):
                    yield found.start(1), word
                value = _WITH_VALUE.fullmatch(word) is not None and word not in ("-e", "--editable")
            self._goes_on = match is None and row.rstrip().endswith("\\")


def _name(word: str) -> str:
    match = _NAME.fullmatch(word)
    return told_apart(match[1]) if match else ""


def _moved(start: int, place: int, word: str) -> Span:
    match = _NAME.fullmatch(word)
    size = len(match[1]) if match else len(word)
    return start + place, start + place + size
