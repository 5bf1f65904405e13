"""`studio trace stats|search|query|convert`: the numbers of the window, without the window."""

from __future__ import annotations

import json
import random
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from plugins.timeline.core.convert import convert
from plugins.timeline.core.part import Wanted, find_lanes, parse_time
from plugins.timeline.core.query import query
from plugins.timeline.core.search import search
from plugins.timeline.core.stats import stats
from plugins.timeline.core.summary import grouped
from studio.cli import main
from studio.kernel.errors import StudioError
from studio.kernel.render import plain, to_csv, to_table
from studio.trace import load

if TYPE_CHECKING:
    from pathlib import Path

    from studio.trace import Trace

TEXT = "data/profiling/msinsight/test/data/pytorch/text/{}/rank0_ascend_pt"
SAMPLES = (
    *(f"{TEXT.format(level)}/ASCEND_PROFILER_OUTPUT/trace_view.json" for level in
      ("level0", "level1", "level2")),
    "data/profiling/att_tb_plugin_samples/plugins/tensorboard-plugins/tb_plugin/samples/"
    "resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz",
)  # fmt: skip
EVENTS: list[dict[str, Any]] = [
    {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "Python"}},
    {"ph": "M", "name": "process_labels", "pid": 1, "args": {"labels": "CPU"}},
    {"ph": "M", "name": "process_name", "pid": 2, "args": {"name": "Ascend Hardware"}},
    {"ph": "M", "name": "process_sort_index", "pid": 1, "args": {"sort_index": 5}},
    {"ph": "M", "name": "thread_name", "pid": 2, "tid": 7, "args": {"name": "Stream 7"}},
    {"ph": "X", "name": "step", "cat": "cpu_op", "pid": 1, "tid": 1, "ts": "1000.000", "dur": 900},
    {"ph": "X", "name": "aten::mm", "pid": 1, "tid": 1, "ts": "1100.001", "dur": 200,
     "args": {"Input Dims": "4,4", "correlation": 7}},
    {"ph": "X", "name": "MatMul", "pid": 2, "tid": 7, "ts": "1350.5", "dur": 300.25},
    {"ph": "X", "name": "MatMul", "pid": 2, "tid": 7, "ts": 1700, "dur": 0},
    {"ph": "X", "name": "算子", "pid": 2, "tid": 7, "ts": 1800, "dur": 10,
     "args": {"odd": float("nan"), "k": [1, None]}},
    {"ph": "B", "name": "never ends", "pid": 3, "tid": "main", "ts": 1850},
    {"ph": "b", "name": "request", "cat": "async", "id": 1, "pid": 3, "tid": "main", "ts": 1200},
    {"ph": "b", "name": "request", "cat": "async", "id": 2, "pid": 3, "tid": "main", "ts": 1210},
    {"ph": "e", "name": "request", "cat": "async", "id": 1, "pid": 3, "tid": "main", "ts": 1300},
    {"ph": "e", "name": "request", "cat": "async", "id": 2, "pid": 3, "tid": "main", "ts": 1310},
    {"ph": "s", "name": "x", "cat": "async_npu", "id": 5, "pid": 1, "tid": 1, "ts": "1100.001"},
    {"ph": "f", "bp": "e", "name": "x", "cat": "async_npu", "id": 5, "pid": 2, "tid": 7,
     "ts": "1350.5"},
    {"ph": "i", "s": "t", "name": "mark", "pid": 1, "tid": 1, "ts": 1500.001},
    {"ph": "C", "name": "Freq", "pid": 4, "tid": 0, "ts": 1000, "args": {"MHz": 800}},
    {"ph": "C", "name": "Freq", "pid": 4, "tid": 0, "ts": 1500, "args": {"MHz": 1650.5}},
]  # fmt: skip


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "data" / "trace_view.json"
    path.parent.mkdir()
    path.write_text(json.dumps(EVENTS))
    return path


def rows(listing: object) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = plain(listing)["rows"]
    return found


# -- windows, lanes, names ------------------------------------------------------------------------
def test_times_count_from_the_beginning_with_a_unit_and_are_exact_without(file: Path) -> None:
    trace = load(file)
    assert trace.view_start_ns == 1_000_000
    assert parse_time("1.5us", trace) == 1_001_500
    assert parse_time("0.1 ms", trace) == 1_100_000
    assert parse_time("1350500", trace) == 1_350_500
    assert parse_time("-1350500", trace) == -1_350_500
    for wrong in (
        "12.5",
        "-12.5",
        "9" * 5000,
        "9" * 19,
        "9" * 15 + "s",
        "soon",
        "-3ms",
        "",
        "1e3us",
        "3 min",
    ):
        with pytest.raises(StudioError, match="is no time"):
            parse_time(wrong, trace)


