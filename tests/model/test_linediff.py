"""Matching the lines of two texts, against a plain longest common subsequence."""

from __future__ import annotations

import random
import time
from itertools import pairwise

import pytest

from studio.model.linediff import differing, matches


def longest_common(left: list[int], right: list[int]) -> int:
    """The length of a longest common subsequence, by the table."""
    above = [0] * (len(right) + 1)
    for x in left:
        row = [0]
        for n, y in enumerate(right):
            row.append(above[n] + 1 if x == y else max(row[-1], above[n + 1]))
        above = row
    return above[-1]


@pytest.mark.parametrize("seed", range(30))
def test_matches_are_common_lines_in_order_and_as_many_as_there_can_be(seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(40):
        left = [draw.randrange(3) for _ in range(draw.randrange(14))] * 2
        right = [draw.randrange(3) for _ in range(draw.randrange(14))] * 2
        found = matches(left, right)
        assert all(left[x] == right[y] for x, y in found)
        assert all(x < p and y < q for (x, y), (p, q) in pairwise(found))
        assert len(found) == longest_common(left, right)  # nothing occurs once: no anchors


def test_lines_that_occur_once_are_anchors() -> None:
    left = ["}", "def f", "}", "def g", "}"]
    right = ["}", "def g", "}", "}"]
    assert list(differing(left, right)) == [(1, 3, 1, 1), (4, 4, 2, 3)]


def test_blocks_cover_what_has_no_partner() -> None:
    assert list(differing("abc", "abc")) == []
    assert list(differing("", "ab")) == [(0, 0, 0, 2)]
    assert list(differing("axc", "ayyc")) == [(1, 2, 1, 3)]


@pytest.mark.bench
def test_fifty_thousand_lines_take_less_than_a_second() -> None:
    draw = random.Random(1)
    left = [f"v{i % 997} = call({i}, {i * 7 % 13})" if i % 5 else "" for i in range(50_000)]
    scattered = list(left)
    for n in range(2_000):
        scattered[draw.randrange(len(left))] = f"new {n}"
    moved = left[20_000:30_000] + left[:20_000] + left[30_000:]
    repeated = [f"def f{i % 7}" if i % 3 else "return" for i in range(50_000)]
    other = [line if i % 500 else "npu" for i, line in enumerate(repeated)]
    for first, second in ((left, scattered), (left, moved), (repeated, other)):
        start = time.process_time()
        matches(first, second)
        assert time.process_time() - start < 2.4
