"""Places in source files that a line of output names."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_TRACEBACK = re.compile(r'File "(?P<file>[^"\n]+)", line (?P<line>\d+)')
_COMPILER = re.compile(
    r"(?P<file>(?:[A-Za-z]:[\\/])?[\w./\\~+@-]*[\w+-]\.[A-Za-z]\w*):(?P<line>\d+)(?::(?P<column>\d+))?"
)


@dataclass(frozen=True, slots=True)
class Link:
    """`[start, end)` of the line names a place in a file; lines and columns count from 1."""

    start: int
    end: int
    file: str
    line: int
    column: int | None = None


def links_in(text: str) -> Iterator[Link]:
    """Every place named in a line: as tracebacks of Python write it, or "file:line[:column]"."""
    taken: list[tuple[int, int]] = []
    for pattern in (_TRACEBACK, _COMPILER):
        for found in pattern.finditer(text):
            start, end = found.span()
            if any(start < right and left < end for left, right in taken):
                continue
            taken.append((start, end))
            column = found.groupdict().get("column")
            line = int(found["line"])
            if line:
                yield Link(start, end, found["file"], line, int(column) if column else None)


def file_of(link: Link, folders: Sequence[Path]) -> Path | None:
    """The file that a link means: as it is, or below one of the folders."""
    name = os.path.expanduser(link.file)
    for folder in folders:
        path = Path(os.path.normpath(folder / name))
        if path.is_file():
            return path
    return None
