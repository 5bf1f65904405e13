"""The open cases about traces: inputs and right values come with the repository."""

import ast
import json
import subprocess
import sys

import numpy as np
import pytest

from studio.trace import load
from studio.trace.intervals import difference, intersection, length
from studio.trace.query import args, search, with_names
from studio.trace.statistics import busy, covered, statistics


@pytest.fixture
def case(cases):
    def find(name):
        folder = next(cases.glob(f"{name}-*"))
        return folder / "input", json.loads((folder / "expected.json").read_text())

    return find


def faults_of(trace):
    return {fault.kind: fault for fault in trace.faults}


def slices_of(trace):
    return {
        trace.names[name]: (start, start + duration)
        for name, start, duration in zip(
            trace.name.tolist(), trace.start.tolist(), trace.duration.tolist(), strict=True
        )
    }


def test_truncated_traces(case):
    folder, expected = case("A14")
    for name, right in expected.items():
        trace = load(folder / name)
        faults = faults_of(trace)
        if "events_at_least" in right:
            assert right["events_at_least"] <= trace.events <= right["events_at_most"]
            assert "cut archive" in faults
        else:
            assert trace.events == right["events"], name
        if "dropped" in right:
            dropped = faults.get("incomplete event")
            assert (dropped.count if dropped else 0) == right["dropped"], name
        if "byte" in right:
            assert faults["incomplete event"].first == right["byte"]
        assert not trace.complete
    assert "empty file" in faults_of(load(folder / "empty.json"))
    assert "no events" in faults_of(load(folder / "bracket_only.json"))


def test_badly_escaped_names(case):
    folder, expected = case("A15")
    for name in ("newline.json", "control.json"):
        trace = load(folder / name)
        assert trace.events == expected[name]["events"]
        assert faults_of(trace)["control character"].count == 1
    for name in ("quotes.json", "backslash.json", "missing_quote.json"):
        trace = load(folder / name)
        assert trace.events in expected[name]["events_any_of"]
        assert faults_of(trace)["repaired event"].count == expected[name]["bad"]
        assert faults_of(trace)["repaired event"].first == 106 if name != "quotes.json" else True
        hits = with_names(trace, search(trace, "forward"))
        assert len(hits) == expected["search_forward"]
    names = load(folder / "quotes.json").names
    assert 'lib = make("abc", "IMPL")(1): <module>' in names
    assert "torch\\cuda\\__init__.py(219): _lazy_init" in load(folder / "backslash.json").names
    assert "bad\x01\x1fname" in load(folder / "control.json").names


def test_tiny_zero_negative_and_missing_durations(case):
    folder, expected = case("A16")
    trace = load(folder / "trace.json")
    table = statistics(trace).set_index("name")
    for name, right in expected["stats"].items():
        assert table["count"][name] == right["count"]
        assert table["total_ns"][name] == round(right["total_us"] * 1000)
        if "mean_us" in right:
            assert table["avg_ns"][name] == right["mean_us"] * 1000
    low, high = expected["range_us"]
    assert (trace.start_ns, trace.end_ns) == (low * 1000, high * 1000)
    assert (trace.view_start_ns, trace.view_end_ns) == (low * 1000, high * 1000)

    data = (folder / "trace.json").read_bytes()
    odd = [faults_of(trace)[kind] for kind in ("negative duration", "duration is not a number")]
    assert [
        data[fault.first :].split(b'"name": "')[1].split(b'"')[0].decode() for fault in odd
    ] == (expected["odd"])
    assert not set(expected["odd"]) & set(table.index)
    open_ones = [trace.names[number] for number in trace.name[trace.open_ended].tolist()]
    assert open_ones == expected["open"]
    assert slices_of(trace)["open_end"] == (100_000, 140_000)
    assert (table["count"]["open_end"], table["unfinished"]["open_end"]) == (0, 1)


def test_nanoseconds_beyond_double(case):
    folder, expected = case("A17")
    trace = load(folder / "trace_view.json")
    slices = slices_of(trace)
    starts = [slices[name][0] for name in "abc"]
    assert starts == list(expected["start_ns"].values())
    assert [start - starts[0] for start in starts] == expected["relative_ns"]
    assert [slices[name][1] - slices[name][0] for name in "abc"] == [20, 20, 20]
    assert (trace.depth == 0).all()
    whole, decimals = divmod(starts[1], 1000)
    assert f"{whole}.{decimals:03d}" == expected["copy_text_b"]
    assert abs(slices["d"][0] - 1742490378358141500) <= 125


def test_begin_end_pairs(case):
    folder, expected = case("A18")
    trace = load(folder / "trace.json")
    assert slices_of(trace) == {
        name: (start * 1000, end * 1000) for name, (start, end) in expected["slices"].items()
    }
    open_ones = {trace.names[number] for number in trace.name[trace.open_ended].tolist()}
    assert open_ones == set(expected["unfinished"])
    faults = faults_of(trace)
    assert faults["begin without end"].count == 2
    assert faults["end without begin"].count == expected["end_without_begin"]
    depth = dict(
        zip([trace.names[n] for n in trace.name.tolist()], trace.depth.tolist(), strict=True)
    )
    assert {name: depth[name] for name in expected["depth"]} == expected["depth"]
    other = trace.lanes[trace.lane[[trace.names[n] for n in trace.name.tolist()].index("other")]]
    assert (other.process, other.thread) == ("2", "1")


