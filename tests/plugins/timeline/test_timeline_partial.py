"""Traces without some of their slices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from plugins.timeline.core.partial import keep
from studio.trace import load, query
from studio.trace.statistics import statistics

if TYPE_CHECKING:
    from pathlib import Path

    from studio.trace import Trace


@pytest.fixture
def trace(shared: Path) -> Trace:
    folder = shared / "data/profiling/msinsight/test/data/pytorch/text/level2/rank0_ascend_pt"
    return load(folder / "ASCEND_PROFILER_OUTPUT" / "trace_view.json")


def test_keeping_all_changes_nothing(trace: Trace) -> None:
    same = keep(trace, np.ones(len(trace), np.bool_))
    for column in ("start", "duration", "name", "lane", "depth", "source", "row_bounds"):
        assert np.array_equal(getattr(same, column), getattr(trace, column)), column
    assert same.lanes == trace.lanes
    assert np.array_equal(same.flows.source_slice, trace.flows.source_slice)


def test_the_others_close_up_and_stay_exact(trace: Trace) -> None:
    python = trace.categories.index("python_function")
    kept = trace.category != python
    assert 0 < kept.sum() < len(trace)
    part = keep(trace, kept)
    assert sorted(part.source.tolist()) == sorted(trace.source[kept].tolist())
    by_source = dict(zip(trace.source.tolist(), range(len(trace)), strict=True))
    for column in ("start", "duration", "name", "category", "lane"):
        places = [by_source[source] for source in part.source.tolist()]
        assert np.array_equal(getattr(part, column), getattr(trace, column)[places]), column
    assert max(lane.rows for lane in part.lanes) < max(lane.rows for lane in trace.lanes)
    for lane in part.lanes:
        for depth in range(lane.rows):
            first, last = query.row_range(part, lane.id, depth)
            assert (part.start[first + 1 : last] >= part.end[first : last - 1]).all()
            assert (part.depth[first:last] == depth).all()
    rows = statistics(part, lanes=[lane.id for lane in part.lanes if lane.kind == "slices"])
    assert rows["count"].sum() == len(part)


def test_arrows_follow_their_slices(trace: Trace) -> None:
    part = keep(trace, trace.category != trace.categories.index("python_function"))
    for before, after in (
        (trace.flows.source_slice, part.flows.source_slice),
        (trace.flows.target_slice, part.flows.target_slice),
    ):
        known = after >= 0
        assert known.any()
        assert np.array_equal(part.source[after[known]], trace.source[before[known]])


def test_nothing_kept_is_an_empty_trace(trace: Trace) -> None:
    part = keep(trace, np.zeros(len(trace), np.bool_))
    assert len(part) == 0
    assert {lane.rows for lane in part.lanes} == {0, 1}
    assert part.counters == trace.counters
