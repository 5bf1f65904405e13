"""Numbers as they are written in every view."""

import math

import pytest

from studio.ui import text

pytestmark = pytest.mark.gui


@pytest.mark.parametrize(
    ("nanoseconds", "written"),
    [
        (0, "0 ns"),
        (999, "999 ns"),
        (1_500, "1.5 µs"),
        (148_786_100, "148.8 ms"),
        (1_000_000_000, "1 s"),
        (-2_500_000, "-2.5 ms"),
        (3_723_004_000_000, "3\u2009723 s"),
    ],
)
def test_durations_choose_their_unit(nanoseconds, written):
    assert text.format_ns(nanoseconds) == written


def test_exact_durations_lose_no_digit():
    assert text.exact_ns(9_007_199_254_740_993) == "9\u2009007\u2009199\u2009254\u2009740.993 µs"
    assert text.exact_ns(-1) == "-0.001 µs"


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0.0, "0"),
        (1234.5678, "1\u2009235"),
        (0.99991234, "0.9999"),
        (0.00012345, "0.0001234"),
        (1e-9, "1.000e-09"),
        (3e15, "3.000e+15"),
        (math.inf, "inf"),
        (-math.inf, "-inf"),
        (math.nan, "nan"),
        (17, "17"),
    ],
)
def test_numbers_keep_four_digits(value, written):
    assert text.format_number(value) == written


@pytest.mark.parametrize(
    ("size", "written"),
    [(0, "0 B"), (1023, "1\u2009023 B"), (1536, "1.5 KiB"), (5 * 1024**3, "5 GiB")],
)
def test_sizes_are_binary(size, written):
    assert text.format_bytes(size) == written


def test_tool_tips_name_the_key():
    assert text.with_keys("&Fit the whole trace…", "F") == "Fit the whole trace (F)"
    assert text.with_keys("Copy", "") == "Copy"


@pytest.mark.parametrize(
    ("nanoseconds", "written"),
    [
        (1_230_000, "1.230 ms"),
        (2_454_000, "2.454 ms"),
        (148_800_000, "148.8 ms"),
        (16_000_000, "16.00 ms"),
        (-5_000, "-5.000 µs"),
        (812, "812 ns"),
        (2_000_000_000, "2.000 s"),
    ],
)
def test_durations_of_a_list_keep_their_zeros(nanoseconds: int, written: str) -> None:
    assert text.format_ns(nanoseconds, zeros=True) == written
