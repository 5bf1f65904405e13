"""Aligned comparison of two texts: rows with gaps, changes, and the words that differ. No Qt.

Both sides of an alignment have the same number of rows; where a line has no partner the other side
shows a gap. A change is the unit that a user steps through and decides about: a run of lines that
were added or removed, or one line that became another.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from studio.model.linediff import Block, differing, split_lines
from studio.ui.diffmoves import Move, moved_runs
from studio.ui.diffpairs import GAP as GAP
from studio.ui.diffpairs import facing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Span = tuple[int, int]
"""Characters `[start, end)` of one line."""

Unit = tuple[Block, list[tuple[int, int]]]
"""One change to be: its block and the pairs of lines (or gaps) that make its rows."""

_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
_WORDS = 1_500


class Row(NamedTuple):
    """One display row: the lines it shows (from 0, or `GAP`) and the change it is part of.

    `beside` is what a line shown by itself became, or came from, in the other text.
    """

    left: int
    right: int
    change: int = -1
    beside: int = GAP


class Change(NamedTuple):
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
    return _build(a, b, ((block, facing(a, b, block)) for block in blocks), (a, b))


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
    left, right = same
    rows: list[Row] = []
    changes: list[Change] = []
    i = j = 0
    for (i1, i2, j1, j2), pairs in units:
        if i < i1:
            rows += map(Row, range(i, i1), range(j, j1))
        first = last = -1
        for x, y in pairs:
            if x == GAP or y == GAP or left[x] != right[y]:
                last = len(rows)
                first = last if first < 0 else first
                rows.append(Row(x, y, len(changes)))
            else:
                rows.append(Row(x, y))
        if first >= 0:
            changes.append(Change(first, last, (i1, i2), (j1, j2)))
        i, j = i2, j2
    rows += map(Row, range(i, len(a)), range(j, len(b)))
    return Alignment(tuple(a), tuple(b), tuple(rows), tuple(changes))


def _spaceless(lines: Iterable[str]) -> list[str]:
    return ["".join(line.split()) for line in lines]


def _unpaired(found: Alignment) -> tuple[list[bool], list[bool]]:
    """Which lines of each side are part of a change."""
    gone, come = [False] * len(found.left), [False] * len(found.right)
    for change in found.changes:
        for x, y, number, _ in found.rows[change.first : change.last + 1]:
            if number >= 0 and x != GAP:
                gone[x] = True
            if number >= 0 and y != GAP:
                come[y] = True
    return gone, come


def _units(a: list[str], b: list[str], blocks: Iterable[Block]) -> Iterator[Unit]:
    """Cut differing blocks into single changes: each line pair, each run without partners."""
    for block in blocks:
        pairs = facing(a, b, block)
        i, _, j, _ = block
        at, count = 0, len(pairs)
        while at < count:
            x, y = pairs[at]
            end = at + 1
            if x == GAP:
                while end < count and pairs[end][0] == GAP:
                    end += 1
            elif y == GAP:
                while end < count and pairs[end][1] == GAP:
                    end += 1
            left = i if x == GAP else i + end - at
            right = j if y == GAP else j + end - at
            yield (i, left, j, right), pairs[at:end]
            i, j, at = left, right, end


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
