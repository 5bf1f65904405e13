"""Rows of slices against a plain walk, and the promise that rows never overlap."""

import random

import numpy as np
import pytest

from studio.trace.layout import (
    depths,
    first_fit_depths,
    grouped,
    lane_order,
    stack_depths,
)


def plain_stack(starts, ends):
    """The rule as it is written down: one row below the deepest row that is still busy."""
    rows, found = [], []
    for start, end in zip(starts, ends, strict=True):
        busy = [row for row, until in enumerate(rows) if until > start]
        depth = busy[-1] + 1 if busy else 0
        del rows[depth:]
        rows.append(end)
        found.append(depth)
    return found


def plain_first_fit(starts, ends):
    rows, found = [], []
    for start, end in zip(starts, ends, strict=True):
        free = [row for row, until in enumerate(rows) if until <= start]
        depth = free[0] if free else len(rows)
        if free:
            rows[depth] = end
        else:
            rows.append(end)
        found.append(depth)
    return found


def random_lane(rnd, kind, count):
    """Nested, crossing or mixed slices, many with equal times or no duration."""
    slices = []
    if kind == "nested":
        open_ones = [(0, 10**6)]
        while len(slices) < count:
            start, end = open_ones[-1] if rnd.random() < 0.7 else rnd.choice(open_ones)
            first = rnd.randrange(start, end + 1)
            slices.append((first, rnd.randrange(first, end + 1)))
        slices = nested(slices)
    else:
        for _ in range(count):
            start = rnd.randrange(count if kind == "crossing" else 20 * count)
            slices.append((start, start + rnd.choice([0, 0, 1, 2, 5, 10, 40])))
    slices.sort(key=lambda s: (s[0], s[0] - s[1]))
    return np.array([s for s, _ in slices], np.int64), np.array([e for _, e in slices], np.int64)


def nested(slices):
    kept = []
    for start, end in slices:
        if all(
            e <= start or s >= end or (s <= start and end <= e) or (start <= s and e <= end)
            for s, e in kept
        ):
            kept.append((start, end))
    return kept


@pytest.mark.parametrize("kind", ["nested", "crossing", "sparse"])
def test_rows_follow_the_rule_and_never_overlap(kind):
    rnd = random.Random(kind)
    for _ in range(60):
        start, end = random_lane(rnd, kind, rnd.choice([1, 2, 30, 49, 300]))
        found = stack_depths(start, end)
        assert found.tolist() == plain_stack(start.tolist(), end.tolist())
        for row in range(int(found.max()) + 1):
            mine = found == row
            assert (start[mine][1:] >= end[mine][:-1]).all()


def test_a_crossing_slice_falls_one_row_lower():
    start, end = np.array([0, 5, 12, 21]), np.array([10, 15, 20, 30])
    assert stack_depths(start, end).tolist() == [0, 1, 2, 0]


def test_asynchronous_slices_take_the_lowest_free_row():
    rnd = random.Random(7)
    for _ in range(60):
        start, end = random_lane(rnd, "crossing", 200)
        assert first_fit_depths(start, end).tolist() == plain_first_fit(start, end)


def test_lanes_are_sorted_by_start_and_longer_first():
    rnd = np.random.default_rng(1)
    lane = rnd.integers(0, 5, 3000).astype(np.int32)
    start, duration = rnd.integers(0, 400, 3000), rnd.integers(0, 9, 3000)
    order = lane_order(lane, start, duration)
    keys = list(
        zip(lane[order].tolist(), start[order].tolist(), (-duration[order]).tolist(), strict=True)
    )
    assert keys == sorted(keys)
    assert sorted(order.tolist()) == list(range(3000))


def test_each_lane_is_laid_out_by_itself():
    lane = np.array([0, 0, 1, 1], np.int32)
    start, end = np.array([0, 5, 0, 5]), np.array([10, 20, 10, 20])
    assert depths(lane, start, end).tolist() == [0, 1, 0, 1]
    longer = np.array([0, 5, 12]), np.array([10, 20, 14])
    third = np.array([2, 2, 2], np.int32)
    assert depths(third, *longer).tolist() == [0, 1, 2]
    assert depths(third, *longer, frozenset({2})).tolist() == [0, 1, 0]
    assert len(depths(lane[:0], start[:0], end[:0])) == 0


def test_grouping_is_stable_for_small_and_large_numbers():
    for top in (10, 10**6):
        keys = np.random.default_rng(2).integers(0, top, 500)
        order = grouped(keys)
        assert order.tolist() == np.argsort(keys, kind="stable").tolist()
