"""Aligned comparison of two texts: rows with gaps, changes, and the words that differ. No Qt.

Both sides of an alignment have the same number of rows; where a line has no partner the other side
shows a gap. A change is the unit that a user steps through and decides about: a run of lines that
were added or removed, or one line that became another.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Span = tuple[int, int]
"""Characters `[start, end)` of one line."""

Block = tuple[int, int, int, int]
"""Lines `[left start, left end)` that face lines `[right start, right end)`."""

Unit = tuple[Block, list[tuple[int, int]]]
"""One change to be: its block and the pairs of lines (or gaps) that make its rows."""

GAP = -1
"""Stands for the missing line of a row."""

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
_EXACT_LINES = 2_000
"""Above this, difflib needs its heuristic for frequent lines: without, it takes minutes."""
_PAIRED_CELLS = 2_500
_WORDS = 1_500
_SIMILAR = 0.5


@dataclass(frozen=True, slots=True)
class Row:
    """One display row: the lines it shows (from 0, or `GAP`) and the change it is part of."""

    left: int
    right: int
    change: int = -1


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
    """Two texts, row by row. `words` holds, per changed row, the spans that differ on each side."""

    left: tuple[str, ...]
    right: tuple[str, ...]
    rows: tuple[Row, ...]
    changes: tuple[Change, ...]
    words: dict[int, tuple[tuple[Span, ...], tuple[Span, ...]]] = field(default_factory=dict)


def split_lines(text: str) -> list[str]:
    """Split at LF, CRLF and CR only, ends kept; after a last line end stands an empty line.

    (`str.splitlines` also splits at form feeds and other characters that no editor treats so.)
    """
    lines = [found.group() for found in _LINE.finditer(text)]
    if len(lines) > 1 and lines[-2][-1:] not in ("\r", "\n"):
        lines.pop()
    return lines


def align(left: str, right: str) -> Alignment:
    """Compare two texts of any origin by lines, then pair similar lines within what changed."""
    a, b = split_lines(left), split_lines(right)
    return _build(a, b, _units(a, b, _opcodes(a, b)))


def align_blocks(left: str, right: str, blocks: Sequence[Block]) -> Alignment:
    """Align two texts whose differing blocks are known, such as from edits: exact and linear.

    Each block becomes one change however it looks inside; lines between blocks are taken as equal.
    """
    a, b = split_lines(left), split_lines(right)
    return _build(a, b, ((block, _pairs(a, b, block)) for block in blocks))


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


def _build(a: list[str], b: list[str], units: Iterable[Unit]) -> Alignment:
    rows: list[Row] = []
    changes: list[Change] = []
    words: dict[int, tuple[tuple[Span, ...], tuple[Span, ...]]] = {}
    i = j = 0
    for (i1, i2, j1, j2), pairs in units:
        rows += [Row(i + k, j + k) for k in range(i1 - i)]
        changed = [len(rows) + k for k, (x, y) in enumerate(pairs) if _differ(a, b, x, y)]
        for x, y in pairs:
            if not _differ(a, b, x, y):
                rows.append(Row(x, y))
                continue
            if GAP not in (x, y):
                words[len(rows)] = word_spans(a[x], b[y])
            rows.append(Row(x, y, len(changes)))
        if changed:
            changes.append(Change(changed[0], changed[-1], (i1, i2), (j1, j2)))
        i, j = i2, j2
    rows += [Row(i + k, j + k) for k in range(len(a) - i)]
    return Alignment(tuple(a), tuple(b), tuple(rows), tuple(changes), words)


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


def _opcodes(a: list[str], b: list[str]) -> Iterator[Block]:
    head = _common(a, b)
    tail = _common(a[head:][::-1], b[head:][::-1])
    x, y = a[head : len(a) - tail], b[head : len(b) - tail]
    junk = max(len(x), len(y)) > _EXACT_LINES
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, x, y, autojunk=junk).get_opcodes():
        if tag != "equal":
            yield head + i1, head + i2, head + j1, head + j2


def _pairs(a: list[str], b: list[str], block: Block) -> list[tuple[int, int]]:
    """Face similar lines of a block, in order, so that `x.cuda()` stands beside `x.npu()`."""
    i1, i2, j1, j2 = block
    n, m = i2 - i1, j2 - j1
    if not n or not m:
        return [(i, GAP) for i in range(i1, i2)] + [(GAP, j) for j in range(j1, j2)]
    if n * m > _PAIRED_CELLS:
        paired = [(i1 + k, j1 + k) for k in range(min(n, m))]
        rest = [(i, GAP) for i in range(i1 + m, i2)] + [(GAP, j) for j in range(j1 + n, j2)]
        return paired + rest
    ratio = [[_similarity(a[i], b[j]) for j in range(j1, j2)] for i in range(i1, i2)]
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
