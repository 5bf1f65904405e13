"""The shared table: groups of rows, columns kept in sight, comparisons, trends, exports."""

from __future__ import annotations

import csv
import statistics
import zipfile
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest

from studio.kernel.errors import StudioError
from studio.ui import tableexport
from studio.ui.columns import Column, read_columns
from studio.ui.table import TableView
from studio.ui.tableexport import Extract, write_table, written
from studio.ui.tablegroups import HOWS, group_rows
from studio.ui.tablemenu import open_menu
from studio.ui.tablemodel import difference
from studio.ui.text import NOT_APPLICABLE, NOT_RECORDED

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.gui

ROWS = [
    {"op": "MatMul", "core": "AICore", "time": 3_000, "share": 0.5, "last": 2_000},
    {"op": "Add", "core": "AIVector", "time": 1_000, "share": 0.1, "last": 1_000},
    {"op": "MatMul", "core": "AICore", "time": 5_000, "share": None, "last": 0},
    {"op": "Add", "core": "AICore", "time": None, "share": 0.3, "last": 7},
    {"op": None, "core": "AIVector", "time": 2_000, "share": None, "last": None},
]
COLUMNS = [
    Column("op", "Operator"),
    Column("core", "Core"),
    Column("time", "Time", "µs", kind="ns", heat=True),
    Column("share", "Share", kind="percent"),
    Column("last", "Last", "µs", kind="ns"),
]


@pytest.fixture
def table(qtbot) -> TableView:
    view = TableView()
    qtbot.addWidget(view)
    view.resize(700, 300)
    view.set_data(ROWS, COLUMNS)
    view.show()
    yield view
    view.columns.reset()


def shown(view: TableView) -> list[list[str]]:
    model = view.model
    return [
        [str(model.index(row, section).data()) for section in range(model.columnCount())]
        for row in range(model.rowCount())
    ]


def test_what_names_something_is_not_added_up(table):
    rows = [{"op": "a", "stream": 2, "at": 9_000}, {"op": "a", "stream": 2, "at": 4_000}]
    rows += [{"op": "b", "stream": 2, "at": 7_000}, {"op": "b", "stream": 3, "at": 8_000}]
    stream = Column("stream", kind="int", total="alike")
    at = Column("at", unit="µs", kind="ns", total="least")
    table.set_data(rows, [Column("op"), stream, at])
    table.group_by("op")
    assert shown(table) == [["a  (2)", "2", "4"], ["b  (2)", "", "7"]]
    table.columns.compare("stream", "at")
    assert [row[1] for row in shown(table)][1] == ""


def test_a_table_without_a_matching_row_says_so(table):
    table.filter.setText("no such operator")
    table.arrange()
    picture = table.view.viewport().grab().toImage()
    assert table.model.rowCount() == 0
    middle = picture.height() // 2
    inks = {picture.pixel(x, y) for x in range(200, 500) for y in range(middle - 8, middle + 8)}
    assert len(inks) > 1


