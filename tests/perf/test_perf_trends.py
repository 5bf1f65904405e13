"""How long the operators of a group take over time."""

from __future__ import annotations

import numpy as np
import pandas as pd

from studio.perf.occurrences import trends

BEGIN = 1_736_412_474_607_917_240


def test_durations_are_averaged_in_equal_parts_of_the_time() -> None:
    rows = pd.DataFrame(
        {"start_ns": BEGIN + np.array([0, 10, 26, 99, 75]), "duration_ns": [4, 8, 20, 5, 7]}
    )
    found = trends(rows, np.array([0, 0, 0, 1, 0]), 2, bins=4)
    # Parts begin at 0, 25, 50 and 75.
    assert np.array_equal(found, [[6, 20, np.nan, 7], [np.nan, np.nan, np.nan, 5]], equal_nan=True)


def test_nothing_has_no_trend() -> None:
    rows = pd.DataFrame({"start_ns": np.zeros(0, np.int64), "duration_ns": np.zeros(0, np.int64)})
    assert np.isnan(trends(rows, np.zeros(0, np.int64), 3, bins=2)).all()


def test_each_part_agrees_with_a_plain_average() -> None:
    random = np.random.default_rng(5)
    rows = pd.DataFrame(
        {
            "start_ns": BEGIN + random.integers(0, 10**9, 3000),
            "duration_ns": random.integers(1, 99, 3000),
        }
    )
    group = random.integers(0, 7, 3000)
    found = trends(rows, group, 7)
    first, length = rows["start_ns"].min(), rows["start_ns"].max() - rows["start_ns"].min() + 1
    for number in range(7):
        for part in range(24):
            inside = (rows["start_ns"] - first) * 24 // length == part
            wanted = rows["duration_ns"][inside & (group == number)].mean()
            assert np.isclose(found[number, part], wanted, equal_nan=True)
