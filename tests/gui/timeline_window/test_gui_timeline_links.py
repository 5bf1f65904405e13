"""What a timeline shares with other views, keeps, and how it looks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtWidgets import QApplication, QToolButton

from studio.model.locations import Location
from studio.model.selection import Selection
from studio.ui.idle import wait_idle
from tests.gui.timeline_window.small import (
    US,
    index_of,
    opened,
    pixel,
    trace_path,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from plugins.timeline.ui.view import TimelineView
    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui


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
    memory.pane.range_selected.emit((1340 * US, 1360 * US))
    wait_idle(window)
    assert view.pane_now().state.shared == (1340 * US, 1360 * US)


def test_times_ranks_steps_and_lines_are_shared_with_tables(
    window: MainWindow, view: TimelineView
) -> None:
    state, selection = view.pane_now().state, window.app.selection
    root = window.app.project.root

    def elsewhere(**changes: Any) -> None:
        selection.set(Selection(origin="operators", **changes))

    # a row of an operator table beside the trace
    table = trace_path(window).with_name("kernel_details.csv")
    elsewhere(item=table, start_ns=1350 * US, end_ns=1650 * US)
    assert state.shared == (1350 * US, 1650 * US)
    # all ranks of the project, then only another one
    elsewhere(item=root, ranks=frozenset({0, 3}), start_ns=1100 * US, end_ns=1300 * US)
    assert state.shared == (1100 * US, 1300 * US)
    elsewhere(item=root, ranks=frozenset({3}), start_ns=1100 * US, end_ns=1300 * US)
    assert state.shared is None
    # a line that a slice of the trace comes from, selected in the editor
    elsewhere(source=Location.source(root / "pkg" / "model.py", 2))
    assert state.hits is not None
    frame = index_of(view, "pkg/model.py(2): forward")
    assert state.hits.indices.tolist() == [frame]
    # and what a click here tells the others
    view.go_to(frame)
    wait_idle(window)
    told = selection.value
    assert (told.origin, told.ranks) == ("timeline", frozenset({0}))
    assert told.source == Location.source(root / "pkg" / "model.py", 2)
    assert (told.item, told.start_ns) == (trace_path(window), 1110 * US)


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
