"""Places in source files that a line of output names."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# A name begins where no sign of a name stands before it, so that a long word is looked at once.
_FILE = (
    r"(?<![\w./\\~+@=-])(?P<file>(?:[A-Za-z]:[\\/])?"
    r"(?:[\w./\\~+@=-]*[\w+-]\.[A-Za-z]\w*|(?:[\w.+-]+/)*(?:GNU)?[Mm]akefile|(?:[\w.+-]+/)*Dockerfile))"
)
_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        # Python, and others that quote names
        r'File "(?P<file>[^"\n<>]+)", line (?P<line>\d+)',
        r'"(?P<file>[^"\n<>]+\.[A-Za-z]\w*)"(?:, line |:)(?P<line>\d+)(?::(?P<column>\d+))?',
        # GCC, pytest, torch, logs
        _FILE + r":(?P<line>\d+)(?::(?P<column>\d+))?",
        # Microsoft's compiler, TypeScript
        _FILE + r"\((?P<line>\d+)(?:,(?P<column>\d+))?\) ?:",
        # shells and Perl
        _FILE + r"(?:: line | line )(?P<line>\d+)\b",
    )
)
_WORDS_BEFORE = 12
_LONGEST = 1000
_LARGEST_LINE = 10**9


@dataclass(frozen=True, slots=True)
class Link:
    """`[start, end)` of the line names a place in a file; lines and columns count from 1.

    `before` is what the line says before the name: a name with spaces begins there.
    """

    start: int
    end: int
    file: str
    line: int
    column: int | None = None
    before: str = ""


def links_in(text: str) -> Iterator[Link]:
    """Every place named in a line, as interpreters, compilers and test programs write them."""
    taken: list[tuple[int, int]] = []
    for pattern in _PATTERNS:
        for found in pattern.finditer(text):
            start, end = found.span()
            if any(start < right and left < end for left, right in taken):
                continue
            column, line = found.groupdict().get("column"), int(found["line"][:10])
            if found["file"].startswith("//") or not 0 < line < _LARGEST_LINE:
                continue  # the rest of an address, or no line
            taken.append((start, end))
            at = found.start("file")
            before = text[max(at - _LONGEST, 0) : at]
            shown = int(column[:10]) if column else None
            yield Link(start, end, found["file"], line, shown, before)


def file_of(link: Link, folders: Sequence[Path]) -> Path | None:
    """The file that a link means: as it is, or below one of the folders.

    The longest name that there is wins, so that "my run/train.py" is not taken for "run/train.py".
    """
    for name in _names(link):
        name = os.path.expanduser(name)
        for folder in folders:
            path = Path(os.path.normpath(folder / name))
            try:
                if path.is_file():
                    return path
            except (OSError, ValueError):  # too long, or with signs that no name has
                continue
    return None


def _names(link: Link) -> list[str]:
    """The name with the words before it, the longest first, then without what is no part of it."""
    words = re.split(r"(?<=[ \t(\[{'\"<>|])", link.before)[-_WORDS_BEFORE:]
    longer = ["".join(words[at:]) for at in range(len(words))]
    names = [before.lstrip() + link.file for before in longer if before.strip()]
    shorter = [link.file[at + 1 :] for at, sign in enumerate(link.file) if sign in "=@"]
    return list(dict.fromkeys([*names, link.file, *shorter]))
