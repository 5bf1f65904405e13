"""What a three-way merge shows row by row. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from studio.model.merge import Choice, Hunk, Kind, Merge
from studio.ui.codekinds import Tint
from studio.ui.difflines import GAP, Alignment, Change, Row

if TYPE_CHECKING:
    from collections.abc import Sequence

MINE, RESULT, THEIRS = range(3)
"""The panes, from left to right."""


@dataclass(frozen=True, slots=True)
class Part:
    """A hunk with the rows `[first, last]` that it takes."""

    hunk: Hunk
    choice: Choice
    first: int
    last: int


@dataclass(frozen=True)
class MergeRows:
    """The lines of the three panes, one per row, None for a gap; and where the changes are."""

    panes: tuple[list[str | None], list[str | None], list[str | None]]
    parts: tuple[Part, ...]

    def text(self, pane: int) -> str:
        """The text of a pane."""
        return "\n".join([line.rstrip("\r\n") if line else "" for line in self.panes[pane]])

    def numbers(self, pane: int) -> list[str]:
        """The line numbers of a pane, "" beside gaps."""
        lines = self.panes[pane]
        counts = accumulate(int(line is not None) for line in lines)
        return ["" if line is None else str(n) for line, n in zip(lines, counts, strict=True)]

    def tints(self, pane: int) -> dict[int, Tint]:
        """The backgrounds of a pane by its lines, from 1."""
        found: dict[int, Tint] = {}
        for part in self.parts:
            tint = _tint(part, pane)
            for at in range(part.first, part.last + 1):
                if self.panes[pane][at] is None:
                    found[at + 1] = Tint.FILLER
                elif tint is not None:
                    found[at + 1] = tint
        return found

    def overview(self) -> Alignment:
        """The changes in the form that the ribbon shows: open conflicts red, decided ones green."""
        count = len(self.panes[RESULT])
        rows = (Row(0, 0),) * count  # only their number is shown
        return Alignment((), (), rows, tuple(map(_mark, self.parts)))


def merge_rows(merge: Merge, choices: Sequence[Choice]) -> MergeRows:
    """Lay out a merge with what was chosen for each of its hunks."""
    panes: tuple[list[str | None], list[str | None], list[str | None]] = ([], [], [])
    parts: list[Part] = []
    for hunk, choice in zip(merge.hunks, choices, strict=True):
        lines = (
            merge.mine[slice(*hunk.mine)],
            () if choice is Choice.OPEN else merge.lines(hunk, choice),
            merge.theirs[slice(*hunk.theirs)],
        )
        height = max(1, *map(len, lines))
        first = len(panes[RESULT])
        for pane, shown in zip(panes, lines, strict=True):
            pane += [*shown, *[None] * (height - len(shown))]
        if hunk.kind is not Kind.SAME:
            parts.append(Part(hunk, choice, first, first + height - 1))
    return MergeRows(panes, tuple(parts))


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
