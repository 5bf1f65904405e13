"""From events to lanes, rows, curves, arrows and ranges."""

import numpy as np
import pytest

from studio.formats import engine
from studio.kernel.errors import StudioError
from studio.trace import load
from studio.trace.steps import find_steps

kernels = pytest.mark.skipif(not engine.has_compiler(), reason="numba is not installed")


def faults_of(trace):
    return {fault.kind: fault.count for fault in trace.faults}


def test_pids_and_tids_are_texts_of_any_kind(make, event):
    trace = make(
        event("X", dur=1, pid=3254508992, tid="stream 7"),
        event("X", ts=2, dur=1, pid="3254508992", tid="stream 7"),
        event("X", dur=1, pid="Spans", tid=2**40),
        event("X", dur=1, pid=None, tid=None),
    )
    assert [(lane.process, lane.thread, lane.count) for lane in trace.lanes] == [
        ("", "", 1),
        ("3254508992", "stream 7", 2),
        ("Spans", str(2**40), 1),
    ]


def test_lanes_stand_by_sort_index_then_in_natural_order(make, event):
    def meta(kind, pid, tid=0, /, **args):
        return event("M", kind, pid=pid, tid=tid, args=args)

    trace = make(
        *(event("X", dur=1, pid=1, tid=tid) for tid in (10, 2, 3)),
        event("X", dur=1, pid=2, tid=1),
        event("X", dur=1, pid=3, tid=1),
        event("X", dur=1, pid=4, tid=1),
        meta("process_name", 1, name="Ascend Hardware"),
        meta("process_sort_index", 1, sort_index=13),
        meta("process_labels", 1, labels="NPU 0"),
        meta("thread_name", 1, 10, name="Stream 10"),
        meta("thread_name", 1, 2, name="Stream 2"),
        meta("thread_name", 1, 3, name="Stream 1"),
        meta("process_name", 2, name="CANN"),
        meta("process_sort_index", 2, sort_index=7),
        meta("process_name", 3, name="rank 10"),
        meta("process_name", 4, name="rank 9"),
    )
    assert [(lane.process_title, lane.title) for lane in trace.lanes] == [
        ("rank 9", "Thread 1"),
        ("rank 10", "Thread 1"),
        ("CANN", "Thread 1"),
        ("Ascend Hardware", "Stream 1"),
        ("Ascend Hardware", "Stream 2"),
        ("Ascend Hardware", "Stream 10"),
    ]
    assert trace.lanes[3].labels == "NPU 0"
    assert [lane.id for lane in trace.lanes] == list(range(6))


@pytest.mark.parametrize("choice", ["portable", pytest.param("compiled", marks=kernels)])
def test_numbers_of_thousands_of_digits_are_read_like_others(make, event, choice, monkeypatch):
    """Python itself makes numbers of some thousand digits only."""
    monkeypatch.setenv(engine.CHOICE, choice)
    long, larger = "1" * 5000, "2" * 5000

    def meta(kind, tid, **args):
        return event("M", kind, tid=tid, args=args)

    trace = make(
        *(event("X", dur=1, tid=tid) for tid in (1, 2, 3, 4, 5)),
        event("X", f"ProfilerStep#{long}", 1, dur=1),
        event("X", "ProfilerStep#7", 2, dur=1),
        meta("thread_name", 1, name=f"Stream {larger}"),
        meta("thread_name", 2, name="Stream 0099"),
        meta("thread_name", 3, name=f"Stream {long}"),
        meta("thread_name", 4, name="Stream ９９"),
        meta("thread_name", 5, name="Stream 100"),
        meta("thread_sort_index", 1, sort_index=float("nan")),
        meta("thread_sort_index", 2, sort_index="much"),
    )
    titles = [lane.title.removeprefix("Stream ") for lane in trace.lanes]
    assert titles == ["0099", "９９", "100", long, larger]
    assert [step.number for step in find_steps(trace).all] == [7]
    # a number that no float holds counts as none
    huge = make(
        event("X", dur=1, tid=1),
        event("X", dur=1, tid=2),
        meta("thread_sort_index", 1, sort_index=10**400),
        meta("thread_sort_index", 2, sort_index=-1),
    )
    assert [lane.thread for lane in huge.lanes] == ["2", "1"]


