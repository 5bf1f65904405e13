"""The timeline in the real window: opening, moving, selecting, searching, and its links."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolButton, QWidget

from studio.app import App
from studio.model.locations import Location
from studio.ui.idle import wait_idle
from studio.ui.main import dress, make_window

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from plugins.timeline.ui.view import TimelineView
    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui
US = 1000


def event(name: str, start: float, duration: float, **more: Any) -> dict[str, Any]:
    return {"ph": "X", "name": name, "pid": 1, "tid": 1, "ts": start, "dur": duration, **more}


EVENTS: list[dict[str, Any]] = [
    {"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": "Python"}},
    {"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": "Thread 1"}},
    {"ph": "M", "name": "process_name", "pid": 2, "tid": 0, "args": {"name": "Ascend Hardware"}},
    {"ph": "M", "name": "thread_name", "pid": 2, "tid": 7, "args": {"name": "Stream 7"}},
    {"ph": "M", "name": "process_sort_index", "pid": 2, "tid": 0, "args": {"sort_index": 9}},
    event("step", 1000, 900, cat="cpu_op"),
    event(
        "aten::mm", 1100, 200, cat="cpu_op",
        args={"Call stack": "/server/job/pkg/model.py(2): forward;\r\n/usr/lib/x.py(9): run"},
    ),
    event("aten::add", 1400, 100, cat="cpu_op", args={"Input Dims": "4,4"}),
    event("MatMul", 1350, 300, pid=2, tid=7, args={"Task Type": "AI_CORE"}),
    event("Add", 1700, 0, pid=2, tid=7),
    {"ph": "s", "name": "to_npu", "cat": "async_npu", "id": 5, "pid": 1, "tid": 1, "ts": 1100},
    {"ph": "f", "bp": "e", "name": "to_npu", "cat": "async_npu", "id": 5, "pid": 2, "tid": 7,
     "ts": 1350},
    {"ph": "C", "name": "AI Core Freq", "pid": 3, "tid": 0, "ts": 1000, "args": {"MHz": 800}},
    {"ph": "C", "name": "AI Core Freq", "pid": 3, "tid": 0, "ts": 1500, "args": {"MHz": 1650}},
]  # fmt: skip
MEMORY = """Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Device Type
PTA,1000,1,4,NPU:0
PTA,1350,3.5,4,NPU:0
PTA,1900,2,4,NPU:0
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    output = root / "rank0_ascend_pt" / "ASCEND_PROFILER_OUTPUT"
    output.mkdir(parents=True)
    (output / "trace_view.json").write_text(json.dumps(EVENTS))
    (output / "memory_record.csv").write_text(MEMORY)
    (root / "pkg").mkdir()
    (root / "pkg" / "model.py").write_text("import torch\ndef forward(): ...\n")
    return root


@pytest.fixture
def window(qtbot: QtBot, project: Path) -> Iterator[MainWindow]:
    app = App.start(language="en")
    dress(app)
    window = make_window(app)
    window.resize(1400, 900)
    window.show()
    app.open_project(project)
    window.start()
    wait_idle(window)
    yield window
    window.shut()
    window.close()
    app.close()
    for _ in range(3):
        QApplication.sendPostedEvents(None, 0)
        QApplication.processEvents()


def trace_path(window: MainWindow) -> Path:
    root: Path = window.app.project.root
    return root / "rank0_ascend_pt" / "ASCEND_PROFILER_OUTPUT" / "trace_view.json"


def opened(window: MainWindow, path: Path | None = None) -> TimelineView:
    view: Any = window.open(path or trace_path(window), "timeline.view", {})
    assert type(view).__name__ == "TimelineView"
    wait_idle(window)
    assert view.pane is not None
    return view


@pytest.fixture
def view(window: MainWindow) -> TimelineView:
    view = opened(window)
    view.pane_now().canvas.setFocus()
    return view


def index_of(view: TimelineView, name: str) -> int:
    trace = view.scene.trace
    return int(np.flatnonzero(trace.name == trace.names.index(name))[0])


