"""Changes as one unified diff that git and patch apply byte for byte. No Qt."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from studio.model.changes import FileChange

_PLAIN = frozenset(range(0x20, 0x7F)) - {ord('"'), ord("\\")}
_ESCAPES = {9: b"\\t", 10: b"\\n", 13: b"\\r", 34: b'\\"', 92: b"\\\\"}


def unified_patch(root: Path, changes: Iterable[FileChange]) -> bytes:
    """The changes of files below `root`, as `git diff` writes them.

    Lines end at LF alone, as git sees them, and every file keeps its encoding. The left side is
    what is on disk, so that work not yet saved becomes a part of the patch.
    """
    parts: list[bytes] = []
    for change in sorted(changes, key=lambda change: change.path):
        name = change.path.relative_to(root).as_posix().encode("utf-8", "surrogateescape")
        before = change.path.read_bytes() if change.path.is_file() else change.bytes_before()
        parts += file_patch(name, before, change.bytes_after())
    return b"".join(parts)


def file_patch(name: bytes, before: bytes, after: bytes) -> Iterator[bytes]:
    """The lines of the patch of one file; none when nothing differs."""
    if before == after:
        return
    old, new = quoted(b"a/" + name), quoted(b"b/" + name)
    tab = b"\t" if b" " in name else b""
    yield b"diff --git %b %b\n--- %b%b\n+++ %b%b\n" % (old, new, old, tab, new, tab)
    left, right = _lines(before), _lines(after)
    for group in difflib.SequenceMatcher(None, left, right, False).get_grouped_opcodes(3):
        first, last = group[0], group[-1]
        yield b"@@ -%b +%b @@\n" % (_span(first[1], last[2]), _span(first[3], last[4]))
        for tag, a, b, c, d in group:
            if tag == "equal":
                yield from _signed(b" ", left[a:b])
            else:
                yield from _signed(b"-", left[a:b])
                yield from _signed(b"+", right[c:d])


def quoted(name: bytes) -> bytes:
    """A name as git writes it: in quotes when it holds what is not plain."""
    if all(byte in _PLAIN for byte in name):
        return name
    plain = (_ESCAPES.get(b) or (bytes([b]) if b in _PLAIN else b"\\%03o" % b) for b in name)
    return b'"' + b"".join(plain) + b'"'


def _lines(data: bytes) -> list[bytes]:
    lines = data.split(b"\n")
    whole = [line + b"\n" for line in lines[:-1]]
    return [*whole, lines[-1]] if lines[-1] else whole


def _span(start: int, end: int) -> bytes:
    length = end - start
    if length == 1:
        return b"%d" % (start + 1)
    return b"%d,%d" % (start + 1 if length else start, length)


def _signed(sign: bytes, lines: Sequence[bytes]) -> Iterator[bytes]:
    for line in lines:
        yield sign + line
        if not line.endswith(b"\n"):
            yield b"\n\\ No newline at end of file\n"
