"""Reading times exactly: microseconds in the file become whole nanoseconds.

The rules are those of `studio.formats.exact_time`; what is written in an unusual way is refused
and so left to it.
"""

from __future__ import annotations

from studio.formats.jit import kernel
from studio.formats.scan.bits import byte, put_long, word
from studio.formats.scan.board import ABSENT, READ
from studio.formats.scan.numbers import (
    are_digits,
    eight_digits,
    end_of_digits,
    end_of_exponent,
    end_of_word,
)

_QUOTE, _MINUS, _PLUS, _DOT, _ZERO = 0x22, 0x2D, 0x2B, 0x2E, 0x30
_N = ord("n")
_LARGEST_US = (2**63 - 1) // 1000 - 1
_MOST_DIGITS = 18
_POWERS = tuple(10**power for power in range(19))


@kernel
def read_time(p: int, result: int) -> int:
    """Read a number, in quotes or not; returns its end, or its place, negated, if it is refused.

    At the address `result` the nanoseconds are left, and `READ` or (for null) `ABSENT`.
    """
    if p < 0:
        return p
    quoted = byte(p) == _QUOTE
    if not quoted and byte(p) == _N:
        put_long(result, 0)
        put_long(result + 8, ABSENT)
        return end_of_word(p)
    begin = p + quoted
    negative = byte(begin) == _MINUS
    begin += negative
    value, p = _decimal(begin)
    if p < 0:
        return p
    if byte(p) | 0x20 == 0x65:
        value, p = _scientific(begin, p)
        if p < 0:
            return p
    if quoted:
        if byte(p) != _QUOTE:
            return -p
        p += 1
    put_long(result, -value if negative else value)
    put_long(result + 8, READ)
    return p


@kernel
def _decimal(p: int) -> tuple[int, int]:
    """Digits with at most one point among them; the fourth decimal rounds half up."""
    begin, whole = p, 0
    text = word(p)
    while are_digits(text) and p - begin <= 8:
        whole = whole * 100_000_000 + eight_digits(text)
        p += 8
        text = word(p)
    digit = byte(p) - _ZERO
    while 0 <= digit <= 9:
        if p - begin >= 16:
            return 0, -begin
        whole = whole * 10 + digit
        p += 1
        digit = byte(p) - _ZERO
    if p == begin:
        return 0, -p
    if whole > _LARGEST_US or (byte(begin) == _ZERO and p - begin > 1):
        return 0, -begin
    if digit != _DOT - _ZERO:
        return whole * 1000, p
    p += 1
    point = p
    value = whole
    for _ in range(3):
        digit = byte(p) - _ZERO
        if 0 <= digit <= 9:
            value = value * 10 + digit
            p += 1
        else:
            value *= 10
    if p == point:
        return 0, -p
    if p - point == 3:
        digit = byte(p) - _ZERO
        if 0 <= digit <= 9:
            value += digit >= 5
            p = end_of_digits(p + 1)
            if p - point > 40:
                return 0, -begin
    return value, p


@kernel
def _scientific(begin: int, p: int) -> tuple[int, int]:
    """A number with an exponent at `p`, as long as it is exact in 18 digits."""
    end = end_of_exponent(p)
    if end < 0:
        return 0, end
    if end - p > 4:
        return 0, -begin
    digits, decimals, point = 0, 0, False
    for place in range(begin, p):
        if byte(place) == _DOT:
            point = True
            continue
        if digits >= _POWERS[_MOST_DIGITS - 1]:
            return 0, -begin
        digits = digits * 10 + byte(place) - _ZERO
        decimals += point
    power = 0
    sign = byte(p + 1)
    for place in range(p + 1 + (sign in (_MINUS, _PLUS)), end):
        power = power * 10 + byte(place) - _ZERO
    if sign == _MINUS:
        power = -power
    power += 3 - decimals
    if power >= 0:
        if digits == 0:
            return 0, end
        if power > _MOST_DIGITS or digits > _LARGEST_US * 1000 // _POWERS[power]:
            return 0, -begin
        return digits * _POWERS[power], end
    if power < -_MOST_DIGITS:
        return 0, end
    unit = _POWERS[-power]
    return digits // unit + (digits % unit * 2 >= unit), end
