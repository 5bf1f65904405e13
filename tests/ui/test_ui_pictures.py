"""Charts as pictures and as tables, from their menus."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest

from studio.kernel.errors import StudioError
from studio.ui.barlist import Bar, BarList
from studio.ui.chartflame import Boxes, FlameGraph
from studio.ui.chartheat import HeatMap
from studio.ui.chartscatter import LogScatter, Point
from studio.ui.charttree import Tile, TreeMap
from studio.ui.pictures import save_picture, without_controls
from studio.ui.sharebar import Part, ShareBar

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

pytestmark = pytest.mark.gui


def tree() -> TreeMap:
    chart = TreeMap("Tree")
    chart.set_tiles([Tile("a, b", 1.5, "1.5 GiB", 0), Tile("c", 2**53 + 1, "8 PiB", 1)])
    return chart


def heat() -> HeatMap:
    chart = HeatMap("rank")
    chart.set_cells(["0", "1"], ["10", "11"], np.array([[1.25, np.nan], [3.0, 4.0]]), str)
    return chart


def scatter() -> LogScatter:
    chart = LogScatter("Roof", "x", "y")
    chart.set_points([Point("MatMul", 684.0, 184.4, 1.0, 0)], [], (str, str))
    return chart


def flame() -> FlameGraph:
    chart = FlameGraph("Flame", str)
    whole = np.array
    depth, start, name = whole([0, 1]), whole([0, 2]), whole([1, 0])
    length, own, parent = whole([10, 5]), whole([5, 5]), whole([-1, 0])
    chart.set_boxes(Boxes(depth, start, length, own, parent, name, ("inner", "outer"), (0, 0)))
    return chart


def bars() -> BarList:
    chart = BarList("Bars")
    chart.set_bars([Bar("MatMul", "10.18 ms", 1.0, detail="54 ×")])
    return chart


def shares() -> ShareBar:
    chart = ShareBar("Share")
    chart.set_parts(
        [Part("c", "Computing", "63.6 %", 0.636, "computing"), Part("f", "Free", "", 0.364, "free")]
    )
    return chart


@pytest.mark.parametrize(
    ("make", "lines"),
    [
        (tree, [["name", "amount"], ["c", "9007199254740993"], ["a, b", "1.5"]]),
        (heat, [["rank", "10", "11"], ["0", "1.25", ""], ["1", "3.0", "4.0"]]),
        (scatter, [["name", "x", "y"], ["MatMul", "684.0", "184.4"]]),
        (
            flame,
            [
                ["name", "depth", "start", "total", "self"],
                ["outer", "0", "0", "10", "5"],
                ["inner", "1", "2", "5", "5"],
            ],
        ),
        (bars, [["name", "value", "detail"], ["MatMul", "10.18 ms", "54 ×"]]),
        (
            shares,
            [
                ["part", "value", "share"],
                ["Computing", "63.6 %", "0.636"],
                ["Free", "", "0.364"],
            ],
        ),
    ],
)
def test_every_chart_is_saved_as_numbers_and_in_two_kinds_of_pictures(
    qtbot: QtBot, tmp_path: Path, make, lines
) -> None:
    chart = make()
    qtbot.addWidget(chart)
    chart.resize(300, 120)
    chart.show()
    for suffix in ("csv", "png", "svg"):
        chart.pictures.save(tmp_path / f"chart.{suffix}")
    with (tmp_path / "chart.csv").open(encoding="utf-8-sig", newline="") as file:
        assert list(csv.reader(file)) == lines
    assert QImage(str(tmp_path / "chart.png")).size() == chart.size() * chart.devicePixelRatio()
    assert (
        "<path" in (tmp_path / "chart.svg").read_text()
        or "<rect" in (tmp_path / "chart.svg").read_text()
    )
    menu = chart.pictures.open(QPoint(4, 4))
    assert [action.text() for action in menu.actions()] == [
        "Copy the picture", "Save as picture or table…",
    ]  # fmt: skip
    menu.actions()[0].trigger()
    menu.close()
    assert QGuiApplication.clipboard().pixmap().size() == chart.size()


@pytest.mark.parametrize("suffix", ["csv", "png", "svg"])
def test_a_chart_that_cannot_be_saved_is_told(qtbot: QtBot, tmp_path: Path, suffix: str) -> None:
    bar = shares()
    qtbot.addWidget(bar)
    bar.resize(300, 20)
    with pytest.raises(StudioError, match=r"Cannot write .*No such file or directory"):
        bar.pictures.save(tmp_path / "gone" / f"chart.{suffix}")


def test_the_parts_of_a_share_are_chosen_by_keys(qtbot: QtBot) -> None:
    bar = shares()
    qtbot.addWidget(bar)
    heard: list[str] = []
    bar.chosen.connect(heard.append)
    QTest.keyClick(bar, Qt.Key.Key_Return)
    for _ in range(3):
        QTest.keyClick(bar, Qt.Key.Key_Right)
    assert bar.accessibleDescription() == "Free: "
    QTest.keyClick(bar, Qt.Key.Key_Return)
    QTest.keyClick(bar, Qt.Key.Key_Left)
    QTest.keyClick(bar, Qt.Key.Key_Return)
    assert heard == ["f", "c"]


def test_a_picture_of_odd_names_is_xml_all_the_same(qtbot: QtBot, tmp_path: Path) -> None:
    """XML knows no control characters; a name of a kernel or a file may have them."""
    chart = BarList("Bars")
    qtbot.addWidget(chart)
    chart.resize(600, 200)
    chart.set_bars([Bar("Mat\x01Mul <&>", "1 ms\x1b", 1.0), Bar("\ufffe and \ud800", "2 ms", 0.5)])
    save_picture(chart, tmp_path / "bars.svg")
    qtbot.waitUntil((tmp_path / "bars.svg").exists)
    root = ElementTree.parse(tmp_path / "bars.svg").getroot()
    texts = {(text.text or "").strip() for text in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"MatMul <&>", "1 ms", "2 ms"} <= texts
    assert without_controls("a\x00\tb\uffff算".encode()).decode() == "a\tb\ufffd算"
