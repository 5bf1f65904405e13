"""What a three-way merge shows row by row. No Qt."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from itertools import accumulate
from operator import attrgetter
from typing import TYPE_CHECKING

from studio.model.merge import Choice, Hunk, Kind, Merge
from studio.ui.codekinds import Tint
from studio.ui.difflines import GAP, Alignment, Change, Row

if TYPE_CHECKING:
    from collections.abc import Sequence

MINE, RESULT, THEIRS = range(3)
"""The panes, from left to right."""

_first, _last = attrgetter("first"), attrgetter("last")


@dataclass(frozen=True, slots=True)
class Part:
    """A hunk, its number among all hunks, and the rows `[first, last]` that it takes."""

    hunk: Hunk
    number: int
    choice: Choice
    first: int
    last: int


class MergeRows:
    """The lines of the three panes, one per row, None for a gap; and where the changes are.

    A decision changes the rows of one part only; `choose` tells which those were and are.
    """

    def __init__(self, merge: Merge, choices: Sequence[Choice]) -> None:
        self._merge = merge
        self.panes: tuple[list[str | None], list[str | None], list[str | None]] = ([], [], [])
        self.parts: list[Part] = []
        for number, (hunk, choice) in enumerate(zip(merge.hunks, choices, strict=True)):
            first = len(self.panes[RESULT])
            for pane, rows in zip(self.panes, self._rows(hunk, choice), strict=True):
                pane += rows
            if hunk.kind is not Kind.SAME:
                last = len(self.panes[RESULT]) - 1
                self.parts.append(Part(hunk, number, choice, first, last))
        self._marks = list(map(_mark, self.parts))
        self._gaps = [[self._gaps_in(pane, p) for p in self.parts] for pane in range(3)]
        self._above = [list(accumulate(gaps, initial=0)) for gaps in self._gaps]

    def choose(self, place: int, choice: Choice) -> tuple[range, range]:
        """Decide about a part; returns its rows before and after."""
        old = self.parts[place]
        before = range(old.first, old.last + 1)
        shown = self._rows(old.hunk, choice)
        for pane, rows in zip(self.panes, shown, strict=True):
            pane[before.start : before.stop] = rows
        after = range(old.first, old.first + len(shown[RESULT]))
        self.parts[place] = replace(old, choice=choice, last=after.stop - 1)
        if by := len(after) - len(before):
            self.parts[place + 1 :] = [
                Part(part.hunk, part.number, part.choice, part.first + by, part.last + by)
                for part in self.parts[place + 1 :]
            ]
            self._marks[place + 1 :] = [
                Change(mark.first + by, mark.last + by, mark.left, mark.right)
                for mark in self._marks[place + 1 :]
            ]
        self._marks[place] = _mark(self.parts[place])
        for side, gaps in enumerate(self._gaps):
            gaps[place] = self._gaps_in(side, self.parts[place])
            self._above[side] = list(accumulate(gaps, initial=0))
        return before, after

    def text(self, pane: int, rows: range | None = None) -> str:
        """The text of a pane, or of some rows of it."""
        lines = self.panes[pane]
        lines = lines if rows is None else lines[rows.start : rows.stop]
        return "\n".join([line.rstrip("\r\n") if line else "" for line in lines])

    def number(self, pane: int, row: int) -> str:
        """The line number beside a row (from 0), "" beside a gap and beyond the end."""
        lines = self.panes[pane]
        if not 0 <= row < len(lines) or lines[row] is None:
            return ""
        place = bisect_left(self.parts, row, key=_last)
        first = self.parts[place].first if place < len(self.parts) else row
        inside = lines[first:row].count(None) if first < row else 0
        return str(row + 1 - self._above[pane][place] - inside)

    def numbers(self, pane: int) -> list[str]:
        """The line numbers of a pane, "" beside gaps."""
        return [self.number(pane, row) for row in range(len(self.panes[pane]))]

    def within(self, rows: range) -> list[Part]:
        """The parts that take any of some rows."""
        first = bisect_left(self.parts, rows.start, key=_last)
        beyond = bisect_left(self.parts, rows.stop, lo=first, key=_first)
        return self.parts[first:beyond]

    def tints(self, pane: int, rows: range) -> dict[int, Tint]:
        """The backgrounds of some rows of a pane, by its lines, from 1."""
        found: dict[int, Tint] = {}
        for part in self.within(rows):
            tint = _tint(part, pane)
            for at in range(max(part.first, rows.start), min(part.last + 1, rows.stop)):
                if self.panes[pane][at] is None:
                    found[at + 1] = Tint.FILLER
                elif tint is not None:
                    found[at + 1] = tint
        return found

    def overview(self) -> Alignment:
        """The changes in the form that the ribbon shows: open conflicts red, decided ones green."""
        count = len(self.panes[RESULT])
        rows = (Row(0, 0),) * count  # only their number is shown
        return Alignment((), (), rows, tuple(self._marks))

    def _rows(self, hunk: Hunk, choice: Choice) -> tuple[list[str | None], ...]:
        lines = (
            self._merge.mine[slice(*hunk.mine)],
            () if choice is Choice.OPEN else self._merge.lines(hunk, choice),
            self._merge.theirs[slice(*hunk.theirs)],
        )
        height = max(1, *map(len, lines))
        return tuple([*shown, *[None] * (height - len(shown))] for shown in lines)

    def _gaps_in(self, pane: int, part: Part) -> int:
        return self.panes[pane][part.first : part.last + 1].count(None)


def _tint(part: Part, pane: int) -> Tint | None:
    kind, choice = part.hunk.kind, part.choice
    if pane == RESULT:
        return None if choice is Choice.BASE else Tint.ADDED
    if kind is Kind.CONFLICT and choice is Choice.OPEN:
        return Tint.REMOVED
    own = Choice.MINE if pane == MINE else Choice.THEIRS
    if choice in (own, Choice.BOTH) or kind is Kind.ALIKE:
        return Tint.ADDED
    return Tint.REJECTED


def _mark(part: Part) -> Change:
    if part.choice is Choice.OPEN:
        return Change(part.first, part.last, (0, 1), (0, 0))
    gap = (GAP, GAP)
    return Change(part.first, part.last, gap, (0, 1))
