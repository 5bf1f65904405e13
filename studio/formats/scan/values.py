"""The kernel that walks over any JSON value, however deeply nested."""

from __future__ import annotations

import numpy as np

from studio.formats.jit import inlined, inner
from studio.formats.scan.bits import byte, word
from studio.formats.scan.numbers import end_of_scalar
from studio.formats.scan.strings import end_of_string, is_utf8

_QUOTE, _COMMA, _COLON = ord('"'), ord(","), ord(":")
_OPEN_OBJECT, _CLOSE_OBJECT, _OPEN_LIST, _CLOSE_LIST = 0x7B, 0x7D, 0x5B, 0x5D
_SPACES = (0x20, 0x0A, 0x0D, 0x09)
_SPACE = 0x20
_DEEPEST = 60
_LONGEST_DIGITS = 18
_ZERO, _NINE, _DOT, _EXPONENT = 0x30, 0x39, 0x2E, 0x65
_U64 = np.uint64
_ONE = _U64(1)
_COLON_SPACE, _OF_TWO = _U64(0x203A), _U64(0xFFFF)
_COMMA_SPACE_QUOTE, _OF_THREE = _U64(0x22202C), _U64(0xFFFFFF)


@inlined
def past_space(p: int) -> int:
    """The first byte that is no white space."""
    mark = byte(p)
    while mark <= 0x20 and mark in _SPACES:
        p += 1
        mark = byte(p)
    return p


@inlined
def value_after_key(p: int) -> int:
    """The value that belongs to the key whose text starts at `p`."""
    p = end_of_string(p)
    return p if p < 0 else past_colon(p + 1)


@inlined
def past_colon(p: int) -> int:
    """The value after the key that ends at `p`."""
    if word(p) & _OF_TWO == _COLON_SPACE and byte(p + 2) > _SPACE:
        return p + 2
    p = past_space(p)
    return past_space(p + 1) if byte(p) == _COLON else -p


@inlined
def next_key(p: int) -> int:
    """The text of the key that follows the value that ends at `p`; 0 at the end of the object."""
    if word(p) & _OF_THREE == _COMMA_SPACE_QUOTE:
        return p + 3
    p = past_space(p)
    mark = byte(p)
    if mark == _CLOSE_OBJECT:
        return 0
    if mark != _COMMA:
        return -p
    p = past_space(p + 1)
    return p + 1 if byte(p) == _QUOTE else -p


@inlined
def end_of_simple_value(p: int) -> int:
    """The same as `end_of_value`, faster for what is no list and no object."""
    mark = byte(p)
    if mark == _QUOTE:
        p = end_of_string(p + 1)
        return p if p < 0 else p + 1
    return end_of_value(p) if mark in (_OPEN_OBJECT, _OPEN_LIST) else end_of_scalar(p)


@inner
def end_of_value(p: int) -> int:
    """The end of the value that starts at `p`; negated, the place where it is no JSON.

    Which of the open ones are objects is kept in the bits of `kinds`, the innermost lowest.
    """
    kinds, depth, wants_key = _U64(0), 0, False
    while True:
        if wants_key:
            if byte(p) != _QUOTE:
                return -p
            p = value_after_key(p + 1)
            if p < 0:
                return p
        mark = byte(p)
        if mark == _QUOTE:
            p = end_of_string(p + 1)
            if p < 0:
                return p
            p += 1
        elif mark in (_OPEN_OBJECT, _OPEN_LIST):
            is_object = mark == _OPEN_OBJECT
            p = past_space(p + 1)
            if byte(p) != (_CLOSE_OBJECT if is_object else _CLOSE_LIST):
                if depth == _DEEPEST:
                    return 1 - p
                kinds = (kinds << _ONE) | _U64(is_object)
                depth += 1
                wants_key = is_object
                continue
            p += 1
        else:
            p = end_of_scalar(p)
            if p < 0:
                return p
        while True:
            if depth == 0:
                return p
            p = past_space(p)
            mark = byte(p)
            wants_key = kinds & _ONE != 0
            if mark == _COMMA:
                p = past_space(p + 1)
                break
            if mark != (_CLOSE_OBJECT if wants_key else _CLOSE_LIST):
                return -p
            p += 1
            kinds >>= _ONE
            depth -= 1


@inner
def end_of_list(p: int) -> int:
    """The end of the list that starts at `p`, which is surely decoded as it stands.

    Returns the place, negated, where it is no JSON, has numbers that only the portable reader can
    judge (with an exponent, or longer than whole numbers are), or is no valid UTF-8.
    """
    end = end_of_value(p)
    if end < 0:
        return end
    digits = 0
    for place in range(p, end):
        mark = byte(place)
        if _ZERO <= mark <= _NINE:
            digits += 1
            if digits > _LONGEST_DIGITS:
                return -p
            continue
        before = byte(place - 1)
        if mark | 0x20 == _EXPONENT and (digits or before == _DOT):
            return -p
        if mark != _DOT:
            digits = 0
    return end if is_utf8(p, end) else -p
