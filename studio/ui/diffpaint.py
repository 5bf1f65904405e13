"""What the panes of a comparison show of its rows: backgrounds, words, numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from studio.i18n import tr
from studio.ui.code import Tint, Word
from studio.ui.diffgutter import Decision
from studio.ui.difflines import GAP, Alignment
from studio.ui.diffmoves import MovedLines

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from studio.ui.code import CodeEdit
    from studio.ui.difflines import Row

LEFT, RIGHT = 0, 1
_TINTS = {"added": Tint.ADDED, "removed": Tint.REMOVED, "changed": Tint.CHANGED}
_SIGNS = {"added": "+", "removed": "-", "changed": "~"}


@dataclass(frozen=True)
class Shown:
    """A comparison as it is shown: side by side, or (`inline`) each row by itself in one pane."""

    alignment: Alignment
    decisions: Sequence[Decision | None] | None = None
    inline: bool = False
    moved: MovedLines = field(default_factory=lambda: MovedLines(()))
    ends: Sequence[tuple[int, int]] = ()

    def side(self, row: Row, pane: int) -> int:
        """The side whose line a pane shows of a row."""
        return pane if not self.inline else (RIGHT if row.left == GAP else LEFT)

    def line(self, row: Row, pane: int) -> int:
        """The line that a pane shows of a row, or `GAP`."""
        return row.right if self.side(row, pane) else row.left

    def rejected(self, change: int) -> bool:
        """Whether a change will not be made."""
        return self.decisions is not None and self.decisions[change] is Decision.REJECTED

    def kind(self, row: Row) -> str:
        """What happened to a line: "added", "removed" or "changed"."""
        if self.inline:
            return "added" if row.left == GAP else "removed"
        return self.alignment.changes[row.change].kind

    def is_moved(self, row: Row, pane: int) -> bool:
        """Whether the line that a pane shows moved rather than changed."""
        places = self.moved.right if self.side(row, pane) else self.moved.left
        return bool(places) and self.line(row, pane) in places

    def links(self) -> dict[int, tuple[int, str]]:
        """For the first row of each end of a move: the row of its other end, and a text."""
        found: dict[int, tuple[int, str]] = {}
        for move, (gone, come) in zip(self.moved.moves, self.ends, strict=True):
            found[come] = gone, tr("moved from line {line}", line=move.left[0] + 1)
            found[gone] = come, tr("moved to line {line}", line=move.right[0] + 1)
        return found


def tints(shown: Shown, pane: int, rows: range) -> dict[int, Tint]:
    """The background of those of the rows that differ, by line of the pane."""
    found: dict[int, Tint] = {}
    for at in rows:
        row = shown.alignment.rows[at]
        if row.change < 0:
            continue
        if shown.line(row, pane) == GAP:
            found[at + 1] = Tint.FILLER
        elif shown.rejected(row.change):
            found[at + 1] = Tint.REJECTED
        elif shown.is_moved(row, pane):
            found[at + 1] = Tint.MOVED
        else:
            found[at + 1] = _TINTS[shown.kind(row)]
    return found


def words(shown: Shown, pane: int, rows: range, edit: CodeEdit) -> list[tuple[int, int, Word]]:
    """The marks within the rows of a pane; what was rejected is struck through."""
    found: list[tuple[int, int, Word]] = []
    for at in rows:
        row = shown.alignment.rows[at]
        line = shown.line(row, pane)
        if row.change < 0 or line == GAP or shown.is_moved(row, pane):
            continue
        side = shown.side(row, pane)
        if not shown.rejected(row.change):
            kind = Word.NEW if side == RIGHT else Word.OLD
            spans = shown.alignment.words(at)[side]
            start = edit.offset_at(at + 1) if spans else 0
            found += [(start + a, start + b, kind) for a, b in spans]
        elif side == RIGHT:
            start = edit.offset_at(at + 1)
            text = shown.alignment.right[line].rstrip("\r\n")
            first = len(text) - len(text.lstrip())
            found.append((start + first, start + len(text), Word.STRUCK))
    return found


def labels(shown: Shown, pane: int) -> tuple[Callable[[int], str], str]:
    """What stands beside each line of a pane, numbers and a sign, and the longest of that."""
    rows = shown.alignment.rows
    widths = [len(str(len(side))) for side in (shown.alignment.left, shown.alignment.right)]

    def label(line: int) -> str:
        if not 0 < line <= len(rows) or shown.line(rows[line - 1], pane) == GAP:
            return ""
        row = rows[line - 1]
        sign = _SIGNS[shown.kind(row)] if row.change >= 0 else " "
        if row.change >= 0 and shown.is_moved(row, pane):
            sign = "»"
        if not shown.inline:
            return f"{shown.line(row, pane) + 1} {sign}"
        left, right = (
            ("" if n == GAP else str(n + 1)).rjust(width)
            for n, width in zip((row.left, row.right), widths, strict=True)
        )
        return f"{left} {right} {sign}"

    longest = "9" * widths[pane] if not shown.inline else "9" * (sum(widths) + 1)
    return label, f"{longest} +"


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
