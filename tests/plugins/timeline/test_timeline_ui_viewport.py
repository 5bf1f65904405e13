"""Time to pixels and back, exact at every zoom."""

from __future__ import annotations

import numpy as np
import pytest

from plugins.timeline.ui.viewport import FINEST, Viewport

EPOCH = 1742490378358140950


def test_neighbouring_nanoseconds_stay_apart() -> None:
    view = Viewport(EPOCH, 0.0, 0.01)
    assert [view.x(EPOCH + n) for n in range(3)] == [0.0, 100.0, 200.0]
    assert view.xs(np.array([EPOCH, EPOCH + 1])).tolist() == [0.0, 100.0]
    assert [view.time(x) for x in (0, 99, 100, 250)] == [EPOCH, EPOCH, EPOCH + 1, EPOCH + 2]
    assert view.nearest(60) == EPOCH + 1


def test_the_time_under_the_pointer_stays_when_zooming() -> None:
    view = Viewport.over(EPOCH, EPOCH + 10_000_000_000, 1000)
    exact = EPOCH + 3_333_333_333
    x = view.x(exact)
    while view.scale > FINEST:
        view = view.zoomed(0.8, x)
        assert view.x(exact) == pytest.approx(x, abs=0.02)
    assert view.scale == FINEST


def test_panning_there_and_back_returns() -> None:
    view = Viewport(EPOCH, 0.25, 0.03)
    moved = view
    for _ in range(100):
        moved = moved.panned(7)
    for _ in range(100):
        moved = moved.panned(-7)
    assert (moved.start - view.start) + (moved.fraction - view.fraction) == pytest.approx(
        0, abs=1e-9
    )


def test_over_shows_the_whole_range_with_a_margin() -> None:
    view = Viewport.over(1000, 2000, 100, margin=0.1)
    assert view.x(1000) == pytest.approx(100 / 12)
    assert view.x(2000) == pytest.approx(100 - 100 / 12)


def test_a_single_nanosecond_is_centred() -> None:
    view = Viewport.over(EPOCH, EPOCH + 1, 1000)
    assert view.scale == FINEST
    assert view.x(EPOCH) == pytest.approx(450)
    assert view.x(EPOCH + 1) == pytest.approx(550)


def test_the_view_is_held_to_the_trace() -> None:
    far = Viewport(EPOCH + 10**15, 0.0, 1.0).within(EPOCH, EPOCH + 1000, 100)
    assert far.x(EPOCH + 1000) >= 0
    wide = Viewport(EPOCH - 10**12, 0.0, 10**9).within(EPOCH, EPOCH + 1000, 100)
    assert wide.scale == pytest.approx(12.0)
    assert wide.x(EPOCH) >= 0
    inside = Viewport(EPOCH + 100, 0.0, 1.0)
    assert inside.within(EPOCH, EPOCH + 1000, 100) is inside


def test_between_ends_at_its_target() -> None:
    first, last = Viewport(EPOCH, 0.0, 1000.0), Viewport(EPOCH + 5000, 0.5, 0.1)
    assert first.between(last, 1.0, 800) is last
    halfway = first.between(last, 0.5, 800)
    assert halfway.scale == pytest.approx(10.0)
    assert EPOCH < halfway.start < EPOCH + 5000


def test_scaled_for_high_dpi_keeps_the_edges() -> None:
    view = Viewport(EPOCH, 0.5, 8.0)
    assert view.scaled(2.0).x(EPOCH + 80) == pytest.approx(2 * view.x(EPOCH + 80))
