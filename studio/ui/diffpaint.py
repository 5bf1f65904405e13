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
    alignment: Alignment, decisions: Sequence[Decision | None] | None, side: int
) -> dict[int, Tint]:
    """The background of each row that differs, by line of the pane."""
    found: dict[int, Tint] = {}
    for number, change in enumerate(alignment.changes):
        rejected = decisions is not None and decisions[number] is Decision.REJECTED
        tint = Tint.REJECTED if rejected else _TINTS[change.kind]
        for at in range(change.first, change.last + 1):
            gap = line_of(alignment.rows[at], side) == GAP
            found[at + 1] = Tint.FILLER if gap else tint
    return found


def words(
    alignment: Alignment,
    decisions: Sequence[Decision | None] | None,
    side: int,
    pane: CodeEdit,
) -> list[tuple[int, int, Word]]:
    """The marks within the rows of a pane; what was rejected is struck through."""
    found: list[tuple[int, int, Word]] = []
    kind = Word.NEW if side else Word.OLD
    for number, change in enumerate(alignment.changes):
        rejected = decisions is not None and decisions[number] is Decision.REJECTED
        if rejected and side == LEFT:
            continue
        for at in range(change.first, change.last + 1):
            line = line_of(alignment.rows[at], side)
            if line == GAP:
                continue
            start = pane.offset_at(at + 1)
            if rejected:
                text = alignment.right[line].rstrip("\r\n")
                first = len(text) - len(text.lstrip())
                found.append((start + first, start + len(text), Word.STRUCK))
            else:
                spans = alignment.words.get(at, ((), ()))[side]
                found += [(start + a, start + b, kind) for a, b in spans]
    return found


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