def test_groups_take_their_rows_together(table):
    QAbstractItemModelTester(table.model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    table.group_by("op")
    assert shown(table) == [
        ["Add  (2)", "", "1", "20.0 %", "1.007"],
        ["MatMul  (2)", "AICore", "8", "50.0 %", "2.000"],
        [f"{NOT_RECORDED}  (1)", "AIVector", "2", NOT_RECORDED, NOT_RECORDED],
    ]
    assert table.count.text() == "5 rows   ·   3 groups"
    heading = table.model.headerData(2, Qt.Orientation.Horizontal)
    assert heading == "Time (µs) · Sum"
    assert table.model.headerData(3, Qt.Orientation.Horizontal) == "Share · Mean"
    table.group_by("")
    assert [row[0] for row in shown(table)] == ["MatMul", "Add", "MatMul", "Add", NOT_RECORDED]
    assert table.model.headerData(2, Qt.Orientation.Horizontal) == "Time (µs)"


@pytest.mark.parametrize(
    ("how", "times"),
    [
        ("sum", ["1", "8", "2"]),
        ("mean", ["1", "4", "2"]),
        ("median", ["1", "4", "2"]),
        ("least", ["1", "3", "2"]),
        ("largest", ["1", "5", "2"]),
    ],
)
def test_what_stands_for_a_group_can_be_chosen(table, how, times):
    table.group_by("op")
    table.total_by("time", how)
    assert [row[2] for row in shown(table)] == times


def test_groups_are_ordered_as_rows_are_and_so_are_their_rows(table):
    table.group_by("op")
    table.sort_by("time", descending=True)
    table.open_groups(True)
    assert [row[2] for row in shown(table)] == ["8", "5", "3", "2", "2", "1", "1", NOT_RECORDED]
    table.sort_by("time")
    assert [row[2] for row in shown(table)] == ["1", "1", NOT_RECORDED, "2", "2", "8", "3", "5"]


def test_a_group_opens_by_keys_by_its_mark_and_for_a_row_that_is_looked_for(table, qtbot):
    table.group_by("op")
    table.view.setCurrentIndex(table.model.index(1, 0))
    QTest.keyClick(table.view, Qt.Key.Key_Right)
    assert [row[0] for row in shown(table)] == [
        "Add  (2)",
        "MatMul  (2)",
        "MatMul",
        "MatMul",
        "–  (1)",
    ]
    QTest.keyClick(table.view, Qt.Key.Key_Left)
    assert len(shown(table)) == 3
    rect = table.view.visualRect(table.model.index(0, 0))
    mark = rect.topLeft() + QPoint(9, rect.height() // 2)
    QTest.mouseClick(table.view.viewport(), Qt.MouseButton.LeftButton, pos=mark)
    assert len(shown(table)) == 5
    seen = []
    table.row_activated.connect(seen.append)
    table.view.activated.emit(table.model.index(0, 0))
    assert len(shown(table)) == 3
    assert table.select_row(2)
    assert table.selected_rows() == [2]
    table.view.activated.emit(table.view.currentIndex())
    assert seen == [2]


def test_a_selected_group_stands_for_its_rows(table):
    table.group_by("op")
    table.view.selectRow(1)
    assert table.selected_rows() == [0, 2]
    table.view.setCurrentIndex(table.model.index(1, 2))
    assert "sum 8, mean 4, 3 to 5" in table.count.text()
    assert table.copy(heading=False) == "MatMul\tAICore\t8\t0.5\t2\n"


def test_filters_come_before_groups(table):
    table.group_by("core")
    table.columns.set_filter("time", "> 1")
    assert [row[:3] for row in shown(table)] == [
        ["MatMul", "AICore  (2)", "8"],
        [NOT_RECORDED, "AIVector  (1)", "2"],
    ]
    table.filter.setText("nothing of that kind")
    table.arrange()
    assert shown(table) == []


def test_groups_of_numbers_and_other_data_that_lacks_the_column(table):
    table.group_by("last")
    assert [row[4] for row in shown(table)][-1] == f"{NOT_RECORDED}  (1)"
    table.set_data([{"x": 1}], [Column("x")])
    assert shown(table) == [["1"]]
    assert table.group == ""


def test_groups_agree_with_pandas_on_many_rows():
    random = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "name": pd.Categorical.from_codes(
                random.integers(0, 50, 5000), [f"n{i:02}" for i in range(50)]
            ),
            "text": random.choice(["a", "b", "c"], 5000).astype(object),
            "time": pd.array(random.integers(-(10**15), 10**15, 5000), dtype="Int64"),
            "part": random.random(5000),
        }
    )
    frame.loc[random.random(5000) < 0.3, "time"] = pd.NA
    frame.loc[frame["name"] == "n07", "time"] = pd.NA
    values = read_columns(frame, [Column(name) for name in frame.columns])
    rows = np.flatnonzero(random.random(5000) < 0.7)
    kept = frame.iloc[rows]
    for how in HOWS:
        name = {"least": "min", "largest": "max"}.get(how, how)
        for by, key in ((0, "name"), (1, "text")):
            groups = group_rows(values, by, rows, {"time": how, "part": how}, None)
            wanted = kept.groupby(key, observed=True)["time"].agg(name)
            if name == "sum":
                wanted[kept.groupby(key, observed=True)["time"].count() == 0] = pd.NA
            found = [groups.values[2].raw(group) for group in range(len(wanted))]
            names = [groups.name(group) for group in range(len(wanted))]
            assert names == [str(one) for one in wanted.index]
            for one, other in zip(found, wanted.tolist(), strict=True):
                assert (one is None and other is pd.NA) or one == pytest.approx(other, rel=1e-15)
            parts = kept.groupby(key, observed=True)["part"].agg(name).tolist()
            assert [groups.values[3].raw(g) for g in range(len(parts))] == pytest.approx(parts)
    assert sorted(groups.sorted_rows.tolist()) == rows.tolist()


