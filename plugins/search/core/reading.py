"""Reading a file for a search: its bytes at once, its text only where a query may occur in it."""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING

from plugins.search.core.matches import over_lines
from plugins.search.core.required import Required, required_by
from studio.model.encoding import declared_encoding, decode

if TYPE_CHECKING:
    from studio.model.textsearch import Query

PROBE = 8192
"""As many bytes tell whether a file is text."""

_MARKS = (b"\xff\xfe", b"\xfe\xff")
_BINARY = getattr(os, "O_BINARY", 0)
_ALL_AT_ONCE = 1 << 16

_FOLDED = frozenset("iksIKS")
_FOLDED_ONTO = tuple(character.encode() for character in "\u0130\u0131\u017f\u212a")
"""The letters of ASCII that others equal when case does not count, and those others in UTF-8."""


def read_bytes(place: str, largest: int) -> bytes | None:
    """The bytes of a text file; None for what is no text or no file.

    Raises OSError when it cannot be read or has more bytes than `largest`.
    """
    facts = os.stat(place)
    if facts.st_size > largest:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), place)
    if not stat.S_ISREG(facts.st_mode):
        return None
    file = os.open(place, os.O_RDONLY | _BINARY)
    try:
        if facts.st_size > _ALL_AT_ONCE:
            if is_binary(os.read(file, PROBE)):
                return None
            os.lseek(file, 0, os.SEEK_SET)
        data = os.read(file, facts.st_size + 1)
        if len(data) != facts.st_size:
            data = _rest(file, data)
    finally:
        os.close(file)
    return None if is_binary(data) else data


def is_binary(data: bytes) -> bool:
    """Whether bytes are no text: a zero byte near the start, and no mark of UTF-16 before it."""
    return data.find(b"\0", 0, PROBE) >= 0 and not data.startswith(_MARKS)


def text_with(query: Query, data: bytes) -> str | bytes | None:
    """The text of a file in which the query may occur; None when it surely does not.

    Nearly all files do not, and are told from their bytes alone. A text of ASCII stays bytes where
    the query can be found in these.
    """
    if b"\0" in data or b"\x1b" in data:  # UTF-16, or escape sequences that stand for others
        return decode(data).text
    plain = data.isascii()
    declared = declared_encoding(data)
    known = declared in ("", "utf-8")
    required = required_by(query.text) if query.regex else Required((query.text,))
    if plain and known and _found_in_bytes(query, required, data):
        return data
    if not all(_may_occur(wanted, query, data, plain) for wanted in required.texts):
        return None
    if not known:
        return decode(data).text
    if plain:
        return data.decode("ascii")
    try:
        return data.removeprefix(b"\xef\xbb\xbf").decode()
    except UnicodeDecodeError:
        return decode(data).text


def _may_occur(wanted: str, query: Query, data: bytes, plain: bool) -> bool:
    """Whether a text may occur in bytes of an encoding in which ASCII characters are themselves."""
    sought = wanted.encode(errors="surrogatepass")
    if query.case and (plain or sought.isascii()):
        return sought in data
    if plain or (sought.isascii() and not _others_fold(wanted, data)):
        return sought.lower() in data.lower()
    return True


def _others_fold(wanted: str, data: bytes) -> bool:
    """Whether letters beyond ASCII may equal one of the text when case does not count."""
    if _FOLDED.isdisjoint(wanted):
        return False
    try:
        data.decode()
    except UnicodeDecodeError:
        return True
    return any(letter in data for letter in _FOLDED_ONTO)


def _found_in_bytes(query: Query, required: Required, data: bytes) -> bool:
    if not query.regex:
        return query.text.isascii()
    longest = len(required.longest)
    begins = query.case and not query.whole_word and len(required.first) == longest
    if begins or longest < 3 or not required.in_line or over_lines(query):
        return False
    return b"\r" not in data


def _rest(file: int, data: bytes) -> bytes:
    """All bytes of a file that gave fewer or more than it was said to have."""
    parts = [data]
    while part := os.read(file, 1 << 20):
        parts.append(part)
    return b"".join(parts)
