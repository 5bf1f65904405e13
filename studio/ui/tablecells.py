"""The cells of a table, painted a column at a time: a screen of them takes a few milliseconds.

Qt's own delegates ask for seven roles of each cell and lay each out by the style sheet, which takes
ten times as long.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QEvent, QLineF, QModelIndex, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPalette, QPen, QPolygonF
from PySide6.QtWidgets import QAbstractItemView, QTableView

from studio.i18n import tr
from studio.ui.fonts import mono_font
from studio.ui.icons import pixmap
from studio.ui.text import THIN
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray
    from PySide6.QtGui import QKeyEvent, QMouseEvent, QPaintEvent
    from PySide6.QtWidgets import QWidget

    from studio.ui.tablemodel import Cell, FrameModel

ROW_HEIGHT = 22
_MARGIN = 6
_CHEVRON = 14
_ICON, _GAP = 14, 5


@dataclass(frozen=True)
class _Ink:
    """The colours of one painting."""

    text: QColor
    muted: QColor
    chosen: QColor
    on_chosen: QColor
    pointed: QColor
    group: QColor
    heat: QColor
    accent: QColor


class CellsView(QTableView):
    """A table view of a `FrameModel` with rows of one height, whole rows selected."""

    toggled = Signal(int, object)
    """The head of a group is to be opened (True), closed (False), or the other of both (None)."""

    def __init__(self, model: FrameModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.frame = model
        self.setModel(model)
        self._pointed = -1
        self._mono = mono_font()
        self.setMouseTracking(True)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setWordWrap(False)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the rows and columns that lie in what has to be painted."""
        dirty = event.rect()
        painter = QPainter(self.viewport())
        try:
            painter.fillRect(dirty, self.palette().color(QPalette.ColorRole.Base))
            first = self.rowAt(max(dirty.top(), 0))
            if first >= 0:
                last = self.rowAt(dirty.bottom())
                last = self.model().rowCount() - 1 if last < 0 else last
                self._paint_rows(painter, dirty, first, last + 1)
            elif self.frame.total() and not self.frame.rowCount():
                painter.setPen(current_theme().colour("muted"))
                told = tr("No row matches the filters.")
                painter.drawText(self.viewport().rect(), Qt.AlignmentFlag.AlignCenter, told)
        finally:
            painter.end()  # one that lives on would end the program

    def _paint_rows(self, painter: QPainter, dirty: QRect, first: int, stop: int) -> None:
        ink = self._ink()
        top = self.rowViewportPosition(first)
        chosen = self._paint_grounds(painter, dirty, ink, first, stop, top)
        header = self.horizontalHeader()
        for section in range(header.count()):
            left, wide = header.sectionViewportPosition(section), header.sectionSize(section)
            if wide and left + wide > dirty.left() and left <= dirty.right():
                cells = self.frame.cells(section, first, stop)
                place = QRect(left, top, wide, ROW_HEIGHT)
                self._paint_column(painter, place, section, cells, chosen, ink)
        current = self.currentIndex()
        if self.hasFocus() and first <= current.row() < stop:
            painter.setPen(ink.accent)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.visualRect(current).adjusted(0, 0, -1, -1))

    def _paint_grounds(
        self, painter: QPainter, dirty: QRect, ink: _Ink, first: int, stop: int, top: int
    ) -> list[bool]:
        """Paint what lies below the cells; returns which rows are selected."""
        selection = self.selectionModel()
        chosen = [selection.isRowSelected(row, QModelIndex()) for row in range(first, stop)]
        groups = (self.frame.rows[first:stop] < 0).tolist()
        for number, (selected, group) in enumerate(zip(chosen, groups, strict=True)):
            pointed = first + number == self._pointed
            colour = ink.chosen if selected else ink.pointed if pointed else ink.group
            if selected or pointed or group:
                y = top + number * ROW_HEIGHT
                painter.fillRect(QRect(dirty.left(), y, dirty.width(), ROW_HEIGHT), colour)
        return chosen

    def _paint_column(
        self,
        painter: QPainter,
        place: QRect,
        section: int,
        cells: list[Cell],
        chosen: list[bool],
        ink: _Ink,
    ) -> None:
        values = self.frame.values[section]
        font = self._mono if values.numeric else self.font()
        painter.setFont(font)
        metrics = painter.fontMetrics()
        steps = _steps(metrics) if values.numeric else None
        base = (ROW_HEIGHT + metrics.ascent() - metrics.descent()) // 2
        tree = self.frame.grouped_by == section
        right = place.right() - _MARGIN
        pen: QColor | None = None
        bold = QFont(font)
        bold.setBold(True)
        for number, (cell, selected) in enumerate(zip(cells, chosen, strict=True)):
            if cell.group != painter.font().bold():
                painter.setFont(bold if cell.group else font)
                metrics = painter.fontMetrics()
                steps = _steps(metrics) if values.numeric else None
            y = place.top() + number * ROW_HEIGHT
            left = place.left() + _MARGIN
            if tree:
                if cell.group:
                    _chevron(painter, left, y, cell.open, ink.muted)
                    pen = None
                left += _CHEVRON
            if cell.share is not None:
                wide = (place.width() - 4) * cell.share
                bar = QRectF(place.left() + 2, y + 3, wide, ROW_HEIGHT - 6)
                painter.fillRect(bar, ink.heat)
            if cell.trend is not None:
                _trend(painter, QRectF(left, y + 3, right - left, ROW_HEIGHT - 6), cell.trend, ink)
                pen = None
                continue
            if cell.icon:
                picture = pixmap(cell.icon, _ICON, cell.token or "text", self.devicePixelRatioF())
                painter.drawPixmap(left, y + (ROW_HEIGHT - _ICON) // 2, picture)
                left += _ICON + _GAP
            if not cell.text:
                continue
            wanted = ink.muted if cell.absent else ink.on_chosen if selected else ink.text
            if cell.token:
                wanted = current_theme().colour(cell.token)
            if wanted is not pen:
                painter.setPen(wanted)
                pen = wanted
            text, wide = _fitting(metrics, cell.text, right - left, steps)
            x = right - wide if values.numeric and not tree else left
            painter.drawText(x, y + base, text)

    def _ink(self) -> _Ink:
        theme, palette = current_theme(), self.palette()
        return _Ink(
            text=theme.colour("text"),
            muted=theme.colour("muted"),
            chosen=palette.color(QPalette.ColorRole.Highlight),
            on_chosen=palette.color(QPalette.ColorRole.HighlightedText),
            pointed=theme.colour("hover"),
            group=theme.colour("surface"),
            heat=theme.mix("bg", "accent", 0.28),
            accent=theme.colour("accent"),
        )

    # -- groups ---------------------------------------------------------------------------------
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Right opens a group, Left closes it."""
        row, key = self.currentIndex().row(), event.key()
        if self.frame.group_at(row) >= 0 and key in (Qt.Key.Key_Right, Qt.Key.Key_Left):
            self.toggled.emit(row, key == Qt.Key.Key_Right)
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click on the mark of a group opens or closes it."""
        super().mousePressEvent(event)
        place = event.position().toPoint()
        row, section = self.rowAt(place.y()), self.columnAt(place.x())
        if section >= 0 and section == self.frame.grouped_by and self.frame.group_at(row) >= 0:
            left = self.columnViewportPosition(section)
            if place.x() - left < _MARGIN + _CHEVRON:
                self.toggled.emit(row, None)

    # -- the row under the pointer --------------------------------------------------------------
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Let the row under the pointer stand out."""
        super().mouseMoveEvent(event)
        self._point_at(self.rowAt(round(event.position().y())))

    def leaveEvent(self, event: QEvent) -> None:
        """No row is pointed at any longer."""
        super().leaveEvent(event)
        self._point_at(-1)

    def _point_at(self, row: int) -> None:
        for one in {row, self._pointed} if row != self._pointed else ():
            if one >= 0:
                y = self.rowViewportPosition(one)
                self.viewport().update(0, y, self.viewport().width(), ROW_HEIGHT)
        self._pointed = row


def group_width(font: QFont, names: Iterable[str]) -> int:
    """The width of a column whose groups have these names."""
    bold = QFont(font)
    bold.setBold(True)
    metrics = QFontMetrics(bold)
    return max(map(metrics.horizontalAdvance, names), default=0) + _CHEVRON + 2 * _MARGIN + 2


def _steps(metrics: QFontMetrics) -> tuple[float, float]:
    """How wide every character of a monospaced font is, and the space between thousands."""
    return metrics.horizontalAdvance("0" * 100) / 100, metrics.horizontalAdvance(THIN * 100) / 100


def _fitting(
    metrics: QFontMetrics, text: str, room: int, steps: tuple[float, float] | None = None
) -> tuple[str, int]:
    """A text cut where the room ends, and its width; that of numbers is counted, as they are many.

    `steps` are the widths of the characters of a monospaced font.
    """
    thin = text.count(THIN) if steps else 0
    if steps and (text.isascii() or text.replace(THIN, "").isascii()):
        wide = round((len(text) - thin) * steps[0] + thin * steps[1])
    else:
        wide = metrics.horizontalAdvance(text)
    if wide > room:
        text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)
        wide = metrics.horizontalAdvance(text)
    return text, wide


def _chevron(painter: QPainter, left: int, top: int, opened: bool, colour: QColor) -> None:
    """The mark that says whether a group is open."""
    middle = QPointF(left + 4, top + ROW_HEIGHT / 2)
    tips = ((-3, -1.5), (0, 2), (3, -1.5)) if opened else ((-1.5, -3.5), (2, 0), (-1.5, 3.5))
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(colour, 1.4))
    painter.drawPolyline([middle + QPointF(x, y) for x, y in tips])
    painter.restore()


def _trend(painter: QPainter, place: QRectF, values: NDArray[np.float64], ink: _Ink) -> None:
    """A small line through the known values in their order, from the least to the largest."""
    known = np.flatnonzero(np.isfinite(values))
    if not known.size:
        return
    low, high = float(values[known].min()), float(values[known].max())
    step = place.width() / max(values.size - 1, 1)
    height = place.height() / ((high - low) or 1.0)
    points = [
        QPointF(place.left() + number * step, place.bottom() - height * (value - low))
        for number, value in zip(known.tolist(), values[known].tolist(), strict=True)
    ]
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(ink.accent, 1.2))
    if len(points) == 1:
        painter.drawLine(QLineF(points[0], points[0] + QPointF(1.5, 0)))
    else:
        painter.drawPolyline(QPolygonF(points))
    painter.restore()
