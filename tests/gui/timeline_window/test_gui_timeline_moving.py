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
