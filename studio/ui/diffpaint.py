"""What the two panes of a comparison show of its rows: backgrounds, words, numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.ui.code import Tint, Word
from studio.ui.diffgutter import Decision
from studio.ui.difflines import GAP

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from studio.ui.code import CodeEdit
    from studio.ui.difflines import Alignment, Row

LEFT, RIGHT = 0, 1
_TINTS = {"added": Tint.ADDED, "removed": Tint.REMOVED, "changed": Tint.CHANGED}
_SIGNS = {"added": "+", "removed": "-", "changed": "~"}


def line_of(row: Row, side: int) -> int:
    """The line of a row on one side, or `GAP`."""
    return row.right if side else row.left


def pane_text(alignment: Alignment, side: int) -> str:
    """The text of a pane: one line per row, gaps empty."""
    lines = alignment.right if side else alignment.left
    numbers = (line_of(row, side) for row in alignment.rows)
    return "\n".join("" if n == GAP else lines[n].rstrip("\r\n") for n in numbers)


def tints(
    alignment: Alignment, decisions: Sequence[Decision | None] | None, side: int, rows: range
) -> dict[int, Tint]:
    """The background of those of the rows that differ, by line of the pane."""
    found: dict[int, Tint] = {}
    for at in rows:
        row = alignment.rows[at]
        if row.change < 0:
            continue
        if line_of(row, side) == GAP:
            found[at + 1] = Tint.FILLER
        elif _rejected(decisions, row.change):
            found[at + 1] = Tint.REJECTED
        else:
            found[at + 1] = _TINTS[alignment.changes[row.change].kind]
    return found


def words(
    alignment: Alignment,
    decisions: Sequence[Decision | None] | None,
    side: int,
    rows: range,
    pane: CodeEdit,
) -> list[tuple[int, int, Word]]:
    """The marks within the rows of a pane; what was rejected is struck through."""
    found: list[tuple[int, int, Word]] = []
    kind = Word.NEW if side else Word.OLD
    for at in rows:
        row = alignment.rows[at]
        line = line_of(row, side)
        if row.change < 0 or line == GAP:
            continue
        if not _rejected(decisions, row.change):
            spans = alignment.words(at)[side]
            start = pane.offset_at(at + 1) if spans else 0
            found += [(start + a, start + b, kind) for a, b in spans]
        elif side == RIGHT:
            start = pane.offset_at(at + 1)
            text = alignment.right[line].rstrip("\r\n")
            first = len(text) - len(text.lstrip())
            found.append((start + first, start + len(text), Word.STRUCK))
    return found


def _rejected(decisions: Sequence[Decision | None] | None, change: int) -> bool:
    return decisions is not None and decisions[change] is Decision.REJECTED


def labels(alignment: Alignment, side: int) -> Callable[[int], str]:
    """What stands beside each line of a pane: its number in its own text, and a sign."""
    rows, changes = alignment.rows, alignment.changes

    def label(line: int) -> str:
        if not 0 < line <= len(rows) or line_of(rows[line - 1], side) == GAP:
            return ""
        change = rows[line - 1].change
        sign = _SIGNS[changes[change].kind] if change >= 0 else " "
        return f"{line_of(rows[line - 1], side) + 1} {sign}"

    return label


class LeftText:
    """The left text by its own lines and columns, whose offsets are those of its pane."""

    def __init__(self, alignment: Alignment, pane: CodeEdit) -> None:
        self._lines = alignment.left
        self._pane = pane
        self._rows = {row.left: n + 1 for n, row in enumerate(alignment.rows) if row.left != GAP}

    def line_count(self) -> int:
        """The number of lines."""
        return len(self._lines)

    def line_text(self, line: int) -> str:
        """One line with its line end."""
        return self._lines[line - 1]

    def offset_at(self, line: int, column: int = 1) -> int:
        """The offset of a line and column in the pane."""
        within = min(max(line, 1), len(self._lines))
        return self._pane.offset_at(self._rows[within - 1], column)
