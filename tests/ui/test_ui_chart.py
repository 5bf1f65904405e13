"""Charts: no peak lost, gaps stay gaps, exact values under the pointer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from studio.ui.chart import Curve, LineChart
from studio.ui.envelope import Envelope

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

pytestmark = pytest.mark.gui
EPOCH = 1695115378653323500


def times(count: int, step: int = 1000) -> np.ndarray:
    return EPOCH + np.arange(count, dtype=np.int64) * step


def test_few_points_are_drawn_as_steps() -> None:
    curve = Envelope(times(3), np.array([1.0, 5.0, 2.0]))
    xs, ys = curve.points(EPOCH, EPOCH + 2000, 100)
    assert (xs - EPOCH).tolist() == [0, 1000, 1000, 2000, 2000]
    assert ys.tolist() == [1, 1, 5, 5, 2]


@pytest.mark.parametrize("width", [10, 300, 1400])
@pytest.mark.parametrize("spike", [0, 77_777, 199_999])
def test_a_spike_of_one_sample_is_never_lost(width: int, spike: int) -> None:
    values = 20_000 + (np.arange(200_000) * 37 % 500).astype(np.float64)
    values[spike] = 61_234.5
    curve = Envelope(times(200_000), values)
    _, ys = curve.points(int(curve.times[0]), int(curve.times[-1]), width)
    assert ys.max() == 61_234.5
    assert len(ys) <= 32 * width + 16


def test_gaps_stay_gaps() -> None:
    values = np.array([1.0, np.nan, np.nan, 4.0])
    curve = Envelope(times(4), values)
    _, ys = curve.points(EPOCH, EPOCH + 4000, 100)
    assert np.isnan(ys).any()
    assert 0.0 not in ys.tolist()
    assert np.isnan(curve.at(EPOCH + 1500))
    assert curve.at(EPOCH + 500) == 1.0
    assert np.isnan(curve.at(EPOCH - 1))


def test_a_long_gap_is_a_gap_when_zoomed_out() -> None:
    values = np.ones(100_000)
    values[40_000:60_000] = np.nan
    xs, ys = Envelope(times(100_000), values).points(EPOCH, EPOCH + 10**8, 200)
    inside = (xs > EPOCH + 41_000_000) & (xs < EPOCH + 59_000_000)
    assert np.isnan(ys[inside]).all()
    assert np.nanmax(ys) == 1.0


def test_largest_within_a_stretch() -> None:
    curve = Envelope(times(5), np.array([1.0, 9.0, np.nan, 3.0, 9.0]))
    assert curve.peak == (EPOCH + 1000, 9.0)
    assert curve.largest(EPOCH + 3500, EPOCH + 3600) == (EPOCH + 3000, 3.0)
    assert curve.largest(EPOCH + 2100, EPOCH + 2200) is None


@pytest.mark.parametrize("count", [1, 63, 64, 65, 300, 5_000, 70_001])
@pytest.mark.parametrize("whole", [False, True])
def test_all_that_is_drawn_and_asked_is_what_the_values_say(count: int, whole: bool) -> None:
    random = np.random.default_rng(count)
    values = random.integers(0, 1000, count).astype(np.float64)
    if not whole:
        values[random.random(count) < 0.2] = np.nan
        values[: count // 3] = np.nan
    moments = times(count)
    curve = Envelope(moments, values.astype(np.int64) if whole else values)
    for first, stop in (sorted(random.integers(0, count + 1, 2).tolist()) for _ in range(12)):
        begin, end = EPOCH + first * 1000, EPOCH + stop * 1000 - 1
        if end < begin:
            continue
        part = values[first:stop]
        for width in (1, 40, 700):
            _, ys = curve.points(begin, end, width)
            if not np.isnan(part).all():
                assert np.nanmax(ys) >= np.nanmax(part)
                assert np.nanmin(ys) <= np.nanmin(part)
        found = curve.largest(begin, end)
        if np.isnan(part).all():
            assert found is None
        else:
            place = first + int(np.nanargmax(part))
            assert found == (EPOCH + place * 1000, values[place])


def test_of_several_values_at_one_time_none_is_lost() -> None:
    moments = EPOCH + np.array([0, 5, 5, 5, 9, 9, 9], np.int64)
    curve = Envelope(moments, np.array([1.0, 7.0, -4.0, 2.0, 3.0, 9.0, 3.0]))
    _, ys = curve.points(EPOCH + 5, EPOCH + 9, 100)
    assert (ys.min(), ys.max()) == (-4.0, 9.0)
    assert curve.largest(EPOCH + 5, EPOCH + 6) == (EPOCH + 5, 7.0)
    assert curve.largest(EPOCH + 6, EPOCH + 7) == (EPOCH + 5, 2.0)  # the last one holds


@pytest.mark.parametrize(
    "values",
    [
        [1.0, np.inf, 2.0], [1.0, -np.inf, 2.0], [-5.0, -1.0], [0.0, 0.0],
        [1e308, -1e308], [5e-324, 1.0], [np.nan, np.nan], [],
    ],
)  # fmt: skip
def test_what_cannot_be_drawn_is_left_out_without_complaint(
    qtbot: QtBot, values: list[float]
) -> None:
    chart = LineChart()
    qtbot.addWidget(chart)
    chart.resize(400, 300)
    chart.show()
    curve = Envelope(times(len(values)), np.array(values))
    chart.set_curves([Curve("a", "A", curve, QColor("red"), filled=True)], origin=EPOCH)
    for logarithmic in (False, True, False):
        chart.set_logarithmic(logarithmic)
        settle(chart)
        assert not chart.grab().isNull()
        drawn = chart.curves.shown()[0].line.yData
        known = drawn[np.isfinite(drawn)]
        fits = [v for v in values if (0 < v < np.inf if logarithmic else abs(v) < 1e300)]
        expected = {round(float(np.log10(v)), 9) if logarithmic else v for v in fits}
        assert {round(v, 9) if logarithmic else v for v in known.tolist()} == expected


@pytest.fixture
def chart(qtbot: QtBot) -> Iterator[LineChart]:
    chart = LineChart(write=lambda value: f"{value:.1f} MiB")
    qtbot.addWidget(chart)
    chart.resize(900, 400)
    chart.show()
    values = np.full(1000, 10.0)
    values[500] = 99.5
    blank = np.full(1000, np.nan)
    blank[:100] = 5.0
    chart.set_curves(
        [
            Curve("a", "A", Envelope(times(1000), values), QColor("red"), filled=True),
            Curve("b", "B", Envelope(times(1000), blank), QColor("blue"), dashed=True),
        ],
        origin=EPOCH,
    )
    settle(chart)
    yield chart
    chart.close()


def settle(chart: LineChart) -> None:
    for _ in range(20):
        QApplication.processEvents()
        if chart.idle():
            return


def place_of(chart: LineChart, time: int) -> QPoint:
    scene = chart._box.mapViewToScene(_point(time - EPOCH))
    return chart.plot.mapFromScene(scene)


def _point(x: float):
    from PySide6.QtCore import QPointF

    return QPointF(x, 1.0)


def test_the_pointer_tells_peaks_and_what_is_not_recorded(chart: LineChart) -> None:
    QTest.mouseMove(chart.plot.viewport(), place_of(chart, EPOCH + 500_000))
    settle(chart)
    assert [(name, value) for _, name, value in chart._card.lines] == [
        ("A", "99.5 MiB"),
        ("B", "not recorded"),
    ]


def test_the_highest_filled_curve_is_flagged(chart: LineChart) -> None:
    assert "99.5 MiB" in chart._flag.toPlainText()
    assert "500 µs" in chart._flag.toPlainText()
    chart.set_shown("a", False)
    assert chart._flag.toPlainText().startswith("B")


def test_zooming_keeps_the_peak_in_reach(chart: LineChart) -> None:
    chart.show_times(EPOCH + 499_900, EPOCH + 500_100)
    settle(chart)
    assert chart.shown_times() == (EPOCH + 499_900, EPOCH + 500_100)
    QTest.keyClick(chart, Qt.Key.Key_Home)
    settle(chart)
    start, end = chart.shown_times()
    assert start < EPOCH
    assert end > EPOCH + 999_000


def test_shift_drag_selects_a_stretch(chart: LineChart, qtbot: QtBot) -> None:
    chosen: list[object] = []
    chart.range_selected.connect(chosen.append)
    chart._dragged(100_000.0, 300_000.0, False)
    assert chart.selected_range() == (EPOCH + 100_000, EPOCH + 300_000)
    assert chosen == []
    chart._dragged(300_000.0, 100_000.0, True)
    assert chosen == [(EPOCH + 100_000, EPOCH + 300_000)]
    QTest.keyClick(chart, Qt.Key.Key_Escape)
    assert chart.selected_range() is None


def test_a_range_of_others_scrolls_into_view(chart: LineChart) -> None:
    chart.show_times(EPOCH, EPOCH + 10_000)
    chart.set_range((EPOCH + 700_000, EPOCH + 710_000))
    start, end = chart.shown_times()
    assert start < EPOCH + 700_000
    assert end > EPOCH + 710_000


def test_hidden_curves_do_not_count_for_the_scale(chart: LineChart) -> None:
    chart.set_shown("a", False)
    settle(chart)
    _, (low, high) = chart._box.viewRange()
    assert low == 0.0
    assert high == pytest.approx(5.0 * 1.14)
