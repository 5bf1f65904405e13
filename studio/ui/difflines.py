"""Aligned comparison of two texts: rows with gaps, changes, and the words that differ. No Qt.

Both sides of an alignment have the same number of rows; where a line has no partner the other side
shows a gap. A change is the unit that a user steps through and decides about: a run of lines that
were added or removed, or one line that became another.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

from studio.model.linediff import Block, differing, split_lines
from studio.ui.diffmoves import Move, moved_runs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Span = tuple[int, int]
"""Characters `[start, end)` of one line."""

Unit = tuple[Block, list[tuple[int, int]]]
"""One change to be: its block and the pairs of lines (or gaps) that make its rows."""

GAP = -1
"""Stands for the missing line of a row."""

_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
_PAIRED_CELLS = 10_000
_WORD = re.compile(r"\w+|[^\w\s]")
_EXACT_CELLS = 36
"""Blocks up to this many pairs of lines are compared by characters, larger ones by words."""
_WORDS = 1_500
_SIMILAR = 0.5


@dataclass(frozen=True, slots=True)
class Row:
    """One display row: the lines it shows (from 0, or `GAP`) and the change it is part of.

    `beside` is what a line shown by itself became, or came from, in the other text.
    """

    left: int
    right: int
    change: int = -1
    beside: int = GAP


@dataclass(frozen=True, slots=True)
class Change:
    """Rows `[first, last]` that differ, as lines `left` and `right` (half open, from 0)."""

    first: int
    last: int
    left: Span
    right: Span

    @property
    def kind(self) -> str:
        """What happened: "added", "removed" or "changed"."""
        if self.left[0] == self.left[1]:
            return "added"
        return "removed" if self.right[0] == self.right[1] else "changed"


@dataclass(frozen=True, slots=True)
class Alignment:
    """Two texts, row by row, and the runs of lines that only moved."""

    left: tuple[str, ...]
    right: tuple[str, ...]
    rows: tuple[Row, ...]
    changes: tuple[Change, ...]
    moves: tuple[Move, ...] = ()

    def words(self, row: int) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
        """The spans that differ on each side of a row; none where a whole line was added."""
        shown = self.rows[row]
        left = shown.beside if shown.left == GAP else shown.left
        right = shown.beside if shown.right == GAP else shown.right
        if shown.change < 0 or GAP in (left, right):
            return (), ()
        return word_spans(self.left[left], self.right[right])


def align(left: str, right: str, *, ignore_space: bool = False) -> Alignment:
    """Compare two texts of any origin by lines, then pair similar lines within what changed.

    With `ignore_space`, lines that differ in spaces, tabs and line ends alone are taken as equal.
    Runs of lines that stand in another place, perhaps further in, are found as moved.
    """
    a, b = split_lines(left), split_lines(right)
    same = (_spaceless(a), _spaceless(b)) if ignore_space else (a, b)
    found = _build(a, b, _units(a, b, differing(*same)), same)
    return replace(found, moves=moved_runs(a, b, *_unpaired(found)))


def align_blocks(left: str, right: str, blocks: Sequence[Block]) -> Alignment:
    """Align two texts whose differing blocks are known, such as from edits: exact and linear.

    Each block becomes one change however it looks inside; lines between blocks are taken as equal.
    """
    a, b = split_lines(left), split_lines(right)
    return _build(a, b, ((block, _pairs(a, b, block)) for block in blocks), (a, b))


def word_spans(left: str, right: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Find the spans of two similar lines that differ, by words rather than characters."""
    a, b = _TOKEN.findall(left), _TOKEN.findall(right)
    head = _common(a, b)
    tail = _common(a[head:][::-1], b[head:][::-1])
    x, y = a[head : len(a) - tail], b[head : len(b) - tail]
    if len(x) > _WORDS or len(y) > _WORDS:
        codes: Iterable[tuple[str, int, int, int, int]] = [("replace", 0, len(x), 0, len(y))]
    else:
        codes = difflib.SequenceMatcher(None, x, y, autojunk=False).get_opcodes()
    spans: tuple[list[Span], list[Span]] = ([], [])
    starts = _offsets(a), _offsets(b)
    for tag, i1, i2, j1, j2 in codes:
        if tag == "equal":
            continue
        for side, first, last in ((0, i1, i2), (1, j1, j2)):
            if last > first:
                at = starts[side]
                spans[side].append((at[head + first], at[head + last]))
    return tuple(spans[0]), tuple(spans[1])


