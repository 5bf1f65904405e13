"""Every real trace at hand against an independent reading with json and Decimal."""

import gzip
import json
import subprocess
import sys
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import numpy as np
import pytest

from studio.trace import load
from studio.trace.query import args, search, with_names

LEVELS = "data/profiling/msinsight/test/data/pytorch/text"
TRACE = "ASCEND_PROFILER_OUTPUT/trace_view.json"


def plain_reading(path: Path) -> list[dict]:
    data = path.read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    document = json.loads(data, parse_float=Decimal)
    return document["traceEvents"] if isinstance(document, dict) else document


def ns(value: object) -> int:
    number = value if isinstance(value, Decimal) else Decimal(str(value))
    return int((number * 1000).quantize(Decimal(1), ROUND_HALF_UP))


def traces(shared: Path) -> list[Path]:
    found = []
    for path in sorted((shared / "data" / "profiling").rglob("*")):
        if not path.name.endswith((".json", ".json.gz")) or "outputs" in path.parts:
            continue
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            head = file.read(20000)
        if b'"ph"' in head:
            found.append(path)
    return found


def assert_exact(path: Path) -> None:
    """Every complete event is a slice with its very start, duration, name, process and thread."""
    events = plain_reading(path)
    expected = [event for event in events if event.get("ph") == "X" and event.get("dur", -1) >= 0]
    trace = load(path)
    assert trace.events == len(events), path
    order = np.argsort(trace.source)
    assert trace.start[order].tolist() == [ns(event["ts"]) for event in expected], path
    assert trace.duration[order].tolist() == [ns(event["dur"]) for event in expected], path
    names = [trace.names[number] for number in trace.name[order].tolist()]
    assert names == [str(event["name"]) for event in expected], path
    lanes = [trace.lanes[number] for number in trace.lane[order].tolist()]
    assert [(lane.process, lane.thread) for lane in lanes] == [
        (str(event["pid"]), str(event["tid"])) for event in expected
    ], path


@pytest.mark.slow
def test_all_slices_of_all_real_traces_are_exact(shared):
    paths = traces(shared)
    assert len(paths) > 100
    for path in paths:
        assert_exact(path)


@pytest.mark.parametrize("style", ["ascend", "kineto"])
def test_all_slices_of_generated_traces_are_exact(shared, tmp_path, style):
    program = shared / "prototypes" / "timeline" / "gen_traces.py"
    path = tmp_path / "trace.json"
    subprocess.run([sys.executable, program, style, "2", path], check=True, stdout=subprocess.PIPE)
    assert_exact(path)


@pytest.mark.parametrize(
    ("level", "crossings"), [("level0", 127), ("level1", 113), ("level2", 113)]
)
def test_crossing_slices_of_the_real_profiles_are_counted_exactly(shared, level, crossings):
    trace = load(shared / LEVELS / level / "rank0_ascend_pt" / TRACE)
    found = 0
    for lane in trace.lanes:
        part = slice(lane.first, lane.last)
        order = np.lexsort((-trace.duration[part], trace.start[part]))
        ends: list[int] = []
        for start, end in zip(trace.start[part][order], trace.end[part][order], strict=True):
            while ends and ends[-1] <= start:
                ends.pop()
            if ends and end > ends[-1]:
                found += 1
            else:
                ends.append(int(end))
    assert found == crossings


def test_no_slice_of_level2_is_lost(shared):
    trace = load(shared / LEVELS / "level2" / "rank0_ascend_pt" / TRACE)
    assert len(trace) == 4811
    (step,) = with_names(trace, search(trace, "ProfilerStep#50", case=True))
    assert trace.duration[step] == 148_786_100
    by_title = {(lane.process_title, lane.title): lane.count for lane in trace.lanes}
    assert by_title["Ascend Hardware", "Stream 4"] == 308
    assert by_title["Ascend Hardware", "Stream 2"] == 219
    assert len(trace.flows) == 611
    assert trace.counter_events == 4368
    assert not trace.faults
    first, last = trace.row_bounds[:-1], trace.row_bounds[1:]
    for begin, stop in zip(first.tolist(), last.tolist(), strict=True):
        assert (
            trace.start[begin + 1 : stop] >= trace.end[begin : stop - 1][: stop - begin - 1]
        ).all()
    assert "Call stack" in args(trace, int(step))


def test_flows_of_level2_end_in_the_slices_they_belong_to(shared):
    trace = load(shared / LEVELS / "level2" / "rank0_ascend_pt" / TRACE)
    flows = trace.flows
    assert (flows.source_slice >= 0).all()
    assert (flows.target_slice >= 0).all()
    device = [trace.categories[number] == "HostToDevice" for number in flows.category]
    exact = trace.start[flows.target_slice[device]] == flows.target_time[device]
    assert exact.all()
