import random
from decimal import ROUND_HALF_UP, Decimal

import numpy as np
import pytest

from studio.formats.exact_time import (
    MISSING,
    NOT_A_NUMBER,
    NOT_FINITE,
    OK,
    OUT_OF_RANGE,
    nanoseconds,
    nanoseconds_of,
)


def by_decimal(text: str) -> int:
    return int((Decimal(text) * 1000).quantize(Decimal(1), ROUND_HALF_UP))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b'"1736412474730135.222"', 1736412474730135222),
        (b"1736412474730135.222", 1736412474730135222),
        (b"996.9599375", 996960),
        (b"3.6500000000000004", 3650),
        (b"0.0005", 1),
        (b"0.0004999", 0),
        (b"-0.0005", -1),
        (b"-1.5", -1500),
        (b"1e3", 1_000_000),
        (b"2.5E-3", 3),
        (b"1.69512E+15", 1695120000000000000),
        (b'"1764246877073569.640\t"', 1764246877073569640),
        (b"7", 7000),
        (b"9223372036854775.807", 2**63 - 1),
        (b"1e-999999", 0),
        (b"0e400", 0),
        (b'"-0.000E77"', 0),
        (b"0e-400", 0),
    ],
)
def test_a_text_in_microseconds_becomes_exact_nanoseconds(text, expected):
    assert nanoseconds_of(text) == (expected, OK)
    for count in (1, 40):
        times, states = nanoseconds([text] * count)
        assert times.tolist() == [expected] * count
        assert states.tolist() == [OK] * count


@pytest.mark.parametrize(
    ("text", "state"),
    [
        (b"", MISSING),
        (b"null", MISSING),
        (b'""', MISSING),
        (b"NaN", NOT_FINITE),
        (b"-Infinity", NOT_FINITE),
        (b'"soon"', NOT_A_NUMBER),
        (b"1.2.3", NOT_A_NUMBER),
        (b"true", NOT_A_NUMBER),
        (b"\xff", NOT_A_NUMBER),
        (b"9223372036854775.808", OUT_OF_RANGE),
        (b"1e400", OUT_OF_RANGE),
        (b"9999999999999999", OUT_OF_RANGE),
    ],
)
def test_what_is_no_time_says_why(text, state):
    assert nanoseconds_of(text) == (0, state)
    for more in (1, 20):
        times, states = nanoseconds([b"1.5", text, b"2.25"] * more)
        assert times.tolist() == [1500, 0, 2250] * more
        assert states.tolist() == [OK, state, OK] * more


def test_columns_of_one_shape_with_an_overflow_are_not_wrapped():
    times, states = nanoseconds([b'"1000000000000000.000"', b'"9999999999999999.999"'] * 8)
    assert times.tolist() == [10**18, 0] * 8
    assert states.tolist() == [OK, OUT_OF_RANGE] * 8


def test_commas_inside_a_text_do_not_shift_the_others():
    times, states = nanoseconds([b'"1,5"', b"2", b"3.1"] * 8)
    assert times.tolist() == [0, 2000, 3100] * 8
    assert states.tolist() == [NOT_A_NUMBER, OK, OK] * 8


def test_nothing_gives_nothing():
    times, states = nanoseconds([])
    assert len(times) == len(states) == 0
    assert times.dtype == np.int64


def test_random_numbers_equal_decimal():
    rnd = random.Random(5)
    texts = []
    for _ in range(5000):
        whole = rnd.randrange(10 ** rnd.randrange(1, 16))
        decimals = "".join(rnd.choice("0123456789") for _ in range(rnd.randrange(8)))
        text = rnd.choice([f"{whole}.{decimals}", str(whole), repr(rnd.random() * whole)])
        texts.append(rnd.choice(["", "-"]) + text.rstrip("."))
    times, states = nanoseconds([text.encode() for text in texts])
    assert not states.any()
    assert times.tolist() == [by_decimal(text) for text in texts]