def middle_of(view: TimelineView, name: str) -> QPoint:
    from plugins.timeline.ui.overlay import slice_rect

    rect = slice_rect(view.pane_now().state, index_of(view, name))
    assert rect is not None
    return rect.center().toPoint()


def wheel(widget: QWidget, place: QPoint, turn: int, keys: Qt.KeyboardModifier) -> None:
    where = QPointF(place)
    QApplication.sendEvent(
        widget,
        QWheelEvent(
            where, widget.mapToGlobal(where), QPoint(), QPoint(0, turn), Qt.MouseButton.NoButton,
            keys, Qt.ScrollPhase.NoScrollPhase, False,
        ),
    )  # fmt: skip


def drag(
    widget: QWidget, start: QPoint, end: QPoint,
    keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
) -> None:  # fmt: skip
    left = Qt.MouseButton.LeftButton
    QTest.mousePress(widget, left, keys, start)
    QTest.mouseMove(widget, start + (end - start) / 2)
    QTest.mouseMove(widget, end)
    QTest.mouseRelease(widget, left, keys, end)


# -- opening --------------------------------------------------------------------------------------
def test_a_trace_opens_with_all_its_parts(view: TimelineView) -> None:
    scene = view.scene
    assert len(scene.trace) == 5
    assert [group.title for group in scene.groups] == ["Process 3", "Python", "Ascend Hardware"]
    assert len(scene.counters) == 1
    assert scene.counters[0].at(1499 * US) == 800.0
    assert scene.counters[0].at(1500 * US) == 1650.0
    assert scene.counters[0].at(999 * US) is None
    assert view.title() == "trace_view.json"


def test_a_profile_folder_opens_its_trace(window: MainWindow) -> None:
    view = opened(window, window.app.project.root / "rank0_ascend_pt")
    assert view.path == trace_path(window)


def test_a_folder_without_a_trace_teaches(window: MainWindow, tmp_path: Path) -> None:
    (tmp_path / "empty_ascend_pt").mkdir()
    shown: Any = window.open(tmp_path / "empty_ascend_pt", "timeline.view", {})
    assert type(shown).__name__ == "EmptyState"
    assert "analyse" in shown._text.text()


