"""The pages below the memory chart: live set, blocks, steps, unused memory, all ranks."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from studio.ui.idle import wait_idle

if TYPE_CHECKING:
    from pathlib import Path

    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui
KIB, MIB = 1 << 10, 1 << 20


@pytest.fixture
def view(window: MainWindow, profile: Path) -> Any:
    view: Any = window.open(profile, "memory.view", {})
    assert wait_idle(window)
    assert view.pane is not None
    return view


def page(window: MainWindow, view: Any, key: str) -> Any:
    view.details.open(key)
    assert wait_idle(window)
    return view.details.shown[key]


def cells(table: Any, key: str) -> list[Any]:
    values = next(v for v in table.model.values if v.column.key == key)
    return [values.raw(int(row)) for row in table.model.rows]


def blocks_of(profile: Path) -> list[dict[str, str]]:
    file = profile / "ASCEND_PROFILER_OUTPUT" / "operator_memory.csv"
    with file.open(newline="") as stream:
        return list(csv.DictReader(stream))


def nanoseconds(text: str) -> int:
    whole, _, rest = text.strip().partition(".")
    return int(whole) * 1000 + int(rest.ljust(3, "0")[:3])


def live_by_hand(profile: Path, at: int) -> dict[str, int]:
    """Bytes of live blocks by operator, from the file itself."""
    found: dict[str, int] = {}
    for row in blocks_of(profile):
        begin, end = row["Allocation Time(us)"].strip(), row["Release Time(us)"].strip()
        if not begin or nanoseconds(begin) > at or (end and nanoseconds(end) <= at):
            continue
        size = round(float(row["Size(KB)"]) * KIB)
        found[row["Name"]] = found.get(row["Name"], 0) + size
    return found


def test_the_peak_is_what_is_live_then(window: MainWindow, view: Any, profile: Path) -> None:
    live = page(window, view, "live")
    by_hand = live_by_hand(profile, live.memory.at_ns)
    shown = dict(zip(cells(live.table, "label"), cells(live.table, "bytes"), strict=True))
    assert shown == by_hand
    held = live.memory.held_before_bytes
    assert live.memory.bytes == held + sum(by_hand.values())
    tiles = {tile.text: tile.amount for tile in live.tree.tiles}
    assert tiles == {**by_hand, "held before the recording": held}
    assert "at its peak" in live.heading.text()
    assert "2\u2009894.16 MiB" in live.heading.text()


def test_a_click_into_the_chart_shows_what_was_live_then(
    window: MainWindow, view: Any, profile: Path
) -> None:
    page(window, view, "live")
    at = view.pane.origin() + 20_000_000
    view.pane.chart.clicked.emit(at)
    assert wait_idle(window)
    live = view.details.shown["live"]
    assert live.memory.at_ns == at
    shown = dict(zip(cells(live.table, "label"), cells(live.table, "bytes"), strict=True))
    assert shown == live_by_hand(profile, at)
    selection = window.app.selection.value
    assert (selection.start_ns, selection.end_ns) == (at, at + 1)


@pytest.mark.parametrize("by", ["stack", "size_class", "lifetime", "row"])
def test_every_grouping_adds_up_to_the_same_bytes(window: MainWindow, view: Any, by: str) -> None:
    live = page(window, view, "live")
    live.by.setCurrentIndex(live.by.findData(by))
    live.by.activated.emit(live.by.currentIndex())
    assert wait_idle(window)
    assert sum(cells(live.table, "bytes")) == live.memory.live_bytes
    assert sum(cells(live.table, "share")) == pytest.approx(1)


def test_tiles_and_rows_choose_each_other_and_lead_to_blocks(window: MainWindow, view: Any) -> None:
    live = page(window, view, "live")
    number = [tile.text for tile in live.tree.tiles].index("aten::linear")
    centre = live.tree.place_of(number).center().toPoint()
    QTest.mouseClick(live.tree, Qt.MouseButton.LeftButton, pos=centre)
    row = live.table.selected_rows()[0]
    assert cells(live.table, "label")[row] == "aten::linear"
    live.table.row_activated.emit(row)
    assert wait_idle(window)
    assert view.details.current() == "blocks"
    blocks = view.details.shown["blocks"]
    assert set(cells(blocks.table, "name")) == {"aten::linear"}


def test_blocks_are_listed_by_state_and_time(window: MainWindow, view: Any, profile: Path) -> None:
    blocks = page(window, view, "blocks")
    rows = blocks_of(profile)
    assert blocks.table.model.total() == len(rows)
    never = [row for row in rows if not row["Release Time(us)"].strip()]
    blocks.states.setCurrentIndex(blocks.states.findData("held"))
    blocks.states.activated.emit(blocks.states.currentIndex())
    assert blocks.table.model.total() == len(never)
    blocks.states.setCurrentIndex(0)
    blocks.states.activated.emit(0)
    at = view.pane.origin() + 20_000_000
    view.pane.chart.clicked.emit(at)
    blocks.inside.setChecked(True)
    assert sum(cells(blocks.table, "bytes")) == sum(live_by_hand(profile, at).values())


def test_a_block_is_a_stretch_of_time(window: MainWindow, view: Any, profile: Path) -> None:
    blocks = page(window, view, "blocks")
    row = next(n for n, cell in enumerate(cells(blocks.table, "duration_ns")) if cell)
    blocks.table.select_row(row)
    start, end = blocks.time()
    assert end - start == cells(blocks.table, "duration_ns")[row]
    selection = window.app.selection.value
    assert (selection.start_ns, selection.end_ns) == (start, end)
    assert view.pane.chart.selected_range() == (start, end)


def test_bars_of_lifetimes_do_not_overlap(window: MainWindow, view: Any) -> None:
    blocks = page(window, view, "blocks")
    chart = blocks.chart
    for lane in range(int(chart.lane.max()) + 1):
        mine = np.flatnonzero(chart.lane == lane)
        mine = mine[np.argsort(chart.start[mine])]
        assert (chart.end[mine][:-1] <= chart.start[mine][1:]).all()
    part = int(np.argmax(chart.end - chart.start))
    assert chart.part_at(chart.place_of(part).center()) == part
    chart.choose(part)
    place = int(blocks.blocks.largest["place"].iloc[part])
    assert blocks.table.selected_rows() == [place]


def test_memory_grows_or_not_from_step_to_step(window: MainWindow, view: Any) -> None:
    growth = page(window, view, "growth")
    assert cells(growth.table, "step") == [10, 11]
    assert "No growth in every step" in growth.note.text()


def test_unused_memory_is_what_is_reserved_and_not_allocated(
    window: MainWindow, view: Any, profile: Path
) -> None:
    unused = page(window, view, "unused")
    pool = unused.unused.found[0]
    file = profile / "ASCEND_PROFILER_OUTPUT" / "memory_record.csv"
    with file.open(newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["Component"] == pool.component]
    by_hand = [
        round(float(r["Total Reserved(MB)"]) * MIB) - round(float(r["Total Allocated(MB)"]) * MIB)
        for r in rows
    ]
    assert pool.most_bytes == max(by_hand)
    peak = max(range(len(rows)), key=lambda n: float(rows[n]["Total Allocated(MB)"]))
    assert pool.at_peak_bytes == by_hand[peak]
    assert "empty_cache" in unused.note.text()


def test_all_ranks_lie_over_each_other(window: MainWindow, view: Any, profile: Path) -> None:
    own = len(view.pane.chart.curves.shown())
    view.pane.ranks.trigger()
    assert wait_idle(window)
    titles = {drawn.curve.title for drawn in view.pane.chart.curves.shown()}
    assert "rank 1 · PTA+GE allocated" in titles
    assert len(view.pane.chart.curves.shown()) > own
    view.pane.ranks.trigger()
    assert wait_idle(window)
    assert len(view.pane.chart.curves.shown()) == own


def test_another_rank_is_chosen_for_all_views(window: MainWindow, view: Any, profile: Path) -> None:
    steps: Any = window.open(profile, "steps.view", {})
    assert wait_idle(window)
    view.ranks.setCurrentIndex(1)
    view.ranks.activated.emit(1)
    assert wait_idle(window)
    assert view.path.name == "rank1_ascend_pt"
    assert steps.path.name == "rank1_ascend_pt"


def test_sizes_are_written_in_decimal_units_too(window: MainWindow, view: Any) -> None:
    live = page(window, view, "live")
    view.pane.unit.setCurrentText("MB")
    assert wait_idle(window)
    row = cells(live.table, "label").index("aten::to")
    size = next(v for v in live.table.model.values if v.column.key == "bytes")
    assert size.column.heading == "Size (MB)"
    assert size.shown(int(live.table.model.rows[row])) == "608.17408"  # 580 MiB


def test_a_slice_selected_elsewhere_moves_the_moment(
    window: MainWindow, view: Any, profile: Path
) -> None:
    page(window, view, "live")
    trace = profile / "ASCEND_PROFILER_OUTPUT" / "trace_view.json"
    at = view.pane.origin() + 5_000_000
    window.app.studio("timeline").select(item=trace, start_ns=at, end_ns=at + 1000)
    assert wait_idle(window)
    assert view.details.shown["live"].memory.at_ns == at
    assert view.pane.chart.selected_range() == (at, at + 1000)


def test_a_snapshot_shows_its_blocks_and_segments(window: MainWindow, profile: Path) -> None:
    import pickle

    frames = [{"filename": "/home/u/train.py", "line": 12, "name": "forward"}]
    block = {"requested_size": 3 * MIB, "state": "active_allocated", "frames": frames}
    free = {"requested_size": 0, "state": "inactive", "frames": []}
    segment = {
        "device": 0, "address": 4096, "total_size": 8 * MIB, "allocated_size": 3 * MIB,
        "active_size": 3 * MIB, "requested_size": 3 * MIB, "stream": 0, "segment_type": "large",
        "blocks": [
            {"address": 4096, "size": 3 * MIB, **block},
            {"address": 4096 + 3 * MIB, "size": 5 * MIB, **free},
        ],
    }  # fmt: skip
    at = {"addr": 4096 + 3 * MIB, "size": 2 * MIB, "stream": 0, "frames": frames}
    actions = (("alloc", 10), ("free_requested", 500), ("free_completed", 500))
    trace = [{"action": action, "time_us": time, **at} for action, time in actions]
    file = profile.parent / "run_snapshot.pickle"
    file.write_bytes(pickle.dumps({"segments": [segment], "device_traces": [trace]}))
    view: Any = window.open(file, "memory.view", {})
    assert wait_idle(window)
    live = page(window, view, "live")
    assert live.memory.bytes == 5 * MIB  # 3 MiB from before, 2 MiB in the middle
    assert sum(cells(live.table, "bytes")) == 5 * MIB
    assert live.memory.held_before_bytes == 0
    others = page(window, view, "others")
    assert cells(others.parts[0].table, "unused_bytes") == [5 * MIB]
    assert cells(others.parts[0].table, "address") == ["0x1000"]
    assert "MB in the file" not in view.pane.counts.text()
    assert "no times recorded" not in view.pane.counts.text()
    untimed = [{key: event[key] for key in event if key != "time_us"} for event in trace]
    other = profile.parent / "untimed_snapshot.pickle"
    other.write_bytes(pickle.dumps({"segments": [segment], "device_traces": [untimed]}))
    view = window.open(other, "memory.view", {})
    assert wait_idle(window)
    assert "no times recorded: each ns is one event" in view.pane.counts.text()


def test_a_plan_of_a_graph_lists_what_a_node_needs(window: MainWindow, profile: Path) -> None:
    file = profile / "ASCEND_PROFILER_OUTPUT" / "static_op_mem.csv"
    head = "Device_id,Op Name,Model Name,Graph ID,Node Index Start,Node Index End,Size(KB)\n"
    rows = "0,a,net,1,0,2,10\n0,b,net,1,1,3,20\n0,c,net,1,3,4294967295,5\n"
    file.write_text(head + rows)
    view: Any = window.open(profile, "memory.view", {})
    assert wait_idle(window)
    plan = page(window, view, "others").parts[0]
    assert cells(plan.table.table, "name") == ["b", "a"]  # nodes 1 and 2 need 30 KiB
    plan.chart.clicked.emit(3)
    assert cells(plan.table.table, "name") == ["b", "c"]
    plan.chart.clicked.emit(9)
    assert cells(plan.table.table, "name") == ["c"]