def test_a_window_that_ends_before_it_begins_is_refused(file: Path) -> None:
    with pytest.raises(StudioError, match="ends before it begins") as caught:
        Wanted(start="2ms", end="1ms").of(load(file))
    assert caught.value.exit_code == 2


def test_lanes_are_found_by_process_and_title(file: Path) -> None:
    trace = load(file)
    chosen = find_lanes(trace, ["hardware / stream", "python"])
    assert [trace.lanes[lane].title for lane in chosen] == ["Stream 7", "Thread 1"]
    with pytest.raises(StudioError, match="No lane contains “rank 9”") as caught:
        find_lanes(trace, ["rank 9"])
    assert "Ascend Hardware / Stream 7" in caught.value.message


def test_a_training_step_is_a_window(tmp_path: Path) -> None:
    path = tmp_path / "trace_view.json"
    step = {"ph": "X", "pid": 1, "tid": 1}
    events = [
        {**step, "name": "ProfilerStep#4", "ts": 10, "dur": 20},
        {**step, "name": "ProfilerStep#5", "ts": 30, "dur": 20},
        {**step, "name": "a", "ts": 35, "dur": 5, "tid": 2},
    ]
    path.write_text(json.dumps(events))
    assert [row["name"] for row in rows(stats(path, step=5))] == ["ProfilerStep#5", "a"]
    with pytest.raises(StudioError, match="no step 6; there are: 4, 5"):
        stats(path, step=6)


# -- stats ----------------------------------------------------------------------------------------
def test_stats_cut_slices_at_the_edges_and_say_what_is_covered(file: Path) -> None:
    listing = stats(file, "400us", "0.7ms", lane=["Stream"])
    assert plain(listing)["covered_ns"] == 250_750
    (row,) = rows(listing)
    assert (row["name"], row["count"], row["total_ns"]) == ("MatMul", 1, 250_750)


def test_stats_by_lane_are_the_busy_shares(file: Path) -> None:
    found = {row["lane"]: row for row in rows(stats(file, "350us", "650us", by="lane"))}
    assert found["Stream 7"]["covered_ns"] == 299_500
    assert found["Stream 7"]["share"] == pytest.approx(299.5 / 300)
    assert found["Thread 1"]["share"] == 1
    with pytest.raises(StudioError, match="goes with --by name"):
        stats(file, name="x", by="lane")


def test_stats_by_process_and_category_cover_each_moment_once(file: Path) -> None:
    found = {row["process"]: row for row in rows(stats(file, by="process"))}
    python = found["Python"]
    assert (python["count"], python["total_ns"], python["covered_ns"]) == (2, 1_100_000, 900_000)
    asyncs = {row["category"]: row for row in rows(stats(file, by="category"))}["async"]
    assert (asyncs["count"], asyncs["total_ns"], asyncs["covered_ns"]) == (2, 200_000, 110_000)


@pytest.mark.parametrize("by", ["lane", "process", "category"])
@pytest.mark.parametrize("seed", range(4))
def test_sums_of_groups_are_those_of_every_nanosecond(tmp_path: Path, by: str, seed: int) -> None:
    rnd = random.Random(seed)
    events = [
        {"ph": "X", "name": "a", "cat": rnd.choice("xy"), "pid": rnd.randrange(2)}
        | {
            "tid": rnd.randrange(3),
            "ts": rnd.randrange(200) / 1000,
            "dur": rnd.randrange(30) / 1000,
        }
        for _ in range(90)
    ]
    never = {"ph": "B", "name": "never ends", "cat": "x", "pid": 0, "tid": 1, "ts": 0.1}
    path = tmp_path / "trace_view.json"
    path.write_text(json.dumps([*events, never]))
    trace = load(path)
    for start, end, lanes in ((0, 250, None), (50, 120, None), (60, 61, None), (20, 180, [0, 2])):
        expected: dict[str, tuple[list[int], set[int]]] = {}
        for index in range(len(trace)):
            lane = trace.lanes[int(trace.lane[index])]
            begin, stop = int(trace.start[index]), int(trace.end[index])
            if not (begin < end and (stop > start or begin >= start)):
                continue
            if lanes is not None and lane.id not in lanes:
                continue
            of = {"lane": f"{lane.process} {lane.title}", "process": lane.process}
            key = of.get(by, trace.categories[int(trace.category[index])])
            lengths, moments = expected.setdefault(key, ([], set()))
            inside = range(max(begin, start), 0 if trace.open_ended[index] else min(stop, end))
            lengths.append(len(inside))
            moments.update(inside)
        found = {}
        for row in grouped(trace, start, end, lanes, by).to_dict("records"):
            lane = trace.lanes[int(row["id"])]
            of = {"lane": f"{lane.process} {row.get('lane')}", "process": lane.process}
            key = of.get(by, row.get("category"))
            found[key] = (row["count"], row["total_ns"], row["covered_ns"])
            assert row["share"] == row["covered_ns"] / (end - start)
        assert found == {
            key: (len(lengths), sum(lengths), len(moments))
            for key, (lengths, moments) in expected.items()
        }