def test_a_broken_file_is_told(window: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "trace_view.json"
    path.write_text("no trace")
    view: Any = window.open(path, "timeline.view", {})
    wait_idle(window)
    assert view.pane is None
    assert "trace_view.json" in view._pages.currentWidget()._title.text()


def test_the_view_starts_at_the_slices(view: TimelineView) -> None:
    state = view.pane_now().state
    start, end = state.shown()
    assert start <= 1000 * US
    assert end >= 1900 * US
    assert end - start < 1000 * US


# -- moving ---------------------------------------------------------------------------------------
def test_keys_move_and_zoom(view: TimelineView) -> None:
    pane = view.pane_now()
    state = pane.state
    before = state.viewport
    QTest.keyClick(pane.canvas, Qt.Key.Key_W)
    assert state.viewport.scale < before.scale
    QTest.keyClick(pane.canvas, Qt.Key.Key_S)
    assert state.viewport.scale == pytest.approx(before.scale)
    closer = state.viewport.zoomed(0.1, 100)
    state.show_view(closer)
    QTest.keyClick(pane.canvas, Qt.Key.Key_D)
    assert state.viewport.start > closer.start
    QTest.keyClick(pane.canvas, Qt.Key.Key_Left)
    assert abs(state.viewport.start - closer.start) <= 1
    QTest.keyClick(pane.canvas, Qt.Key.Key_0)
    pane.glide.finish()
    assert state.shown()[0] <= 1000 * US


def test_ctrl_wheel_zooms_at_the_pointer(view: TimelineView) -> None:
    pane = view.pane_now()
    place = middle_of(view, "MatMul")
    time = pane.state.viewport.time(place.x())
    for _ in range(20):
        wheel(pane.canvas, place, 120, Qt.KeyboardModifier.ControlModifier)
    assert pane.state.viewport.x(time) == pytest.approx(place.x(), abs=2)
    assert pane.state.viewport.scale < 20


def test_shift_wheel_pans_and_a_plain_wheel_scrolls(view: TimelineView) -> None:
    pane = view.pane_now()
    pane.state.show_view(pane.state.viewport.zoomed(0.2, 300))
    before = pane.state.viewport
    wheel(pane.canvas, QPoint(50, 50), -120, Qt.KeyboardModifier.ShiftModifier)
    assert pane.state.viewport.start > before.start
    pane.state.lanes.height = 40
    wheel(pane.canvas, QPoint(50, 50), -120, Qt.KeyboardModifier.NoModifier)
    assert pane.state.lanes.scroll > 0


def test_a_drag_pans_and_alt_drag_zooms_to_a_box(view: TimelineView) -> None:
    pane = view.pane_now()
    pane.state.show_view(pane.state.viewport.zoomed(0.5, 300))
    before = pane.state.viewport
    drag(pane.canvas, QPoint(500, 60), QPoint(400, 60))
    moved = (pane.state.viewport.start - before.start) / before.scale
    assert moved == pytest.approx(100, abs=0.1)
    before = pane.state.viewport
    drag(pane.canvas, QPoint(200, 10), QPoint(400, 20), Qt.KeyboardModifier.AltModifier)
    pane.glide.finish()
    assert pane.state.viewport.scale == pytest.approx(
        before.scale * 200 / pane.state.width, rel=0.02
    )


def test_zooming_ends_at_single_nanoseconds(view: TimelineView) -> None:
    pane = view.pane_now()
    for _ in range(120):
        QTest.keyClick(pane.canvas, Qt.Key.Key_W)
    assert pane.state.viewport.scale == pytest.approx(0.01)
    pane.canvas.grab()


# -- selecting ------------------------------------------------------------------------------------
def test_a_click_selects_and_the_details_tell_all(window: MainWindow, view: TimelineView) -> None:
    pane = view.pane_now()
    place = middle_of(view, "aten::mm")
    QTest.mouseClick(pane.canvas, Qt.MouseButton.LeftButton, pos=place)
    wait_idle(window)
    assert pane.state.selected == index_of(view, "aten::mm")
    panel: Any = window.show_panel("timeline.details")
    left = {fact.name: fact for fact in panel.slice.left.facts()}
    assert left["Duration"].value == "200.000 µs"
    assert left["Start"].copied == "1100.000"
    assert left["Time in file"].value == "1100.000 µs"
    right = panel.slice.right.facts()
    assert [fact.value for fact in right if fact.frame] == ["model.py:2", "x.py:9"]
    assert [fact.copied for fact in right if fact.name == "To"] == ["MatMul"]
    chosen = window.app.selection.value
    assert (chosen.start_ns, chosen.end_ns) == (1100 * US, 1300 * US)


def test_a_slice_without_duration_can_be_clicked(view: TimelineView) -> None:
    pane = view.pane_now()
    QTest.mouseClick(pane.canvas, Qt.MouseButton.LeftButton, pos=middle_of(view, "Add"))
    assert pane.state.selected == index_of(view, "Add")


def test_the_call_stack_leads_to_the_source(window: MainWindow, view: TimelineView) -> None:
    view.go_to(index_of(view, "aten::mm"))
    wait_idle(window)
    QTest.keyClick(view.pane_now().canvas, Qt.Key.Key_F)
    window.actions_.run("timeline.source")
    wait_idle(window)
    active: Any = window.centre.active()
    assert active.path == window.app.project.root / "pkg" / "model.py"


def test_neighbours_flows_and_depths_by_keys(view: TimelineView) -> None:
    pane = view.pane_now()
    canvas, state = pane.canvas, pane.state
    view.go_to(index_of(view, "aten::mm"))
    QTest.keyClick(canvas, Qt.Key.Key_Period)
    assert state.selected == index_of(view, "aten::add")
    QTest.keyClick(canvas, Qt.Key.Key_Period)
    assert state.selected == index_of(view, "aten::add")
    QTest.keyClick(canvas, Qt.Key.Key_Comma)
    QTest.keyClick(canvas, Qt.Key.Key_BracketRight)
    assert state.selected == index_of(view, "MatMul")
    QTest.keyClick(canvas, Qt.Key.Key_BracketLeft)
    assert state.selected == index_of(view, "aten::mm")
    QTest.keyClick(canvas, Qt.Key.Key_Up, Qt.KeyboardModifier.ShiftModifier)
    assert state.selected == index_of(view, "step")
    QTest.keyClick(canvas, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert state.selected == index_of(view, "aten::mm")
    QTest.keyClick(canvas, Qt.Key.Key_Escape)
    assert state.selected == -1


def test_fit_zooms_to_the_slice_and_m_marks_it(view: TimelineView) -> None:
    pane = view.pane_now()
    view.go_to(index_of(view, "aten::mm"))
    QTest.keyClick(pane.canvas, Qt.Key.Key_F)
    pane.glide.finish()
    left, right = (pane.state.viewport.x(t * US) for t in (1100, 1300))
    assert right - left == pytest.approx(pane.state.width / 1.3, rel=0.01)
    QTest.keyClick(pane.canvas, Qt.Key.Key_M)
    assert [(m.start, m.end) for m in pane.state.marks.all] == [(1100 * US, 1300 * US)]
    pane.canvas.grab()
    QTest.keyClick(pane.canvas, Qt.Key.Key_M)
    assert pane.state.marks.all == ()


def test_a_drag_on_the_ruler_selects_time_with_statistics(
    window: MainWindow, view: TimelineView
) -> None:
    pane = view.pane_now()
    left, right = (round(pane.state.viewport.x(t * US)) for t in (1050, 1450))
    drag(pane.ruler, QPoint(left, 10), QPoint(right, 10))
    wait_idle(window)
    assert pane.state.range is not None
    start, end = pane.state.range
    assert start == pytest.approx(1050 * US, abs=2 * US)
    panel: Any = window.show_panel("timeline.details")
    table = panel.range.table.model
    names = [table.values[0].shown(row) for row in range(table.total())]
    total = {n: table.values[2].raw(row) for row, n in enumerate(names)}
    assert total["aten::mm"] == 200 * US
    assert total["step"] == end - start
    assert total["MatMul"] == end - 1350 * US
    chosen = window.app.selection.value
    assert (chosen.start_ns, chosen.end_ns) == (start, end)
    row = names.index("aten::mm")
    panel.range._chosen(row)
    assert pane.state.hits is not None
    assert pane.state.hits.indices.tolist() == [index_of(view, "aten::mm")]


# -- searching ------------------------------------------------------------------------------------
def test_search_counts_steps_and_dims(window: MainWindow, view: TimelineView) -> None:
    pane = view.pane_now()
    QTest.keyClick(pane.canvas, Qt.Key.Key_Slash)
    QTest.keyClicks(pane.search.field, "add")
    wait_idle(window)
    assert pane.state.hits is not None
    assert [view.scene.trace.names[n] for n in view.scene.trace.name[pane.state.hits.by_time]] == [
        "aten::add", "Add",
    ]  # fmt: skip
    assert pane.search.count.text() == "2 hits"
    QTest.keyClick(pane.search.field, Qt.Key.Key_Return)
    assert pane.state.selected == index_of(view, "aten::add")
    assert pane.search.count.text() == "1 of 2"
    QTest.keyClick(pane.search.field, Qt.Key.Key_Return)
    assert pane.state.selected == index_of(view, "Add")
    QTest.keyClick(pane.search.field, Qt.Key.Key_Return)
    assert pane.state.selected == index_of(view, "aten::add")
    QTest.keyClick(pane.search.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert pane.state.selected == index_of(view, "Add")
    bright = pixel(view, "aten::add")
    dimmed = pixel(view, "aten::mm")
    QTest.keyClick(pane.search.field, Qt.Key.Key_Escape)
    assert pane.state.hits is None
    assert pixel(view, "aten::add") == bright
    assert pixel(view, "aten::mm") != dimmed


def test_nothing_found_is_said(window: MainWindow, view: TimelineView) -> None:
    pane = view.pane_now()
    pane.search.look_for("no such thing", exact=False)
    wait_idle(window)
    assert pane.search.count.text() == "nothing found"
    assert pane.search.step(forward=True) == -1


def pixel(view: TimelineView, name: str) -> int:
    pane = view.pane_now()
    place = middle_of(view, name)
    pane.canvas.pointer.leave()
    image = pane.canvas.grab().toImage()
    return image.pixel(place.x() + 20, place.y() - 6)


# -- links ----------------------------------------------------------------------------------------
def test_a_location_reveals_a_slice_or_a_time(window: MainWindow) -> None:
    path = trace_path(window)
    assert window.app.reveal(Location.time(path, 1100 * US, 1300 * US))
    wait_idle(window)
    view: Any = window.centre.active().view
    assert view.state.range == (1100 * US, 1300 * US)
    key = view.scene.key_of(index_of(view, "MatMul"))
    assert window.app.reveal(Location.time(path, 0, 1, row=key))
    wait_idle(window)
    assert view.state.selected == index_of(view, "MatMul")


def test_time_is_shared_with_the_memory_chart_both_ways(
    window: MainWindow, view: TimelineView
) -> None:
    memory: Any = window.open(trace_path(window).with_name("memory_record.csv"), "memory.view", {})
    wait_idle(window)
    view.pane_now().state.select_range((1200 * US, 1400 * US))
    wait_idle(window)
    assert memory.pane.chart.selected_range() == (1200 * US, 1400 * US)
    memory._range_selected((1340 * US, 1360 * US))
    wait_idle(window)
    assert view.pane_now().state.shared == (1340 * US, 1360 * US)
    memory.pane._peak_chosen(memory.pane.memory.peaks[0])
    assert window.app.selection.value.start_ns == 1350 * US


def test_the_state_comes_back(window: MainWindow, view: TimelineView) -> None:
    pane = view.pane_now()
    view.go_to(index_of(view, "MatMul"))
    pane.state.show_view(pane.state.viewport.zoomed(0.3, 200))
    pane.state.marks.toggle(1200 * US, 1250 * US)
    pane.state.lanes.fold([pane.state.scene.groups[1].key], True)
    state = json.loads(json.dumps(view.save_state()))
    window.centre.close_page(window.centre.page_of(view))
    again = opened(window)
    again.restore_state(state)
    other = again.pane_now().state
    assert other.viewport.start == pytest.approx(state["view"][0], abs=2)
    assert other.selected == index_of(again, "MatMul")
    assert [(m.start, m.end) for m in other.marks.all] == [(1200 * US, 1250 * US)]
    assert other.scene.groups[1].key in other.lanes.folded


# -- cases ----------------------------------------------------------------------------------------
def case(window: MainWindow, cases: Path, name: str, file: str) -> TimelineView:
    copy = window.app.project.root / name / file
    copy.parent.mkdir()
    shutil.copy(cases / name / "input" / file, copy)
    return opened(window, copy)


def test_tiny_zero_negative_durations(window: MainWindow, cases: Path) -> None:
    view = case(window, cases, "A16-tiny-zero-negative-durations", "trace.json")
    state = view.pane_now().state
    assert state.bounds == (100 * US, 140 * US)
    note = view.pane_now().notes[0]
    assert "2 odd events" in note.text.text() or "3 odd events" in note.text.text()
    marker = index_of(view, "marker")
    view.go_to(marker)
    QTest.mouseClick(
        view.pane_now().canvas, Qt.MouseButton.LeftButton, pos=middle_of(view, "marker")
    )
    assert state.selected == marker
    assert bool(view.scene.trace.open_ended[index_of(view, "open_end")])
    view.pane_now().canvas.grab()


def test_nanoseconds_beyond_doubles(window: MainWindow, cases: Path) -> None:
    view = case(window, cases, "A17-nanoseconds-beyond-double", "trace_view.json")
    state = view.pane_now().state
    expected = json.loads((cases / "A17-nanoseconds-beyond-double/expected.json").read_text())
    starts = {n: int(view.scene.trace.start[index_of(view, n)]) for n in "abc"}
    assert starts == expected["start_ns"]
    state.show_view(state.around(starts["a"], starts["a"] + 60, 0.0))
    assert state.viewport.scale < 1
    for name, offset in zip("abc", (10, 30, 50), strict=True):
        place = QPoint(round(state.viewport.x(starts["a"] + offset)), middle_of(view, name).y())
        QTest.mouseClick(view.pane_now().canvas, Qt.MouseButton.LeftButton, pos=place)
        assert state.selected == index_of(view, name)


@pytest.mark.parametrize(("file", "outside"), [("one_zero.json", 1), ("half.json", 30)])
def test_an_event_at_time_zero(window: MainWindow, cases: Path, file: str, outside: int) -> None:
    view = case(window, cases, "A19-event-at-time-zero", file)
    expected = json.loads((cases / "A19-event-at-time-zero/expected.json").read_text())[file]
    pane = view.pane_now()
    fit = tuple(int(us) * US for us in expected["fit_us"])
    assert pane.state.bounds == fit
    text = pane.notes[0].text.text()
    assert text.startswith(f"{outside} event")
    assert "time 0" in text
    pane._show_outliers()
    assert pane.state.shown()[0] <= 0


# -- looks and manners ----------------------------------------------------------------------------
def test_every_button_explains_itself(view: TimelineView) -> None:
    for button in view.findChildren(QToolButton):
        if button.isVisible():
            assert button.toolTip(), button.text()
            assert button.accessibleName() or button.text()


def test_themes_paint_other_colours(
    window: MainWindow, view: TimelineView, restyle: Callable[[str], None]
) -> None:
    dark = pixel(view, "aten::mm")
    restyle("light")
    assert pixel(view, "aten::mm") != dark
    restyle("dark")
    assert pixel(view, "aten::mm") == dark


@pytest.fixture
def restyle(window: MainWindow) -> Callable[[str], None]:
    from studio.ui.theme import apply_theme, load_theme

    def change(name: str) -> None:
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        apply_theme(app, load_theme(name))
        QApplication.processEvents()

    return change


def test_a_muted_kind_is_dimmed(view: TimelineView) -> None:
    pane = view.pane_now()
    bright = pixel(view, "MatMul")
    pane.legend.set_on("computing", False)
    assert pixel(view, "MatMul") != bright
    pane.legend.set_on("computing", True)
    assert pixel(view, "MatMul") == bright


def test_folding_hides_and_unfolding_shows(view: TimelineView) -> None:
    state = view.pane_now().state
    group = state.scene.groups[2]
    state.lanes.fold([group.key], True)
    assert state.lanes.layout.band_of_row(state.scene.row_of(index_of(view, "MatMul"))) is None
    view.go_to(index_of(view, "MatMul"))
    assert group.key not in state.lanes.folded


def test_the_real_trace_is_complete(window: MainWindow, shared: Path) -> None:
    profile = shared / "data/profiling/msinsight/test/data/pytorch/text/level2/rank0_ascend_pt"
    view = opened(window, profile)
    trace = view.scene.trace
    assert len(trace) == 4811
    assert int(trace.duration[index_of(view, "ProfilerStep#50")]) == 148_786_100
    titles = {group.title for group in view.scene.groups}
    assert {"Python", "CANN", "Ascend Hardware", "Overlap Analysis", "HBM"} <= titles
    view.run("fit_all")
    wait_idle(window)
    view.pane_now().canvas.grab()
