"""The steps in the window: bars, waterfall, intervals, tables, and the links from them."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QComboBox

from studio.ui.idle import wait_idle

if TYPE_CHECKING:
    from pathlib import Path

    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui
SPAN = 35_536_235  # of step 10 on rank 0 of the sample


@pytest.fixture
def view(window: MainWindow, profile: Path) -> Any:
    view: Any = window.open(profile, "steps.view", {})
    assert wait_idle(window)
    assert view.pane is not None
    return view


def column(table: Any, key: str) -> list[Any]:
    values = next(v for v in table.model.values if v.column.key == key)
    return [values.raw(int(row)) for row in table.model.rows]


def test_the_parts_of_a_step_add_up_to_it(view: Any) -> None:
    parts = view.pane.waterfall.parts
    assert sum(part.ns for part in parts if not part.inside) == SPAN
    assert parts[0].key == "computing"
    assert parts[0].ns == 22_313_305
    assert sum(part.ns for part in view.pane._classes[0]) == SPAN


def test_the_intervals_of_a_part_add_up_to_it(view: Any) -> None:
    for part in view.pane.waterfall.parts:
        view.pane.show_step(0, part.key)
        assert sum(column(view.pane.intervals, "duration_ns")) == part.ns
        durations = column(view.pane.intervals, "duration_ns")
        assert durations == sorted(durations, reverse=True)
        assert view.pane.ranges() is not None


def test_a_click_on_a_bar_chooses_the_step_for_everyone(window: MainWindow, view: Any) -> None:
    bars = view.pane.bars
    place = bars.place_of(1)
    QTest.mouseClick(
        bars,
        Qt.MouseButton.LeftButton,
        pos=QPoint(round(place.center().x()), round(place.bottom() - 3)),
    )
    assert view.pane.row == 1
    assert view.pane.part == "computing"
    assert view.pane.table.selected_rows() == [1]
    assert view.steps.currentText() == "step 11"
    selection = window.app.selection.value
    assert (selection.origin, selection.step) == ("steps", 11)


def test_the_keys_go_through_steps_and_parts(view: Any) -> None:
    QTest.keyClick(view.pane.bars, Qt.Key.Key_Right)
    assert view.pane.row == 1
    QTest.keyClick(view.pane.bars, Qt.Key.Key_Right)
    assert view.pane.row == 1
    QTest.keyClick(view.pane.bars, Qt.Key.Key_Home)
    assert view.pane.row == 0
    QTest.keyClick(view.pane.waterfall, Qt.Key.Key_Down)
    assert view.pane.part == view.pane.waterfall.parts[1].key


def test_a_part_leads_to_all_its_intervals_on_the_timeline(window: MainWindow, view: Any) -> None:
    view.pane.show_step(0, "queue_empty")
    ranges = view.pane.ranges()
    assert column(view.pane.intervals, "duration_ns") == [33722, 13885]
    assert sorted((ranges.end - ranges.start).tolist()) == [13885, 33722]
    assert window.app.selection.value.ranges is ranges
    window.actions_.run("steps.timeline")
    assert wait_idle(window)
    timeline: Any = window.centre.active().view
    assert type(timeline).__name__ == "TimelineView"
    assert timeline.state.range == view.pane.time() == ranges.extent()
    assert timeline.state.bands is ranges
    assert window.app.selection.value.ranges is ranges
    timeline.state.select_range((0, 1))  # something else
    assert wait_idle(window)
    assert timeline.state.bands is None
    assert window.app.selection.value.ranges is None


@pytest.mark.parametrize(
    "key",
    ["span_ns", "stage_ns", "communication_ns", "free_ns", "copies_ns", "preparing_ns",
     "own_bubble_ns", "overlapped_ns"],
)  # fmt: skip
def test_every_number_of_a_step_is_the_sum_of_what_it_selects(
    window: MainWindow, view: Any, key: str
) -> None:
    keys = [values.column.key for values in view.pane.table.model.values]
    if key not in keys:
        pytest.skip("not recorded in the sample")
    index = view.pane.table.model.index(1, keys.index(key))
    view.pane.table.view.setCurrentIndex(index)
    view.pane.table.view.clicked.emit(index)
    number = column(view.pane.table, key)[1]
    ranges = window.app.selection.value.ranges
    assert number == (0 if ranges is None else int((ranges.end - ranges.start).sum()))


def test_the_classes_of_a_bar_select_what_they_are_made_of(view: Any) -> None:
    for part in view.pane._classes[0]:
        view.pane.show_step(0, part.key)
        ranges = view.pane.ranges()
        assert part.ns == (0 if ranges is None else int((ranges.end - ranges.start).sum()))


def test_a_published_step_time_selects_what_it_times(window: MainWindow, view: Any) -> None:
    page = view.pane.times
    keys = [values.column.key for values in page.table.model.values]
    for key in ("stage_ns", "whole_run_ns", "host_ns"):
        index = page.table.model.index(0, keys.index(key))
        page.table.view.setCurrentIndex(index)
        page.table.view.clicked.emit(index)
        chosen = window.app.selection.value
        assert chosen.end_ns - chosen.start_ns == column(page.table, key)[0]


def test_a_number_of_the_table_chooses_its_part(view: Any) -> None:
    keys = [values.column.key for values in view.pane.table.model.values]
    index = view.pane.table.model.index(1, keys.index("not_overlapped_ns"))
    view.pane.table.view.setCurrentIndex(index)
    view.pane.table.view.clicked.emit(index)
    assert (view.pane.row, view.pane.part) == (1, "not_overlapped")
    assert column(view.pane.table, "span_ns") == [SPAN, 35_120_267]


def test_the_three_step_times_are_explained(view: Any, profile: Path) -> None:
    page = view.pane.tabs.widget(2)
    published = profile / "ASCEND_PROFILER_OUTPUT" / "step_trace_time.csv"
    rows = list(csv.DictReader(published.read_text(encoding="utf-8").splitlines()))
    stages = [round(float(row["Stage"]) * 1000) for row in rows]
    assert column(page.table, "stage_ns") == stages
    for word in ("Stage", "E2E", "ProfilerStep"):
        assert word in page.note.text()
    whole, host = column(page.table, "whole_run_ns"), column(page.table, "host_ns")
    assert column(page.table, "whole_apart_ns") == [
        w - s for w, s in zip(whole, stages, strict=True)
    ]
    assert column(page.table, "host_apart_ns") == [h - s for h, s in zip(host, stages, strict=True)]


def test_hovering_tells_the_step(view: Any) -> None:
    lines = view.pane.bars.told(0).split("\n")
    assert lines[0] == "step 10: 35.54 ms"
    assert lines[1] == "Computing: 22.31 ms (62.8 %)"


def test_rank_step_part_and_page_are_restored(window: MainWindow, view: Any) -> None:
    view.pane.show_step(1, "scheduling")
    view.pane.tabs.setCurrentIndex(2)
    state = view.save_state()
    view.load(view.path.with_name("rank1_ascend_pt"))
    assert wait_idle(window)
    view.restore_state(state)
    assert wait_idle(window)
    assert view.save_state() == state


def test_a_profile_without_steps_teaches(window: MainWindow, profile: Path) -> None:
    bare = profile.with_name("rank7_ascend_pt")
    (bare / "ASCEND_PROFILER_OUTPUT").mkdir(parents=True)
    record = profile / "ASCEND_PROFILER_OUTPUT" / "memory_record.csv"
    (bare / "ASCEND_PROFILER_OUTPUT" / record.name).write_bytes(record.read_bytes())
    view: Any = window.open(bare, "steps.view", {})
    assert wait_idle(window)
    assert view.pane is None
    assert "prof.step()" in view._pages.currentWidget()._text.text()


def test_every_button_and_list_is_named(view: Any) -> None:
    parts = [*view.findChildren(QAbstractButton), *view.findChildren(QComboBox)]
    shown = [part for part in parts if part.isVisibleTo(view)]
    assert len(shown) >= 3
    assert not [part for part in shown if not (part.toolTip() and part.accessibleName())]


def test_a_time_selected_elsewhere_shows_its_step(window: MainWindow, view: Any) -> None:
    start, end = view.pane.loaded.breakdown.table.loc[1, ["start_ns", "end_ns"]]
    other = window.app.studio("timeline")
    trace = view.pane.loaded.trace
    other.select(item=trace, start_ns=int(start) + 5, end_ns=int(end) - 5)
    assert view.pane.row == 1
    assert view.steps.currentText() == "step 11"
    assert window.app.selection.value.origin == "timeline"
    other.select(item=view.path, step=10, start_ns=None, end_ns=None)
    assert view.pane.row == 0
    other.select(item=view.path.with_name("rank1_ascend_pt"), step=11)
    assert view.pane.row == 0
