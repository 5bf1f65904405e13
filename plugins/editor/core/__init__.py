"""What the editor has to know of a file before it opens it. No Qt."""

from __future__ import annotations

import codecs
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studio.model.document import unreadable
from studio.model.encoding import decode

if TYPE_CHECKING:
    from pathlib import Path

ENCODINGS = (
    ("UTF-8", "utf-8", False),
    ("UTF-8 BOM", "utf-8", True),
    ("GB18030", "gb18030", False),
    ("GBK", "gbk", False),
    ("Big5", "big5", False),
    ("Shift-JIS", "shift_jis", False),
    ("UTF-16 LE BOM", "utf-16-le", True),
    ("UTF-16 BE BOM", "utf-16-be", True),
    ("Latin-1", "latin-1", False),
)
"""Encodings to choose from: title, name, byte order mark."""

LONG_LINE = 100_000
"""A line of more bytes stalls every editor widget; such a file is only shown, its lines broken."""

LARGE = 64_000_000
"""Of a larger file only the beginning is shown."""

_HEAD = 8_192
_BROKEN_AT = 1_000
_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF8)
_COOKIE = re.compile(r"^([ \t\f]*#.*?coding[:=][ \t]*)([-\w.]+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A file too much for an editor, made fit for one; it cannot be edited."""

    text: str
    size: int
    longest: int
    cut: bool


def is_text(path: Path) -> bool:
    """Whether a file looks like text, judged by its beginning."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return False
    return head.startswith(_MARKS) or b"\0" not in head


def excerpt(path: Path) -> Excerpt | None:
    """Read what can be shown of a file that is too much for an editor; None when it is not."""
    try:
        size = path.stat().st_size
        if size <= LONG_LINE:
            return None
        with path.open("rb") as file:
            data = file.read(LARGE)
    except OSError as error:
        raise unreadable(path, error) from error
    longest = max(map(len, data.replace(b"\r", b"\n").split(b"\n")))
    cut = size > LARGE
    if longest <= LONG_LINE and not cut:
        return None
    text = decode(data[: LARGE // 8] if cut else data).shown
    del data  # so that there are not too many copies of it at once
    return Excerpt(break_lines(text), size, longest, cut)


def break_lines(text: str, width: int = _BROKEN_AT) -> str:
    """Break lines longer than `width`, at a space or comma where there is one."""
    parts: list[str] = []
    for line in text.splitlines():
        at = 0
        while len(line) - at > width:
            half, end = at + width // 2, at + width
            cut = max(line.rfind(",", half, end), line.rfind(" ", half, end)) + 1 or end
            parts.append(line[at:cut])
            at = cut
        parts.append(line[at:] if at else line)
    return "\n".join(parts)


def unencodable(text: str, encoding: str) -> tuple[str, int] | None:
    """The first character that an encoding lacks, with its line; None when it has them all."""
    try:
        text.encode(encoding, "surrogatepass")
    except UnicodeEncodeError as error:
        before = text[: error.start]
        line = before.count("\n") + before.count("\r") - before.count("\r\n") + 1
        return text[error.start], line
    return None


def with_coding_line(text: str, encoding: str) -> str:
    """Name another encoding in the coding line (PEP 263) of a text, if it has one."""
    if not _COOKIE.search("\n".join(text[:2_000].split("\n", 2)[:2])):
        return text
    lines = text.split("\n", 2)
    for number, line in enumerate(lines[:2]):
        changed = _COOKIE.sub(lambda found: found[1] + encoding, line)
        if changed != line:
            lines[number] = changed
            break
    return "\n".join(lines)


def encoding_title(encoding: str, bom: bool) -> str:
    """How an encoding is called in the window."""
    for title, name, mark in ENCODINGS:
        if name.replace("_", "-") == encoding.replace("_", "-") and mark == bom:
            return title
    return encoding.upper() + (" BOM" if bom else "")


def is_unicode(encoding: str) -> bool:
    """Whether an encoding has every character."""
    return encoding.startswith("utf")


def same_file(one: Path, other: Path) -> bool:
    """Whether two names are the same file."""
    try:
        return os.path.samefile(one, other)
    except OSError:
        return one == other
