"""Kernels that walk over JSON numbers and words, and read the numbers that engines need."""

from __future__ import annotations

import numpy as np

from studio.formats.jit import inlined, inner
from studio.formats.scan.bits import byte, first, signed, word

_MINUS, _PLUS, _DOT, _ZERO, _NINE = 0x2D, 0x2B, 0x2E, 0x30, 0x39
_U64 = np.uint64
_HIGH = _U64(0x8080808080808080)
_TO_HIGH = _U64(0x7676767676767676)
_ZEROS = _U64(0x3030303030303030)
_PAIRS = _U64(0x000000FF000000FF)
_TRUE = _U64(int.from_bytes(b"true", "little"))
_NULL = _U64(int.from_bytes(b"null", "little"))
_FALSE = _U64(int.from_bytes(b"false", "little"))
_FOUR, _FIVE = _U64((1 << 32) - 1), _U64((1 << 40) - 1)
_EXACT = 1 << 53
_POWERS = tuple(10.0**power for power in range(23))


@inlined
def digits_at(text: np.uint64) -> int:
    """How many of eight bytes are digits before the first one that is not."""
    value = text ^ _ZEROS
    return first(((value + _TO_HIGH) | value) & _HIGH) >> 3


@inlined
def number_at(text: np.uint64, count: int) -> int:
    """The number that the first `count` of eight bytes make, which are digits."""
    half = _U64(4 * (8 - count))
    digits = (text ^ _ZEROS) << half << half
    pairs = digits * _U64(10) + (digits >> _U64(8))
    low = (pairs & _PAIRS) * _U64(0x000F424000000064)
    high = ((pairs >> _U64(16)) & _PAIRS) * _U64(0x0000271000000001)
    return signed((low + high) >> _U64(32))


@inlined
def end_of_digits(p: int) -> int:
    """The first byte that is no digit."""
    while True:
        count = digits_at(word(p))
        p += count
        if count < 8:
            return p


@inlined
def end_of_number(p: int) -> int:
    """The end of a JSON number; negated, the place where it is none."""
    if byte(p) == _MINUS:
        p += 1
    if byte(p) == _ZERO:
        p += 1
    else:
        q = end_of_digits(p)
        if q == p:
            return -p
        p = q
    if byte(p) == _DOT:
        q = end_of_digits(p + 1)
        if q == p + 1:
            return -q
        p = q
    return end_of_exponent(p)


@inlined
def end_of_exponent(p: int) -> int:
    """The end of an exponent, `p` itself where there is none."""
    if byte(p) | 0x20 != 0x65:
        return p
    p += 1
    if byte(p) in (_PLUS, _MINUS):
        p += 1
    q = end_of_digits(p)
    return -q if q == p else q


@inner
def end_of_word(p: int) -> int:
    """The end of `true`, `false` or `null`."""
    text = word(p)
    if (text ^ _NULL) & _FOUR == 0 or (text ^ _TRUE) & _FOUR == 0:
        return p + 4
    if (text ^ _FALSE) & _FIVE == 0:
        return p + 5
    begins = byte(p)
    wanted = _NULL if begins == 0x6E else _TRUE if begins == 0x74 else _FALSE
    return -(p + (first(text ^ wanted) >> 3))


@inlined
def end_of_scalar(p: int) -> int:
    """The end of a number or word."""
    mark = byte(p)
    if mark <= _NINE:
        return end_of_number(p)
    return end_of_word(p)


@inlined
def whole_number(p: int, end: int) -> tuple[int, bool]:
    """The number from 0 below 2**63 that stands between `p` and `end` in its usual writing."""
    size = end - p
    if size <= 0 or size > 19 or (size > 1 and byte(p) == _ZERO):
        return 0, False
    value = _U64(0)
    for place in range(p, end):
        digit = byte(place) - _ZERO
        if digit < 0 or digit > 9:
            return 0, False
        value = value * _U64(10) + _U64(digit)
    return signed(value), bool(value < _U64(1 << 63))


@inner
def exact_float(p: int, end: int) -> tuple[float, bool]:
    """The number between `p` and `end`, if its digits and power of ten are exact as floats.

    Then one multiplication or division rounds as a careful conversion of the text does.
    """
    negative = byte(p) == _MINUS
    p += negative
    digits, power, decimals = 0, 0, False
    while p < end:
        mark = byte(p)
        if mark == _DOT:
            decimals = True
        elif _ZERO <= mark <= _NINE and digits < _EXACT:
            digits = digits * 10 + mark - _ZERO
            power -= decimals
        else:
            return 0.0, False
        p += 1
    if digits >= _EXACT or power < -22 or (negative and digits == 0):
        return 0.0, False
    value = digits / _POWERS[-power]
    return -value if negative else value, True