def test_an_event_at_time_zero_does_not_squash_the_view(case):
    folder, expected = case("A19")
    right = expected["one_zero.json"]
    trace = load(folder / "one_zero.json")
    assert [trace.view_start_ns, trace.view_end_ns] == [edge * 1000 for edge in right["fit_us"]]
    assert trace.view_end_ns - trace.view_start_ns == right["trace_duration_us"] * 1000
    assert trace.outside == right["outside"] == faults_of(trace)["far from the rest"].count
    assert trace.start_ns == 0
    assert len(with_names(trace, search(trace, "Iteration Refresh"))) == 1

    right = expected["half.json"]
    trace = load(folder / "half.json")
    assert [trace.view_start_ns, trace.view_end_ns] == [edge * 1000 for edge in right["fit_us"]]
    assert trace.outside == right["without_time"]
    assert statistics(trace)["count"].tolist() == [right["valid"]]
    everything = statistics(trace, trace.start_ns, trace.end_ns + 1)
    assert everything["count"].tolist() == [right["valid"] + right["without_time"]]


def test_ranks_with_the_same_process_and_flow_ids_stay_apart(case):
    folder, expected = case("A20")
    traces = [load(path) for path in sorted(folder.rglob("trace_view.json"))]
    assert len(traces) == len(expected["ranks"])
    processes = [{lane.process for lane in trace.lanes} for trace in traces]
    assert processes[0] == processes[1]
    assert sum(map(len, processes)) == expected["process_groups"]
    assert sum(len(trace.flows) for trace in traces) == expected["flows"]
    for trace in traces:
        ends = zip(trace.flows.source_slice, trace.flows.target_slice, strict=True)
        assert all(0 <= end < len(trace) for pair in ends for end in pair)
        assert not trace.faults
    first, second = (trace.view_start_ns for trace in traces)
    skew = expected["first_step_skew_after_us"] - expected["offset_us"]["1"]
    assert second - first == skew * 1000


@pytest.mark.parametrize("count", [20_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_as_many_names_as_slices(case, tmp_path, count):
    folder, expected = case("A21")
    path = tmp_path / "trace.json"
    code = [sys.executable, str(folder / "gen.py"), str(path), str(count)]
    told = ast.literal_eval(subprocess.check_output(code, text=True))
    calls = []

    class Job:
        def report(self, fraction, message):
            calls.append(fraction)

        def check(self):
            pass

    trace = load(path, job=Job(), keep=False)
    assert not trace.faults
    assert (len(trace), len(trace.names)) == (told["events"], told["distinct"])
    assert trace.duration.sum() == round(told["total_dur_us"] * 1000)
    assert len([lane for lane in trace.lanes if lane.count]) == 64
    fractions = [fraction for fraction in calls if fraction is not None]
    assert fractions == sorted(fractions)
    needle = expected["needle"]["name"] if count > 777_777 else "op_0007777"
    (hit,) = with_names(trace, search(trace, needle))
    assert trace.names[trace.name[hit]] == needle
    if count == expected["default_n"]:
        assert told["total_dur_us"] == expected["total_dur_us"]
        assert trace.lanes[trace.lane[hit]].thread == str(expected["needle"]["tid"])
        assert trace.start[hit] == expected["needle"]["ts_us"] * 1000
        assert len(calls) > 10


def test_totals_of_a_selection(case):
    folder, expected = case("A35")
    trace = load(folder / "trace_view.json")
    t0, t1 = (edge * 1000 for edge in expected["selection_us"])
    table = statistics(trace, t0, t1).set_index("name")
    for name, right in expected["by_name"].items():
        row = table.loc[name]
        assert (row["count"], row["total_ns"]) == (right["count"], right["total"] * 1000)
        if "mean" in right:
            assert row["avg_ns"] == pytest.approx(right["mean"] * 1000)
            assert (row["min_ns"], row["max_ns"]) == (right["min"] * 1000, right["max"] * 1000)
    assert covered(trace, t0, t1) == expected["covered_us"] * 1000
    assert table["total_ns"].sum() == 1_400_000

    lanes = {lane.title: lane.id for lane in trace.lanes}
    computing = busy(trace, t0, t1, [lanes["Computing"]])
    communication = busy(trace, t0, t1, [lanes["Communication"]])
    step = {
        "Computing": length(computing),
        "Communication": length(communication),
        "Overlapped": length(intersection(computing, communication)),
        "Communication(Not Overlapped)": length(difference(communication, computing)),
    }
    both = (
        np.concatenate((computing[0], communication[0])),
        np.concatenate((computing[1], communication[1])),
    )
    step["Free"] = t1 - t0 - length(both)
    assert {name: time // 1000 for name, time in step.items()} == expected["step"]


def test_a_selection_that_cuts_slices_counts_the_part_inside(case):
    folder, _ = case("A35")
    trace = load(folder / "trace_view.json")
    table = statistics(trace, 250_000, 450_000).set_index("name")
    assert table["total_ns"].to_dict() == {
        "Communication": 100_000,
        "Computing": 100_000,
        "Communication(Not Overlapped)": 50_000,
        "Free": 50_000,
    }


def test_the_file_tells_the_args_of_a_repaired_event(case):
    folder, _ = case("A15")
    trace = load(folder / "quotes.json")
    index = [trace.names[n].startswith("lib") for n in trace.name.tolist()].index(True)
    assert args(trace, index) == {}
    assert trace.file.read(int(trace.source[index]))["cat"] == "python_function"
