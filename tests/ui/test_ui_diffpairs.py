"""Which lines of a changed block face each other."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from studio.ui.diffpairs import GAP, facing, similarity


@pytest.mark.parametrize(
    ("x", "y", "share"),
    [
        ("a = 1", "a = 1", 1.0),
        ("        a = 1", "a = 1\n", 1.0),  # indentation and line ends say nothing
        ("abcd", "abxx", 2 * 2 / 8),
        ("xxcd", "abcd", 2 * 2 / 8),
        ("aba", "ababa", 2 * 3 / 8),  # what both ends share is counted once
        ("", "a", 0.0),
        ("x(alpha, q)", "z(q, alpha)", 2 * (1 + 5 + 1 + 1 + 1) / 22),  # `)`, alpha, q, `(` and `,`
    ],
)
def test_lines_share_their_ends_and_the_words_between(x: str, y: str, share: float) -> None:
    assert similarity(x, y) == pytest.approx(share)
    assert similarity(y, x) == pytest.approx(share)


def test_a_line_faces_the_one_most_like_it() -> None:
    left = ["loss = model(x).cuda()\n"]
    right = ["import torch_npu\n", "loss = model(x).npu()\n", "x.cuda()\n"]
    assert facing(left, right, (0, 1, 0, 3)) == [(GAP, 0), (0, 1), (GAP, 2)]


def test_unlike_lines_stand_by_themselves() -> None:
    assert facing(["        return 1\n"], ["        raise X\n"], (0, 1, 0, 1)) == [
        (0, GAP), (GAP, 0),
    ]  # fmt: skip


@pytest.mark.parametrize("seed", range(12))
def test_no_other_pairing_is_more_alike(seed: int) -> None:
    draw = random.Random(seed)
    words = ["alpha", "beta", "gamma", "delta"]
    left, right = (
        [" ".join(draw.choices(words, k=3)) for _ in range(draw.randint(1, 5))] for _ in range(2)
    )

    def worth(pairs: list[tuple[int, int]]) -> float:
        return sum(similarity(left[i], right[j]) for i, j in pairs if GAP not in (i, j))

    found = facing(left, right, (0, len(left), 0, len(right)))
    assert [i for i, _ in found if i != GAP] == list(range(len(left)))
    assert [j for _, j in found if j != GAP] == list(range(len(right)))
    best = 0.0
    for size in range(1, min(len(left), len(right)) + 1):
        for a in combinations(range(len(left)), size):
            for b in combinations(range(len(right)), size):
                pairs = list(zip(a, b, strict=True))
                if all(similarity(left[i], right[j]) > 0.5 for i, j in pairs):
                    best = max(best, worth(pairs))
    if not (len(left) == len(right) and best and worth(found) < best):
        assert worth(found) == pytest.approx(best)
    else:  # as many lines on both sides, all alike to the one beside them
        assert all(similarity(x, y) > 0.5 for x, y in zip(left, right, strict=True))
