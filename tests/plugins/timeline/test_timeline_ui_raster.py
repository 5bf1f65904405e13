"""Slices to pixels: true busy shares, the longest colour, nothing lost and nothing invented."""

from __future__ import annotations

import numpy as np
import pytest

from plugins.timeline.ui.raster import NOTHING, grid, mark_edges, raster_row, shade
from plugins.timeline.ui.rows import Rows, build_rows, subset
from plugins.timeline.ui.viewport import Viewport

EPOCH = 1742490378358140950


def rows_of(start: list[int], duration: list[int], slot: list[int] | None = None) -> Rows:
    slots = slot or list(range(1, len(start) + 1))
    return build_rows(
        np.array(start, np.int64),
        np.array(duration, np.int64),
        np.array(slots, np.uint8),
        np.array([0], np.int64),
        np.array([len(start)], np.int64),
    )


def parts_of(rows: Rows, left: float, right: float) -> dict[int, float]:
    """How long each slice runs between two offsets from EPOCH."""
    found = {}
    for index, (start, duration) in enumerate(
        zip((rows.start - EPOCH).tolist(), rows.duration.tolist(), strict=True)
    ):
        part = min(start + duration, right) - max(start, left)
        inside = left <= start < right if duration == 0 else part > 0
        if inside:
            found[index] = max(part, 0.0)
    return found


def test_each_nanosecond_is_a_box_of_its_own_at_full_zoom() -> None:
    # three slices of 20 ns side by side, beyond what a double can tell apart
    rows = rows_of([EPOCH, EPOCH + 20, EPOCH + 40], [20, 20, 20], [1, 2, 3])
    drawn = raster_row(rows, 0, grid(Viewport(EPOCH, 0.0, 1.0), 70))
    assert drawn is not None
    assert drawn.slot.tolist() == [1] * 20 + [2] * 20 + [3] * 20 + [NOTHING] * 10
    assert drawn.share.tolist() == [1.0] * 60 + [0.0] * 10
    assert drawn.wide.tolist() == [0, 1, 2]


def test_a_tenth_of_a_nanosecond_per_pixel() -> None:
    rows = rows_of([EPOCH + 2, EPOCH + 3], [1, 1])
    drawn = raster_row(rows, 0, grid(Viewport(EPOCH + 1, 0.5, 0.1), 30))
    assert drawn is not None
    assert drawn.slot.tolist() == [0] * 5 + [1] * 10 + [2] * 10 + [0] * 5


def test_nothing_outside_the_view_is_drawn() -> None:
    rows = rows_of([EPOCH, EPOCH + 500], [100, 100])
    assert raster_row(rows, 0, grid(Viewport(EPOCH + 100, 0.0, 1.0), 400)) is None
    assert raster_row(rows, 0, grid(Viewport(EPOCH + 700, 0.0, 1.0), 400)) is None
    left = raster_row(rows, 0, grid(Viewport(EPOCH + 99, 0.0, 1.0), 400))
    assert left is not None
    assert left.slot.tolist() == [1] + [0] * 399


def test_slices_without_duration_take_a_full_pixel() -> None:
    rows = rows_of([EPOCH + 5, EPOCH + 5, EPOCH + 900], [0, 0, 0])
    drawn = raster_row(rows, 0, grid(Viewport(EPOCH, 0.0, 10.0), 100))
    assert drawn is not None
    assert np.flatnonzero(drawn.slot).tolist() == [0, 90]
    assert drawn.share[[0, 90]].tolist() == [1.0, 1.0]


def test_a_slice_that_began_before_the_view_runs_in() -> None:
    rows = rows_of([EPOCH], [1000])
    drawn = raster_row(rows, 0, grid(Viewport(EPOCH + 400, 0.0, 10.0), 100))
    assert drawn is not None
    assert (drawn.slot != 0).sum() == 60
    assert drawn.wide.tolist() == [0]


