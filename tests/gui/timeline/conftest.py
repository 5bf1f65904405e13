"""The real window on a small profile, and a hand that works its timeline."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from studio.app import App
from studio.ui.idle import wait_idle
from studio.ui.main import dress, make_window

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from PySide6.QtGui import QImage
    from pytestqt.qtbot import QtBot

    from plugins.timeline.ui.pane import TimelinePane
    from plugins.timeline.ui.state import TimelineState
    from plugins.timeline.ui.view import TimelineView
    from studio.ui.shell import MainWindow

US = 1000
NONE = Qt.KeyboardModifier.NoModifier


def event(name: str, start: float, duration: float, tid: int = 1, pid: int = 1, **more: Any) -> Any:
    return {"ph": "X", "name": name, "pid": pid, "tid": tid, "ts": start, "dur": duration, **more}


def named(pid: int, process: str, order: int, **threads: str) -> list[Any]:
    head = {"ph": "M", "pid": pid}
    return [
        {**head, "name": "process_name", "args": {"name": process}},
        {**head, "name": "process_sort_index", "args": {"sort_index": order}},
        *(
            {**head, "tid": int(tid[1:]), "name": "thread_name", "args": {"name": title}}
            for tid, title in threads.items()
        ),
    ]


EVENTS: list[Any] = [
    *named(1, "Python", 1, t1="Thread 1"),
    *named(2, "Ascend Hardware", 2, t7="Stream 7", t8="Stream 8"),
    *named(3, "HCCL", 3, t1="Plane 1"),
    event("ProfilerStep#4", 1000, 500, cat="cpu_op"),
    event("ProfilerStep#5", 1500, 500, cat="cpu_op"),
    event("aten::mm", 1100, 200, cat="cpu_op", args={"Input Dims": "4,4"}),
    event("aten::add", 1600, 100, cat="cpu_op"),
    event("MatMul", 1350, 100, 7, 2, args={"Task Type": "AI_CORE"}),
    event("MatMul", 1500, 100, 7, 2),
    event("Add", 1700, 50, 7, 2),
    event("Cast", 1400, 150, 8, 2),
    event("hcom_allReduce_", 1450, 200, 1, 3),
    {"ph": "s", "name": "x", "cat": "async_npu", "id": 5, "pid": 1, "tid": 1, "ts": 1100},
    {"ph": "f", "bp": "e", "name": "x", "cat": "async_npu", "id": 5, "pid": 2, "tid": 7}
    | {"ts": 1350},
    {"ph": "s", "name": "y", "cat": "fwdbwd", "id": 6, "pid": 1, "tid": 1, "ts": 1600},
    {"ph": "f", "bp": "e", "name": "y", "cat": "fwdbwd", "id": 6, "pid": 2, "tid": 7, "ts": 1700},
    {"ph": "C", "name": "AI Core Freq", "pid": 4, "tid": 0, "ts": 1000, "args": {"MHz": 800}},
    {"ph": "C", "name": "AI Core Freq", "pid": 4, "tid": 0, "ts": 1500, "args": {"MHz": 1650}},
]  # fmt: skip


@dataclass
class Hand:
    """Works the timeline as a user does: keys, wheel, clicks, drags; and looks at it."""

    window: MainWindow
    view: TimelineView

    @property
    def pane(self) -> TimelinePane:
        return self.view.pane_now()

    @property
    def state(self) -> TimelineState:
        return self.pane.state

    def settle(self) -> None:
        self.pane.glide.finish()
        assert wait_idle(self.window)

    def index(self, name: str, which: int = 0) -> int:
        trace = self.view.scene.trace
        return int(np.flatnonzero(trace.name == trace.names.index(name))[which])

    def middle(self, name: str, which: int = 0) -> QPoint:
        from plugins.timeline.ui.overlay import slice_rect

        rect = slice_rect(self.state, self.index(name, which))
        assert rect is not None, f"{name} is not shown"
        return rect.center().toPoint()

    def x(self, time: int) -> int:
        return round(self.state.viewport.x(time * US))

    def lane_y(self, title: str) -> int:
        """A height inside the first row of a lane, or in the heading of a process."""
        lanes = self.state.lanes
        bands = [b for b in lanes.layout.bands if title in (b.title, b.track and b.track.title)]
        return lanes.y(bands[0]) + 8

    def titles(self) -> list[str]:
        return [band.title for band in self.state.lanes.layout.bands]

    def key(self, key: Qt.Key, keys: Qt.KeyboardModifier = NONE, on: QWidget | None = None) -> None:
        QTest.keyClick(on or self.pane.canvas, key, keys)

    def click(
        self, place: QPoint, keys: Qt.KeyboardModifier = NONE, on: QWidget | None = None
    ) -> None:
        QTest.mouseClick(on or self.pane.canvas, Qt.MouseButton.LeftButton, keys, place)

    def drag(
        self, start: QPoint, end: QPoint, keys: Qt.KeyboardModifier = NONE,
        on: QWidget | None = None,
    ) -> None:  # fmt: skip
        widget = on or self.pane.canvas
        left = Qt.MouseButton.LeftButton
        QTest.mousePress(widget, left, keys, start)
        for share in (0.5, 1.0):
            place = QPointF(start + (end - start) * share)
            _move(widget, place, keys)
        QTest.mouseRelease(widget, left, keys, end)

    def wheel(self, place: QPoint, turn: int, keys: Qt.KeyboardModifier = NONE) -> None:
        where, canvas = QPointF(place), self.pane.canvas
        QApplication.sendEvent(
            canvas,
            QWheelEvent(
                where, canvas.mapToGlobal(where), QPoint(), QPoint(0, turn),
                Qt.MouseButton.NoButton, keys, Qt.ScrollPhase.NoScrollPhase, False,
            ),
        )  # fmt: skip

    def select_streams(self) -> None:
        """Drag a box over both streams, from 1350 to 1550 µs."""
        self.drag(
            QPoint(self.x(1350) + 1, self.lane_y("Stream 7")),
            QPoint(self.x(1550) + 1, self.lane_y("Stream 8")),
            Qt.KeyboardModifier.ShiftModifier,
        )
        self.settle()

    def picture(self) -> QImage:
        self.pane.canvas.pointer.leave()
        return self.pane.canvas.grab().toImage()

    def panel(self, name: str) -> Any:
        panel = self.window.show_panel(f"timeline.{name}")
        assert wait_idle(self.window)
        return panel


def _move(widget: QWidget, place: QPointF, keys: Qt.KeyboardModifier) -> None:
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QMouseEvent

    left = Qt.MouseButton.LeftButton
    QApplication.sendEvent(
        widget,
        QMouseEvent(QEvent.Type.MouseMove, place, widget.mapToGlobal(place), left, left, keys),
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A profile of one rank."""
    root = tmp_path / "project"
    output = root / "rank0_ascend_pt" / "ASCEND_PROFILER_OUTPUT"
    output.mkdir(parents=True)
    (output / "trace_view.json").write_text(json.dumps(EVENTS))
    (root / "model.py").write_text(
        "import torch\n\ndef forward():\n    pass\n\ndef loss():\n  pass\n"
    )
    return root


@pytest.fixture
def own_window(qtbot: QtBot, project: Path) -> Iterator[MainWindow]:
    """The window on that project."""
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


@pytest.fixture
def open_trace(own_window: MainWindow) -> Callable[..., Hand]:
    """Opens the trace, again and again."""

    def opened(path: Path | None = None) -> Hand:
        root = own_window.app.project.root
        trace = root / "rank0_ascend_pt" / "ASCEND_PROFILER_OUTPUT" / "trace_view.json"
        view: Any = own_window.open(path or trace, "timeline.view", {})
        wait_idle(own_window)
        assert view.pane is not None
        view.pane.canvas.setFocus()
        return Hand(own_window, view)

    return opened


@pytest.fixture
def hand(open_trace: Callable[..., Hand]) -> Hand:
    """A hand on the opened trace, whose first process is unfolded."""
    return open_trace()