def test_groups_of_any_numbers_agree_with_python():
    random = np.random.default_rng(5)
    names = [None if n == 0 else f"g{n}" for n in random.integers(0, 7, 300).tolist()]
    lone = ["only", None, "none"]  # groups of one row, and one without a number
    near = [*random.integers(-(2**40), 2**40, 300).tolist(), 2**60 + 1, 3, None]
    huge = [*(3**40 * n + 1 for n in random.integers(-9, 9, 300).tolist()), 10**40, 5, None]
    part = [*random.choice([1.5, -2.0, 0.25, np.inf], 300).tolist(), -np.inf, 1e308, None]
    near = [None if at % 7 == 0 else one for at, one in enumerate(near)]
    huge = [None if at % 5 == 1 else one for at, one in enumerate(huge)]
    part = [None if at % 3 == 1 else one for at, one in enumerate(part)]
    cells = list(zip([*names, *lone], near, huge, part, strict=True))
    values = read_columns(cells, [Column(str(n)) for n in range(4)])
    assert [one.array.dtype.kind for one in values] == ["O", "i", "O", "f"]
    rows = random.permutation(len(cells))
    how_by_name: dict[str, Callable[[list[Any]], Any]] = {
        "sum": sum,
        "mean": lambda numbers: sum(numbers) / len(numbers),
        "median": statistics.median,
        "least": min,
        "largest": max,
    }
    for how in HOWS:
        groups = group_rows(values, 0, rows, {str(n): how for n in range(1, 4)}, None)
        for group in range(len(groups.order)):
            mine = groups.rows_of(group).tolist()
            assert [row for row in rows.tolist() if row in set(mine)] == mine
            for at in (1, 2, 3):
                numbers = [cells[row][at] for row in mine if cells[row][at] is not None]
                found = groups.values[at].raw(group)
                if not numbers:
                    assert found is None
                    continue
                wanted = how_by_name[how](numbers)
                if how in ("sum", "least", "largest") and at < 3:  # whole numbers of any size
                    assert found == wanted
                else:
                    assert found == pytest.approx(wanted, rel=1e-12)


def test_sums_beyond_64_bits_do_not_turn_around():
    values = read_columns([["a", 2**62], ["a", 2**62], ["b", 5]], [Column("0"), Column("1")])
    groups = group_rows(values, 0, np.arange(3), {}, None)
    assert groups.values[1].raw(0) == 2.0**63


def test_the_first_columns_stay_in_sight(table, qtbot):
    table.resize(300, 200)
    table.columns.freeze("op")
    over = table.columns.frozen.view()
    assert over is not None
    assert over.isVisible()
    table.view.horizontalScrollBar().setValue(60)
    assert over.visualRect(table.model.index(0, 0)).left() == 0
    assert table.view.visualRect(table.model.index(0, 0)).left() == -60
    QTest.mouseClick(
        over.viewport(),
        Qt.MouseButton.LeftButton,
        pos=over.visualRect(table.model.index(1, 0)).center(),
    )
    assert table.selected_rows() == [1]
    widths = [table.view.columnWidth(n) for n in range(5)]
    table.group_by("core")
    table.group_by("")
    assert [table.view.columnWidth(n) >= wide > 0 for n, wide in enumerate(widths)] == [True] * 5
    again = TableView()
    qtbot.addWidget(again)
    again.set_data(ROWS, COLUMNS)
    assert again.columns.frozen.count == 1
    table.columns.freeze("")
    assert table.columns.frozen.view() is None
    assert over.isHidden()