@pytest.mark.parametrize("by", ["lane", "process", "category"])
def test_sums_of_a_real_trace_are_those_of_its_parts(shared: Path, by: str) -> None:
    from studio.trace.statistics import covered

    trace = load(shared / SAMPLES[2])
    start, end = trace.view_start_ns + 50_000_000, trace.view_start_ns + 160_000_000
    listed = grouped(trace, start, end, None, by)
    inside = (trace.start < end) & (trace.end > start)
    assert int(listed["count"].sum()) == np.count_nonzero(
        inside | ((trace.duration == 0) & (trace.start >= start) & (trace.start < end))
    )
    if by == "category":
        return
    for row in listed.to_dict("records"):
        process = trace.lanes[row["id"]].process
        lanes = [lane.id for lane in trace.lanes if lane.process == process]
        chosen = [row["id"]] if by == "lane" else lanes
        assert row["covered_ns"] == covered(trace, start, end, chosen)


def test_stats_of_a_case_count_no_time_twice(shared: Path) -> None:
    folder = next((shared / "cases").glob("A35-*"))
    expected = json.loads((folder / "expected.json").read_text())
    listing = plain(stats(folder / "input" / "trace_view.json", "0", "1000000"))
    assert listing["covered_ns"] <= 1_000_000
    found = {row["name"]: row for row in listing["rows"]}
    assert found["Communication"]["total_ns"] == 400_000
    assert found["Computing"]["total_ns"] == 600_000
    assert expected


@pytest.mark.gui
def test_stats_are_the_numbers_of_the_window(file: Path) -> None:
    from studio.trace.statistics import statistics

    trace = load(file)
    shown = statistics(trace, 1_000_000, 1_500_000)
    printed = rows(stats(file, "1000000", "1500000"))
    assert [row["total_ns"] for row in printed] == shown["total_ns"].tolist()
    assert [row["covered_ns"] for row in printed] == shown["covered_ns"].tolist()


# -- search and query -----------------------------------------------------------------------------
def test_search_lists_hits_by_time_and_says_no_when_there_are_none(file: Path) -> None:
    listing = search(file, "mm")
    assert [row["name"] for row in rows(listing)] == ["aten::mm"]
    assert [row["start_ns"] for row in rows(search(file, "matmul"))] == [1_350_500, 1_700_000]
    assert search(file, "matmul", case=True).exit_code == 1
    assert [r["name"] for r in rows(search(file, "^a.*mm$", regex=True))] == ["aten::mm"]
    assert search(file, "at", word=True).total == 0
    limited = search(file, "matmul", limit=1)
    assert (len(limited.rows), limited.total) == (1, 2)
    with pytest.raises(StudioError, match="no regular expression"):
        search(file, "(", regex=True)


def test_query_tells_what_runs_at_a_moment(file: Path) -> None:
    found = rows(query(file, at="150us"))
    assert [(row["name"], row["lane"]) for row in found] == [
        ("step", "Thread 1"),
        ("aten::mm", "Thread 1"),
    ]
    assert found[0]["self_ns"] == 700_000
    with pytest.raises(StudioError, match="exclude each other"):
        query(file, at="1us", to="2us")


def test_query_sorts_limits_and_reads_args(file: Path) -> None:
    listing = query(file, sort="duration", limit=2, arg=["correlation"])
    assert [(r["name"], r["duration_ns"], r["correlation"]) for r in rows(listing)] == [
        ("step", 900_000, None),
        ("MatMul", 300_250, None),
    ]
    assert rows(query(file, name="mm", arg=["correlation"]))[0]["correlation"] == 7


