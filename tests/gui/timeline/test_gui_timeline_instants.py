"""Events without duration and counters: clicked, stepped through, and summed up in a box."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QPoint, Qt

from studio.ui.idle import wait_idle

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.gui
US = 1000
SHIFT = Qt.KeyboardModifier.ShiftModifier

EVENTS = [
    {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "Python"}},
    {"ph": "X", "name": "step", "pid": 1, "tid": 1, "ts": 1000, "dur": 1000},
    *(
        {"ph": "i", "name": name, "pid": 1, "tid": 1, "ts": time, "s": "t", "args": {"n": time}}
        for name, time in (("[memory]", 1200), ("[memory]", 1500), ("flag", 1700))
    ),
    *(
        {"ph": "C", "name": "HBM", "pid": 2, "tid": 0, "ts": time, "args": {"GB": value}}
        for time, value in ((1000, 10), (1400, 30), (1600, 20))
    ),
]


@pytest.fixture
def hand(open_trace: Callable[..., Any], tmp_path: Path) -> Any:
    path = tmp_path / "trace_view.json"
    path.write_text(json.dumps(EVENTS))
    hand = open_trace(path)
    hand.state.lanes.fold_all(False)
    return hand


def instants_y(hand: Any) -> int:
    band = next(b for b in hand.state.lanes.layout.bands if b.kind == "instants")
    return int(hand.state.lanes.y(band)) + 8


def test_an_instant_is_clicked_told_and_stepped_from(hand: Any) -> None:
    y = instants_y(hand)
    hand.window.activateWindow()
    hand.pane.canvas.setFocus()
    before = hand.picture()
    hand.click(QPoint(hand.x(1500), y))
    hand.settle()
    assert hand.state.instant == 1
    after = hand.picture()
    assert after.pixel(hand.x(1500), y - 4) != before.pixel(hand.x(1500), y - 4)
    aside = QPoint(4, hand.pane.canvas.height() - 4)
    assert after.pixel(aside) == before.pixel(aside)
    page = hand.panel("details").slice
    assert page.name.text() == "[memory]"
    left = {fact.name: fact.value for fact in page.left.facts()}
    assert left["Time"] == "500 µs"
    assert left["n"] == "1500"
    right = {fact.name: fact.value for fact in page.right.facts()}
    assert right == {"Count": "2", "Since the one before": "300.000 µs"}
    shared = hand.window.app.selection.value
    assert (shared.start_ns, shared.end_ns) == (1500 * US, 1500 * US)
    hand.key(Qt.Key.Key_Period)
    assert hand.state.instant == 2
    hand.key(Qt.Key.Key_Period)
    assert hand.state.instant == 2
    hand.key(Qt.Key.Key_Comma)
    hand.key(Qt.Key.Key_K)
    hand.pane.canvas.pointer.leave()
    hand.key(Qt.Key.Key_Escape)
    assert hand.state.instant == -1
    hand.click(hand.middle("step"))
    assert hand.state.selected == hand.index("step")


def test_a_box_over_counters_tells_what_they_did(hand: Any) -> None:
    band = next(b for b in hand.state.lanes.layout.bands if b.kind == "counter")
    y = hand.state.lanes.y(band)
    hand.drag(QPoint(hand.x(1200), y + 4), QPoint(hand.x(1600), y + 30), SHIFT)
    hand.settle()
    # exact edges, whatever the pixels are
    hand.state.select_range((1200 * US, 1600 * US), hand.state.area)
    hand.settle()
    page = hand.panel("details").range
    assert wait_idle(hand.window)
    assert "1 counter" in page.heading.text()
    model = page.table.model
    row = {values.column.key: values.raw(0) for values in model.values}
    assert row["counter"] == band.title
    # 10 for half of the 400 µs, 30 for the other; the sample at its end is outside
    assert (row["at_start"], row["at_end"], row["min"], row["max"]) == (10, 30, 10, 30)
    assert row["avg"] == pytest.approx(20)
    assert (row["samples"], row["known"]) == (1, 1.0)


def test_a_changed_key_does_what_the_old_one_did(hand: Any) -> None:
    hand.window.app.settings.set("studio.keys", ["timeline.zoom_in = G", "timeline.fit ="])
    hand.settle()
    scale = hand.state.viewport.scale
    hand.key(Qt.Key.Key_W)
    assert hand.state.viewport.scale == scale
    hand.key(Qt.Key.Key_G)
    assert hand.state.viewport.scale < scale
    tips = {a.objectName(): a.toolTip() for a in hand.pane.tools.actions()}
    assert tips["zoom_in"] == "Zoom in (G)"
    assert tips["fit"] == "Zoom to the selection"
    hand.window.app.settings.reset("studio.keys")
    hand.settle()
    assert hand.pane.keys.first("zoom_in") == "W"
