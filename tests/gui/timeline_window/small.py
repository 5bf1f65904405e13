"""A small trace in the window, and what tests do with it: find, point, turn and drag."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from studio.ui.idle import wait_idle

if TYPE_CHECKING:
    from pathlib import Path

    from plugins.timeline.ui.view import TimelineView
    from studio.ui.shell import MainWindow

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
    event("pkg/model.py(2): forward", 1110, 20, cat="python_function"),
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


def trace_path(window: MainWindow) -> Path:
    root: Path = window.app.project.root
    return root / "rank0_ascend_pt" / "ASCEND_PROFILER_OUTPUT" / "trace_view.json"


def opened(window: MainWindow, path: Path | None = None) -> TimelineView:
    view: Any = window.open(path or trace_path(window), "timeline.view", {})
    assert type(view).__name__ == "TimelineView"
    wait_idle(window)
    assert view.pane is not None
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


def pixel(view: TimelineView, name: str) -> int:
    pane = view.pane_now()
    place = middle_of(view, name)
    pane.canvas.pointer.leave()
    image = pane.canvas.grab().toImage()
    return image.pixel(place.x() + 20, place.y() - 6)