@pytest.mark.parametrize("seed", range(40))
def test_shares_and_colours_match_a_plain_count(seed: int) -> None:
    random = np.random.default_rng(seed)
    count, width = int(random.integers(1, 200)), int(random.integers(5, 120))
    duration = random.integers(0, random.integers(2, 400), count)
    gap = random.integers(0, random.integers(1, 200), count)
    start = EPOCH + np.cumsum(duration + gap) - duration
    slot = (np.arange(count) % 250 + 1).tolist()
    rows = rows_of(start.tolist(), duration.tolist(), slot)
    span = int(rows.start[-1] + rows.duration[-1]) - EPOCH + 10
    scale = span / width * float(random.uniform(0.05, 1.2))
    view = Viewport(EPOCH + int(random.integers(0, span)) // 2, float(random.random()), scale)
    columns = grid(view, width)
    drawn = raster_row(rows, 0, columns)
    origin = view.start - EPOCH
    for column in range(width):
        left, right = columns.offsets[column] + origin, columns.offsets[column + 1] + origin
        parts = parts_of(rows, left, right)
        if drawn is None:
            assert not parts
            continue
        if not parts:
            assert drawn.slot[column] == NOTHING
            continue
        winner = int(drawn.slot[column]) - 1
        longest = max(parts.values())
        if count <= 2 * width:
            assert parts[winner] == pytest.approx(longest, abs=1e-6)
        else:
            assert winner in parts
        share = 1.0 if longest == 0 else sum(parts.values()) / scale
        assert drawn.share[column] == pytest.approx(min(share, 1.0), abs=1e-5)


def test_the_longest_of_very_many_wins_its_pixel() -> None:
    count, width = 200_000, 100
    duration = np.full(count, 3)
    duration[123_456] = 900
    start = EPOCH + np.cumsum(duration + 1) - duration
    slot = np.full(count, 1)
    slot[123_456] = 7
    rows = rows_of(start.tolist(), duration.tolist(), slot.tolist())
    span = int(rows.start[-1] + rows.duration[-1]) - EPOCH
    columns = grid(Viewport(EPOCH, 0.0, span / width), width)
    drawn = raster_row(rows, 0, columns)
    assert drawn is not None
    place = int((rows.start[123_456] - EPOCH) / (span / width))
    assert np.flatnonzero(drawn.slot == 7).tolist() == [place]
    # three busy nanoseconds of four, but for the pixel with the long one
    assert drawn.share[np.arange(width) != place] == pytest.approx(0.75, abs=0.01)
    assert drawn.share[place] == pytest.approx(
        (900 + 0.75 * (span / width - 901)) / (span / width), abs=0.01
    )


def test_a_wide_slice_among_thousands_is_still_found() -> None:
    small = np.arange(5000) * 2
    start = np.concatenate((EPOCH + small, [EPOCH + 10_000], EPOCH + 20_000 + small))
    duration = np.concatenate((np.ones(5000), [10_000], np.ones(5000))).astype(np.int64)
    rows = rows_of(start.tolist(), duration.tolist(), [1] * 5000 + [9] + [1] * 5000)
    drawn = raster_row(rows, 0, grid(Viewport(EPOCH, 0.0, 100.0), 300))
    assert drawn is not None
    assert drawn.wide.tolist() == [5000]
    assert drawn.slot[100:200].tolist() == [9] * 100


def test_an_edge_sets_neighbours_of_one_colour_apart() -> None:
    rows = rows_of([EPOCH, EPOCH + 10], [10, 10], [4, 4])
    columns = grid(Viewport(EPOCH, 0.0, 1.0), 20)
    drawn = raster_row(rows, 0, columns)
    assert drawn is not None
    mark_edges(drawn.share[None], np.zeros(drawn.wide.size, np.int64), drawn.wide, rows, columns)
    assert np.flatnonzero(drawn.share < 1).tolist() == [0, 10]


def test_rows_do_not_mix() -> None:
    rows = build_rows(
        np.array([EPOCH, EPOCH + 50, EPOCH], np.int64),
        np.array([10, 10, 100], np.int64),
        np.array([1, 2, 3], np.uint8),
        np.array([0, 2, 3], np.int64),
        np.array([2, 3, 3], np.int64),
    )
    columns = grid(Viewport(EPOCH, 0.0, 10.0), 10)
    first, second = raster_row(rows, 0, columns), raster_row(rows, 1, columns)
    assert first is not None
    assert second is not None
    assert first.slot.tolist() == [1, 0, 0, 0, 0, 2, 0, 0, 0, 0]
    assert second.slot.tolist() == [3] * 10
    assert raster_row(rows, 2, columns) is None


def test_a_subset_keeps_its_rows() -> None:
    rows = build_rows(
        np.array([EPOCH, EPOCH + 50, EPOCH], np.int64),
        np.array([10, 10, 100], np.int64),
        np.array([1, 2, 3], np.uint8),
        np.array([0, 2], np.int64),
        np.array([2, 3], np.int64),
    )
    hits = subset(rows, np.array([1, 2]))
    columns = grid(Viewport(EPOCH, 0.0, 10.0), 10)
    first, second = raster_row(hits, 0, columns), raster_row(hits, 1, columns)
    assert first is not None
    assert second is not None
    assert np.flatnonzero(first.slot).tolist() == [5]
    assert second.slot.tolist() == [3] * 10


def test_shade_looks_up_slot_and_share() -> None:
    table = np.arange(3 * 64, dtype=np.uint32)
    colours = shade(np.array([0, 1, 2], np.uint8), np.array([0, 0.5, 1], np.float32), table)
    assert colours.tolist() == [0, 64 + 32, 2 * 64 + 63]
