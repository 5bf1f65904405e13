"""On screens of two and three pixels to one, lines keep their width and icons are not stretched."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QToolButton

from studio.ui.activity import ActivityBar
from studio.ui.chart import LineChart
from studio.ui.chartcurves import Curve
from studio.ui.chartpens import plot_pen
from studio.ui.envelope import Envelope
from studio.ui.icons import icon, set_icon

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

pytestmark = pytest.mark.gui


class Screen:
    """Stands in for a widget on a screen of so many pixels to one."""

    def __init__(self, ratio: float) -> None:
        self._ratio = ratio

    def devicePixelRatioF(self) -> float:
        return self._ratio


@pytest.mark.parametrize(
    ("ratio", "width", "wanted"), [(1, 1, 1), (1.25, 1, 1), (2, 1, 2), (3, 1, 3), (2, 1.5, 3)]
)
def test_a_pen_has_whole_pixels(qapp: object, ratio: float, width: float, wanted: int) -> None:
    pen = plot_pen(QColor("red"), Screen(ratio), width)
    assert pen.isCosmetic()
    assert pen.widthF() == wanted


def test_curves_are_as_wide_as_on_other_screens(qtbot, monkeypatch: pytest.MonkeyPatch) -> None:
    chart = LineChart()
    qtbot.addWidget(chart)
    times = np.arange(10, dtype=np.int64)
    curve = Curve("a", "A", Envelope(times, times.astype(np.float64)), QColor("red"))
    chart.set_curves([curve])
    monkeypatch.setattr(chart.plot, "devicePixelRatioF", lambda: 3.0)
    chart.curves.colour({})
    assert [drawn.line.opts["pen"].widthF() for drawn in chart.curves.shown()] == [3]


@pytest.mark.parametrize("ratio", [1, 2, 3])
def test_an_icon_of_the_activity_bar_is_drawn_for_the_screen(qapp: object, ratio: int) -> None:
    made = icon("files", edge=20)
    assert QSize(20, 20) * ratio in made.availableSizes()


def test_the_activity_bar_asks_for_its_size(qtbot) -> None:
    bar = ActivityBar(None)
    qtbot.addWidget(bar)
    edge = bar.iconSize().width()
    buttons: list[QWidget] = [bar.widgetForAction(action) for action in bar.actions()]
    shown = [button for button in buttons if isinstance(button, QToolButton)]
    assert shown
    for button in shown:
        assert QSize(3 * edge, 3 * edge) in button.icon().availableSizes()
    set_icon(shown[0], "files")
    assert QSize(16, 16) in shown[0].icon().availableSizes()
