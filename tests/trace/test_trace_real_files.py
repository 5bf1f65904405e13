"""Every real trace at hand, and generated ones, against a reading with json and Decimal."""

import gzip
import json
import random
import re
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


def pairs(events: list[dict], begin: str, end: str, owner) -> list[tuple[int, int]]:
    """Places of begin and end events: in time, an end closes the latest open begin of its owner."""
    opened: dict[object, list[int]] = {}
    found = []
    chosen = [place for place, event in enumerate(events) if event.get("ph") in (begin, end)]
    for place in sorted(chosen, key=lambda place: ns(events[place]["ts"])):
        stack = opened.setdefault(owner(events[place]), [])
        if events[place]["ph"] == begin:
            stack.append(place)
        else:
            found.append((stack.pop(), place))
    assert not any(opened.values()), "the reading is for traces whose events are all paired"
    return found


def expected_slices(events: list[dict]) -> list[tuple]:
    """Place, start, duration, name, process and lane of every slice, by place."""
    found = [
        (place, ns(event["ts"]), ns(event["dur"]), event, str(event["tid"]))
        for place, event in enumerate(events)
        if event.get("ph") == "X" and event.get("dur", -1) >= 0
    ]
    threads = pairs(events, "B", "E", lambda event: (str(event["pid"]), str(event["tid"])))
    asyncs = pairs(events, "b", "e", lambda event: (event.get("cat"), str(event["id"])))
    for begin, end in (*threads, *asyncs):
        event, start = events[begin], ns(events[begin]["ts"])
        lane = str(event["tid"]) if event["ph"] == "B" else ("async", event.get("cat"))
        found.append((begin, start, ns(events[end]["ts"]) - start, event, lane))
    found.sort(key=lambda each: each[0])
    return [
        (start, duration, str(event["name"]), str(event["pid"]), lane)
        for _, start, duration, event, lane in found
    ]


def assert_exact(path: Path) -> None:
    """Every slice has its very start, duration and name, and stands in its lane."""
    events = plain_reading(path)
    trace = load(path)
    assert trace.events == len(events), path
    order = np.argsort(trace.source)
    lanes = [trace.lanes[number] for number in trace.lane[order].tolist()]
    found = [
        (start, duration, trace.names[name], lane.process, lane.thread)
        for start, duration, name, lane in zip(
            trace.start[order].tolist(),
            trace.duration[order].tolist(),
            trace.name[order].tolist(),
            lanes,
            strict=True,
        )
    ]
    for number, lane in enumerate(lanes):
        if lane.asynchronous:
            category = trace.categories[trace.category[order[number]]]
            found[number] = (*found[number][:4], ("async", category))
    assert found == expected_slices(events), path


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


def write_pairs(path: Path, seed: int) -> None:
    """Nested begin and end events of threads, crossing async ones, in any order in the file."""
    rnd = random.Random(seed)
    events: list[dict] = []

    def nested(pid: int, tid: str, start: int, end: int, depth: int) -> None:
        name = f"op {rnd.randrange(9)}"
        common = {"pid": pid, "tid": tid, "name": name, "cat": "cpu_op"}
        events.append({"ph": "B", "ts": us(start), **common})
        at = start + rnd.randrange(1, 9)
        while depth and at + 20 < end - 10:
            stop = rnd.randrange(at + 10, end - 5)
            nested(pid, tid, at, stop, depth - 1)
            at = stop + rnd.randrange(1, 30)
        events.append({"ph": "E", "ts": us(end), "pid": pid, "tid": tid})

    def us(time: int) -> object:
        text = f"{1736412474607917 + time // 1000}.{time % 1000:03d}"
        return text if rnd.random() < 0.5 else Decimal(text)

    for thread in range(6):
        clock = rnd.randrange(1000)
        for _ in range(12):
            stop = clock + rnd.randrange(100, 5000)
            nested(thread % 2, f"thread {thread}", clock, stop, 4)
            clock = stop + rnd.randrange(1, 100)
    for number in range(300):
        start = rnd.randrange(40_000)
        common = {"pid": number % 3, "tid": 1, "id": str(number), "cat": f"queue {number % 2}"}
        name = f"wait {number % 7}"
        events.append({"ph": "b", "ts": us(start), "name": name, **common})
        stop = start + rnd.randrange(1, 4000)
        events.append({"ph": "e", "ts": us(stop), "name": name, **common})
        events.append({**common, "ph": "X", "ts": us(stop), "dur": Decimal("0.5"), "name": "x"})
    rnd.shuffle(events)
    text = json.dumps(events, default=lambda number: f"number {number}")
    path.write_text(re.sub(r'"number ([\d.]+)"', r"\1", text), encoding="utf-8")


@pytest.mark.parametrize("engine", ["portable", "compiled"])
@pytest.mark.parametrize("seed", range(3))
def test_begin_end_and_async_slices_are_exact(tmp_path, monkeypatch, engine, seed):
    monkeypatch.setenv("STUDIO_TRACE_ENGINE", engine)
    path = tmp_path / "pairs.json"
    write_pairs(path, seed)
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
