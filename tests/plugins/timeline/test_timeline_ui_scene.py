"""What a trace looks like before it is painted: kinds, lanes, counters, flows, facts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from plugins.timeline.ui.area import Series, column_values
from plugins.timeline.ui.classes import KINDS, kind_of_slot
from plugins.timeline.ui.facts import arg_facts, flow_facts, name_facts, slice_facts, stack_facts
from plugins.timeline.ui.layout import COMPACT_ROW, COUNTER, GAP, HEADING, ROW, lay_out
from plugins.timeline.ui.raster import grid
from plugins.timeline.ui.scene import Scene, make_scene, recoloured
from plugins.timeline.ui.viewport import Viewport
from studio.trace import load

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.gui
Make = Any


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def build(events: list[dict[str, Any]]) -> Scene:
        path = tmp_path / "trace_view.json"
        path.write_text(json.dumps(events))
        return make_scene(load(path))

    return build


def process(number: int, name: str, order: int = 0) -> list[dict[str, Any]]:
    return [
        {"ph": "M", "name": "process_name", "pid": number, "args": {"name": name}},
        {"ph": "M", "name": "process_sort_index", "pid": number, "args": {"sort_index": order}},
    ]


def thread(number: int, tid: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "name": "thread_name", "pid": number, "tid": tid, "args": {"name": name}}


def event(name: str, pid: int, tid: int, ts: float, dur: float, **more: Any) -> dict[str, Any]:
    return {"ph": "X", "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, **more}


def kind(scene: Scene, name: str) -> str:
    trace = scene.trace
    index = int(np.flatnonzero(trace.name == trace.names.index(name))[0])
    return KINDS[kind_of_slot(int(scene.rows.slot[index]))].id


def index_of(scene: Scene, name: str) -> int:
    return int(np.flatnonzero(scene.trace.name == scene.trace.names.index(name))[0])


# -- kinds of work --------------------------------------------------------------------------------
def test_ascend_slices_get_the_colour_of_their_work(make: Make) -> None:
    scene = make(
        [
            *process(1, "Python"), *process(2, "CANN"), *process(3, "Ascend Hardware"),
            *process(4, "HCCL"), *process(5, "Overlap Analysis"),
            thread(5, 0, "Computing"), thread(5, 1, "Communication(Not Overlapped)"),
            thread(5, 2, "Free"),
            event("aten::mm", 1, 1, 1, 1, cat="cpu_op"),
            event("ProfilerStep#3", 1, 1, 10, 1, cat="cpu_op"),
            event("nn.Module: Linear_0", 1, 1, 20, 1, cat="python_function"),
            event("main.py(3): train", 1, 1, 30, 1, cat="python_function"),
            event("Enqueue", 1, 1, 40, 1, cat="enqueue"),
            event("AscendCL@aclrtSynchronizeStream", 2, 1, 1, 1),
            event("Node@launch", 2, 1, 5, 1),
            event("MatMulV2", 3, 2, 1, 1),
            event("hcom_allReduce__1", 3, 2, 5, 1),
            event("MEMCPY_ASYNC", 3, 2, 9, 1),
            event("EVENT_WAIT", 3, 2, 12, 1),
            event("hcom_broadcast_", 4, 1, 1, 1),
            event("Computing", 5, 0, 1, 1),
            event("Communication(Not Overlapped)", 5, 1, 1, 1),
            event("Free", 5, 2, 1, 1),
        ]
    )  # fmt: skip
    found = {name: kind(scene, name) for name in scene.trace.names if name in _EXPECTED}
    assert found == _EXPECTED


_EXPECTED = {
    "aten::mm": "host",
    "ProfilerStep#3": "step",
    "nn.Module: Linear_0": "module",
    "main.py(3): train": "python",
    "Enqueue": "runtime",
    "AscendCL@aclrtSynchronizeStream": "wait",
    "Node@launch": "runtime",
    "MatMulV2": "computing",
    "hcom_allReduce__1": "communication",
    "MEMCPY_ASYNC": "memory",
    "EVENT_WAIT": "wait",
    "hcom_broadcast_": "communication",
    "Computing": "computing",
    "Communication(Not Overlapped)": "communication",
    "Free": "free",
}


def test_kineto_slices_get_the_same_colours(make: Make) -> None:
    scene = make(
        [
            event("sm80_gemm", 0, 7, 1, 1, cat="kernel"),
            event("ncclDevKernel_AllReduce_Sum", 0, 7, 5, 1, cat="kernel"),
            event("Memcpy HtoD", 0, 7, 9, 1, cat="gpu_memcpy"),
            event("cudaLaunchKernel", 9, 9, 1, 1, cat="cuda_runtime"),
            event("ProfilerStep#1", 9, 9, 5, 1, cat="user_annotation"),
            event("something else", 9, 9, 9, 1, cat="odd"),
        ]
    )
    kinds = [kind(scene, name) for name in scene.trace.names if name]
    assert kinds[:5] == ["computing", "communication", "memory", "runtime", "step"]
    assert kinds[5].startswith("other")


def test_categories_of_the_first_kineto_count_as_those_of_today(make: Make) -> None:
    # written with capitals in 2021: torch-tb-profiler's samples
    categories = ("Operator", "Kernel", "Memcpy", "Memset", "Runtime")
    events = [event(f"x{n}", 0, 7, n * 2, 1, cat=name) for n, name in enumerate(categories)]
    scene = make([*process(0, "python"), *events])
    found = [kind(scene, f"x{number}") for number in range(5)]
    assert found == ["host", "computing", "memory", "memory", "runtime"]


def test_names_of_one_kind_differ_only_in_shade(make: Make) -> None:
    events = [event(f"Op{chr(65 + n)}", 1, 1, n * 2, 1) for n in range(20)]
    scene = make([*process(1, "Ascend Hardware"), *events])
    slots = scene.rows.slot
    assert {kind_of_slot(int(slot)) for slot in slots} == {0}
    assert len(set(slots.tolist())) == 4
    by_name = recoloured(scene, "name").rows.slot
    assert len({kind_of_slot(int(slot)) for slot in by_name}) > 4


def test_numbers_in_a_name_do_not_change_its_colour(make: Make) -> None:
    scene = make([event(f"matmul_{n}", 1, 1, n * 2, 1) for n in range(9)])
    assert len(set(scene.rows.slot.tolist())) == 1


# -- lanes ----------------------------------------------------------------------------------------
def test_lanes_are_stacked_without_holes(make: Make) -> None:
    scene = make(
        [
            *process(1, "A", 0), *process(2, "B", 1),
            event("x", 1, 1, 0, 10), event("y", 1, 1, 2, 3), event("z", 2, 1, 0, 1),
            {"ph": "C", "name": "c", "pid": 2, "ts": 0, "args": {"v": 1}},
        ]
    )  # fmt: skip
    layout = lay_out(scene.groups, frozenset(), frozenset())
    tops = [(band.kind, band.top, band.height) for band in layout.bands]
    first = 2 * ROW + GAP
    assert tops == [
        ("process", 0, HEADING),
        ("slices", HEADING, first),
        ("process", HEADING + first, HEADING),
        ("slices", 2 * HEADING + first, ROW + GAP),
        ("counter", 2 * HEADING + first + ROW + GAP, COUNTER),
    ]
    assert layout.height == tops[-1][1] + COUNTER
    band = layout.at(HEADING + ROW)
    assert band is not None
    assert band.row_at(HEADING + ROW) == 1
    assert band.row_at(HEADING + 2 * ROW + 1) == -1
    assert layout.at(-1) is None
    assert layout.at(layout.height) is None
    assert layout.band_of_row(2) is layout.bands[3]


def test_folding_leaves_the_heading_and_low_rows_are_low(make: Make) -> None:
    scene = make(
        [*process(1, "A"), event("x", 1, 1, 0, 10), event("y", 1, 1, 2, 3), event("z", 1, 2, 0, 1)]
    )
    group = scene.groups[0]
    assert lay_out(scene.groups, {group.key}, frozenset()).height == HEADING
    low = lay_out(scene.groups, frozenset(), {group.tracks[0].key})
    assert low.bands[1].height == max(2 * COMPACT_ROW, ROW) + GAP
    assert low.bands[2].row_height == ROW


def test_processes_without_slices_begin_folded(make: Make) -> None:
    counter = {"ph": "C", "name": "c", "pid": 2, "ts": 0, "args": {"v": 1}}
    scene = make([*process(1, "A"), *process(2, "HBM"), event("x", 1, 1, 0, 10), counter])
    assert [g.title for g in scene.groups if g.key in scene.folded] == ["HBM"]
    alone = make([*process(2, "HBM"), counter])
    assert alone.folded == frozenset()


def test_crossing_slices_are_all_there(make: Make) -> None:
    scene = make([event("a", 1, 1, 0, 10), event("b", 1, 1, 5, 10), event("c", 1, 1, 7, 1)])
    rows = {scene.trace.names[scene.trace.name[i]]: scene.row_of(i) for i in range(3)}
    assert rows["a"] != rows["b"]
    assert len(scene.rows.start) == 3


# -- counters -------------------------------------------------------------------------------------
def test_a_counter_holds_its_value_and_keeps_its_peak() -> None:
    series = Series.of(np.array([10, 20, 21, 40]), np.array([1.0, 2.0, 9.0, 3.0]))
    assert [series.at(t) for t in (9, 10, 19, 20, 21, 99)] == [None, 1.0, 1.0, 2.0, 9.0, 3.0]
    values = column_values(series, grid(Viewport(0, 0.0, 10.0), 6))
    assert np.isnan(values[0])
    assert values[1:].tolist() == [1.0, 9.0, 9.0, 9.0, 3.0]


def test_a_counter_that_is_always_zero_has_a_scale() -> None:
    series = Series.of(np.array([1, 2]), np.array([0.0, 0.0]))
    assert (series.low, series.high, series.largest) == (0.0, 1.0, 0.0)
    below = Series.of(np.array([1, 2]), np.array([-5.0, 5.0]))
    assert (below.low, below.high) == (-5.0, 5.0)


# -- facts ----------------------------------------------------------------------------------------
@pytest.fixture
def scene(make: Make) -> Scene:
    return make(
        [
            *process(1, "Python"), *process(2, "Ascend Hardware"),
            event("train.py(10): main", 1, 1, 100, 100, cat="python_function"),
            event("/srv/pkg/model.py(7): forward", 1, 1, 110, 50, cat="python_function"),
            event("aten::mm", 1, 1, 120, 20.5, cat="cpu_op"),
            event("aten::mm", 1, 1, 145, 10, cat="cpu_op"),
            event("MatMul", 2, 3, 130, 5),
            {"ph": "s", "name": "n", "cat": "c", "id": 1, "pid": 1, "tid": 1, "ts": 120},
            {"ph": "f", "bp": "e", "name": "n", "cat": "c", "id": 1, "pid": 2, "tid": 3, "ts": 130},
        ]
    )  # fmt: skip


def test_the_facts_of_a_slice(scene: Scene) -> None:
    facts = {
        f.name: f for f in slice_facts(scene, index_of(scene, "/srv/pkg/model.py(7): forward"))
    }
    assert facts["Start"].value == "10 µs"
    assert facts["Start"].copied == "110.000"
    assert facts["Duration"].value == "50.000 µs"
    assert facts["Self"].copied == "19.500"
    assert facts["Category"].value == "python_function"


@pytest.mark.parametrize("late", [False, True])
def test_self_time_is_without_deeper_slices_that_lie_below_no_other_one(
    make: Make, late: bool
) -> None:
    """Where slices cross, some that lie inside one stand two rows below it."""
    scene = make(
        [
            event("outer", 1, 1, 0, 100),
            event("inner", 1, 1, 10, 40),
            event("crossing", 1, 1, 20, 200 if late else 40),  # ends after both, or after `inner`
            event("beside", 1, 2, 5, 90),
        ]
    )
    facts = {fact.name: fact.copied for fact in slice_facts(scene, index_of(scene, "outer"))}
    # 10 to 60 µs of it are covered, or 10 to 100 µs
    assert facts["Self"] == ("10.000" if late else "50.000")
    assert facts["Self"] == f"{scene.trace.self_ns[index_of(scene, 'outer')] / 1000:.3f}"
    assert scene.utilisation.nested(1)
    assert not scene.utilisation.nested(0)


def test_events_without_duration_stand_in_their_lanes_by_time(make: Make) -> None:
    scene = make(
        [event("a", 1, tid, 0, 1) for tid in (1, 2)]
        + [
            {"ph": "i", "s": "t", "name": f"{tid} {ts}", "pid": 1, "tid": tid, "ts": ts}
            for tid, ts in ((2, 30), (1, 20), (2, 10), (1, 40), (2, 20))
        ]
    )
    trace = scene.trace
    named = [
        [trace.names[trace.instants.name[number]] for number in lane.numbers]
        for lane in scene.instants
    ]
    assert named == [["1 20", "1 40"], ["2 10", "2 20", "2 30"]]
    assert [lane.times.tolist() for lane in scene.instants] == [
        [20_000, 40_000], [10_000, 20_000, 30_000],
    ]  # fmt: skip


def test_a_stack_from_the_slices_around(scene: Scene) -> None:
    stack = stack_facts(scene, index_of(scene, "aten::mm"), {})
    assert [(f.name, f.copied) for f in stack] == [
        ("forward", "/srv/pkg/model.py:7"),
        ("main", "train.py:10"),
    ]


def test_a_recorded_stack_comes_first(scene: Scene) -> None:
    args = {"Call stack": "a.py(3): f;\r\nb.py(4): g", "x": 1}
    stack = stack_facts(scene, index_of(scene, "aten::mm"), args)
    assert [f.copied for f in stack] == ["a.py:3", "b.py:4"]
    assert [f.name for f in arg_facts(args)] == ["x"]


def test_flows_and_others_of_the_name(scene: Scene) -> None:
    flows = flow_facts(scene, index_of(scene, "MatMul"))
    assert [(f.name, f.copied) for f in flows] == [("From", "aten::mm")]
    assert flows[0].value.endswith("−10 µs")
    first = index_of(scene, "aten::mm")
    facts = {f.name: f for f in name_facts(scene, first)}
    assert facts["Count"].value == "1 of 2"
    assert facts["Total"].value == "30.500 µs"
    assert facts["Average"].value == "15.250 µs"
    # links to the others of the name
    assert "Before" not in facts
    assert (facts["Next"].slice, facts["Next"].value) == (first + 1, "at 45 µs")
    assert (facts["Longest"].slice, facts["Shortest"].slice) == (first, first + 1)


def test_keys_of_slices_are_stable(scene: Scene) -> None:
    index = index_of(scene, "MatMul")
    assert scene.find_key(scene.key_of(index)) == index
    assert scene.find_key("") == -1
    assert scene.find_key("99999999") == -1


def test_nested_values_of_args_are_written_as_json() -> None:
    facts = arg_facts({"list": [1, "二"], "text": "a\nb", "none": None})
    assert [f.value for f in facts] == ['[1, "二"]', "a\nb", "null"]
