"""Which lines of a block that differs face each other. No Qt."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from studio.model.pieces import common_head, common_tail

if TYPE_CHECKING:
    from collections.abc import Sequence

    from studio.model.linediff import Block

GAP = -1
"""Stands for the missing line of a row."""

_PAIRED_CELLS = 10_000
"""In blocks of more pairs of lines the first faces the first, and so on."""
_EXACT_CELLS = 100
"""Blocks up to this many pairs of lines are compared by characters, larger ones by words."""
_SIMILAR = 0.5
_WORD = re.compile(r"\w+|[^\w\s]")


def facing(a: Sequence[str], b: Sequence[str], block: Block) -> list[tuple[int, int]]:
    """Face similar lines of a block, in order, so that `x.cuda()` stands beside `x.npu()`."""
    i1, i2, j1, j2 = block
    n, m = i2 - i1, j2 - j1
    if not n or not m:
        return [(i, GAP) for i in range(i1, i2)] + [(GAP, j) for j in range(j1, j2)]
    if n == m and all(map(_alike, a[i1:i2], b[j1:j2])):
        return [(i1 + k, j1 + k) for k in range(n)]
    if n == m == 1:
        return [(i1, GAP), (GAP, j1)]
    if n * m > _PAIRED_CELLS:
        paired = [(i1 + k, j1 + k) for k in range(min(n, m))]
        rest = [(i, GAP) for i in range(i1 + m, i2)] + [(GAP, j) for j in range(j1 + n, j2)]
        return paired + rest
    ratios = _ratios(a[i1:i2], b[j1:j2])
    return [(x if x == GAP else i1 + x, y if y == GAP else j1 + y) for x, y in _best(ratios, n, m)]


def similarity(x: str, y: str) -> float:
    """The share of the characters of two lines that both have, indentation left aside.

    What is the same at both ends counts, and of the middle the words that stand in both, as often
    as both have them.
    """
    x, y = x.strip(), y.strip()
    if x == y:
        return 1.0
    most = min(len(x), len(y))
    head = common_head(x, y, most)
    tail = common_tail(x, y, most - head)
    shared = 0
    if most > head + tail:
        left = _WORD.findall(x[head : len(x) - tail])
        right = _WORD.findall(y[head : len(y) - tail])
        for word in set(left).intersection(right):
            shared += len(word) * min(left.count(word), right.count(word))
    return 2 * (head + tail + shared) / (len(x) + len(y))


def _alike(x: str, y: str) -> bool:
    return similarity(x, y) > _SIMILAR


def _ratios(a: Sequence[str], b: Sequence[str]) -> list[list[float]]:
    if len(a) * len(b) <= _EXACT_CELLS:
        return [[similarity(x, y) for y in b] for x in a]
    left, right = ([set(_WORD.findall(line)) for line in side] for side in (a, b))
    return [[2 * len(x & y) / max(len(x) + len(y), 1) for y in right] for x in left]


def _best(ratios: list[list[float]], n: int, m: int) -> list[tuple[int, int]]:
    """The pairs in order, and the gaps, that make the sum of the similarities largest."""
    best = [[0.0] * (m + 1) for _ in range(n + 1)]
    for i in range(n - 1, -1, -1):
        row, below, ratio = best[i], best[i + 1], ratios[i]
        for j in range(m - 1, -1, -1):
            found = max(below[j], row[j + 1])
            if ratio[j] > _SIMILAR:
                found = max(found, below[j + 1] + ratio[j])
            row[j] = found
    pairs: list[tuple[int, int]] = []
    i = j = 0
    while i < n or j < m:
        if i == n:
            pairs.append((GAP, j))
            j += 1
        elif j == m or best[i][j] == best[i + 1][j]:
            pairs.append((i, GAP))
            i += 1
        elif best[i][j] == best[i][j + 1]:
            pairs.append((GAP, j))
            j += 1
        else:
            pairs.append((i, j))
            i, j = i + 1, j + 1
    return pairs
