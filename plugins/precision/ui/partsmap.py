"""Steps and ranks as a map: the largest error of each, its verdict, and the way to it."""

from __future__ import annotations

from math import isfinite, log10
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from plugins.precision.core.result import Status
from plugins.precision.core.words import part_words, word
from plugins.precision.ui.rows import look
from studio.i18n import tr
from studio.ui.icons import pixmap
from studio.ui.text import format_number, thousands
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QColor

    from plugins.precision.core.parts import PartSummary

_HEAD, _LEFT, _SIDE, _FOOT = 24.0, 64.0, 10.0, 18.0
_HIGH, _LEAST, _MOST = 20.0, 6.0, 220
_WIDEST = 120.0
_DECADES = 8.0


class PartsMap(QWidget):
    """Ranks from left to right, steps from top to bottom; a click or the arrow keys choose one.

    The fuller the colour of the verdict, the larger the error.
    """

    chosen = Signal(str)
    """The label of a step and rank."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._cells: dict[tuple[int, int], PartSummary] = {}
        self._steps: list[int | None] = []
        self._ranks: list[int | None] = []
        self._now: tuple[int, int] | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(tr("Errors by step and rank"))

    def set_parts(self, parts: Sequence[PartSummary]) -> None:
        """Show these steps and ranks; nothing for a single one."""
        self._steps = sorted({part.step for part in parts}, key=_order)
        self._ranks = sorted({part.rank for part in parts}, key=_order)
        self._cells = {
            (self._steps.index(part.step), self._ranks.index(part.rank)): part for part in parts
        }
        self._now = None
        self.setVisible(len(parts) > 1)
        self.updateGeometry()
        self.update()

    def mark(self, label: str) -> None:
        """Mark the step and rank that is shown."""
        self._now = next((at for at, part in self._cells.items() if part.label == label), None)
        part = self._cells.get(self._now) if self._now else None
        self.setAccessibleDescription(self.tip(part) if part else "")
        self.update()

    def sizeHint(self) -> QSize:
        """As high as the steps need, up to a limit."""
        high = _HEAD + _HIGH * max(len(self._steps), 1) + _FOOT
        return QSize(400, min(round(high), _MOST))

    def rect_of(self, step: int, rank: int) -> QRectF:
        """Where a cell is drawn, by the places of its step and rank."""
        wide = min((self.width() - _LEFT - _SIDE) / max(len(self._ranks), 1), _WIDEST)
        high = (self.height() - _HEAD - _FOOT) / max(len(self._steps), 1)
        return QRectF(_LEFT + rank * wide, _HEAD + step * high, wide, high)

    def tip(self, part: PartSummary) -> str:
        """What is said about a step and rank."""
        lines = [part_words(part), word(part.status)]
        lines.append(
            tr(
                "{deviating} of {count} values deviate",
                deviating=thousands(part.deviating),
                count=thousands(part.total),
            )
        )
        if part.deviating:
            lines.append(tr("Largest relative error {error}", error=format_number(part.error)))
        if part.first:
            lines.append(tr("begins at {operator}", operator=part.first))
        return "\n".join(lines)

    # -- pointer and keys ---------------------------------------------------------------------
    def event(self, event: QEvent) -> bool:
        """Tell what is under the pointer."""
        if isinstance(event, QHelpEvent):
            place = self._at(QPointF(event.pos()))
            if place is not None:
                QToolTip.showText(event.globalPos(), self.tip(self._cells[place]), self)
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose a step and rank."""
        place = self._at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and place is not None:
            self._choose(place)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to the next step or rank that was compared."""
        moves = {
            Qt.Key.Key_Left: (0, -1),
            Qt.Key.Key_Right: (0, 1),
            Qt.Key.Key_Up: (-1, 0),
            Qt.Key.Key_Down: (1, 0),
        }
        move = moves.get(Qt.Key(event.key()))
        if move is None or not self._cells:
            super().keyPressEvent(event)
            return
        place = self._now or next(iter(self._cells))
        while True:
            place = place[0] + move[0], place[1] + move[1]
            if not (0 <= place[0] < len(self._steps) and 0 <= place[1] < len(self._ranks)):
                return
            if place in self._cells:
                self._choose(place)
                return

    def _choose(self, place: tuple[int, int]) -> None:
        label = self._cells[place].label
        self.mark(label)
        self.chosen.emit(label)

    def _at(self, point: QPointF) -> tuple[int, int] | None:
        found = (at for at in self._cells if self.rect_of(*at).contains(point))
        return next(found, None)

    # -- painting -----------------------------------------------------------------------------
    def changeEvent(self, event: QEvent) -> None:
        """Take the colours of another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the cells, their axes and the mark."""
        theme = current_theme()
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.colour("surface"))
        painter.setPen(theme.colour("muted"))
        painter.drawText(QPointF(_SIDE, 15.0), tr("Errors by step and rank"))
        errors = [p.error for p in self._cells.values() if isfinite(p.error) and p.error > 0]
        top = log10(max(errors, default=1.0))
        for place, part in self._cells.items():
            rect = self.rect_of(*place)
            gap = 1.0 if min(rect.width(), rect.height()) > _LEAST else 0.0
            inner = rect.adjusted(0, 0, -gap, -gap)
            painter.fillRect(inner, _fill(part, top))
            if rect.width() > 84 and rect.height() >= 16:
                name = look(part.status)[0]
                picture = pixmap(name, 12, "text", self.devicePixelRatioF())
                painter.drawPixmap(QPointF(rect.left() + 5, rect.center().y() - 6.5), picture)
                painter.setPen(theme.colour("text"))
                text = format_number(part.error, 2) if part.deviating else word(part.status)
                spot = inner.adjusted(22, 0, -4, 0)
                painter.drawText(spot, Qt.AlignmentFlag.AlignVCenter, text)
        self._draw_axes(painter)
        if self._now is not None:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.colour("accent"), 2))
            painter.drawRect(self.rect_of(*self._now).adjusted(0.5, 0.5, -1.5, -1.5))
        if self.hasFocus():
            painter.setPen(QPen(theme.colour("accent"), 1))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()

    def _draw_axes(self, painter: QPainter) -> None:
        painter.setPen(current_theme().colour("muted"))
        metrics = painter.fontMetrics()
        free = 0.0
        for place, step in enumerate(self._steps):
            rect = self.rect_of(place, 0)
            middle = rect.center().y() + metrics.ascent() / 2 - 1
            if step is not None and middle - metrics.ascent() >= free:
                painter.drawText(QPointF(_SIDE, middle), tr("step {step}", step=step))
                free = middle + 3
        free = 0.0
        for place, rank in enumerate(self._ranks):
            rect = self.rect_of(len(self._steps) - 1, place)
            text = "" if rank is None else tr("rank {rank}", rank=rank)
            start = rect.center().x() - metrics.horizontalAdvance(text) / 2
            if text and start >= free:
                painter.drawText(QPointF(start, self.height() - 5.0), text)
                free = start + metrics.horizontalAdvance(text) + 8


def _fill(part: PartSummary, top: float) -> QColor:
    """The colour of the verdict, fuller for larger errors."""
    colour = current_theme().colour(look(part.status)[1])
    if part.status in (Status.OK, Status.EMPTY) or not part.deviating:
        colour.setAlphaF(0.22)
        return colour
    share = 1.0
    if isfinite(part.error) and part.error > 0:
        share = min(max(1 + (log10(part.error) - top) / _DECADES, 0.0), 1.0)
    colour.setAlphaF(0.15 + 0.25 * share)  # the text stays readable on the fullest one
    return colour


def _order(number: int | None) -> int:
    return -1 if number is None else number
