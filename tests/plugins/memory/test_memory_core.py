"""Memory records as curves and peaks: units, gaps, spikes, and the command line."""

from __future__ import annotations

import json
import runpy
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

from plugins.memory.core import (
    is_memory_record,
    load,
    memory_facts,
    peaks,
    profile_of,
)
from studio.kernel.errors import StudioError

if TYPE_CHECKING:
    from pathlib import Path

MIB = 1 << 20


@pytest.fixture
def case(cases: Path) -> Path:
    return cases / "A23-memory-curve-peaks-gaps-units"


def test_series_are_those_that_are_recorded(case: Path) -> None:
    memory = load(case / "input" / "small" / "memory_record.csv")
    expected = json.loads((case / "expected.json").read_text())
    found = [f"{curve.component} {curve.kind}" for curve in memory.curves]
    assert found == expected["series"]
    zeros = sum(int((curve.values == 0).sum()) for curve in memory.curves)
    assert zeros == expected["zeros_for_blank"]
    assert memory.records == 8


def test_the_peak_is_exact(case: Path) -> None:
    expected = json.loads((case / "expected.json").read_text())["peak"]
    found = peaks(case / "input" / "small" / "memory_record.csv")
    peak = next(p for p in found if (p.component, p.kind) == ("PTA", "allocated"))
    assert peak.peak_bytes / MIB == expected["PTA allocated"]
    assert peak.peak_bytes / (1 << 30) == expected["GiB"]
    assert peak.at_ns == expected["time_us"] * 1000
    assert peak.device == "NPU:0"
    assert peak.records == 4


def test_a_spike_of_one_row_is_the_peak(case: Path, tmp_path: Path) -> None:
    table = tmp_path / "memory_record.csv"
    arguments, sys.argv = sys.argv, ["gen.py", str(table)]
    try:
        runpy.run_path(str(case / "input" / "gen.py"), run_name="__main__")
    finally:
        sys.argv = arguments
    expected = json.loads((case / "expected.json").read_text())["gen"]
    memory = load(table)
    curve = memory.curves[0]
    peak = memory.peaks[0]
    assert memory.records == expected["rows"]
    assert peak.peak_bytes == int(expected["peak"] * MIB)
    assert int(np.argmax(curve.values)) == expected["spike_row"]
    assert peak.at_ns == int(curve.times[expected["spike_row"]])


def test_blank_values_inside_a_curve_are_counted_and_not_zero(tmp_path: Path) -> None:
    table = tmp_path / "memory_record.csv"
    table.write_text(
        "Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Device Type\n"
        "PTA,100.001\t,1.5,2,NPU:0\nPTA,100.002\t,,2,NPU:0\nPTA,100.003\t,0,2,NPU:0\n"
    )
    memory = load(table)
    allocated = memory.curves[0]
    assert allocated.times.tolist() == [100_001, 100_002, 100_003]
    assert np.isnan(allocated.values[1])
    assert allocated.values[[0, 2]].tolist() == [1.5 * MIB, 0.0]
    assert memory.peaks[0].not_recorded == 1
    assert memory.peaks[0].records == 2


def test_rows_out_of_order_become_a_curve_in_order(tmp_path: Path) -> None:
    table = tmp_path / "memory_record.csv"
    table.write_text(
        "Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Device Type\n"
        "PTA,3,3,4,NPU:1\nPTA,1,1,4,NPU:1\nPTA,2,2,4,NPU:0\n"
    )
    memory = load(table)
    assert [(c.device, c.kind, c.times.tolist()) for c in memory.curves] == [
        ("NPU:0", "allocated", [2000]),
        ("NPU:0", "reserved", [2000]),
        ("NPU:1", "allocated", [1000, 3000]),
        ("NPU:1", "reserved", [1000, 3000]),
    ]


