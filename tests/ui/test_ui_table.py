"""The shared table: exact values, three states per cell, order, filter, copies."""

from __future__ import annotations

import csv

import numpy as np
import pandas as pd
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester

from studio.ui.columns import Column, read_columns
from studio.ui.table import TableView
from studio.ui.text import NOT_APPLICABLE, NOT_RECORDED

pytestmark = pytest.mark.gui

BIG = 9_007_199_254_740_993  # has no exact double

ROWS = [
    {"name": "MatMul", "start": BIG, "share": 0.5, "core": "AICore"},
    {"name": "add", "start": None, "share": 0.25, "core": NOT_APPLICABLE},
    {"name": "Softmax", "start": 7, "share": None, "core": "AIVector"},
    {"name": "memcpy", "start": 12_000, "share": 0.125, "core": NOT_APPLICABLE},
]
COLUMNS = [
    Column("name", "Name"),
    Column("start", "Start", "µs", kind="ns"),
    Column("share", "Share", kind="percent"),
    Column("core", "Core"),
]


@pytest.fixture
def table(qtbot) -> TableView:
    view = TableView()
    qtbot.addWidget(view)
    view.set_data(ROWS, COLUMNS)
    return view


def column(view: TableView, section: int) -> list[str]:
    return [view.model.index(row, section).data() for row in range(view.model.rowCount())]


def test_cells_tell_value_missing_and_inapplicable_apart(table):
    assert column(table, 1) == ["9.007e+12", NOT_RECORDED, "0.007", "12"]
    assert column(table, 2) == ["50.0 %", "25.0 %", NOT_RECORDED, "12.5 %"]
    assert column(table, 3) == ["AICore", "n/a", "AIVector", "n/a"]


def test_tool_tips_hold_every_digit(table):
    tip = table.model.index(0, 1).data(Qt.ItemDataRole.ToolTipRole)
    assert tip == "9007199254740.993"
    assert table.model.headerData(1, Qt.Orientation.Horizontal) == "Start (µs)"


def test_order_is_exact_and_puts_missing_cells_last_either_way(table):
    table.sort_by("start")
    assert column(table, 0) == ["Softmax", "memcpy", "MatMul", "add"]
    table.sort_by("start", descending=True)
    assert column(table, 0) == ["MatMul", "memcpy", "Softmax", "add"]
    table.sort_by("name")
    assert column(table, 0) == ["add", "MatMul", "memcpy", "Softmax"]


def test_integers_beyond_doubles_keep_their_order():
    values = read_columns([[BIG], [BIG - 1], [BIG + 1]], [Column("0", kind="int")])[0]
    assert values.order(np.arange(3), False).tolist() == [1, 0, 2]
    assert values.exact(0) == str(BIG)


def test_equal_cells_keep_their_order_in_both_directions():
    values = read_columns([[1], [0], [1], [1]], [Column("0")])[0]
    assert values.order(np.arange(4), False).tolist() == [1, 0, 2, 3]
    assert values.order(np.arange(4), True).tolist() == [0, 2, 3, 1]


def test_filter_wants_every_word_and_counts(table):
    table.filter.setText("ai")
    table.arrange()
    assert column(table, 0) == ["MatMul", "Softmax"]
    assert table.count.text() == "2 of 4 rows"
    table.filter.setText("ai soft")
    table.arrange()
    assert column(table, 0) == ["Softmax"]
    table.filter.clear()
    table.arrange()
    assert table.count.text() == "4 rows"


def test_selection_is_told_by_rows_of_the_data(table):
    told: list[list[int]] = []
    table.selection_changed.connect(told.append)
    table.sort_by("start")
    assert table.select_row(3)
    assert table.selected_rows() == [3]
    assert told[-1] == [3]
    table.filter.setText("softmax")
    table.arrange()
    assert not table.select_row(3)


def test_copies_are_exact_and_tab_separated(table):
    table.select_row(0)
    table.copy()
    assert QGuiApplication.clipboard().text() == (
        "Name\tStart (µs)\tShare\tCore\nMatMul\t9007199254740.993\t0.5\tAICore\n"
    )


def test_csv_holds_what_is_shown_in_its_order(table, tmp_path):
    table.sort_by("name")
    path = tmp_path / "out.csv"
    table.export(path)
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["Name", "Start (µs)", "Share", "Core"]
    assert rows[1] == ["add", "", "0.25", "n/a"]
    assert len(rows) == 5


def test_frames_keep_nullable_types(qtbot):
    frame = pd.DataFrame(
        {
            "step": pd.array([1, None, BIG], dtype="Int64"),
            "time": [1.5, float("nan"), float("inf")],
            "kind": ["a", None, "n/a"],
            "warm": [True, False, True],
        }
    )
    view = TableView()
    qtbot.addWidget(view)
    view.set_data(frame)
    assert column(view, 0)[:2] == ["1", NOT_RECORDED]
    assert view.model.values[0].exact(2) == str(BIG)
    assert column(view, 1) == ["1.5", NOT_RECORDED, "inf"]
    assert column(view, 2) == ["a", NOT_RECORDED, NOT_APPLICABLE]
    assert column(view, 3) == ["yes", "no", "yes"]


def test_many_rows_are_sorted_beside_the_window(qtbot):
    view = TableView()
    qtbot.addWidget(view)
    numbers = np.random.default_rng(1).permutation(100_000)
    view.set_data(pd.DataFrame({"n": numbers}))
    qtbot.waitUntil(view.idle)
    view.sort_by("n")
    assert not view.idle()
    qtbot.waitUntil(view.idle)
    assert column(view, 0)[:3] == ["0", "1", "2"]


def test_the_model_obeys_the_rules_of_qt(table, qtmodeltester):
    tester = QAbstractItemModelTester(
        table.model, QAbstractItemModelTester.FailureReportingMode.Fatal
    )
    table.sort_by("name")
    table.filter.setText("a")
    table.arrange()
    table.set_data([], COLUMNS)
    assert tester.model() is table.model


def test_few_texts_in_many_cells_are_kept_once_and_sort_and_filter_like_texts(qtbot) -> None:
    texts = ["memcpy", "MatMul", "add", "MatMul", "Add"]
    plain, coded = pd.DataFrame({"name": texts}), pd.DataFrame({"name": pd.Categorical(texts)})
    (one,), (other,) = read_columns(plain), read_columns(coded)
    assert other.array.dtype.kind == "i"
    assert [other.raw(row) for row in range(5)] == texts
    assert not other.numeric
    rows = np.arange(5)
    for descending in (False, True):
        assert other.order(rows, descending).tolist() == one.order(rows, descending).tolist()
    view = TableView()
    qtbot.addWidget(view)
    view.set_data(coded)
    view.filter.setText("mat")
    view.arrange()
    assert view.model.rows.tolist() == [1, 3]
    assert view.copy(heading=False) == "MatMul\nMatMul\n"
