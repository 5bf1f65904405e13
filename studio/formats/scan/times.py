"""Reading times exactly: microseconds in the file become whole nanoseconds.

The rules are those of `studio.formats.exact_time`; what is written in an unusual way is refused
and so left to it.
"""

from __future__ import annotations

from studio.formats.jit import inlined, inner
from studio.formats.scan.bits import byte, put_long, word
from studio.formats.scan.board import ABSENT, READ
from studio.formats.scan.numbers import (
    digits_at,
    end_of_digits,
    end_of_exponent,
    end_of_word,
    number_at,
)

_QUOTE, _MINUS, _PLUS, _DOT, _ZERO, _FIVE = 0x22, 0x2D, 0x2B, 0x2E, 0x30, 0x35
_N = ord("n")
_LARGEST_US = (2**63 - 1) // 1000 - 1
_MOST_DIGITS = 18
_MOST_DECIMALS = 40
_POWERS = tuple(10**power for power in range(19))


@inlined
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


@inlined
def _decimal(p: int) -> tuple[int, int]:
    """Digits with at most one point among them; the fourth decimal rounds half up."""
    begin, text = p, word(p)
    count = digits_at(text)
    whole = number_at(text, count)
    p += count
    if count == 8:
        text = word(p)
        count = digits_at(text)
        whole = whole * _POWERS[count] + number_at(text, count)
        p += count
        if count == 8 and digits_at(word(p)):
            return 0, -begin
    if p == begin:
        return 0, -p
    if whole > _LARGEST_US or (byte(begin) == _ZERO and p - begin > 1):
        return 0, -begin
    if byte(p) != _DOT:
        return whole * 1000, p
    text = word(p + 1)
    count = digits_at(text)
    if count == 0:
        return 0, -(p + 1)
    point = p + 1
    p = point + count
    if count == 8:
        p = end_of_digits(p)
        if p - point > _MOST_DECIMALS:
            return 0, -begin
    kept = min(count, 3)
    value = whole * 1000 + number_at(text, kept) * _POWERS[3 - kept]
    return value + (count > 3 and byte(point + 3) >= _FIVE), p


@inner
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
