"""Flame graph, treemap, heat map and scatter chart: places, choices, keys, themes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtTest import QTest

from studio.ui.chartflame import ROW, Boxes, FlameGraph, no_boxes
from studio.ui.chartheat import HeatMap
from studio.ui.chartpick import NONE, PickChart
from studio.ui.chartscatter import Bound, LogScatter, Point, log_ticks
from studio.ui.charttree import Tile, TreeMap, squarified

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytestqt.qtbot import QtBot

pytestmark = pytest.mark.gui


def shown(qtbot: QtBot, chart: PickChart) -> PickChart:
    qtbot.addWidget(chart)
    chart.resize(400, 240)
    chart.show()
    return chart


def numbers(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def boxes() -> Boxes:
    """main(10) = load(2) + run(7) + 1 of its own; run = mul(4) + 3 of its own."""
    return Boxes(
        depth=numbers(0, 1, 1, 2),
        start=numbers(0, 0, 2, 2),
        length=numbers(10, 2, 7, 4),
        own=numbers(1, 2, 3, 4),
        parent=numbers(-1, 0, 0, 2),
        name=numbers(0, 1, 2, 3),
        names=("main", "load", "run", "mul"),
        tint=(0, 1, 2, 3),
    )


# -- flame graph --------------------------------------------------------------------------------
def test_boxes_lie_where_their_time_is(qtbot: QtBot) -> None:
    flame = FlameGraph("Flame", str)
    shown(qtbot, flame)
    flame.set_boxes(boxes())
    assert flame.place_of(2) == QRectF(80, ROW, 280, ROW)
    assert flame.part_at(QPointF(100, ROW + 3)) == 2
    assert flame.part_at(QPointF(390, ROW + 3)) == NONE  # main's own time has no box below it
    assert flame.part_at(QPointF(390, 3)) == 0
    assert flame.told(2) == "run\n7  (3)\n70.0%, 30.0%"


def test_the_flame_graph_zooms_and_is_walked_by_keys(qtbot: QtBot) -> None:
    flame = FlameGraph("Flame", str)
    shown(qtbot, flame)
    flame.set_boxes(boxes())
    flame.choose(3)
    QTest.keyClick(flame, Qt.Key.Key_Up)
    assert flame.current == 2
    QTest.keyClick(flame, Qt.Key.Key_Left)
    assert flame.current == 1
    QTest.keyClick(flame, Qt.Key.Key_Up)
    QTest.keyClick(flame, Qt.Key.Key_Down)
    assert flame.current == 1
    flame.choose(2)
    QTest.keyClick(flame, Qt.Key.Key_Z)
    assert flame.shown() == (2.0, 9.0)
    QTest.keyClick(flame, Qt.Key.Key_Home)
    assert flame.shown() == (0.0, 10.0)
    flame.set_boxes(no_boxes())
    assert flame.count() == 0
    assert not flame.grab().isNull()


def test_a_million_boxes_are_painted_at_once(qtbot: QtBot) -> None:
    count = 1_000_000
    order = np.arange(count)
    nothing = np.zeros(count, np.int64)
    many = Boxes(nothing, order, nothing + 1, nothing + 1, nothing - 1, nothing, ("kernel",), (0,))
    flame = FlameGraph("Flame", str)
    shown(qtbot, flame)
    flame.set_boxes(many)
    assert not flame.grab().isNull()
    assert flame.part_at(QPointF(200, 3)) == count // 2


# -- treemap ------------------------------------------------------------------------------------
def test_areas_are_the_amounts_and_fill_the_room() -> None:
    room = QRectF(0, 0, 600, 400)
    amounts = [6.0, 6.0, 4.0, 3.0, 2.0, 2.0, 1.0]  # the example of the paper
    places = squarified(amounts, room)
    areas = [place.width() * place.height() for place in places]
    assert areas == pytest.approx([amount * 10_000 for amount in amounts])
    assert places[0] == QRectF(0, 0, 300, 200)
    assert places[1] == QRectF(0, 200, 300, 200)
    for number, place in enumerate(places):
        others = places[number + 1 :]
        assert not any(place.adjusted(1, 1, -1, -1).intersects(other) for other in others)
        assert room.adjusted(-0.01, -0.01, 0.01, 0.01).contains(place)


def test_tiles_are_chosen_by_click_and_keys(qtbot: QtBot) -> None:
    tree = TreeMap("Tree", "nothing")
    shown(qtbot, tree)
    assert not tree.grab().isNull()
    tree.set_tiles([Tile("b", 1, "1 B", 1), Tile("none", 0, "0 B", 2), Tile("a", 3, "3 B", 0)])
    assert [tile.text for tile in tree.tiles] == ["a", "b"]
    chosen: list[int] = []
    tree.chosen.connect(chosen.append)
    QTest.mouseClick(tree, Qt.MouseButton.LeftButton, pos=tree.place_of(1).center().toPoint())
    QTest.keyClick(tree, Qt.Key.Key_Home)
    assert chosen == [1, 0]
    assert tree.accessibleDescription() == "a\n3 B"


# -- heat map -----------------------------------------------------------------------------------
def test_cells_are_told_and_walked(qtbot: QtBot) -> None:
    heat = HeatMap("Heat")
    shown(qtbot, heat)
    values = np.array([[1.0, 2.0, np.nan], [4.0, 5.0, 6.0]])
    heat.set_cells(["rank 0", "rank 1"], ["7", "8", "9"], values, lambda v: f"{v:g} ms")
    assert heat.told(4) == "rank 1 · 8: 5 ms"
    assert heat.told(2) == "rank 0 · 9: –"
    assert heat.part_at(heat.place_of(4).center()) == 4
    QTest.mouseClick(heat, Qt.MouseButton.LeftButton, pos=heat.place_of(4).center().toPoint())
    QTest.keyClick(heat, Qt.Key.Key_Up)
    assert heat.current == 1
    QTest.keyClick(heat, Qt.Key.Key_Right)
    assert heat.cell(heat.current) == (0, 2)
    opened: list[int] = []
    heat.opened.connect(opened.append)
    QTest.keyClick(heat, Qt.Key.Key_Return)
    assert opened == [2]
    assert not heat.grab().isNull()


# -- scatter ------------------------------------------------------------------------------------
def test_points_lie_on_logarithmic_axes(qtbot: QtBot) -> None:
    plot = LogScatter("Roof", "x", "y")
    shown(qtbot, plot)
    points = [
        Point("a", 1, 1e12, 1.0, 0),
        Point("b", 10, 1e13, 0.5, 1),
        Point("c", 100, 1e14, 0, 2),
    ]
    plot.set_points(points, [Bound("peak", [(1, 1e12), (100, 1e14), (1e4, 1e14)])], (str, str))
    a, b, c = (plot.place_of(part) for part in range(3))
    assert b.x() - a.x() == pytest.approx(c.x() - b.x())
    assert a.y() - b.y() == pytest.approx(b.y() - c.y())
    assert plot.part_at(b + QPointF(2, 2)) == 1
    assert plot.part_at(QPointF(1, 1)) == NONE
    assert not plot.grab().isNull()


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (100, 1e6, [1e2, 1e3, 1e4, 1e5, 1e6]),
        (98, 326, [100, 200]),  # no two decades: 1, 2, 5
        (0.15, 3, [0.2, 0.5, 1, 2]),
        (220, 480, [300, 400]),
    ],
)
def test_a_logarithmic_axis_has_round_ticks(low: float, high: float, ticks: list[float]) -> None:
    assert log_ticks(math.log10(low), math.log10(high)) == pytest.approx(ticks)


@pytest.mark.parametrize(
    "make",
    [
        lambda: FlameGraph("Flame", str, "none"),
        lambda: TreeMap("Tree", "none"),
        lambda: HeatMap("Heat", "none"),
        lambda: LogScatter("Roof", "x", "y", "none"),
    ],
)
def test_every_chart_says_when_it_is_empty(qtbot: QtBot, make: Callable[[], PickChart]) -> None:
    chart = shown(qtbot, make())
    assert chart.empty == "none"
    assert not chart.grab().isNull()
    QTest.keyClick(chart, Qt.Key.Key_Right)
    QTest.mouseClick(chart, Qt.MouseButton.LeftButton)
    assert chart.current == NONE


def test_infinite_cells_do_not_hide_the_others(qtbot: QtBot) -> None:
    cells = HeatMap("cells")
    qtbot.addWidget(cells)
    cells.resize(400, 200)
    values = np.array([[1.0, np.inf, 3.0], [np.nan, -np.inf, 2.0]])
    cells.set_cells(["a", "b"], ["x", "y", "z"], values, "{:g}".format)
    cells.show()
    assert cells._span == (1.0, 3.0)
    assert [cells.told(n) for n in (1, 3, 4)] == ["a · y: inf", "b · x: –", "b · y: -inf"]
    assert not cells.grab().isNull()