def test_slices_stand_by_lane_row_and_start(make, event):
    trace = make(
        event("X", "late", 50, dur=5, tid=1),
        event("X", "outer", 0, dur=40, tid=1),
        event("X", "crossing", 30, dur=15, tid=1),
        event("X", "inner", 1, dur=2, tid=1),
        event("X", "other", 7, dur=1, tid=2),
    )
    assert [trace.names[number] for number in trace.name] == [
        "outer",
        "late",
        "inner",
        "crossing",
        "other",
    ]
    assert trace.depth.tolist() == [0, 0, 1, 1, 0]
    assert trace.lane.tolist() == [0, 0, 0, 0, 1]
    assert trace.row_bounds.tolist() == [0, 2, 4, 5]
    assert trace.row_lane.tolist() == [0, 0, 1]
    first, second = trace.lanes
    assert (first.rows, first.first, first.last, first.first_row) == (2, 0, 4, 0)
    assert (second.rows, second.first, second.last, second.first_row) == (1, 4, 5, 2)


def test_counters_become_curves_by_process_name_id_and_key(make, event):
    trace = make(
        event("C", "HBM", 3, args={"Read(MB/s)": 2.5, "Write(MB/s)": 1}),
        event("C", "HBM", 1, args={"Read(MB/s)": 1.5}),
        event("C", "bandwidth", 1, args={"value": 7, "acc_id": 1}),
        event("C", "bandwidth", 1, args={"value": 8, "acc_id": 0}),
        event("C", "queue", 1, id=5, args={"x": "12"}),
        event("C", "text", 1, args={"x": "many"}),
        event("C", "none", 1),
    )
    assert trace.counter_events == 7
    curves = {(curve.name, curve.id, curve.key): curve for curve in trace.counters}
    assert set(curves) == {
        ("HBM", "", "Read(MB/s)"),
        ("HBM", "", "Write(MB/s)"),
        ("bandwidth", "0", "value"),
        ("bandwidth", "1", "value"),
        ("queue", "5", "x"),
    }
    read = curves["HBM", "", "Read(MB/s)"]
    assert read.times.tolist() == [1000, 3000]
    assert read.values.tolist() == [1.5, 2.5]
    assert [lane.title for lane in trace.lanes] == [
        "bandwidth 0",
        "bandwidth 1",
        "HBM · Read(MB/s)",
        "HBM · Write(MB/s)",
        "queue 5",
    ]
    assert all(lane.kind == "counter" and lane.rows == 0 for lane in trace.lanes)
    assert [trace.counters[lane.counter].lane for lane in trace.lanes] == list(range(5))
    assert faults_of(trace) == {"counter without number": 2}


def test_instants_keep_their_lane(make, event):
    trace = make(event("i", "[memory]", 5, tid=2, s="t"), event("I", "mark", 1), event("R", "r", 2))
    assert trace.instants.time.tolist() == [1000, 2000, 5000]
    assert [trace.names[n] for n in trace.instants.name] == ["mark", "r", "[memory]"]
    assert [trace.lanes[lane].thread for lane in trace.instants.lane] == ["1", "1", "2"]
    assert (trace.start_ns, trace.end_ns) == (1000, 5000)


def test_one_flow_start_has_many_ends_and_ids_are_compared_as_texts(make, event):
    trace = make(
        event("X", "launch", 0, dur=10),
        event("X", "inner", 2, dur=2),
        event("X", "kernel", 20, dur=5, tid=2),
        event("X", "kernel", 30, dur=5, tid=2),
        event("s", "f1", 3, cat="async_npu", id=936),
        event("f", "f1", 20, tid=2, cat="async_npu", id="936", bp="e"),
        event("f", "f1", 30, tid=2, cat="async_npu", id="936", bp="e"),
        event("f", "f1", 30, tid=2, cat="other", id="936"),
        event("s", "f2", 3, cat="x", id="18446744073709551615"),
        event("f", "f2", 24, tid=2, cat="x", id="18446744073709551615"),
        event("s", "f3", 3, cat="x", id="0936"),
    )
    flows = trace.flows
    assert len(flows) == 3
    named = [trace.names[number] for number in trace.name]
    assert [named[index] for index in flows.source_slice] == ["inner"] * 3
    assert sorted(trace.start[flows.target_slice].tolist()) == [20_000, 20_000, 30_000]
    assert [trace.lanes[lane].thread for lane in flows.target_lane] == ["2"] * 3
    assert faults_of(trace) == {"flow start without end": 1, "flow end without start": 1}