def test_query_answers_in_sql(file: Path) -> None:
    sql = (
        "select lane.process, count(*) n, sum(duration_ns) total from slice join lane "
        "using (lane_id) group by 1 order by 3 desc"
    )
    assert rows(query(file, sql))[:2] == [
        {"process": "Python", "n": 2, "total": 1_100_000},
        {"process": "Ascend Hardware", "n": 3, "total": 310_250},
    ]
    flows = "select s.name a, t.name b from flow f join slice s on s.id = f.source_id " \
            "join slice t on t.id = f.target_id"  # fmt: skip
    assert rows(query(file, flows)) == [{"a": "aten::mm", "b": "MatMul"}]
    assert rows(query(file, "select max(value) v from counter")) == [{"v": 1650.5}]
    assert rows(query(file, "select name from instant")) == [{"name": "mark"}]
    with pytest.raises(StudioError, match="no such table: slices"):
        query(file, "select * from slices")


def test_listings_are_readable(file: Path) -> None:
    text = to_table(query(file, at="150us"))
    assert text.splitlines()[0] == "150.000 to 150.001 µs from the beginning"
    assert "100.001" in text
    assert "200.000" in text
    assert "Nothing found." in to_table(search(file, "zzz"))
    assert to_csv(search(file, "aten")).splitlines()[1].startswith("aten::mm,1100001,200000,")


# -- convert --------------------------------------------------------------------------------------
def assert_same(first: Trace, second: Trace) -> None:
    """Compare slices, lanes, flows and counters, whatever the ids of open slices' ends."""
    titles = [(lane.process_title, lane.title, lane.kind) for lane in first.lanes]
    assert [(lane.process_title, lane.title, lane.kind) for lane in second.lanes] == titles
    closed, told = ~first.open_ended, ~second.open_ended
    assert len(first) == len(second)
    for column in ("start", "duration", "lane", "depth"):
        assert np.array_equal(getattr(first, column)[closed], getattr(second, column)[told]), column
    assert [first.names[i] for i in first.name.tolist()] == [
        second.names[i] for i in second.name.tolist()
    ]
    placed = (first.flows.source_lane >= 0) & (first.flows.target_lane >= 0)
    for column in ("source_time", "target_time", "source_slice", "target_slice"):
        before, after = getattr(first.flows, column), getattr(second.flows, column)
        assert np.array_equal(before[placed], after), column
    assert len(first.counters) == len(second.counters)
    for one, other in zip(first.counters, second.counters, strict=True):
        assert np.array_equal(one.times, other.times)
        assert np.array_equal(one.values, other.values)
    assert np.array_equal(first.instants.time, second.instants.time)


@pytest.mark.parametrize("name", ["out.json", "out.json.gz"])
def test_a_converted_trace_reads_back_the_same(file: Path, tmp_path: Path, name: str) -> None:
    done = convert(file, tmp_path / name)
    assert (done.slices, done.flows, done.flows_left_out) == (8, 1, 0)
    assert (done.counter_samples, done.instants) == (2, 1)
    first, second = load(file), load(tmp_path / name)
    assert_same(first, second)
    index = int(np.flatnonzero(second.name == second.names.index("aten::mm"))[0])
    assert second.file.read(int(second.source[index]))["args"]["Input Dims"] == "4,4"
    assert sorted(p.name for p in file.parent.iterdir()) == ["trace_view.json"]
    assert sorted(p.name for p in tmp_path.iterdir() if p.is_file()) == [name]


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda s: s.split("/")[-3])
def test_real_traces_read_back_the_same(shared: Path, tmp_path: Path, sample: str) -> None:
    convert(shared / sample, tmp_path / "out.json", args=False)
    assert_same(load(shared / sample), load(tmp_path / "out.json"))


def test_ids_of_thousands_of_digits_are_converted_as_texts(tmp_path: Path) -> None:
    path, out = tmp_path / "trace_view.json", tmp_path / "out.json"
    long = "9" * 5000
    path.write_text(
        f'[{{"ph": "X", "name": "a", "pid": {long}, "tid": {2**63}, "ts": 1, "dur": 1}}]'
    )
    convert(path, out)
    (lane,) = load(out).lanes
    assert (lane.process, lane.thread) == (long, str(2**63))


def test_converted_times_are_exact_numbers(file: Path, tmp_path: Path) -> None:
    convert(file, tmp_path / "out.json")
    events = json.loads((tmp_path / "out.json").read_text(), parse_float=Decimal)["traceEvents"]
    found = {event["name"]: event for event in events if event["ph"] == "X"}
    assert found["aten::mm"]["ts"] == Decimal("1100.001")
    assert found["step"]["ts"] == 1000
    assert found["算子"]["args"] == {"odd": "NaN", "k": [1, None]}


