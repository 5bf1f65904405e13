"""Kernels that walk over JSON strings and judge them as strictly as the portable reader.

A kernel that returns a place returns it negated when the text there is no JSON; the caller tells by
the place whether the text is wrong or only not all there yet (the buffer ends in zeros).
"""

from __future__ import annotations

from studio.formats.jit import inlined, inner
from studio.formats.scan.bits import BLOCK, byte, first, string_stops, unequal, unplain

_QUOTE, _BACKSLASH = ord('"'), ord("\\")
_U = ord("u")
_ESCAPED = tuple(b'"\\/bfnrt')


@inlined
def end_of_string(p: int) -> int:
    """The closing quote of the string whose text starts at `p`."""
    while True:
        stops = string_stops(p)
        if stops == 0:
            p += BLOCK
            continue
        p += first(stops)
        found = byte(p)
        if found == _QUOTE:
            return p
        if found != _BACKSLASH:
            return -p
        p = end_of_escape(p)
        if p < 0:
            return p


@inner
def end_of_escape(p: int) -> int:
    """The end of an escape sequence; surrogates must come in pairs."""
    mark = byte(p + 1)
    if mark == _U:
        unit = code_unit(p + 2)
        if unit < 0:
            return unit
        p += 6
        if unit & 0xF800 != 0xD800:
            return p
        if unit >= 0xDC00:
            return 1 - p
        for place in range(2):
            if byte(p + place) != (_BACKSLASH, _U)[place]:
                return -(p + place)
        unit = code_unit(p + 2)
        if unit < 0:
            return unit
        return p + 6 if unit & 0xFC00 == 0xDC00 else -(p + 5)
    return p + 2 if mark in _ESCAPED else -(p + 1)


@inner
def code_unit(p: int) -> int:
    """The value of four hexadecimal digits."""
    value = 0
    for place in range(p, p + 4):
        digit = byte(place)
        if 0x30 <= digit <= 0x39:
            digit -= 0x30
        elif 0x41 <= digit <= 0x46 or 0x61 <= digit <= 0x66:
            digit = (digit & 0x5F) - 0x37
        else:
            return -place
        value = value * 16 + digit
    return value


@inner
def is_plain(p: int, size: int) -> bool:
    """Whether a text is ASCII without escapes."""
    while size > 0:
        odd = unplain(p)
        if odd != 0 and first(odd) < size:
            return False
        p += BLOCK
        size -= BLOCK
    return True


@inner
def is_utf8(p: int, end: int) -> bool:
    """Whether a text is valid UTF-8: no stray or missing bytes, no surrogates, nothing overlong."""
    while p < end:
        lead = byte(p)
        if lead < 0x80:
            p += 1
            continue
        if lead < 0xC2 or lead > 0xF4:
            return False
        more = 1 if lead < 0xE0 else 2 if lead < 0xF0 else 3
        if p + more >= end:
            return False
        second = byte(p + 1)
        lowest = 0xA0 if lead == 0xE0 else 0x90 if lead == 0xF0 else 0x80
        highest = 0x9F if lead == 0xED else 0x8F if lead == 0xF4 else 0xBF
        if not lowest <= second <= highest:
            return False
        for place in range(p + 1, p + 1 + more):
            if byte(place) & 0xC0 != 0x80:
                return False
        p += 1 + more
    return True


@inlined
def same_bytes(p: int, q: int, size: int) -> bool:
    """Whether two texts are the same; up to `BLOCK` bytes from each on may be read."""
    while size > BLOCK:
        if unequal(p, q) != 0:
            return False
        p += BLOCK
        q += BLOCK
        size -= BLOCK
    return size == 0 or unequal(p, q) << (64 - size) == 0
