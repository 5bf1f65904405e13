"""Stretches of time that another view selected together, over the lanes of the timeline."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from PySide6.QtGui import QImage, QPainter

from plugins.timeline.ui.bands import band_columns, draw_bands
from plugins.timeline.ui.viewport import Viewport
from studio.model.ranges import Ranges
from studio.ui.idle import wait_idle

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.random import Generator

    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui
NOW = 1_764_246_877_000_000_000


def stretches(random: Generator, count: int, most: int) -> Ranges:
    edges = NOW + np.cumsum(random.integers(1, most, 2 * count))
    return Ranges(edges[::2], edges[1::2])


@pytest.mark.parametrize("scale", [0.5, 3.7, 40.0, 900.0])
def test_a_column_is_marked_where_a_stretch_covers_a_part_of_it(scale: float) -> None:
    bands = stretches(np.random.default_rng(7), 400, 90)
    view, width = Viewport(NOW + 500, 0.25, scale), 300
    marked = np.zeros(width, bool)
    for left, right in band_columns(bands, view, width):
        assert left < right
        assert not marked[left - 1 : right].any()  # runs do not touch
        marked[left:right] = True
    starts, ends = bands.start.tolist(), bands.end.tolist()
    for column in range(width):
        begin, stop = (int(np.ceil(500 + 0.25 + x * scale)) + NOW for x in (column, column + 1))
        inside = any(s < stop and e > begin for s, e in zip(starts, ends, strict=True))
        assert marked[column] == inside, column


def test_a_number_of_another_view_is_shown_as_bands(window: MainWindow, profile: Path) -> None:
    trace = profile / "ASCEND_PROFILER_OUTPUT" / "trace_view.json"
    view: Any = window.open(trace, "timeline.view", {})
    assert wait_idle(window)
    state, canvas = view.state, view.pane.canvas
    start, end = state.shown()
    third = (end - start) // 3
    bands = Ranges(
        np.array([start, start + 2 * third]), np.array([start + third // 2, start + 2 * third + 9])
    )
    plain = canvas.grab().toImage()
    window.app.studio("steps").select(
        item=trace, start_ns=int(bands.start[0]), end_ns=int(bands.end[1]), ranges=bands
    )
    assert state.bands is bands
    assert (state.viewport.start, state.shown()) == (start, (start, end))  # it does not move
    shown = canvas.grab().toImage()
    low = shown.height() - 2
    for x, marked in ((30, True), (state.width // 4, False), (state.width * 2 // 3, True)):
        strip = [shown.pixelColor(near, 1) for near in (x - 1, x, x + 1)]
        info = state.palette.colour("info")
        assert any(abs(c.hue() - info.hue()) < 12 and c.saturation() > 60 for c in strip) == marked
    assert plain.pixelColor(30, low) != shown.pixelColor(30, low)
    window.app.studio("steps").select(item=trace, start_ns=start, end_ns=end)
    assert state.bands is None


@pytest.mark.bench
def test_millions_of_bands_cost_a_frame_nothing(window: MainWindow, profile: Path) -> None:
    trace = profile / "ASCEND_PROFILER_OUTPUT" / "trace_view.json"
    view: Any = window.open(trace, "timeline.view", {})
    assert wait_idle(window)
    bands = stretches(np.random.default_rng(1), 1_000_000, 60)
    image = QImage(1600, 800, QImage.Format.Format_RGB32)
    view.state.resize(1600, 800)
    took = []
    for scale in (2_000.0, 10.0, 2_000.0, 30_000.0):
        view.state.viewport = Viewport(NOW, 0.0, scale)
        begin = time.process_time()
        painter = QPainter(image)
        draw_bands(painter, view.state, bands)
        painter.end()
        took.append(time.process_time() - begin)
    assert max(took[1:]) < 0.05  # most of it blends the colours over all pixels once
