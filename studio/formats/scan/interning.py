"""Numbers for texts in order of first appearance: hash tables whose texts stand in one array.

A key is one or more JSON values (a name; a process and a thread). It is kept as it stands in the
file, each value followed by a comma, so that all new ones can be decoded as one JSON list. Texts
are compared byte by byte: a table never takes two keys for one. A slot is the digest of a key and
its number; `board` tells what else a table has.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from studio.formats.jit import inlined, inner, kernel
from studio.formats.scan.bits import BLOCK, byte, long, mixed, put_byte, put_long, signed
from studio.formats.scan.board import (
    COUNT,
    LONG,
    MASK,
    PAIR,
    SLOTS,
    STARTS,
    TEXT,
    TEXT_ROOM,
    TEXT_USED,
)
from studio.formats.scan.strings import same_bytes

FULL: Final = -1
"""The table must grow first."""

SLACK: Final = BLOCK
"""Bytes at the end of the text array that are only there to be read."""

_U64 = np.uint64
_COMMA = ord(",")
_SPREAD = _U64(0x9E3779B97F4A7C15)
_DIGEST_BITS = 20


@inner
def number_of(table: int, key: int, count: int) -> int:
    """The number of a key in a table, or `FULL`.

    Table and key are addresses; at `key` stand the address and size of each of its `count` parts.
    """
    digest = _digest(key, count)
    size = count
    for part in range(key, key + PAIR * count, PAIR):
        size += long(part + LONG)
    slots, mask = long(table + SLOTS), long(table + MASK)
    starts, text = long(table + STARTS), long(table + TEXT)
    slot = (digest >> _DIGEST_BITS) & mask
    while True:
        found = long(slots + PAIR * slot)
        if found == digest:
            number = long(slots + PAIR * slot + LONG)
            place = long(starts + LONG * number)
            same_size = long(starts + LONG * (number + 1)) - place == size
            if same_size and _is_key(text + place, key, count):
                return number
        elif found == 0:
            break
        slot = (slot + 1) & mask
    number, end = long(table + COUNT), long(table + TEXT_USED)
    if 2 * number > mask or end + size + SLACK > long(table + TEXT_ROOM):
        return FULL
    put_long(slots + PAIR * slot, digest)
    put_long(slots + PAIR * slot + LONG, number)
    end = _copy_key(text, end, key, count)
    put_long(starts + LONG * (number + 1), end)
    put_long(table + COUNT, number + 1)
    put_long(table + TEXT_USED, end)
    return number


@kernel
def move_keys(old: int, count: int, new: int, mask: int) -> None:
    """Fill the empty slots of a larger table from the `count` slots of another."""
    for place in range(old, old + PAIR * count, PAIR):
        digest = long(place)
        if digest:
            slot = (digest >> _DIGEST_BITS) & mask
            while long(new + PAIR * slot):
                slot = (slot + 1) & mask
            put_long(new + PAIR * slot, digest)
            put_long(new + PAIR * slot + LONG, long(place + LONG))


@inlined
def _digest(key: int, count: int) -> int:
    """A number that is never 0 and nearly always another one for another key."""
    digest = _U64(count)
    for part in range(key, key + PAIR * count, PAIR):
        p, size = long(part), long(part + LONG)
        digest = (digest ^ _U64(size)) * _SPREAD
        while size > BLOCK:
            digest = (digest ^ mixed(p, BLOCK)) * _SPREAD
            digest ^= digest >> _U64(29)
            p += BLOCK
            size -= BLOCK
        digest = (digest ^ mixed(p, size)) * _SPREAD
        digest ^= digest >> _U64(29)
    return signed(digest) | 1


@inlined
def _is_key(place: int, key: int, count: int) -> bool:
    same = True
    for part in range(key, key + PAIR * count, PAIR):
        size = long(part + LONG)
        same &= same_bytes(place, long(part), size)
        place += size + 1
    return same


@inner
def _copy_key(text: int, end: int, key: int, count: int) -> int:
    for part in range(key, key + PAIR * count, PAIR):
        for place in range(long(part), long(part) + long(part + LONG)):
            put_byte(text + end, byte(place))
            end += 1
        put_byte(text + end, _COMMA)
        end += 1
    return end
