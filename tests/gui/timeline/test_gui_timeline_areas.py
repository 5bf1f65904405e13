"""Stretches of time over chosen lanes, gaps, marks, and the lists of slices and marks."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from studio.ui.idle import wait_idle

pytestmark = pytest.mark.gui
US = 1000
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def table_of(page: Any) -> dict[str, dict[str, Any]]:
    values = page.table.model.values
    rows = range(page.table.model.total())
    return {str(values[0].raw(row)): {v.column.key: v.raw(row) for v in values[1:]} for row in rows}


# -- areas ----------------------------------------------------------------------------------------
def test_a_box_over_lanes_sums_up_just_those(hand: Any) -> None:
    hand.select_streams()
    assert hand.state.range == (1350 * US, 1550 * US)
    lanes = [hand.view.scene.trace.lanes[n].title for n in hand.state.area_lanes()]
    assert lanes == ["Stream 7", "Stream 8"]
    page = hand.panel("details").range
    found = table_of(page)
    assert set(found) == {"MatMul", "Cast"}
    assert (found["MatMul"]["count"], found["MatMul"]["total_ns"]) == (2, 150 * US)
    assert found["Cast"]["total_ns"] == 150 * US
    text = page.heading.text()
    assert "2 lanes" in text
    assert "3 slices" in text
    assert "busy 200 µs (100.0 %), each moment counted once" in text


def test_an_area_can_be_summed_up_by_lane(hand: Any) -> None:
    hand.select_streams()
    page = hand.panel("details").range
    page.by.setCurrentIndex(1)
    hand.settle()
    found = table_of(page)
    assert found["Stream 7"]["covered_ns"] == 150 * US
    assert found["Stream 8"]["share"] == pytest.approx(0.75)
    page._chosen(0)
    page.by.setCurrentIndex(3)
    hand.settle()
    assert table_of(page)[""]["count"] == 3


def test_ctrl_click_on_titles_adds_and_takes_lanes(hand: Any) -> None:
    hand.select_streams()
    hand.click(QPoint(60, hand.lane_y("Plane 1")), CTRL, on=hand.pane.gutter)
    assert len(hand.state.area_lanes()) == 3
    hand.click(QPoint(60, hand.lane_y("Stream 8")), CTRL, on=hand.pane.gutter)
    titles = [hand.view.scene.trace.lanes[n].title for n in hand.state.area_lanes()]
    assert titles == ["Stream 7", "Plane 1"]
    assert hand.state.range == (1350 * US, 1550 * US)


def test_lanes_outside_the_area_are_veiled(hand: Any) -> None:
    hand.state.show_view(hand.state.around(1000 * US, 2000 * US, 0.0))
    plain = hand.picture()
    hand.select_streams()
    chosen = hand.picture()
    inside, outside = hand.middle("MatMul"), hand.middle("hcom_allReduce_")
    inside, outside = inside + QPoint(20, -5), outside - QPoint(15, 5)
    assert chosen.pixel(inside) == plain.pixel(inside)
    assert chosen.pixel(outside) != plain.pixel(outside)


def test_edges_snap_to_slices_unless_ctrl_is_held(hand: Any) -> None:
    y = hand.lane_y("Stream 7")
    start, end = QPoint(hand.x(1350) - 4, y), QPoint(hand.x(1450) + 4, y)
    hand.drag(start, end, SHIFT)
    assert hand.state.range == (1350 * US, 1450 * US)
    hand.drag(start, end, SHIFT | CTRL)
    assert hand.state.range[0] < 1350 * US
    assert hand.state.range[1] > 1450 * US


def test_escape_steps_back_from_slice_to_time_to_nothing(hand: Any) -> None:
    hand.select_streams()
    hand.view.go_to(hand.index("MatMul"), keep_range=True)
    assert hand.state.range is not None
    hand.key(Qt.Key.Key_Escape)
    assert (hand.state.selected, hand.state.range) == (-1, (1350 * US, 1550 * US))
    hand.key(Qt.Key.Key_Escape)
    assert hand.state.range is None


# -- training steps -------------------------------------------------------------------------------
def test_keys_select_steps_one_after_the_other(hand: Any) -> None:
    hand.key(Qt.Key.Key_Greater, SHIFT)
    assert hand.state.range == (1000 * US, 1500 * US)
    hand.key(Qt.Key.Key_Greater, SHIFT)
    assert hand.state.range == (1500 * US, 2000 * US)
    hand.settle()
    assert hand.window.app.selection.value.step == 5
    hand.key(Qt.Key.Key_Less, SHIFT)
    assert hand.state.range == (1000 * US, 1500 * US)


def test_a_double_click_on_the_ruler_shows_its_step(hand: Any) -> None:
    place = QPoint(hand.x(1700), 6)
    QTest.mouseDClick(
        hand.pane.ruler, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place
    )
    hand.settle()
    assert hand.state.range == (1500 * US, 2000 * US)
    assert hand.state.shown()[0] > 1450 * US


def test_a_step_that_another_view_selects_is_shown(hand: Any) -> None:
    from dataclasses import replace

    shared = hand.window.app.selection
    shared.set(replace(shared.value, origin="steps", item=hand.view.path, step=4))
    assert hand.state.shared == (1000 * US, 1500 * US)


# -- measuring ------------------------------------------------------------------------------------
def test_ctrl_click_measures_to_another_slice(hand: Any) -> None:
    hand.click(hand.middle("aten::mm"))
    plain = hand.picture()
    hand.click(hand.middle("MatMul"), CTRL)
    hand.settle()
    assert hand.state.measured == hand.index("MatMul")
    assert hand.picture() != plain
    page = hand.panel("details").slice
    text = page.right.copy()
    assert "Gap" in text
    assert "50.000" in text
    hand.key(Qt.Key.Key_Escape)
    assert (hand.state.measured, hand.state.selected) == (-1, hand.index("aten::mm"))


# -- marks ----------------------------------------------------------------------------------------
def test_flags_are_set_at_the_pointer_named_and_moved(hand: Any) -> None:
    ruler = hand.pane.ruler
    QTest.mouseMove(hand.pane.canvas, QPoint(hand.x(1200), hand.lane_y("Thread 1")))
    hand.key(Qt.Key.Key_K)
    (flag,) = hand.state.marks.all
    assert flag.is_flag
    assert flag.start == pytest.approx(1200 * US, abs=2 * US)
    place = QPoint(hand.x(1200) + 4, 6)
    QTest.mouseDClick(ruler, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
    QTest.keyClicks(ruler.naming, "warm-up ends")
    QTest.keyClick(ruler.naming, Qt.Key.Key_Return)
    assert hand.state.marks.all[0].name == "warm-up ends"
    hand.drag(place, QPoint(hand.x(1500) + 7, 6), on=ruler)
    assert hand.state.marks.all[0].start == 1500 * US  # snapped to the boundary of two steps
    assert hand.state.range is None


def test_a_marked_stretch_is_selected_by_a_click(hand: Any) -> None:
    hand.state.select_range((1350 * US, 1450 * US))
    hand.key(Qt.Key.Key_M)
    hand.state.select_range(None)
    hand.click(QPoint(hand.x(1350) + 4, 6), on=hand.pane.ruler)
    assert hand.state.range == (1350 * US, 1450 * US)


def test_marks_are_listed_with_the_time_between(hand: Any) -> None:
    marks = hand.state.marks
    marks.toggle(1100 * US, 1100 * US)
    marks.toggle(1400 * US, 1450 * US)
    marks.toggle(1600 * US, 1600 * US)
    hand.settle()
    page = hand.panel("details").marks
    values = page.table.model.values
    assert [values[3].raw(row) for row in range(3)] == [None, 300 * US, 150 * US]
    assert [values[2].raw(row) for row in range(3)] == [None, 50 * US, None]
    page._go(1)
    hand.settle()
    start, end = hand.state.shown()
    assert start <= 1400 * US < 1450 * US <= end
    assert end - start < 100 * US


# -- lists of slices ------------------------------------------------------------------------------
def test_time_is_selected_and_stretched_by_keys(hand: Any) -> None:
    hand.view.go_to(hand.index("MatMul"))
    hand.key(Qt.Key.Key_R)
    assert hand.state.range == (1350 * US, 1450 * US)
    hand.key(Qt.Key.Key_D, SHIFT)
    assert hand.state.range[1] > 1450 * US
    hand.key(Qt.Key.Key_A, SHIFT)
    assert hand.state.range[1] == pytest.approx(1450 * US, abs=1)
    assert "selected" in hand.pane.canvas.accessibleDescription()


def test_a_gap_is_measured_by_keys(hand: Any) -> None:
    hand.view.go_to(hand.index("MatMul"))
    hand.key(Qt.Key.Key_X)
    hand.key(Qt.Key.Key_Period)
    assert (hand.state.selected, hand.state.measured) == (
        hand.index("MatMul", 1),
        hand.index("MatMul"),
    )
    assert "MatMul" in hand.pane.canvas.accessibleDescription()
    hand.key(Qt.Key.Key_Escape)
    hand.key(Qt.Key.Key_Period)
    assert hand.state.measured == -1


def test_a_row_of_the_statistics_leads_to_its_slices(hand: Any) -> None:
    hand.select_streams()
    page = hand.panel("details").range
    names = [page.table.model.values[0].raw(row) for row in range(2)]
    page.table.row_activated.emit(names.index("MatMul"))
    hand.settle()
    panel = hand.panel("slices")
    assert panel.table.model.total() == 2
    assert "MatMul" in panel.heading.text()
    assert "in the selected 200 µs" in panel.heading.text()


def test_hits_and_marks_show_in_the_overview(hand: Any) -> None:
    minimap = hand.pane.minimap
    plain = minimap.grab().toImage()
    hand.pane.search.look_for("cast", exact=False)
    hand.settle()
    found = minimap.grab().toImage()
    assert found != plain
    hand.pane.search.close()
    hand.settle()
    assert minimap.grab().toImage() == plain
    hand.state.marks.toggle(1200 * US, 1200 * US)
    assert minimap.grab().toImage() != plain


def test_a_question_mark_lists_the_keys(hand: Any) -> None:
    hand.key(Qt.Key.Key_Question, SHIFT)
    wait_idle(hand.window)
    assert type(hand.window.centre.active().view).__name__ == "KeyPage"