def test_a_part_keeps_what_touches_it_whole(file: Path, tmp_path: Path) -> None:
    done = convert(file, tmp_path / "out.json", "400us", "600us")
    part = load(tmp_path / "out.json")
    assert [part.names[i] for i in part.name.tolist()] == ["MatMul", "step"]
    assert sorted(part.duration.tolist()) == [300_250, 900_000]
    assert (done.flows, done.flows_left_out) == (0, 1)
    assert part.counters[0].times.tolist() == [1_000_000, 1_500_000]


def test_a_table_has_the_rows_of_the_query(file: Path, tmp_path: Path) -> None:
    convert(file, tmp_path / "out.csv", name="matmul")
    assert (tmp_path / "out.csv").read_text() == to_csv(query(file, name="matmul"))


def test_nothing_is_written_where_it_may_not(file: Path, tmp_path: Path) -> None:
    with pytest.raises(StudioError, match="must end with one of"):
        convert(file, tmp_path / "out.txt")
    with pytest.raises(StudioError, match="is the trace itself"):
        convert(file, file)
    with pytest.raises(StudioError, match="Cannot write"):
        convert(file, tmp_path / "absent" / "out.json")
    (tmp_path / "kept.json").write_text("kept")
    file.write_text(json.dumps(EVENTS)[:-200])
    with pytest.raises(StudioError):
        convert(file, tmp_path / "kept.json", lane=["none"])
    assert (tmp_path / "kept.json").read_text() == "kept"


# -- the command line -----------------------------------------------------------------------------
def test_commands_of_the_terminal(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["trace", "stats", str(file), "--from", "350us", "--to", "650us", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["start_ns"], found["end_ns"]) == (1_350_000, 1_650_000)
    assert found["rows"][0]["total_ns"] == 300_000
    assert main(["trace", "search", str(file), "no such name"]) == 1
    assert main(["trace", "query", str(file), "--at", "never"]) == 2
    out = str(tmp_path / "part.csv")
    assert main(["trace", "convert", str(file), out, "--lane", "Stream", "--no-args"]) == 0
    assert len((tmp_path / "part.csv").read_text().splitlines()) == 4


def test_names_cannot_give_orders_to_a_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "trace_view.json"
    odd = {"ph": "X", "name": "a\x1b[2Jb\nc\u202ed", "cat": "c\x07", "pid": 1, "tid": 1, "ts": -5}
    named = [
        {"ph": "M", "name": f"{what}_name", "pid": 1, "tid": 1, "args": {"name": f"{what}\x9b"}}
        for what in ("process", "thread")
    ]
    path.write_text(json.dumps([{**odd, "dur": 2}, *named]))
    for words in (["info"], ["stats"], ["query"], ["query", "--from=-5000", "--to=-4000"]):
        assert main(["trace", words[0], str(path), *words[1:]]) == 0
        printed = capsys.readouterr().out
        assert all(line.isprintable() for line in printed.split("\n")), words
        assert ("thread\ufffd" if words == ["info"] else "a\ufffd[2Jb\ufffdc\ufffdd") in printed
    assert main(["trace", "query", str(path), "--lane", "none"]) == 2
    assert "process\ufffd / thread\ufffd" in capsys.readouterr().err
    assert main(["trace", "query", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"][0]["name"] == odd["name"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "holds no event that can be read (empty file)"),
        (b"[", "holds no event that can be read (file ended early, no events)"),
        (b'{"traceEvents": []}', "holds no event that can be read (no events)"),
        (b'{"a": 1}', "is not a trace: expected"),
        (b"PK\x03\x04", "Cannot read"),
        (bytes(range(256)) * 40, "is not a trace: expected"),
        (b"time,name\n1,a\n", "is not a trace: expected"),
    ],
)
def test_files_without_events_and_of_another_kind_are_refused_by_name(
    data: bytes, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "odd.json"
    path.write_bytes(data)
    out = str(tmp_path / "out.json")
    for words in (["stats"], ["search", "a"], ["query"], ["convert", out]):
        assert main(["trace", words[0], str(path), *words[1:]]) == 3, words
        told = capsys.readouterr()
        assert message in told.err
        assert "odd.json" in told.err
        assert not told.out
    assert not (tmp_path / "out.json").exists()
    assert main(["trace", "info", str(path)]) in (1, 3)
