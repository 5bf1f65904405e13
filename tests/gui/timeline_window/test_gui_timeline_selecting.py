"""Selecting and searching on a timeline in the real window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from studio.ui.idle import wait_idle
from tests.gui.timeline_window.small import (
    US,
    drag,
    index_of,
    middle_of,
    pixel,
)

if TYPE_CHECKING:
    from plugins.timeline.ui.view import TimelineView
    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui


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