def test_flow_steps_chain_and_ids_may_be_used_again(make, event):
    trace = make(
        event("s", ts=1, id=1),
        event("t", ts=2, id=1),
        event("f", ts=3, id=1),
        event("s", ts=10, id=1),
        event("f", ts=11, id=1),
        event("f", ts=0.5, id=7),
        event("s", ts=0.75, id=7),
    )
    pairs = zip(trace.flows.source_time.tolist(), trace.flows.target_time.tolist(), strict=True)
    assert sorted(pairs) == [(750, 500), (1000, 2000), (2000, 3000), (10_000, 11_000)]
    assert trace.flows.source_slice.tolist() == [-1] * 4
    assert not trace.faults


def test_async_events_share_a_lane_by_category_and_rows_by_first_fit(make, event):
    trace = make(
        event("b", "request", 0, cat="serve", id="0x1"),
        event("b", "request", 1, cat="serve", id="0x2"),
        event("n", "token", 2, cat="serve", id="0x1"),
        event("e", "request", 5, cat="serve", id="0x1"),
        event("b", "request", 6, cat="serve", id="0x3", tid=9),
        event("e", "request", 7, cat="serve", id="0x3", tid=9),
        event("e", "request", 9, cat="serve", id="0x2"),
        event("S", "old", 0, cat="legacy", id=1),
        event("F", "old", 4, cat="legacy", id=1),
        event("b", "never", 3, cat="legacy", id=2),
        event("e", "extra", 3, cat="legacy", id=3),
        event("b", "local", 1, cat="serve", id2={"local": "0x1"}),
        event("e", "local", 2, cat="serve", id2={"local": "0x1"}),
    )
    lanes = {lane.title: lane for lane in trace.lanes if lane.asynchronous}
    assert set(lanes) == {"serve", "legacy"}
    serve = slice(lanes["serve"].first, lanes["serve"].last)
    rows = zip(
        trace.depth[serve].tolist(),
        trace.start[serve].tolist(),
        trace.end[serve].tolist(),
        strict=True,
    )
    assert list(rows) == [(0, 0, 5000), (0, 6000, 7000), (1, 1000, 9000), (2, 1000, 2000)]
    legacy = slice(lanes["legacy"].first, lanes["legacy"].last)
    assert trace.end[legacy].tolist() == [4000, 9000]
    assert trace.open_ended[legacy].tolist() == [False, True]
    assert faults_of(trace) == {"begin without end": 1, "end without begin": 1}
    assert len(trace.instants) == 1


def test_other_phases_and_broken_fields_are_counted(make, event):
    trace = make(
        event("P", "sample"),
        event("XX"),
        event(7),
        {"name": "no phase", "ts": 1},
        event("X", ts="soon", dur=1),
        event("X", ts=None, dur=1),
        event("X", ts="9e30", dur=1),
        event("X", ts=1, dur=-1),
        event("X", ts=1, dur="9e15"),
        event("X", {"odd": ["name"]}, ts=1, dur=1, pid=[1], tid={}),
        event("X", 5, ts=1, dur=1, cat=None),
        event("X", None, ts=1, dur=1, cat=["x"]),
    )
    assert faults_of(trace) == {
        "unknown phase": 4,
        "time is not a number": 1,
        "event without time": 1,
        "time out of range": 1,
        "negative duration": 1,
        "duration out of range": 1,
    }
    assert sorted(trace.names[n] for n in trace.name) == ["", "5", "{'odd': ['name']}"]


def test_a_complete_event_without_duration_lasts_to_the_next_of_its_thread(make, event):
    trace = make(event("X", "open", 1), event("X", "next", 5, dur=1), event("X", "last", 6, tid=2))
    ends = dict(zip([trace.names[n] for n in trace.name], trace.end.tolist(), strict=True))
    assert ends == {"open": 5000, "next": 6000, "last": 6000}
    assert faults_of(trace) == {"missing duration": 2}


def test_an_unfinished_slice_at_time_zero_does_not_bridge_the_gap(make, event):
    epoch = 1742490378000000
    trace = make(
        event("B", "lost", 0, tid=2),
        *(event("X", ts=epoch + 10 * step, dur=5) for step in range(20)),
    )
    assert trace.view_start_ns == epoch * 1000
    assert trace.view_end_ns == epoch * 1000 + 195_000
    assert trace.outside == 1


