"""Aligning sequences: the most matches, in order, fast when they are mostly equal."""

from __future__ import annotations

import random
import time
from itertools import pairwise

import pytest

from studio.tensors.sequences import align, increasing


def most(first: str, second: str) -> int:
    """The length of the longest common subsequence, by the textbook table."""
    row = [0] * (len(second) + 1)
    for a in first:
        before = row
        row = [0]
        for j, b in enumerate(second):
            row.append(before[j] + 1 if a == b else max(before[j + 1], row[j]))
    return row[-1]


def checked(first: str, second: str) -> list[tuple[int, int]]:
    matches = align(first, second)
    assert all(first[i] == second[j] for i, j in matches)
    assert all(a < c and b < d for (a, b), (c, d) in pairwise(matches))
    return matches


@pytest.mark.parametrize(
    ("first", "second", "wanted"),
    [
        ("", "abc", 0),
        ("abc", "abc", 3),
        ("abcdef", "abXcdef", 6),
        ("abcdef", "abdef", 5),
        ("abcabc", "abcabcabc", 6),
        ("aaaa", "aa", 2),
        ("abc", "xyz", 0),
    ],
)
def test_simple_edits(first: str, second: str, wanted: int) -> None:
    assert len(checked(first, second)) == wanted


def test_unique_entries_are_all_found() -> None:
    chooser = random.Random(4)
    for _ in range(200):
        alphabet = [chr(0x100 + n) for n in range(60)]
        first = "".join(alphabet)
        second = [c for c in alphabet if chooser.random() > 0.2]
        for _ in range(8):
            second.insert(chooser.randrange(len(second) + 1), chr(0x500 + chooser.randrange(99)))
        text = "".join(second)
        assert len(checked(first, text)) == most(first, text)


def test_repeated_entries_are_nearly_all_found() -> None:
    chooser = random.Random(5)
    for _ in range(200):
        first = "".join(chooser.choices("abcdefgh", k=40))
        second = list(first)
        for _ in range(4):
            place = chooser.randrange(len(second))
            second[place : place + 1] = chooser.choices("abcdefgh", k=chooser.randrange(3))
        text = "".join(second)
        assert len(checked(first, text)) >= 0.85 * most(first, text)


def test_long_sequences_take_near_linear_time() -> None:
    first = [f"layer{n % 97}.op{n % 13}" for n in range(200_000)]
    second = [*first[:50000], "new", *first[50000:120000], *first[120010:]]
    begin = time.perf_counter()
    assert len(align(first, second)) == 200_000 - 10
    assert time.perf_counter() - begin < 20


def test_increasing_runs() -> None:
    assert increasing([]) == []
    assert increasing([3, 1, 2, 5, 4]) in ([1, 2, 3], [1, 2, 4])
    assert increasing([1, 1, 1]) in ([0], [1], [2])
