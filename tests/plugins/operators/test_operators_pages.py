"""The further pages of the operators view: roofline, call stacks, host, calls, special ones."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest

from studio.ui.idle import wait_idle

if TYPE_CHECKING:
    from pathlib import Path

    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui


def page_of(window: MainWindow, profile: Path, key: str) -> Any:
    window.app.settings.set("operators.chip", "Ascend910B3")
    view: Any = window.open(profile, "operators.view", {})
    view.show_page(key)
    assert wait_idle(window)
    return view.extra.shown[key]


def cells(table: Any, key: str) -> list[Any]:
    values = next(v for v in table.model.values if v.column.key == key)
    return [values.raw(int(row)) for row in table.model.rows]


def csv_of(profile: Path, name: str) -> Any:
    import pandas as pd

    return pd.read_csv(profile / "ASCEND_PROFILER_OUTPUT" / name)


def test_the_roofline_places_operators_under_the_peak_of_the_chip(
    window: MainWindow, profile: Path
) -> None:
    page = page_of(window, profile, "roofline")
    rows = csv_of(profile, "kernel_details.csv")
    rows = rows[rows["Type"] == "MatMulV2"]
    flops = moved = 0
    for shapes in rows["Input Shapes"]:  # a·b times b·c in 16 bits: 2abc operations
        (a, b), (c, d) = ([int(n) for n in s.split(",")] for s in shapes.strip('"').split(";"))
        m, k, n = (a, b, d) if b == c else (b, a, d) if a == c else (a, b, c)
        flops += 2 * m * k * n
        moved += 2 * (m * k + k * n + m * n)
    seconds = rows["Duration(us)"].sum() / 1e6
    place = cells(page.table, "name").index("MatMulV2")
    assert cells(page.table, "flops_per_s")[place] == pytest.approx(flops / seconds / 1e12)
    assert cells(page.table, "intensity")[place] == pytest.approx(flops / moved)
    assert cells(page.table, "roof_share")[place] == pytest.approx(flops / seconds / 294.9e12)
    assert "2·b·m·n·k" in page.note.text()
    assert "294.9 TFLOPS" in page.note.text()
    assert "AscendC910B3" in page.note.text()  # where the peak is from


def test_a_point_and_its_row_choose_each_other(window: MainWindow, profile: Path) -> None:
    page = page_of(window, profile, "roofline")
    place = page.plot.place_of(1)
    assert page.plot.part_at(place) == 1
    QTest.mouseClick(page.plot, Qt.MouseButton.LeftButton, pos=place.toPoint())
    assert page.table.selected_rows() == [1]
    QTest.keyClick(page.plot, Qt.Key.Key_Left)
    assert page.table.selected_rows() == [0]
    chosen: list[int] = []
    page.chosen.connect(chosen.append)
    QTest.keyClick(page.plot, Qt.Key.Key_Return)
    assert chosen == [int(page.roofs.line.points["place"].iloc[0])]


def test_the_flame_graph_holds_the_time_of_all_that_was_launched(
    window: MainWindow, profile: Path
) -> None:
    page = page_of(window, profile, "stacks")
    rows = csv_of(profile, "kernel_details.csv")
    total = round(rows["Duration(us)"].sum() * 1000)
    copies = page.flame.boxes.total - total
    names = set(page.stacks.functions["name"][page.stacks.functions["kind"] == "kernel"])
    assert copies >= 0
    assert copies < 0.001 * total  # copies are launched as well
    assert set(rows["Name"]) <= names
    boxes = page.flame.boxes
    inside = boxes.parent >= 0
    ends = boxes.start + boxes.length
    assert (boxes.start[inside] >= boxes.start[boxes.parent[inside]]).all()
    assert (ends[inside] <= ends[boxes.parent[inside]]).all()
    under = np.zeros(len(boxes), np.int64)
    np.add.at(under, boxes.parent[inside], boxes.length[inside])
    assert (boxes.length == boxes.own + under).all()


def test_a_function_lists_its_stacks_down_to_the_source(window: MainWindow, profile: Path) -> None:
    page = page_of(window, profile, "stacks")
    asked: list[str] = []
    page.source_wanted.connect(asked.append)
    assert page.select_function("aten::linear")
    stacks = cells(page.callers, "stack")
    total = cells(page.functions, "total_ns")[page.functions.selected_rows()[0]]
    assert sum(cells(page.callers, "total_ns")) == total
    assert all(stack.startswith("aten::linear") for stack in stacks)
    page.callers.row_activated.emit(0)
    assert "train.py(" in asked[0]
    marked = {page.flame.boxes.names[number] for number in page.flame._marked}
    assert marked == {"aten::linear"}


def test_boxes_are_chosen_zoomed_and_walked_by_keys(window: MainWindow, profile: Path) -> None:
    page = page_of(window, profile, "stacks")
    flame = page.flame
    box = int(np.flatnonzero(flame.boxes.depth == 1)[0])
    centre = flame.place_of(box).center()
    QTest.mouseClick(flame, Qt.MouseButton.LeftButton, pos=centre.toPoint())
    assert flame.current == box
    assert page.functions.selected_rows()
    QTest.keyClick(flame, Qt.Key.Key_Up)
    assert flame.current == flame.boxes.parent[box]
    QTest.keyClick(flame, Qt.Key.Key_Down)
    assert flame.boxes.parent[flame.current] == flame.boxes.parent[box]
    QTest.mouseDClick(flame, Qt.MouseButton.LeftButton, pos=centre.toPoint())
    low, high = flame.shown()
    assert (low, high - low) == (flame.boxes.start[box], flame.boxes.length[box])
    QTest.keyClick(flame, Qt.Key.Key_Escape)
    assert flame.shown() == (0.0, flame.boxes.total)
    assert flame.told(box).startswith(flame.boxes.names[int(flame.boxes.name[box])])


def test_boxes_go_by_time_and_by_the_time_of_the_host(window: MainWindow, profile: Path) -> None:
    page = page_of(window, profile, "stacks")
    total = page.flame.boxes.total
    page.order.setCurrentIndex(page.order.findData("time"))
    page.order.activated.emit(page.order.currentIndex())
    assert page.flame.boxes.total == total
    assert len(page.flame.boxes) > len(page.stacks.boxes["left"])
    view: Any = window.centre.active().view
    page.weight.setCurrentIndex(page.weight.findData("host"))
    page.weight.activated.emit(page.weight.currentIndex())
    assert wait_idle(window)
    again = view.extra.shown["stacks"]
    assert again.stacks.weight == "host"
    assert again.order.currentData() == "time"


def test_operators_on_the_host_list_the_kernels_they_launched(
    window: MainWindow, profile: Path
) -> None:
    page = page_of(window, profile, "host")
    names = cells(page.table, "name")
    page.table.select_row(names.index("aten::linear"))
    row = page.table.selected_rows()[0]
    assert set(cells(page.kernels, "type")) == {"MatMulV2"}
    assert sum(cells(page.kernels, "total_ns")) == cells(page.table, "device_total_ns")[row]
    assert sum(cells(page.singles, "duration_ns")) == cells(page.table, "device_total_ns")[row]
    times: list[Any] = []
    page.timeline_wanted.connect(times.append)
    page.singles.select_row(0)
    page.singles.row_activated.emit(0)
    start, end = times[0]
    assert end - start in cells(page.singles, "duration_ns")


def test_calls_of_the_runtime_are_counted(window: MainWindow, profile: Path) -> None:
    page = page_of(window, profile, "calls")
    from studio.perf.opened import open_profile

    calls = open_profile(profile).table("api")
    assert sum(cells(page, "count")) == len(calls)
    assert sum(cells(page, "total_ns")) == int(calls["duration_ns"].sum())
    assert sum(cells(page, "share")) == pytest.approx(1)


def test_special_operators_have_tables_with_advice(window: MainWindow, profile: Path) -> None:
    page = page_of(window, profile, "special")
    assert page.tabs.count() == 3
    kinds = cells(page.tables[1], "type")
    assert "MatMulV2" in kinds
    rows = csv_of(profile, "kernel_details.csv")
    shapes = rows[rows["Type"] == "MatMulV2"]["Input Shapes"].nunique()
    assert cells(page.tables[1], "shapes")[kinds.index("MatMulV2")] == shapes
    page.tables[1].row_activated.emit(kinds.index("MatMulV2"))
    assert wait_idle(window)
    view: Any = window.centre.active().view
    assert view.tabs.currentIndex() == 0
    assert view.pane.grouped.operators.table["type"].iloc[view.pane._row] == "MatMulV2"


def test_occurrences_over_time_choose_a_single_operator(window: MainWindow, profile: Path) -> None:
    view: Any = window.open(profile, "operators.view", {})
    assert wait_idle(window)
    chart = view.pane.over_time
    assert chart.count() == 54
    chart.resize(400, 150)
    place = chart.place_of(7)
    assert chart.duration[chart.part_at(place)] == chart.duration[7]
    chart.choose(7)
    assert view.pane.occurrences.selected_rows() == [7]
    start, end = view.pane.time()
    assert end - start == chart.duration[7]
    assert chart.part_at(QPointF(-50, -50)) == -1


def test_an_operator_knows_its_stack_and_framework_operator(
    window: MainWindow, profile: Path
) -> None:
    view: Any = window.open(profile, "operators.view", {})
    assert wait_idle(window)
    row = cells(view.pane.table, "type").index("LogSoftmaxV2")
    assert view.pane.operator_of(row) == "aten::log_softmax"
    assert "train.py(" in view.pane.stack_of(row)


@pytest.fixture
def kineto(tmp_path: Path) -> Path:
    """Three launches on one stream (at most two outstanding, from 2 us on) and a copy of 2 GB/s."""
    events: list[dict[str, Any]] = []
    for number, (called, start) in enumerate(((0, 10), (2, 20), (40, 50))):
        args = {"correlation": number, "stream": 7, "device": 0}
        call = {"cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": called, "pid": 1}
        kernel = {"cat": "kernel", "name": "k", "ts": start, "pid": 0}
        events += [{"ph": "X", "tid": 1, "dur": 5, "args": args, **each} for each in (call, kernel)]
    copy = {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD (Pageable -> Device)", "pid": 0}
    args = {"device": 0, "stream": 9, "bytes": 10_000}
    events.append({**copy, "tid": 2, "ts": 25, "dur": 5, "args": args})
    path = tmp_path / "a.pt.trace.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}), encoding="utf-8")
    return path


def test_queues_and_copies_share_time_with_each_other_and_with_other_views(
    window: MainWindow, kineto: Path
) -> None:
    page = page_of(window, kineto, "flows")
    queues, copies = page.halves
    assert cells(queues.table, "launches") == [3]
    assert cells(queues.table, "max_length") == [2]
    assert cells(copies.table, "kind") == ["Memcpy HtoD"]
    assert cells(copies.table, "max_bytes_per_ns") == [2.0]
    assert queues.chart.bounds() == copies.chart.bounds() == (0, 50_000)
    assert [queues.chart.curves.shown()[0].curve.envelope.at(t) for t in (1999, 2000)] == [1, 2]
    queues.table.select_row(0)
    assert wait_idle(window)
    chosen = window.app.selection.value
    assert (chosen.start_ns, chosen.end_ns, chosen.origin) == (2000, 2001, "operators")
    assert copies.chart.selected_range() == (2000, 2001)
    assert copies.chart.shown_times() == queues.chart.shown_times()
    copies.chart.show_times(20_000, 40_000)
    assert queues.chart.shown_times() == (20_000, 40_000)
    copies.chart.range_selected.emit((25_000, 30_000))
    assert window.app.selection.value.end_ns == 30_000
    window.app.studio("timeline").select(item=kineto, start_ns=10_000, end_ns=15_000)
    assert wait_idle(window)
    for half in page.halves:
        assert half.chart.selected_range() == (10_000, 15_000)
    opened: list[Any] = []
    page.timeline_wanted.connect(opened.append)
    copies.table.row_activated.emit(0)
    assert opened[0][0] < 25_000 < opened[0][1]


def test_a_profile_without_launches_and_copies_says_where_they_come_from(
    window: MainWindow, tmp_path: Path
) -> None:
    path = tmp_path / "b.pt.trace.json"
    event = {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 1, "ts": 1, "dur": 2}
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": [event]}), encoding="utf-8")
    view: Any = window.open(path, "operators.view", {})
    view.show_page("flows")
    assert wait_idle(window)
    assert "flows" not in view.extra.shown
