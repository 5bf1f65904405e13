"""How a profiler's CSV file is written: encoding, delimiter and what its header says.

The same table comes as UTF-8 with or without a byte order mark, as GBK or UTF-16 from a
spreadsheet, and with commas, semicolons or TABs between its cells.
"""

from __future__ import annotations

import codecs
import csv
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_MARKS: Final = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_HEAD: Final = 1 << 16
_UNIT: Final = re.compile(r"\s*[(\[（]\s*([^)\]）]*)\s*[)\]）]\s*$")


@dataclass(frozen=True, slots=True)
class Heading:
    """One column of the header: its name without unit, in small letters, and the unit."""

    text: str
    name: str
    unit: str


@dataclass(frozen=True, slots=True)
class Dialect:
    """How to read one file."""

    encoding: str
    delimiter: str
    headings: tuple[Heading, ...]

    def columns(self, aliases: Mapping[str, tuple[str, ...]]) -> dict[str, int]:
        """The number of each column that the header has under one of its names."""
        names = [heading.name for heading in self.headings]
        return {
            column: names.index(known)
            for column, alternatives in aliases.items()
            for known in [next((name for name in alternatives if name in names), "")]
            if known
        }


def sniff(path: Path) -> Dialect:
    """Recognise the dialect of a file from its first 64 KB."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
    encoding = next((name for mark, name in _MARKS.items() if head.startswith(mark)), "")
    if not encoding:
        encoding = "utf-8" if _is_utf8(head) else "gb18030"
    text = codecs.getincrementaldecoder(encoding)("replace").decode(head)
    line = text.splitlines()[0] if text else ""
    delimiter = max(",;\t", key=line.count)
    cells = next(csv.reader([line], delimiter=delimiter), [])
    return Dialect(encoding, delimiter, tuple(map(_heading, cells)))


def _is_utf8(head: bytes) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")("strict").decode(head)
    except UnicodeDecodeError:
        return False
    return True


def _heading(cell: str) -> Heading:
    text = cell.strip().strip("\ufeff")
    match = _UNIT.search(text)
    name = text[: match.start()] if match else text
    words = " ".join(name.replace("_", " ").split()).casefold()
    return Heading(text, words, match.group(1).strip() if match else "")