def test_a_column_is_compared_with_another(table):
    table.columns.compare("time", "last")
    assert [row[2] for row in shown(table)] == ["3  +50.0 %", "1  ±0 %", "5", NOT_RECORDED, "2"]
    assert table.model.headerData(2, Qt.Orientation.Horizontal) == "Time (µs) / Last"
    table.columns.compare("time", "")
    assert [row[2] for row in shown(table)] == ["3", "1", "5", NOT_RECORDED, "2"]


@pytest.mark.parametrize(
    ("value", "base", "said"),
    [(3, 2, "+50.0 %"), (1, -2, "+150.0 %"), (-3, -2, "-50.0 %"), (0, 0, "±0 %"), (1, 0, ""),
     (50, 1, "50 ×"), (0.5, 1.0, "-50.0 %")],
)  # fmt: skip
def test_differences_are_told_in_percent_of_the_other(value, base, said):
    assert difference(value, base) == said


def test_trends_are_drawn_sorted_by_growth_and_copied_as_numbers(table):
    nan = float("nan")
    rows = [["a", [3.0, 1.0]], ["b", None], ["c", [1.0, nan, 9.0]], ["d", [nan]], ["e", []]]
    table.set_data(rows, [Column("name"), Column("trend", kind="trend")])
    table.sort_by("trend")
    assert [row[0] for row in shown(table)] == ["a", "d", "e", "c", "b"]
    assert table.model.exact(2, 1) == "1.0 nan 9.0"
    table.set_data(
        [["x", [1.0, nan]], ["x", [3.0, nan]], ["y", None], ["x", [9.0]]],
        [Column("name"), Column("trend", kind="trend")],
    )
    table.group_by("name")
    assert table.model.groups.values[1].raw(0).tolist() == pytest.approx([2.0, nan], nan_ok=True)
    assert table.model.groups.values[1].raw(1) is None
    picture = table.view.viewport().grab().toImage()
    assert picture.width() > 100


def test_the_menu_of_a_heading_offers_all_of_it(table):
    header = table.view.horizontalHeader()
    table.group_by("op")
    place = QPoint(header.sectionViewportPosition(2) + 5, 5)
    menu = open_menu(table, header, place)
    texts = [action.text() for action in menu.actions() if action.text()]
    assert texts == [
        "Sort upwards", "Sort downwards", "Filter by “Time (µs)”…", "Hide “Time (µs)”",
        "Keep in sight up to “Time (µs)”", "Compare “Time (µs)” with", "Group by “Time (µs)”",
        "No groups", "Open all groups", "Close all groups", "“Time (µs)” of a group", "Columns",
        "All columns, no filters",
    ]  # fmt: skip
    menu.close()


def sheet(path) -> list[list[str]]:
    """The cells of a workbook as ECMA-376 lays them out: type and text by column."""
    space = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
    with zipfile.ZipFile(path) as book:
        root = ElementTree.fromstring(book.read("xl/worksheets/sheet1.xml"))
    rows, texts = [], (f"{space}t", f"{space}v")
    for row in root.iter(f"{space}row"):
        cells = {}
        for cell in row.iter(f"{space}c"):
            column = ord(cell.get("r")[0]) - ord("A")
            text = "".join(node.text or "" for node in cell.iter() if node.tag in texts)
            cells[column] = (cell.get("t", "n"), text)
        rows.append(cells)
    return rows


def test_a_workbook_holds_numbers_as_numbers_and_loses_no_digit(tmp_path):
    rows = [["=1+1", 12_345, 2**60, NOT_APPLICABLE], ["b", None, 5, 0.5]]
    columns = read_columns(
        rows,
        [Column("0", "Text"), Column("1", "Time", "µs", kind="ns"), Column("2", "N"), Column("3")],
    )
    path = write_table(tmp_path / "t.xlsx", Extract(columns, np.array([0, 1])))
    head, first, second = sheet(path)
    assert [text for _, text in head.values()] == ["Text", "Time (µs)", "N", "3"]
    assert first[0] == ("inlineStr", "=1+1")
    assert first[1] == ("n", "12.345")
    assert first[2] == ("inlineStr", str(2**60))
    assert first[3][1] == NOT_APPLICABLE
    assert 1 not in second
    assert second[2] == ("n", "5")


