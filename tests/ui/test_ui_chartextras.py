"""Line charts: notes, logarithmic values, and files of what is shown."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QInputDialog

from studio.ui.chart import CountAxis, Curve, LineChart
from studio.ui.chartpart import ValueAxis
from studio.ui.envelope import Envelope

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

pytestmark = pytest.mark.gui
BEGIN = 1_695_115_378_653_323_500
VALUES = np.array([1.0, 10.0, 1000.0, np.nan, 0.0, 0.1])


@pytest.fixture
def chart(qtbot: QtBot) -> LineChart:
    widget = LineChart(name="Losses")
    qtbot.addWidget(widget)
    widget.resize(640, 400)
    times = BEGIN + np.arange(6, dtype=np.int64) * 1000
    widget.set_curves(
        [
            Curve("a", "loss, mean", Envelope(times, VALUES), QColor("#3366ff"), filled=True),
            Curve("b", "other", Envelope(times, VALUES * 2), QColor("#ff6633")),
        ],
        origin=BEGIN,
    )
    widget.show()
    QApplication.processEvents()
    return widget


def heights(chart: LineChart, key: str) -> list[float]:
    return chart.curves._drawn[key].line.getData()[1].tolist()


def test_values_are_drawn_by_their_logarithm(chart: LineChart) -> None:
    assert max(v for v in heights(chart, "a") if v == v) == 1000
    QTest.keyClick(chart, Qt.Key.Key_L)
    assert chart.logarithmic
    drawn = heights(chart, "a")
    assert np.nanmax(drawn) == pytest.approx(3)
    assert np.nanmin(drawn) == pytest.approx(-1)  # the zero has no place
    (_, _), (low, high) = chart._box.viewRange()
    assert low == pytest.approx(-1)
    assert high > np.log10(2000)
    QTest.keyClick(chart, Qt.Key.Key_L)
    assert np.nanmin(heights(chart, "a")) == 0


@pytest.mark.parametrize(
    ("low", "high", "divisor", "written"),
    [
        (0, 3, 1, ["1", "2", "5", "10", "20", "50", "100", "200", "500", "1\u2009000"]),
        (-1, 5, 1, ["0.1", "1", "10", "100", "1\u2009000", "10\u2009000", "100\u2009000"]),
        (6, 9, 1e6, ["1", "2", "5", "10", "20", "50", "100", "200", "500", "1\u2009000"]),
    ],
)  # fmt: skip
def test_ticks_of_logarithms_are_round_numbers_in_the_unit(
    qtbot: QtBot, low: float, high: float, divisor: float, written: list[str]
) -> None:
    axis = ValueAxis()
    axis.set_divisor(divisor)
    axis.set_logarithmic(True)
    ((spacing, places),) = axis.tickValues(low, high, 300)
    assert axis.tickStrings(places, 1, spacing) == written
    assert places == sorted(places)


def test_a_small_part_of_a_decade_has_ticks_too(qtbot: QtBot) -> None:
    axis = ValueAxis()
    axis.set_logarithmic(True)
    ((spacing, places),) = axis.tickValues(0.30, 0.48, 300)  # 2.0 to 3.0
    assert len(places) >= 3
    texts = axis.tickStrings(places, 1, spacing)
    assert [float(text) for text in texts] == pytest.approx([10**place for place in places])


def test_notes_stand_at_their_times_and_can_be_changed(chart: LineChart, monkeypatch) -> None:
    told: list[dict[int, str]] = []
    chart.extras.notes_changed.connect(lambda: told.append(chart.extras.notes()))
    answers = iter([("learning rate {down}", True), ("other", True), ("", False)])
    monkeypatch.setattr(QInputDialog, "getText", lambda *_, **__: next(answers))
    time = chart.time_at(200)
    QTest.mouseMove(chart.plot.viewport(), QPoint(200, 100))
    chart._moved(chart.plot.mapToScene(QPoint(200, 100)))
    QTest.keyClick(chart, Qt.Key.Key_N)
    assert told == [{time: "learning rate {down}"}]
    (line,) = chart.extras._drawn
    assert line.value() == time - BEGIN
    assert line.label.format.format() == "learning rate {down}"
    place = QPoint(202, 100)
    menu = chart.extras.open_menu(place)
    texts = [action.text() for action in menu.actions() if action.text()]
    assert texts[:2] == ["Change the note…", "Remove the note"]
    menu.actions()[0].trigger()
    assert chart.extras.notes() == {time: "other"}
    menu.actions()[1].trigger()
    assert chart.extras.notes() == {}
    menu.close()
    menu = chart.extras.open_menu(QPoint(500, 100))
    assert menu.actions()[0].text() == "Write a note here…"
    menu.actions()[0].trigger()
    assert chart.extras.notes() == {}
    menu.close()


def test_notes_and_axis_are_kept_by_views(chart: LineChart) -> None:
    chart.extras.set_note(BEGIN + 5, "here")
    chart.set_logarithmic(True)
    kept = json.loads(json.dumps(chart.extras.saved()))
    chart.extras.restore({"notes": {"x": "no"}, "logarithmic": None})
    assert chart.extras.notes() == {}
    assert chart.logarithmic
    chart.set_logarithmic(False)
    chart.extras.restore(kept)
    assert chart.extras.notes() == {BEGIN + 5: "here"}
    assert chart.logarithmic
    chart.extras.restore({})
    assert chart.extras.notes() == {BEGIN + 5: "here"}


def test_the_values_in_view_become_a_table(chart: LineChart, tmp_path: Path) -> None:
    chart.set_shown("b", False)
    chart.show_times(BEGIN + 1000, BEGIN + 4000)
    chart.extras.save(tmp_path / "x.csv")
    with (tmp_path / "x.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    assert rows == [
        ["curve", "time_ns", "value"],
        ["loss, mean", str(BEGIN + 1000), "10.0"],
        ["loss, mean", str(BEGIN + 2000), "1000.0"],
        ["loss, mean", str(BEGIN + 3000), ""],
        ["loss, mean", str(BEGIN + 4000), "0.0"],
    ]


def test_a_chart_over_steps_says_so(qtbot: QtBot) -> None:
    chart = LineChart(axis=CountAxis(str))
    qtbot.addWidget(chart)
    assert chart.time_heading == "step"


def test_pictures_are_points_or_vectors(chart: LineChart, tmp_path: Path) -> None:
    chart.extras.save(tmp_path / "x.png")
    assert QImage(str(tmp_path / "x.png")).size() == chart.size() * chart.devicePixelRatioF()
    chart.extras.save(tmp_path / "x.svg")
    root = ElementTree.parse(tmp_path / "x.svg").getroot()
    space = "{http://www.w3.org/2000/svg}"
    assert root.tag == f"{space}svg"
    strokes = {node.get("stroke") for node in root.iter(f"{space}g")}
    assert {"#3366ff", "#ff6633"} <= strokes
