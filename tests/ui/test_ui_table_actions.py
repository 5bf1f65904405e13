"""What one does with a table by keys and by its menu."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest
from PySide6.QtCore import QItemSelectionModel, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from studio.kernel.jobs import Jobs
from studio.ui.columns import Column
from studio.ui.table import TableView
from studio.ui.tableexport import written
from studio.ui.tablesummary import summary_of
from studio.ui.text import thousands

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

pytestmark = pytest.mark.gui

ROWS = [
    {"name": "a,b", "start": 9_007_199_254_740_993},
    {"name": "c", "start": None},
    {"name": "d", "start": 7},
]
MARKDOWN = "| Name | Start (µs) |\n| --- | ---: |\n| a,b | 9007199254740.993 |\n"
COLUMNS = [Column("name", "Name"), Column("start", "Start", "µs", kind="ns")]


@pytest.fixture
def table(qtbot: QtBot) -> Iterator[TableView]:
    view = TableView()
    qtbot.addWidget(view)
    view.set_data(ROWS, COLUMNS)
    view.show()
    view.view.setFocus()
    yield view
    view.columns.reset()


def opened(kind: type[QMenu] = QMenu) -> QMenu:
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, kind)
    return menu


def test_the_menu_copies_rows_in_three_forms_and_the_cell(table: TableView) -> None:
    table.view.setCurrentIndex(table.model.index(0, 1))
    menu = table.actions_.open_menu(QPoint(5, 5))
    said = {action.text(): action for action in menu.actions() if action.text()}
    assert list(said) == [
        "Copy rows", "Copy as CSV", "Copy as Markdown", "Copy the cell", "Export…",
        "Menu of the column",
    ]  # fmt: skip
    board = QGuiApplication.clipboard()
    for name, text in (
        ("Copy rows", "Name\tStart (µs)\na,b\t9007199254740.993\n"),
        ("Copy as CSV", 'Name,Start (µs)\n"a,b",9007199254740.993\n'),
        (
            "Copy as Markdown",
            "| Name | Start (µs) |\n| --- | ---: |\n| a,b | 9007199254740.993 |\n",
        ),
        ("Copy the cell", "9007199254740.993"),
    ):
        said[name].trigger()
        assert board.text() == text
    menu.close()


def test_a_cell_without_a_value_is_copied_as_nothing(table: TableView) -> None:
    table.view.setCurrentIndex(table.model.index(1, 1))
    assert table.actions_.copy_cell() == ""


def test_the_menu_of_a_column_opens_by_keys(table: TableView) -> None:
    table.view.setCurrentIndex(table.model.index(2, 1))
    menu = table.actions_.open_column_menu()
    texts = [action.text() for action in menu.actions()]
    assert "Filter by “Start (µs)”…" in texts
    QTest.keyClick(menu, Qt.Key.Key_Down)
    QTest.keyClick(menu, Qt.Key.Key_Return)
    assert [int(row) for row in table.model.rows] == [2, 0, 1], "sorted upwards, empty last"


def test_the_menu_key_opens_the_menu_of_the_row(table: TableView) -> None:
    heard: list[list[int]] = []
    table.menu_hook = lambda _menu, rows: heard.append(rows)
    table.select_row(2)
    QTest.keyClick(table.view, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    opened().close()
    table.view.customContextMenuRequested.emit(QPoint(3, 3))
    opened().close()
    assert heard == [[2]]


def test_selections_that_touch_and_overlap_are_told_once(table: TableView) -> None:
    chosen, flag = table.view.selectionModel(), QItemSelectionModel.SelectionFlag
    for row in (2, 0, 1, 2):
        chosen.select(table.model.index(row, 0), flag.Select | flag.Rows)
    assert table.selected_rows() == [0, 1, 2]
    chosen.select(table.model.index(1, 0), flag.Deselect | flag.Rows)
    assert table.selected_rows() == [0, 2]


def test_a_million_selected_rows_are_added_up_at_once(qtbot: QtBot) -> None:
    count = 1_000_000
    view = TableView()
    qtbot.addWidget(view)
    numbers = np.arange(count, dtype=np.int64)
    view.set_data(pd.DataFrame({"n": numbers * 2, "big": numbers + 2**62}))
    qtbot.waitUntil(view.idle)
    heard: list[int] = []
    view.selection_changed.connect(lambda rows: heard.append(len(rows)))
    view.view.selectAll()
    assert heard == [count]
    assert "1\u2009000\u2009000 selected" in view.count.text()
    total = count * (count - 1)
    assert summary_of(view.model.values[0], view.selected()) == (
        f"n: sum {thousands(total)}, mean {thousands(count - 1)}, 0 to {thousands(2 * count - 2)}"
    )
    mean = (total // 2 + count * 2**62) / count
    assert f"mean {mean:.3e}" in summary_of(view.model.values[1], view.selected())


def test_many_rows_are_copied_beside_the_window(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    jobs = Jobs()
    window.app = SimpleNamespace(jobs=jobs)  # type: ignore[attr-defined]
    view = TableView(window)
    view.set_data(pd.DataFrame({"n": np.arange(10_001)}))
    board = QGuiApplication.clipboard()
    board.setText("before")
    view.actions_.copy.trigger()
    assert board.text() == "before"
    [job] = jobs.active()
    assert jobs.wait()
    lines = board.text().splitlines()
    assert (lines[0], lines[1], lines[-1], len(lines)) == ("n", "0", "10000", 10_002)
    assert job.title == "Copying 10001 rows"
    assert written(view.extract(), "tsv") == board.text()
    assert jobs.shutdown()