def test_a_quiet_hour_between_two_long_phases_stays_in_view(make, event):
    hour = 3_600_000_000
    trace = make(
        *(event("X", ts=step * 1_000_000, dur=900_000) for step in range(60)),
        *(event("X", ts=hour + step * 1_000_000, dur=900_000) for step in range(60)),
    )
    assert (trace.view_start_ns, trace.view_end_ns) == (trace.start_ns, trace.end_ns)
    assert trace.outside == 0


def test_chosen_args_become_columns(make, event):
    trace = make(
        event("X", ts=1, dur=1, args={"correlation": 5, "stream": "7", "External id": 2**40}),
        event("X", ts=2, dur=1, args={"correlation": "x", "stream": 1.5}),
        event("X", ts=3, dur=1, args=None),
        event("X", ts=4, dur=1),
        event("B", ts=5, args={"correlation": 9}),
        event("E", ts=6),
        arg_columns=("correlation", "stream", "External id"),
    )
    values = {
        name: [column.get(index) for index in range(5)]
        for name, column in trace.arg_columns.items()
    }
    assert values == {
        "correlation": [5, "x", None, None, 9],
        "stream": [7, "1.5", None, None, None],
        "External id": [2**40, None, None, None, None],
    }


def test_the_base_of_kineto_times_is_kept_beside_them(tmp_path):
    path = tmp_path / "t.pt.trace.json"
    path.write_text(
        '{"schemaVersion": 1, "traceEvents": [{"ph": "X", "name": "a", "ts": 4458676522690.655,'
        ' "dur": 156.777}], "displayTimeUnit": "ms", "baseTimeNanoseconds": 1711964646000000000}'
    )
    trace = load(path)
    assert trace.start.tolist() == [4458676522690655]
    assert trace.metadata == {
        "schemaVersion": 1,
        "displayTimeUnit": "ms",
        "baseTimeNanoseconds": 1711964646000000000,
    }


def test_loading_reports_and_stops_when_cancelled(make, event, tmp_path):
    class Cancelled(Exception):
        pass

    class Job:
        def __init__(self):
            self.fractions = []

        def report(self, fraction, message):
            self.fractions.append(fraction)

        def check(self):
            if len(self.fractions) > 1:
                raise Cancelled

    make(event("X", dur=1))
    job = Job()
    load(tmp_path / "trace.json", job=job)
    assert job.fractions == [1.0, None]
    with pytest.raises(Cancelled):
        load(tmp_path / "trace.json", job=job)


def test_absent_files_are_named(tmp_path):
    with pytest.raises(StudioError, match="absent"):
        load(tmp_path / "absent.json")


def test_columns_have_the_promised_types(make, event):
    trace = make(event("X", dur=1))
    assert (trace.start.dtype, trace.duration.dtype, trace.source.dtype) == (np.int64,) * 3
    assert (trace.name.dtype, trace.lane.dtype, trace.depth.dtype) == (np.int32,) * 3
    assert (trace.category.dtype, trace.open_ended.dtype) == (np.int32, np.bool_)


def test_any_number_of_categories_is_kept_apart(make, event):
    trace = make(*(event("X", ts=number, dur=1, cat=f"c{number}") for number in range(40_000)))
    assert [trace.categories[number] for number in trace.category] == [
        f"c{number}" for number in range(40_000)
    ]


@kernels
def test_arrows_have_places_all_over_their_table_however_large_it_is():
    """With places for some millions only, more arrows than that were never numbered to the end."""
    from studio.trace.kernels.pairing import group_numbers

    for bits in (10, 17, 25):
        slots, count = np.empty(1 << bits, np.int32), 1000 if bits > 10 else 200
        group, example = np.empty(count, np.int32), np.empty(count, np.int32)
        keys = np.zeros(count, np.int32), np.arange(count) // 2, np.zeros(count, np.bool_)
        assert group_numbers(*keys, group, example, slots) == count // 2
        assert group.tolist() == [number // 2 for number in range(count)]
        upper = np.count_nonzero(slots[slots.size // 2 :] >= 0)
        assert count // 8 < upper < count * 3 // 8
