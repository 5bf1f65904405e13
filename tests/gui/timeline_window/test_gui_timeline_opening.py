"""The timeline in the real window: what opens, what teaches, and odd cases."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from studio.ui.idle import wait_idle
from tests.gui.timeline_window.small import (
    EVENTS,
    US,
    index_of,
    middle_of,
    opened,
    trace_path,
)

if TYPE_CHECKING:
    from pathlib import Path

    from plugins.timeline.ui.view import TimelineView
    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui


def test_a_trace_opens_with_all_its_parts(view: TimelineView) -> None:
    scene = view.scene
    assert len(scene.trace) == 6
    assert [group.title for group in scene.groups] == ["Process 3", "Python", "Ascend Hardware"]
    assert len(scene.counters) == 1
    assert scene.counters[0].at(1499 * US) == 800.0
    assert scene.counters[0].at(1500 * US) == 1650.0
    assert scene.counters[0].at(999 * US) is None
    assert view.title() == "rank0_ascend_pt · trace"


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


def test_an_empty_trace_teaches(window: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "trace_view.json"
    path.write_text("[]")
    view: Any = window.open(path, "timeline.view", {})
    wait_idle(window)
    page = view._pages.currentWidget()
    assert page._title.text() == "trace_view.json holds no events"
    assert "prof.step()" in page._text.text()
    path.write_text(json.dumps(EVENTS))
    page.findChild(QPushButton).click()
    wait_idle(window)
    assert len(view.scene.trace) == 6


def test_the_view_starts_at_the_slices(view: TimelineView) -> None:
    state = view.pane_now().state
    start, end = state.shown()
    assert start <= 1000 * US
    assert end >= 1900 * US
    assert end - start < 1000 * US


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
