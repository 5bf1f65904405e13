"""Align two sequences: which entries of one are which entries of the other, in order.

Equal beginnings and ends are taken at once, and small gaps are aligned for the most matches. In
large ones, entries that occur equally often on both sides become anchors, as in patience diff
(https://bramcohen.livejournal.com/73318.html), and the longest increasing run of anchors splits
them. Near-linear for the sequences of two training runs, which are mostly equal.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

Match = tuple[int, int]

_TABLE_LIMIT = 200_000
_WINDOW = 400


def align(first: Sequence[Hashable], second: Sequence[Hashable]) -> list[Match]:
    """Return the places of equal entries, increasing in both sequences."""
    matches: list[Match] = []
    waiting = [(0, len(first), 0, len(second))]
    while waiting:
        a, a_end, b, b_end = waiting.pop()
        while a < a_end and b < b_end and first[a] == second[b]:
            matches.append((a, b))
            a, b = a + 1, b + 1
        while a < a_end and b < b_end and first[a_end - 1] == second[b_end - 1]:
            a_end, b_end = a_end - 1, b_end - 1
            matches.append((a_end, b_end))
        if a == a_end or b == b_end:
            continue
        gap = (a, a_end, b, b_end)
        small = (a_end - a) * (b_end - b) <= _TABLE_LIMIT
        anchors = [] if small else _anchors(first, second, gap)
        if not anchors:
            matches += _longest(first, second, gap) if small else _windowed(first, second, gap)
            continue
        matches += anchors
        ends = [*anchors, (a_end, b_end)]
        for i, j in ends:
            if a < i and b < j:
                waiting.append((a, i, b, j))
            a, b = i + 1, j + 1
    return sorted(matches)


def increasing(places: Sequence[int]) -> list[int]:
    """Return which entries form the longest strictly increasing run."""
    tails: list[int] = []
    ends: list[int] = []
    before = [-1] * len(places)
    for i, place in enumerate(places):
        at = bisect_left(tails, place)
        before[i] = ends[at - 1] if at else -1
        if at == len(tails):
            tails.append(place)
            ends.append(i)
        else:
            tails[at] = place
            ends[at] = i
    run, i = [], ends[-1] if ends else -1
    while i >= 0:
        run.append(i)
        i = before[i]
    return run[::-1]


def _anchors(
    first: Sequence[Hashable], second: Sequence[Hashable], gap: tuple[int, int, int, int]
) -> list[Match]:
    a, a_end, b, b_end = gap
    left, right = _places(first, a, a_end), _places(second, b, b_end)
    pairs = sorted(
        pair
        for entry, places in left.items()
        if len(places) == len(right.get(entry, ()))
        for pair in zip(places, right[entry], strict=True)
    )
    return [pairs[i] for i in increasing([j for _, j in pairs])]


def _places(entries: Sequence[Hashable], start: int, end: int) -> dict[Hashable, list[int]]:
    found: dict[Hashable, list[int]] = defaultdict(list)
    for place in range(start, end):
        found[entries[place]].append(place)
    return found


def _windowed(
    first: Sequence[Hashable], second: Sequence[Hashable], gap: tuple[int, int, int, int]
) -> list[Match]:
    """Align windows side by side, which loses matches only across their borders."""
    a, a_end, b, b_end = gap
    matches: list[Match] = []
    steps = max(a_end - a, b_end - b) // _WINDOW + 1
    for step in range(steps):
        window = (
            a + (a_end - a) * step // steps,
            a + (a_end - a) * (step + 1) // steps,
            b + (b_end - b) * step // steps,
            b + (b_end - b) * (step + 1) // steps,
        )
        matches += _longest(first, second, window)
    return matches


def _longest(
    first: Sequence[Hashable], second: Sequence[Hashable], gap: tuple[int, int, int, int]
) -> Iterator[Match]:
    """Walk the longest common subsequence of a gap, from a table of lengths."""
    a, a_end, b, b_end = gap
    columns = b_end - b
    table = [[0] * (columns + 1)]
    for i in range(a_end - 1, a - 1, -1):
        below, entry = table[-1], first[i]
        row = [0] * (columns + 1)
        for j in range(columns - 1, -1, -1):
            longer = below[j + 1] + 1 if entry == second[b + j] else 0
            row[j] = max(longer, below[j], row[j + 1])
        table.append(row)
    table.reverse()
    i, j = 0, 0
    while i < a_end - a and j < columns:
        if first[a + i] == second[b + j] and table[i][j] == table[i + 1][j + 1] + 1:
            yield a + i, b + j
            i, j = i + 1, j + 1
        elif table[i + 1][j] >= table[i][j + 1]:
            i += 1
        else:
            j += 1