def test_a_profile_folder_means_its_record(shared: Path) -> None:
    profile = shared / "data/profiling/msinsight/test/data/pytorch/text/level2/rank0_ascend_pt"
    record = profile / "ASCEND_PROFILER_OUTPUT" / "memory_record.csv"
    assert profile_of(record) == profile
    assert profile_of(profile) == profile
    assert is_memory_record(record)
    assert memory_facts(record)["rank"] == 0
    found = {(p.component, p.kind): p for p in peaks(profile)}
    assert ("APP", "allocated") not in found
    assert found["APP", "reserved"].records == 13
    assert found["PTA", "allocated"].records == 381


def test_the_published_peak_of_a_pipeline_rank(shared: Path) -> None:
    profile = shared / "data/profiling/msinsight/test/st/level2/rank_0_ascend_pt"
    found = {(p.component, p.kind): p for p in peaks(profile)}
    assert found["PTA", "allocated"].peak_bytes / MIB == pytest.approx(10282.749, abs=0.001)


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    with pytest.raises(StudioError, match="holds no profile"):
        peaks(tmp_path)
    output = tmp_path / "rank0_ascend_pt" / "ASCEND_PROFILER_OUTPUT"
    output.mkdir(parents=True)
    (output / "step_trace_time.csv").write_text("Step,Computing\n1,2\n")
    with pytest.raises(StudioError, match=r"no memory record: no memory_record\.csv"):
        peaks(output.parent)
    with pytest.raises(StudioError, match="does not exist"):
        peaks(tmp_path / "nothing")
    other = tmp_path / "memory_record.csv"
    other.write_text("a,b\n1,2\n")
    assert not is_memory_record(other)
    with pytest.raises(StudioError, match=r"memory_record\.csv has no column"):
        peaks(other)


def test_an_empty_record_has_no_curves(tmp_path: Path) -> None:
    table = tmp_path / "memory_record.csv"
    table.write_text("Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Device Type\n")
    assert load(table).curves == ()


def test_json_holds_whole_numbers(case: Path) -> None:
    found = peaks(case / "input" / "small" / "memory_record.csv").to_json()
    assert isinstance(found, list)
    assert found[0]["peak_bytes"] == 77584 * MIB
    assert found[0]["at_ns"] == 1695115378656323000


def test_live_blocks_of_a_published_peak_have_lifetimes(shared: Path) -> None:
    from plugins.memory.lifetimes import with_lifetimes
    from studio.perf.memory_peak import memory_at
    from studio.perf.opened import open_profile

    profile = shared / "data/profiling/msinsight/test/st/level2/rank_0_ascend_pt"
    memory = with_lifetimes(memory_at(open_profile(profile)))
    for column in ("name", "size_class", "lifetime"):
        groups = memory.by(column)
        assert groups["bytes"].sum() / MIB == pytest.approx(5977.792, abs=0.001)
        assert groups["count"].sum() == 623
    assert memory.held_before_bytes is not None
    assert memory.held_before_bytes / MIB == pytest.approx(4304.957, abs=0.001)


def test_unused_memory_of_a_pool(tmp_path: Path) -> None:
    from plugins.memory.fragments import advice, fragments_of
    from studio.perf.memory_records import curve_of
    from studio.perf.memory_rows import pools_of
    from studio.perf.opened import open_profile

    table = tmp_path / "memory_record.csv"
    table.write_text(
        "Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Device Type\n"
        "PTA,0,1,2,NPU:0\nPTA,10,6,10,NPU:0\nPTA,20,2,10,NPU:0\nPTA,40,2,,NPU:0\n"
    )
    curve = curve_of(pools_of(open_profile(table)))
    assert curve is not None
    found = fragments_of(curve)
    assert found is not None
    assert (found.at_peak_bytes, found.reserved_bytes) == (4 * MIB, 10 * MIB)
    assert (found.most_bytes, found.most_ns) == (8 * MIB, 20_000)
    # 10 µs at 1/2, 10 µs at 4/10, 20 µs at 8/10; what is not recorded does not count
    assert found.mean_share == pytest.approx((10 * 0.5 + 10 * 0.4 + 20 * 0.8) / 40)
    assert any("expandable_segments" in line for line in advice(found))
