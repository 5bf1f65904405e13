"""The operators in the window: table, bars, groupings, and the links from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from PySide6.QtWidgets import QAbstractButton, QComboBox

from studio.ui.idle import wait_idle

if TYPE_CHECKING:
    from pathlib import Path

    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui


@pytest.fixture
def view(window: MainWindow, profile: Path) -> Any:
    view: Any = window.open(profile, "operators.view", {})
    assert wait_idle(window)
    assert view.pane is not None
    return view


def column(table: Any, key: str) -> list[Any]:
    values = next(v for v in table.model.values if v.column.key == key)
    return [values.raw(int(row)) for row in table.model.rows]


def choose(window: MainWindow, box: QComboBox, value: object) -> None:
    box.setCurrentIndex(box.findData(value))
    box.activated.emit(box.currentIndex())
    assert wait_idle(window)


def test_the_table_holds_what_kernel_details_holds(view: Any, profile: Path) -> None:
    import pandas as pd

    file = profile / "ASCEND_PROFILER_OUTPUT" / "kernel_details.csv"
    rows = pd.read_csv(file)
    rows = rows[~rows["Name"].str.startswith("hcom")]
    sums = rows.groupby("Type")["Duration(us)"].sum()
    table = view.pane.table
    total = dict(zip(column(table, "type"), column(table, "total_ns"), strict=True))
    assert {kind: round(float(value) * 1000) for kind, value in sums.items()} == total
    assert sum(column(table, "count")) == len(rows)
    totals = column(table, "total_ns")
    assert totals == sorted(totals, reverse=True)


def test_bars_and_table_select_each_other(view: Any) -> None:
    view.pane.bars.chosen.emit(2)
    assert view.pane.table.selected_rows() == [2]
    view.pane.table.select_row(1)
    assert view.pane.bars.currentRow() == 1


def test_a_row_lists_its_single_operators_and_how_they_are_distributed(view: Any) -> None:
    view.pane.select_row(0)
    assert view.pane.occurrences.model.total() == column(view.pane.table, "count")[0]
    assert sum(column(view.pane.occurrences, "duration_ns")) == 10_175_750  # MatMulV2
    assert int(view.pane.histogram.counts.sum()) == 54
    assert np.all(np.diff(view.pane.histogram.edges) > 0)


def test_a_row_becomes_the_shared_selection(window: MainWindow, view: Any) -> None:
    view.pane.select_row(0)
    selection = window.app.selection.value
    assert selection.origin == "operators"
    assert int((selection.ranges.end - selection.ranges.start).sum()) == 10_175_750  # MatMulV2
    assert (selection.start_ns, selection.end_ns) == selection.ranges.extent()
    view.pane.occurrences.select_row(3)
    chosen = window.app.selection.value
    assert chosen.end_ns - chosen.start_ns == column(view.pane.occurrences, "duration_ns")[3]
    assert chosen.ranges is selection.ranges


def test_the_timeline_shows_the_selected_operator(window: MainWindow, view: Any) -> None:
    view.pane.select_row(0)
    time = view.pane.time()
    window.actions_.run("operators.timeline")
    assert wait_idle(window)
    timeline: Any = window.centre.active().view
    assert type(timeline).__name__ == "TimelineView"
    assert timeline.state.range == time


@pytest.mark.parametrize(
    "by", ["name", "shape", "core", "step", "operator", "stack", "category", "kernel"]
)
def test_every_grouping_adds_up_to_the_same_time(window: MainWindow, view: Any, by: str) -> None:
    total = sum(column(view.pane.table, "total_ns"))
    choose(window, view.grouping, by)
    assert view.pane.grouped.operators.by == by
    assert sum(column(view.pane.table, "total_ns")) == total


def test_categories_are_named_and_select_their_operators(window: MainWindow, view: Any) -> None:
    choose(window, view.grouping, "category")
    assert column(view.pane.table, "category")[:2] == ["Vector", "Other"]
    assert column(view.pane.table, "part")[:2] == ["no conversions", "cube"]
    named = ["Vector · no conversions", "Other · cube"]
    assert [bar.text for bar in view.pane.bars.bars[:2]] == named
    view.pane.select_row(1)
    assert view.pane.occurrences.model.total() == column(view.pane.table, "count")[1]
    ranges = window.app.selection.value.ranges
    durations = column(view.pane.occurrences, "duration_ns")
    assert int((ranges.end - ranges.start).sum()) == sum(durations)  # one after another
    choose(window, view.kinds, "communication")
    assert view.grouping.findData("category") < 0


def test_one_step_and_communication_are_chosen(window: MainWindow, view: Any) -> None:
    everything = sum(column(view.pane.table, "count"))
    choose(window, view.steps, 10)
    assert 0 < sum(column(view.pane.table, "count")) < everything
    choose(window, view.kinds, "communication")
    assert column(view.pane.table, "type") == ["hcom_allReduce_"]
    assert view.save_state() == {
        "name": "rank0_ascend_pt", "by": "type", "kind": "communication", "step": 10, "tab": 0,
    }  # fmt: skip


def test_an_operator_is_found_from_elsewhere(window: MainWindow, view: Any, profile: Path) -> None:
    again: Any = window.open(profile, "operators.view", {"kind": "compute", "find": "Mul"})
    assert again is view
    assert wait_idle(window)
    assert column(view.pane.table, "type")[view.pane.table.selected_rows()[0]] == "Mul"


def test_what_cannot_be_shown_says_what_would(window: MainWindow, profile: Path) -> None:
    bare = profile.with_name("rank7_ascend_pt")
    (bare / "ASCEND_PROFILER_OUTPUT").mkdir(parents=True)
    record = profile / "ASCEND_PROFILER_OUTPUT" / "memory_record.csv"
    (bare / "ASCEND_PROFILER_OUTPUT" / record.name).write_bytes(record.read_bytes())
    view: Any = window.open(bare, "operators.view", {})
    assert wait_idle(window)
    assert view.pane is None
    assert "kernel_details.csv" in view._pages.currentWidget()._text.text()


def test_every_button_and_list_is_named(view: Any) -> None:
    parts = [*view.findChildren(QAbstractButton), *view.findChildren(QComboBox)]
    shown = [part for part in parts if part.isVisibleTo(view)]
    assert len(shown) >= 5
    assert not [part for part in shown if not (part.toolTip() and part.accessibleName())]


def test_a_slice_selected_elsewhere_selects_its_operator(window: MainWindow, view: Any) -> None:
    rows = view.pane.grouped.operators.rows
    place = int((rows["type"] == "Cast").to_numpy().nonzero()[0][3])
    start = int(rows["start_ns"].iloc[place])
    other = window.app.studio("timeline")
    other.select(item=view.pane.grouped.trace, start_ns=start + 1, end_ns=start + 100)
    chosen = view.pane.table.selected_rows()
    assert view.pane.grouped.operators.table["type"].iloc[chosen[0]] == "Cast"
    assert view.pane.time()[0] == start
    assert window.app.selection.value.origin == "timeline"


def test_of_a_large_table_the_first_operators_are_shown_until_all_are_read(
    window: MainWindow, profile: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from plugins.operators.ui.pane import OperatorsPane
    from studio.perf import sample
    from studio.ui.bar import NoticeBar
    from studio.ui.readpages import ReadPages

    monkeypatch.setattr(sample, "LARGE_BYTES", 1 << 10)
    monkeypatch.setattr(sample, "_HEAD_BYTES", 8 << 10)
    shown: list[tuple[int, str]] = []
    show_page = ReadPages.show_page

    def seen(pages: ReadPages, page: Any) -> None:
        show_page(pages, page)
        bars, panes = page.findChildren(NoticeBar), page.findChildren(OperatorsPane)
        if bars and panes:
            shown.append((len(panes[0].grouped.operators.table), bars[0].text()))

    monkeypatch.setattr(ReadPages, "show_page", seen)
    table = profile / "ASCEND_PROFILER_OUTPUT" / "kernel_details.csv"
    head, *lines = table.read_text(encoding="utf-8").splitlines()
    lines = [f"{head},aic_mac_ratio", *(f"{line},0.5" for line in lines)]
    table.write_text("\n".join(lines), encoding="utf-8")
    view: Any = window.open(profile, "operators.view", {})
    assert wait_idle(window)
    ((few, told),) = shown
    assert told == f"The first {few} operators; the rest is being read."
    assert 5 < few < sum(column(view.pane.table, "count"))
    assert view.pane.grouped.operators.by == "type"
