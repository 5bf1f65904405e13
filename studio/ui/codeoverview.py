"""Findings and search hits of a whole text at a glance, beside its scroll bar."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRectF, Qt
from PySide6.QtGui import QHelpEvent, QPainter
from PySide6.QtWidgets import QToolTip, QWidget

from studio.i18n import tr, trn
from studio.ui.codekinds import Mark, Squiggle
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from PySide6.QtGui import QMouseEvent, QPaintEvent, QWheelEvent

    from studio.ui.code import CodeEdit

_TOKENS = {Mark.ERROR: "error", Mark.WARNING: "warn", Mark.INFO: "info", Mark.HINT: "muted"}
_WORST_LAST = (Mark.HINT, Mark.INFO, Mark.WARNING, Mark.ERROR)
_NEAR = 4
"""Marks within so many pixels are those one means."""
_HEIGHT = 3


class Overview(QWidget):
    """One mark per line that has findings (left) or hits (right); click to go there."""

    def __init__(self, edit: CodeEdit, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._edit = edit
        self._findings: list[tuple[int, Mark, str]] = []
        self._hits: list[int] = []
        self.setFixedWidth(10)
        self.setMouseTracking(True)
        self.setAccessibleName(tr("Findings and hits in the file"))
        edit.cursor_moved.connect(self.update)

    def set_findings(self, squiggles: Iterable[Squiggle]) -> None:
        """Show findings by the lines they begin in."""
        order = {mark: n for n, mark in enumerate(_WORST_LAST)}
        self._findings = sorted(
            ((self._edit.place_at(s.start)[0], s.mark, s.hover) for s in squiggles),
            key=lambda found: order[found[1]],
        )
        self.update()

    def set_hits(self, spans: Sequence[tuple[int, int]]) -> None:
        """Show where a search found something."""
        self._hits = sorted({self._edit.place_at(start)[0] for start, _ in spans})
        self.update()

    def marks(self) -> list[tuple[int, str]]:
        """The lines that are marked, each with "hit" or the severity."""
        findings = [(line, mark.value) for line, mark, _ in self._findings]
        return sorted([*findings, *((line, "hit") for line in self._hits)])

    def place_of(self, line: int) -> float:
        """Where a line is marked, in pixels from the top."""
        return (line - 0.5) / max(self._edit.line_count(), 1) * self.height()

    # -- painting -------------------------------------------------------------------------------
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the marks, worst on top, and the line of the cursor."""
        theme = current_theme()
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.colour("bg"))
        half = self.width() / 2
        for line, mark, _ in self._findings:
            painter.fillRect(self._bar(line, 0, half), theme.colour(_TOKENS[mark]))
        rows = {round(self.place_of(line)) for line in self._hits}
        for row in rows:
            bar = QRectF(half, row - _HEIGHT / 2, half, _HEIGHT)
            painter.fillRect(bar, theme.mix("bg", "warn", 0.8))
        cursor = self.place_of(self._edit.cursor_place()[0])
        painter.fillRect(QRectF(0, cursor - 0.5, self.width(), 1), theme.colour("text"))
        painter.end()

    def _bar(self, line: int, left: float, width: float) -> QRectF:
        return QRectF(left, self.place_of(line) - _HEIGHT / 2, width, _HEIGHT)

    # -- mouse ----------------------------------------------------------------------------------
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to the mark under the mouse, or to that part of the text."""
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        y = event.position().y()
        near = [line for line, _ in self.marks() if abs(self.place_of(line) - y) <= _NEAR]
        if near:
            line = min(near, key=lambda one: abs(self.place_of(one) - y))
        else:
            line = round(y / max(self.height(), 1) * self._edit.line_count() + 0.5)
        self._edit.go_to(max(line, 1), flash=bool(near))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to the text."""
        event.ignore()

    def event(self, event: QEvent) -> bool:
        """Tell what the marks under the mouse are."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self.told_at(event.pos().y()), self)
            return True
        return super().event(event)

    def told_at(self, y: float) -> str:
        """What the marks at a height say, as rich text; "" where there is none."""
        parts = [
            f"{escape(tr('Line {line}', line=line))}: {said}"
            for line, _, said in reversed(self._findings)
            if abs(self.place_of(line) - y) <= _NEAR
        ][:5]
        hits = [line for line in self._hits if abs(self.place_of(line) - y) <= _NEAR]
        if hits:
            count = trn("{n} line with hits", "{n} lines with hits", len(hits))
            parts.append(escape(count))
        return "<hr>".join(parts)
