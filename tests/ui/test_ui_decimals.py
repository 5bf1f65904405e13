"""The numbers of a column have one number of decimals, so that their points stand in a line."""

from __future__ import annotations

import math

import numpy as np
import pytest

from studio.ui.columns import Column, read_columns
from studio.ui.decimals import common_decimals


@pytest.mark.parametrize(
    ("numbers", "digits", "decimals"),
    [
        ([2894.158203125, 73.5], 8, 4),
        ([10.18, 1.23], 4, 2),
        ([1.5, 2.0, 30.0], 4, 1),
        ([3.0, 40.0], 4, 0),
        ([100.0, 0.02], 4, 2),
        ([1823.4, 20.123], 4, 1),
        ([6213.77, 0.4567], 4, 2),
        ([1.95472, 0.001954], 4, 4),
        ([0.0, 0.0], 4, 0),
        ([1e-9, 5.0], 4, None),
        ([2e12, 1.0], 4, None),
        ([math.inf, 2.5], 4, 1),
        ([math.nan], 4, None),
    ],
)
def test_decimals_of_a_column(numbers: list[float], digits: int, decimals: int | None) -> None:
    assert common_decimals(np.array(numbers), digits) == decimals


def test_a_late_number_is_not_cut() -> None:
    assert common_decimals(np.array([*range(1, 5000), 0.25]), 6) == 2


def test_sizes_and_times_stand_in_a_line() -> None:
    rows = [(2 << 20, 1_500_000), ((5 << 20) // 2, 20_000), (None, None), (0, 0)]
    columns = [Column("0", unit="MiB", kind="bytes"), Column("1", unit="ms", kind="ns")]
    sizes, times = (one.written(np.arange(4)) for one in read_columns(rows, columns))
    assert sizes == ["2.0", "2.5", "–", "0.0"]
    assert times == ["1.50", "0.02", "–", "0.00"]
