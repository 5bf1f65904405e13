"""Columns of the shared table: filters of their own, order, hiding, sums, Markdown."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from PySide6.QtCore import QItemSelectionModel, Qt

from studio.ui.columnfilter import FilterError, column_mask
from studio.ui.columns import Column, read_columns
from studio.ui.table import TableView
from studio.ui.tableexport import Extract, markdown
from studio.ui.tablemodel import FILTERED_ROLE, matching_rows
from studio.ui.tablesummary import summary_of
from studio.ui.text import NOT_APPLICABLE, thousands

pytestmark = pytest.mark.gui

ROWS = [
    {"name": "MatMul", "time": 12_000, "share": 0.5, "core": "AICore"},
    {"name": "add", "time": None, "share": 0.25, "core": NOT_APPLICABLE},
    {"name": "Softmax", "time": 7_500, "share": None, "core": "AIVector"},
    {"name": "aten::add", "time": 2**60, "share": 0.125, "core": "AICore"},
]
COLUMNS = [
    Column("name", "Name"),
    Column("time", "Time", "µs", kind="ns"),
    Column("share", "Share", kind="percent"),
    Column("core", "Core"),
]


@pytest.fixture
def table(qtbot) -> TableView:
    view = TableView()
    qtbot.addWidget(view)
    view.set_data(ROWS, COLUMNS)
    yield view
    view.columns.reset()


def names(view: TableView) -> list[str]:
    return [ROWS[int(row)]["name"] for row in view.model.rows]


@pytest.mark.parametrize(
    ("key", "text", "rows"),
    [
        ("time", "> 10", [0, 3]),
        ("time", "<= 7.5", [2]),
        ("time", "7.5 .. 12", [0, 2]),
        ("time", "..10", [2]),
        ("time", "12", [0]),
        ("time", "!= 12", [2, 3]),
        ("time", "empty", [1]),
        ("time", "not empty", [0, 2, 3]),
        ("share", ">= 25", [0, 1]),
        ("name", "ADD", [1, 3]),
        ("name", "=add", [1]),
        ("name", "!= add", [0, 2, 3]),
        ("name", "! add", [0, 2]),
        ("name", "/^aten::|max$/", [2, 3]),
        ("core", "empty", [1]),
        ("core", "ai", [0, 2, 3]),
    ],
)
def test_filters_of_columns(key, text, rows):
    values = {v.column.key: v for v in read_columns(ROWS, COLUMNS)}[key]
    assert np.flatnonzero(column_mask(values, text)).tolist() == rows


@pytest.mark.parametrize(("key", "text"), [("time", "fast"), ("time", "> x"), ("name", "/(/")])
def test_what_cannot_be_understood_is_refused(key, text):
    values = {v.column.key: v for v in read_columns(ROWS, COLUMNS)}[key]
    with pytest.raises(FilterError):
        column_mask(values, text)


HUGE = [2**53, 2**53 + 1, -(2**63), 2**63 - 1, None]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (str(2**53 + 1), [1]), (f"> {2**53}", [1, 3]), (f"!= {2**53}", [1, 2, 3]),
        (f"<= {-(2**63)}", [2]), (f">= {2**63 - 1}", [3]), (f"> {2**63 - 1}", []),
        (f"< {2**64}", [0, 1, 2, 3]), ("< -1e30", []), ("!= 1e30", [0, 1, 2, 3]), ("= 0.5", []),
        ("> 9007199254740992.5", [1, 3]), ("< 9007199254740992.5", [0, 2]),
        ("9007199254740992.5 ..", [1, 3]),
    ],
)  # fmt: skip
def test_integers_are_filtered_exactly(text, rows):
    (values,) = read_columns([{"n": n} for n in HUGE], [Column("n")])
    assert np.flatnonzero(column_mask(values, text)).tolist() == rows


def test_shares_are_filtered_as_they_are_shown():
    shares = [n / 100 for n in range(101)]
    (values,) = read_columns([{"s": s} for s in shares], [Column("s", kind="percent")])
    for number in range(101):
        assert np.flatnonzero(column_mask(values, str(number))).tolist() == [number]
        assert column_mask(values, f"<= {number}").sum() == number + 1


def test_an_expression_without_end_is_refused(monkeypatch):
    monkeypatch.setattr("studio.ui.columnfilter._SECONDS", 0.1)
    (values,) = read_columns([{"t": "a" * 60 + "b"}], [Column("t")])
    with pytest.raises(FilterError):
        column_mask(values, "/(a+)+$/")


@pytest.mark.parametrize(
    "cells", [[2**64 - 1, 5, -(2**70), None], np.array([2**64 - 1, 5, 2**63], np.uint64)]
)
def test_integers_beyond_64_bits_are_numbers_like_others(cells):
    (values,) = read_columns(pd.DataFrame({"n": cells}, dtype=getattr(cells, "dtype", object)))
    if isinstance(cells, list):
        (values,) = read_columns([{"n": n} for n in cells], [Column("n", heat=True)])
    assert values.numeric
    known = [n for n in range(len(cells)) if cells[n] is not None]
    assert [values.exact(n) for n in known] == [str(int(cells[n])) for n in known]
    order = sorted(known, key=lambda n: int(cells[n]))
    assert values.order(np.arange(len(cells)), False).tolist()[: len(known)] == order
    assert np.flatnonzero(column_mask(values, f"= {2**64 - 1}")).tolist() == [0]
    assert f"sum {thousands(sum(int(cells[n]) for n in known))}," in summary_of(
        values, np.arange(len(cells))
    )


def test_cells_of_numpy_are_numbers():
    (values,) = read_columns([{"n": np.int64(10)}, {"n": np.int32(9)}, {"n": 8}], [Column("n")])
    assert values.column.kind == "int"
    assert values.order(np.arange(3), False).tolist() == [2, 1, 0]


def test_cells_without_a_value_hold_no_text_to_find(qtbot):
    view = TableView()
    qtbot.addWidget(view)
    view.set_data([{"t": "x"}, {"t": None}], [Column("t")])
    view.filter.setText("false")
    view.arrange()
    assert view.model.rowCount() == 0


@pytest.mark.parametrize(
    ("typed", "rows"),
    [
        ("12", [0, 3]), ("7.5", [2]), ("aicore 12", [0, 3]), ("0.125", [3]), ("-3", [1]),
        (str(2**60)[:6], [3]), ("99", []), ("n/a", [1]), ("5", [0, 1, 2, 3]),
    ],
)  # fmt: skip
def test_the_box_finds_numbers_with_all_their_digits(typed, rows):
    cells = [{**row, "n": n} for row, n in zip(ROWS, (5, -3, None, 512), strict=True)]
    values = read_columns(cells, [*COLUMNS, Column("n")])
    found = matching_rows(values, typed.split()).tolist()
    expected = [
        row
        for row in range(4)
        if all(any(word in v.exact(row).casefold() for v in values) for word in typed.split())
    ]
    assert found == rows == expected


def test_infinite_cells_are_ordered_and_added_up():
    (values,) = read_columns(pd.DataFrame({"f": [np.inf, -np.inf, np.nan, 1.0]}))
    assert values.order(np.arange(4), False).tolist() == [1, 3, 0, 2]
    assert values.order(np.arange(4), True).tolist() == [0, 3, 1, 2]
    assert summary_of(values, np.arange(4)) == "f: sum nan, mean nan, -inf to inf"
    assert column_mask(values, "> 0").tolist() == [True, False, False, True]


def test_categories_are_filtered_as_texts():
    frame = pd.DataFrame({"kind": pd.Categorical(["a", "b", None, "ab", "b"])})
    (values,) = read_columns(frame)
    assert np.flatnonzero(column_mask(values, "a")).tolist() == [0, 3]
    assert np.flatnonzero(column_mask(values, "!=b")).tolist() == [0, 3]


def test_filters_join_with_each_other_and_the_box(table):
    table.columns.set_filter("time", "> 5")
    assert names(table) == ["MatMul", "Softmax", "aten::add"]
    table.columns.set_filter("core", "AICore")
    assert names(table) == ["MatMul", "aten::add"]
    table.filter.setText("matmul")
    table.arrange()
    assert names(table) == ["MatMul"]
    across, filtered = Qt.Orientation.Horizontal, FILTERED_ROLE
    assert [table.model.headerData(n, across, filtered) for n in (0, 1)] == [False, True]
    with pytest.raises(FilterError):
        table.columns.set_filter("time", "soon")
    table.columns.set_filter("time", "")
    table.filter.setText("")
    table.arrange()
    assert names(table) == ["MatMul", "aten::add"]


def test_columns_stay_hidden_and_in_order_for_the_next_such_table(table, qtbot):
    table.columns.set_shown("share", False)
    table.view.horizontalHeader().moveSection(3, 0)
    assert [v.column.key for v in table.shown_columns()] == ["core", "name", "time"]
    other = TableView()
    qtbot.addWidget(other)
    other.set_data(ROWS[:1], COLUMNS)
    assert [v.column.key for v in other.shown_columns()] == ["core", "name", "time"]
    third = TableView()
    qtbot.addWidget(third)
    third.set_data(ROWS, COLUMNS[:2])
    assert [v.column.key for v in third.shown_columns()] == ["name", "time"]
    for key in ("core", "name", "time"):
        table.columns.set_shown(key, False)
    assert len(table.shown_columns()) == 1
    table.columns.reset()
    assert [v.column.key for v in table.shown_columns()] == [c.key for c in COLUMNS]


def test_selected_rows_are_added_up_exactly(table):
    values = table.model.values
    assert summary_of(values[1], np.array([0, 1, 2])) == (
        "Time (µs): sum 19.5, mean 9.75, 7.5 to 12"
    )
    assert summary_of(values[0], np.array([0, 1])) == ""
    assert summary_of(values[1], np.array([1])) == ""
    flags = QItemSelectionModel.SelectionFlag
    chosen = table.view.selectionModel()
    for row in (0, 2):
        chosen.setCurrentIndex(table.model.index(row, 1), flags.Select | flags.Rows)
    assert table.count.text() == "4 rows   ·   2 selected   ·   " + summary_of(
        values[1], np.array([0, 2])
    )
    chosen.clearSelection()
    assert table.count.text() == "4 rows"


def test_markdown_keeps_every_digit_and_escapes(table):
    columns = read_columns([{"a|b": "x|y\nz", "n": 2**53 + 1}], [Column("a|b"), Column("n")])
    assert markdown(Extract(columns, np.array([0]))) == (
        "| a\\|b | n |\n| --- | ---: |\n| x\\|y z | 9007199254740993 |\n"
    )


@pytest.mark.parametrize("cells", [[1, 2**62], [2**70, 3], [0.5, 1e300]])
def test_a_number_beyond_all_columns_is_only_beyond(cells):
    (values,) = read_columns([{"n": cell} for cell in cells], [Column("n", kind="int")])
    assert not column_mask(values, "> 1e9999999").any()
    assert column_mask(values, "-1e999999999..1e999999999").all()
    assert column_mask(values, ">= 0e9999").all()


def test_fractions_in_a_column_of_integers_are_added_up_too():
    (values,) = read_columns([{"n": n} for n in (0.5, 2.5)], [Column("n", kind="int")])
    assert summary_of(values, np.arange(2)) == "n: sum 3, mean 1.5, 0.5 to 2.5"
    (values,) = read_columns([{"n": n} for n in (1.0, np.inf)], [Column("n", kind="int")])
    assert summary_of(values, np.arange(2)) == "n: sum inf, mean inf, 1 to inf"