def _build(
    a: list[str], b: list[str], units: Iterable[Unit], same: tuple[list[str], list[str]]
) -> Alignment:
    rows: list[Row] = []
    changes: list[Change] = []
    i = j = 0
    for (i1, i2, j1, j2), pairs in units:
        rows += [Row(i + k, j + k) for k in range(i1 - i)]
        changed = [len(rows) + k for k, (x, y) in enumerate(pairs) if _differ(*same, x, y)]
        for x, y in pairs:
            rows.append(Row(x, y, len(changes) if _differ(*same, x, y) else -1))
        if changed:
            changes.append(Change(changed[0], changed[-1], (i1, i2), (j1, j2)))
        i, j = i2, j2
    rows += [Row(i + k, j + k) for k in range(len(a) - i)]
    return Alignment(tuple(a), tuple(b), tuple(rows), tuple(changes))


def _spaceless(lines: Iterable[str]) -> list[str]:
    return ["".join(line.split()) for line in lines]


def _unpaired(found: Alignment) -> tuple[list[bool], list[bool]]:
    """Which lines of each side are part of a change."""
    gone, come = [False] * len(found.left), [False] * len(found.right)
    for row in found.rows:
        if row.change >= 0 and row.left != GAP:
            gone[row.left] = True
        if row.change >= 0 and row.right != GAP:
            come[row.right] = True
    return gone, come


def _differ(a: list[str], b: list[str], x: int, y: int) -> bool:
    return GAP in (x, y) or a[x] != b[y]


def _units(a: list[str], b: list[str], blocks: Iterable[Block]) -> Iterator[Unit]:
    """Cut differing blocks into single changes: each line pair, each run without partners."""
    for i, i2, j, j2 in blocks:
        left, right = i, j
        paired = enumerate(_pairs(a, b, (i, i2, j, j2)))
        for _, group in groupby(paired, key=_unit_of):
            run = [pair for _, pair in group]
            x = left + sum(line != GAP for line, _ in run)
            y = right + sum(line != GAP for _, line in run)
            yield (left, x, right, y), run
            left, right = x, y


def _unit_of(numbered: tuple[int, tuple[int, int]]) -> tuple[str, int]:
    number, (x, y) = numbered
    if GAP not in (x, y):
        return "changed", number
    return ("added" if x == GAP else "removed"), GAP


def _pairs(a: list[str], b: list[str], block: Block) -> list[tuple[int, int]]:
    """Face similar lines of a block, in order, so that `x.cuda()` stands beside `x.npu()`."""
    i1, i2, j1, j2 = block
    n, m = i2 - i1, j2 - j1
    if not n or not m:
        return [(i, GAP) for i in range(i1, i2)] + [(GAP, j) for j in range(j1, j2)]
    if n == m and all(map(_share_words, a[i1:i2], b[j1:j2])):
        return [(i1 + k, j1 + k) for k in range(n)]
    if n * m > _PAIRED_CELLS:
        paired = [(i1 + k, j1 + k) for k in range(min(n, m))]
        rest = [(i, GAP) for i in range(i1 + m, i2)] + [(GAP, j) for j in range(j1 + n, j2)]
        return paired + rest
    ratio = _ratios(a[i1:i2], b[j1:j2])
    best = [[0.0] * (m + 1) for _ in range(n + 1)]
    for i in range(n - 1, -1, -1):
        for j in range(m - 1, -1, -1):
            together = best[i + 1][j + 1] + ratio[i][j] if ratio[i][j] > _SIMILAR else 0.0
            best[i][j] = max(best[i + 1][j], best[i][j + 1], together)
    pairs: list[tuple[int, int]] = []
    i = j = 0
    while i < n or j < m:
        if i == n:
            pairs.append((GAP, j1 + j))
            j += 1
        elif j == m or best[i][j] == best[i + 1][j]:
            pairs.append((i1 + i, GAP))
            i += 1
        elif best[i][j] == best[i][j + 1]:
            pairs.append((GAP, j1 + j))
            j += 1
        else:
            pairs.append((i1 + i, j1 + j))
            i, j = i + 1, j + 1
    return pairs


def _ratios(a: Sequence[str], b: Sequence[str]) -> list[list[float]]:
    if len(a) * len(b) <= _EXACT_CELLS:
        return [[_similarity(x, y) for y in b] for x in a]
    left, right = list(map(_words, a)), list(map(_words, b))
    return [[2 * len(x & y) / max(len(x) + len(y), 1) for y in right] for x in left]


def _share_words(x: str, y: str) -> bool:
    left, right = _words(x), _words(y)
    return 2 * len(left & right) > _SIMILAR * (len(left) + len(right))


def _words(line: str) -> set[str]:
    return set(_WORD.findall(line))


def _similarity(x: str, y: str) -> float:
    if x == y:
        return 1.0
    matcher = difflib.SequenceMatcher(None, x, y, autojunk=False)
    return matcher.ratio() if matcher.quick_ratio() > _SIMILAR else 0.0


def _common(a: Sequence[str], b: Sequence[str]) -> int:
    count = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        count += 1
    return count


def _offsets(tokens: Sequence[str]) -> list[int]:
    offsets = [0]
    for token in tokens:
        offsets.append(offsets[-1] + len(token))
    return offsets
