"""Moving through a timeline in the real window: keys, wheel, drags."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from tests.gui.timeline_window.small import (
    US,
    drag,
    middle_of,
    wheel,
)

if TYPE_CHECKING:
    from plugins.timeline.ui.view import TimelineView

pytestmark = pytest.mark.gui


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


def test_backspace_returns_to_the_view_before(view: TimelineView) -> None:
    pane = view.pane_now()
    before = pane.state.viewport
    place = middle_of(view, "MatMul")
    for _ in range(5):
        wheel(pane.canvas, place, 120, Qt.KeyboardModifier.ControlModifier)
    closer = pane.state.viewport
    QTest.keyClick(pane.canvas, Qt.Key.Key_0)
    pane.glide.finish()
    QTest.keyClick(pane.canvas, Qt.Key.Key_Backspace)
    pane.glide.finish()
    assert pane.state.viewport == closer
    QTest.keyClick(pane.canvas, Qt.Key.Key_Backspace)
    pane.glide.finish()
    assert pane.state.viewport == before


def test_shift_z_zooms_to_the_selected_time(view: TimelineView) -> None:
    pane = view.pane_now()
    pane.state.select_range((1200 * US, 1300 * US))
    QTest.keyClick(pane.canvas, Qt.Key.Key_Z, Qt.KeyboardModifier.ShiftModifier)
    pane.glide.finish()
    start, end = pane.state.shown()
    assert start < 1200 * US
    assert end > 1300 * US
    assert end - start < 112 * US


def test_the_overview_moves_and_zooms_the_view(view: TimelineView) -> None:
    pane = view.pane_now()
    state, minimap = pane.state, pane.minimap
    state.show_view(state.around(1200 * US, 1400 * US, 0.0))
    whole = minimap.whole()
    # the frame follows the hand
    grip = QPoint(round(whole.x(1300 * US)), 20)
    drag(minimap, grip, grip + QPoint(40, 0))
    moved = round(40 * whole.scale)
    assert state.shown()[0] == pytest.approx(1200 * US + moved, abs=2 * whole.scale)
    # its edge zooms
    start, end = state.shown()
    edge = QPoint(round(whole.x(end)), 20)
    drag(minimap, edge, edge + QPoint(50, 0))
    assert state.shown()[0] == pytest.approx(start, abs=2)
    assert state.shown()[1] == pytest.approx(end + 50 * whole.scale, abs=2 * whole.scale)
    # a drag beside it chooses a new part
    drag(minimap, QPoint(round(whole.x(1700 * US)), 20), QPoint(round(whole.x(1800 * US)), 20))
    assert state.shown()[0] == pytest.approx(1700 * US, abs=2 * whole.scale)


def test_names_stay_at_the_left_edge(view: TimelineView) -> None:
    pane = view.pane_now()
    # "step" began long before what is in view
    pane.state.show_view(pane.state.around(1400 * US, 1600 * US, 0.0))
    row = middle_of(view, "step").y()
    pane.canvas.pointer.leave()
    image = pane.canvas.grab().toImage()
    left = {image.pixel(x, y) for x in range(4, 30) for y in range(row - 6, row + 6)}
    right = {image.pixel(x, y) for x in range(300, 330) for y in range(row - 6, row + 6)}
    assert len(right) == 1
    assert len(left) > 3
