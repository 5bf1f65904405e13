"""What counters did in a stretch of time, against values worked out by hand."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

from plugins.timeline.core.counters import counter_rows
from studio.trace import load

if TYPE_CHECKING:
    from pathlib import Path

US = 1000


def rows(tmp_path: Path, samples: list[tuple[float, Any]], start: int, end: int) -> Any:
    events = [
        {"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 0, "dur": 100},
        *(
            {"ph": "C", "name": "HBM", "pid": 1, "tid": 0, "ts": time, "args": {"GB": value}}
            for time, value in samples
        ),
    ]
    path = tmp_path / "trace_view.json"
    path.write_text(json.dumps(events))
    return counter_rows(load(path), start * US, end * US).iloc[0]


def test_a_value_holds_until_the_next_sample(tmp_path: Path) -> None:
    row = rows(tmp_path, [(10, 1), (20, 4), (30, 2)], 15, 40)
    assert (row["at_start"], row["at_end"]) == (1, 2)
    assert (row["min"], row["max"], row["samples"]) == (1, 4, 2)
    # 5 µs of 1, 10 µs of 4, 10 µs of 2
    assert row["avg"] == pytest.approx((5 * 1 + 10 * 4 + 10 * 2) / 25)
    assert row["known"] == 1.0


def test_before_the_first_sample_nothing_is_known(tmp_path: Path) -> None:
    row = rows(tmp_path, [(30, 8)], 10, 50)
    assert row["at_start"] is pd.NA
    assert row["at_end"] == 8
    assert row["avg"] == 8
    assert row["known"] == 0.5


def test_a_stretch_before_all_samples_is_empty(tmp_path: Path) -> None:
    row = rows(tmp_path, [(30, 8)], 10, 20)
    assert row["samples"] == 0
    assert all(row[name] is pd.NA for name in ("at_start", "at_end", "min", "max", "avg"))
    assert row["known"] == 0


def test_a_stretch_between_samples_has_the_value_that_holds(tmp_path: Path) -> None:
    row = rows(tmp_path, [(10, 3), (90, 5)], 20, 40)
    assert row["samples"] == 0
    assert (row["at_start"], row["at_end"], row["avg"]) == (3, 3, 3)