def test_a_workbook_rounds_no_time(tmp_path):
    column = Column("0", "Time", "µs", kind="ns")
    columns = read_columns([[1_700_000_000_123_456_789], [1_234]], [column])
    _, first, second = sheet(write_table(tmp_path / "t.xlsx", Extract(columns, np.array([0, 1]))))
    assert first[0] == ("inlineStr", "1700000000123456.789")
    assert second[0] == ("n", "1.234")


ODD = [
    "a,b", 'say "x"', "two\nlines", "a\rb", "end\r", "\r\n", "|p|", " ", "", "中😀", "-5", "+1.5",
    "-",
]  # fmt: skip


def test_odd_texts_come_back_from_csv(tmp_path):
    columns = read_columns([[text, 1] for text in ODD], [Column("0", "Text"), Column("1", "N")])
    path = write_table(tmp_path / "t.csv", Extract(columns, np.arange(len(ODD))))
    with path.open(encoding="utf-8-sig", newline="") as file:
        assert list(csv.reader(file)) == [["Text", "N"], *([text, "1"] for text in ODD)]
    text = write_table(tmp_path / "t.md", Extract(columns, np.arange(len(ODD)))).read_text("utf-8")
    assert len(text.splitlines()) == len(ODD) + 2


@pytest.mark.parametrize("text", ["=1+1", "@SUM(A1)", "+A1", "-2+3", "\t=1", "=cmd|' /C calc'!A0"])
def test_a_name_is_no_formula_in_a_spreadsheet(tmp_path, text):
    columns = read_columns([[text, -5]], [Column("0", "Text"), Column("1", "N")])
    extract = Extract(columns, np.array([0]))
    with write_table(tmp_path / "t.csv", extract).open(encoding="utf-8-sig", newline="") as file:
        assert list(csv.reader(file))[1] == [f"'{text}", "-5"]
    assert written(extract, "tsv").splitlines()[1].endswith("\t-5")
    assert sheet(write_table(tmp_path / "t.xlsx", extract))[1][0] == ("inlineStr", text)


def test_infinite_numbers_are_least_and_largest(table):
    frame = pd.DataFrame({"g": ["a", "a", "b"], "x": [np.inf, np.inf, -np.inf]})
    values = read_columns(frame)
    for how in ("least", "largest"):
        made = group_rows(values, 0, np.arange(3), {"x": how}, None).values[1]
        assert made.array.tolist() == [np.inf, -np.inf]


def test_more_rows_than_a_sheet_holds_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(tableexport, "_MOST_IN_XLSX", 3)
    columns = read_columns([[1]] * 3, [Column("0")])
    with pytest.raises(StudioError, match="2 rows at most"):
        write_table(tmp_path / "t.xlsx", Extract(columns, np.arange(3)))
    assert not (tmp_path / "t.xlsx").exists()


def test_a_table_that_cannot_be_written_is_told_with_file_and_cause(tmp_path):
    columns = read_columns([[1]], [Column("0")])
    (tmp_path / "file").touch()
    with pytest.raises(StudioError, match=r"t\.csv: Not a directory"):
        write_table(tmp_path / "file" / "t.csv", Extract(columns, np.arange(1)))


@pytest.mark.parametrize(("name", "delimiter"), [("t.csv", ","), ("t.tsv", "\t")])
def test_groups_are_exported_as_they_are_shown(table, tmp_path, name, delimiter):
    table.group_by("op")
    table._toggled(1, True)
    table.export(tmp_path / name)
    with (tmp_path / name).open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file, delimiter=delimiter))
    assert rows[0] == ["Operator", "Core", "Time (µs)", "Share", "Last (µs)"]
    assert [row[0] for row in rows[1:]] == ["Add", "MatMul", "MatMul", "MatMul", ""]
    assert [row[2] for row in rows[1:]] == ["1", "8", "3", "5", "2"]
