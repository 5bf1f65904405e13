"""Times as exact integers: texts in microseconds become int64 nanoseconds, never through a float.

At today's epoch a float64 of microseconds steps by 250 ns, so a time is read from its digits. More
than three decimals are rounded half away from zero, exponents are understood, quotes and blanks
around a number (spreadsheet TABs) are not part of it.
"""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from typing_extensions import Buffer

OK: Final = 0
MISSING: Final = 1
NOT_A_NUMBER: Final = 2
NOT_FINITE: Final = 3
OUT_OF_RANGE: Final = 4

_FEW = 8
"""So few texts are read faster one by one."""

_COMMA, _DOT, _ZERO = ord(","), ord("."), ord("0")
_WHOLE_DIGITS = 16
_LARGEST_US = (2**63 - 1) // 1000
_LARGEST_NS = 9 * 10**18
_SHAPE = re.compile(rb'"?(?P<number>(?P<whole>\d{1,15}|[0-8]\d{15})(\.\d+)?)"?,')
_PRECISE = Context(prec=80)
_MISSING_TEXTS = frozenset({b"", b"null", b"none", b"n/a", b"-"})


def nanoseconds(texts: Sequence[Buffer]) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Convert texts in microseconds; returns the times and one state (`OK`, `MISSING`, …) each.

    Times that are not `OK` are 0.
    """
    count = len(texts)
    times = np.zeros(count, np.int64)
    states = np.zeros(count, np.uint8)
    if not count:
        return times, states
    joined = np.frombuffer(b",".join(texts) + b",", np.uint8)
    slow: NDArray[np.int64] = np.arange(0)
    if count < _FEW:
        slow = np.arange(count)
    elif not _same_shape(joined, count, times):
        ends = np.flatnonzero(joined == _COMMA)
        slow = _plain_numbers(joined, ends, times) if len(ends) == count else np.arange(count)
    for index in slow.tolist():
        value, states[index] = nanoseconds_of(bytes(texts[index]))
        times[index] = value
    return times, states


def nanoseconds_of(text: bytes) -> tuple[int, int]:
    """Convert one text in microseconds to nanoseconds and its state."""
    text = text.strip(b' \t\r\n"')
    if text.lower() in _MISSING_TEXTS:
        return 0, MISSING
    try:
        number = Decimal(text.decode("ascii"))
    except (InvalidOperation, UnicodeDecodeError):
        return 0, NOT_A_NUMBER
    if not number.is_finite():
        return 0, NOT_FINITE
    if number.is_zero() or number.adjusted() < -6:
        return 0, OK
    if number.adjusted() > _WHOLE_DIGITS:
        return 0, OUT_OF_RANGE
    scaled = number.scaleb(3, _PRECISE).quantize(Decimal(1), ROUND_HALF_UP, _PRECISE)
    value = int(scaled)
    return (value, OK) if -(2**63) <= value < 2**63 else (0, OUT_OF_RANGE)


def _same_shape(joined: NDArray[np.uint8], count: int, times: NDArray[np.int64]) -> bool:
    """Fill in texts that all look like the first one, such as Ascend's "1736412474730135.222"."""
    width, rest = divmod(len(joined), count)
    shape = joined[:width].tobytes()
    match = _SHAPE.fullmatch(shape)
    if rest or match is None:
        return False
    columns = np.ascontiguousarray(joined.reshape(count, width).T)
    number = range(*match.span("number"))
    point = match.end("whole")
    digits = columns - np.uint8(_ZERO)
    for column in range(width):
        is_digit = column in number and column != point
        if is_digit and not (digits[column] <= 9).all():
            return False
        if not is_digit and not (columns[column] == shape[column]).all():
            return False
    value = np.zeros(count, np.int64)
    for column in (*range(match.start("whole"), point), *range(point + 1, point + 4)):
        value *= 10
        if column < number.stop:
            value += digits[column]
    if point + 4 < number.stop:
        value += digits[point + 4] >= 5
    if value.min() < 0 or value.max() >= _LARGEST_NS:
        return False
    times[:] = value
    return True


def _plain_numbers(
    joined: NDArray[np.uint8], ends: NDArray[np.int64], times: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Fill in what is written as digits with at most one point; return the indices of the rest."""
    count = len(ends)
    starts = np.empty(count, np.int64)
    starts[0] = 0
    starts[1:] = ends[:-1] + 1
    filled = ends > starts
    quoted = filled & (joined[starts] == ord('"')) & (ends > starts + 1)
    starts = starts + quoted
    ends = ends - quoted

    is_digit = (joined - np.uint8(_ZERO)) <= 9
    others = np.concatenate(([0], np.cumsum(~is_digit)))
    is_dot = joined == _DOT
    dots = np.concatenate(([0], np.cumsum(is_dot)))
    with_dot = dots[ends] - dots[starts]
    places = np.flatnonzero(is_dot)
    first_dot = places[np.minimum(dots[starts], len(places) - 1)] if len(places) else ends
    point = np.where(with_dot > 0, first_dot, ends)
    whole = point - starts
    plain = (others[ends] - others[starts] == with_dot) & (with_dot <= 1)
    plain &= (whole > 0) & (whole <= _WHOLE_DIGITS)

    digits = joined - np.uint8(_ZERO)
    value = np.zeros(count, np.int64)
    for back in range(int(whole[plain].max(initial=0)), 0, -1):
        value = np.where(whole >= back, value * 10 + digits[point - back], value)
    plain &= value < _LARGEST_US
    last = len(joined) - 1
    decimals = ends - point - 1
    for place in (1, 2, 3, 4):
        digit = np.where(decimals >= place, digits[np.minimum(point + place, last)], 0)
        value = value * 10 + digit if place < 4 else value + (digit >= 5)
    times[plain] = value[plain]
    return np.flatnonzero(~plain)
