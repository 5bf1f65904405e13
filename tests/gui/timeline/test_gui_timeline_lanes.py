"""Lanes in the real window: titles worked by pointer and keys, filter, what is remembered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from studio.ui.idle import wait_idle

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.gui
CTRL, ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier
ALL = ["Python", "Thread 1", "Ascend Hardware", "Stream 7", "Stream 8", "HCCL", "Plane 1"]


def shown(hand: Any) -> list[str]:
    return [title for title in hand.titles() if title not in ("Process 4", "AI Core Freq")]


def test_a_click_on_a_heading_folds_its_process(hand: Any) -> None:
    place = QPoint(60, hand.lane_y("Ascend Hardware"))
    hand.click(place, on=hand.pane.gutter)
    assert "Stream 7" not in hand.titles()
    hand.click(place, on=hand.pane.gutter)
    assert shown(hand) == ALL


def test_the_pin_button_and_key_keep_a_lane_at_the_top(hand: Any) -> None:
    gutter = hand.pane.gutter
    y = hand.lane_y("Stream 8")
    QTest.mouseMove(gutter, QPoint(60, y))
    before = gutter.grab().toImage()
    assert before != hand.pane.canvas.grab().toImage()
    hand.click(QPoint(gutter.width() - 7 - 18 - 9, y), on=gutter)
    assert hand.titles()[0] == "Ascend Hardware · Stream 8"
    assert hand.state.lanes.sticky > 0
    hand.pane.canvas.setFocus()
    hand.state.select(hand.index("MatMul"))
    hand.key(Qt.Key.Key_P)
    assert hand.titles()[:2] == ["Ascend Hardware · Stream 8", "Ascend Hardware · Stream 7"]
    hand.key(Qt.Key.Key_P)
    assert hand.titles()[1] != "Ascend Hardware · Stream 7"


def test_a_pinned_slice_is_painted_and_hit_at_the_top(hand: Any) -> None:
    hand.state.lanes.pin(hand.state.lanes.layout.band_of_row(
        hand.view.scene.row_of(hand.index("Cast"))).key, True)  # fmt: skip
    place = hand.middle("Cast")
    assert place.y() < hand.state.lanes.sticky
    picture = hand.picture()
    slot = int(hand.view.scene.rows.slot[hand.index("Cast")])
    assert picture.pixel(place.x() + 40, place.y() - 6) == hand.view.colour_of(slot).rgb()
    hand.click(place)
    assert hand.state.selected == hand.index("Cast")


def test_dragging_a_title_moves_its_lane(hand: Any) -> None:
    gutter = hand.pane.gutter
    hand.drag(
        QPoint(60, hand.lane_y("Stream 8")), QPoint(60, hand.lane_y("Stream 7") - 4), on=gutter
    )
    assert shown(hand)[2:5] == ["Ascend Hardware", "Stream 8", "Stream 7"]
    hand.drag(QPoint(60, hand.lane_y("HCCL")), QPoint(60, hand.lane_y("Python") - 4), on=gutter)
    assert shown(hand)[:3] == ["HCCL", "Plane 1", "Python"]


def test_keys_walk_fold_move_and_hide(hand: Any) -> None:
    gutter = hand.pane.gutter
    gutter.setFocus()
    scroll = hand.state.lanes.scroll
    for _ in range(len(hand.titles()) + 2):
        hand.key(Qt.Key.Key_Down, on=gutter)
    assert gutter.look.current == hand.state.lanes.layout.bands[-1].key
    assert "HCCL · Plane 1" in gutter.accessibleDescription()
    hand.key(Qt.Key.Key_Up, on=gutter)
    hand.key(Qt.Key.Key_Left, on=gutter)
    assert shown(hand)[-1] == "HCCL"
    hand.key(Qt.Key.Key_Right, on=gutter)
    assert shown(hand)[-1] == "Plane 1"
    hand.key(Qt.Key.Key_Up, ALT, on=gutter)
    assert shown(hand)[2:4] == ["HCCL", "Plane 1"]
    hand.key(Qt.Key.Key_H, on=gutter)
    assert "HCCL" not in hand.titles()
    assert "1 lane hidden" in hand.pane.counts.text()
    assert hand.state.lanes.scroll >= scroll
    hand.window.app.commands.run("timeline.show_hidden")
    assert "HCCL" in hand.titles()


def test_a_changed_key_hides_the_lane_whose_title_has_the_focus(hand: Any) -> None:
    gutter = hand.pane.gutter
    hand.window.app.settings.set("studio.keys", ["timeline.hide_lane = X"])
    hand.settle()
    gutter.setFocus()
    hand.key(Qt.Key.Key_Down, on=gutter)
    current = gutter.current()
    hand.key(Qt.Key.Key_H, on=gutter)
    assert hand.state.lanes.layout.band_of(current.key) is not None
    hand.key(Qt.Key.Key_X, on=gutter)
    assert hand.state.lanes.layout.band_of(current.key) is None


def test_details_tell_of_the_timeline_in_front(hand: Any, open_trace: Any, tmp_path: Path) -> None:
    from plugins.timeline.ui.hub import Hub

    hub = hand.view.studio.shared(Hub)
    other = tmp_path / "other.json"
    other.write_text('[{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 2}]')
    hand.state.select(hand.index("MatMul"))
    hand.settle()
    second = open_trace(other)
    assert hub.view is second.view
    centre = hand.window.centre
    centre.activate(centre.page_of(hand.view))
    assert hub.view is hand.view


def test_the_filter_shows_matching_lanes_only(hand: Any) -> None:
    hand.key(Qt.Key.Key_L, CTRL)
    hand.window.app.commands.run("timeline.filter_lanes")
    field = hand.pane.lane_filter.field
    QTest.keyClicks(field, "stream 7")
    hand.settle()
    assert hand.titles() == ["Ascend Hardware", "Stream 7"]
    QTest.keyClick(field, Qt.Key.Key_Escape)
    hand.settle()
    assert set(ALL) <= set(hand.titles())


def test_going_to_a_filtered_slice_clears_the_filter(hand: Any) -> None:
    field = hand.pane.lane_filter.field
    field.setText("hccl")
    hand.settle()
    hand.view.go_to(hand.index("MatMul"))
    hand.settle()
    assert field.text() == ""
    assert hand.middle("MatMul").y() > 0


def test_commands_fold_all_and_unfold_all(hand: Any) -> None:
    hand.window.app.commands.run("timeline.fold_all")
    assert all(band.track is None for band in hand.state.lanes.layout.bands)
    hand.window.app.commands.run("timeline.unfold_all")
    assert set(ALL) <= set(hand.titles())


def test_lanes_are_remembered_with_the_project(hand: Any, open_trace: Callable[..., Any]) -> None:
    lanes = hand.state.lanes
    stream = next(b.key for b in lanes.layout.bands if b.title == "Stream 8")
    plane = next(b.key for b in lanes.layout.bands if b.title == "HCCL")
    lanes.pin(stream, True)
    lanes.hide([plane])
    hand.window.centre.close_page(hand.window.centre.page_of(hand.view))
    wait_idle(hand.window)
    again = open_trace()
    assert again.titles()[0] == "Ascend Hardware · Stream 8"
    assert "HCCL" not in again.titles()


def test_marks_and_view_are_remembered_with_the_project(
    hand: Any, open_trace: Callable[..., Any]
) -> None:
    hand.state.select(hand.index("Cast"))
    hand.key(Qt.Key.Key_F)
    hand.key(Qt.Key.Key_M)
    hand.settle()
    (mark,) = hand.state.marks.all
    hand.state.marks.change(mark, name="too late")
    view, lanes = hand.state.viewport, hand.state.lanes
    lanes.fold_all(True)
    hand.window.centre.close_page(hand.window.centre.page_of(hand.view))
    wait_idle(hand.window)
    again = open_trace()
    (found,) = again.state.marks.all
    assert (found.start, found.end, found.name) == (1400_000, 1550_000, "too late")
    assert again.state.viewport.start == view.start
    assert again.state.viewport.scale == pytest.approx(view.scale)
    assert "Stream 7" not in again.titles()
    assert not again.state.has_selection()


def test_busy_shares_follow_the_view_and_the_selection(hand: Any) -> None:
    from plugins.timeline.ui.gutterpaint import explain

    hand.state.select_range((1350_000, 1550_000))
    band = next(b for b in hand.state.lanes.layout.bands if b.title == "Stream 7")
    assert "busy 150 µs of 200 µs (75.0 %)" in explain(hand.state, band)


def test_python_stacks_can_be_left_out(hand: Any, open_trace: Callable[..., Any]) -> None:
    import json

    trace = hand.window.app.project.root / "stacks" / "trace_view.json"
    trace.parent.mkdir()
    slices = [
        ("train.py(3): train", 0, 100, "python_function"),
        ("model.py(9): forward", 5, 50, "python_function"),
        ("aten::mm", 10, 20, "cpu_op"),
    ]
    trace.write_text(
        json.dumps(
            [
                {"ph": "X", "pid": 1, "tid": 1, "name": n, "ts": ts, "dur": dur, "cat": cat}
                for n, ts, dur, cat in slices
            ]
        )
    )
    stacks = open_trace(trace)
    stacks.view.go_to(stacks.index("aten::mm"))
    stacks.settle()
    panel = stacks.panel("details")
    deep = stacks.middle("aten::mm").y()
    hand.window.app.commands.run("timeline.python_stacks")
    stacks.settle()
    assert len(stacks.view.scene.trace) == 1
    assert stacks.state.selected == stacks.index("aten::mm")
    assert stacks.middle("aten::mm").y() < deep
    assert "without Python stacks" in stacks.pane.counts.text()
    assert panel.slice.name.text() == "aten::mm"
    state = json.loads(json.dumps(stacks.view.save_state()))
    hand.window.app.commands.run("timeline.python_stacks")
    stacks.settle()
    assert len(stacks.view.scene.trace) == 3
    stacks.view.restore_state(state)
    stacks.settle()
    assert len(stacks.view.scene.trace) == 1


def test_commands_make_rows_low_and_full(hand: Any) -> None:
    tall = hand.state.lanes.layout.height
    hand.window.app.commands.run("timeline.low_rows")
    low = hand.state.lanes.layout.height
    hand.window.app.commands.run("timeline.full_rows")
    assert low < tall
    assert hand.state.lanes.layout.height == tall
