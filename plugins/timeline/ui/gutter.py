"""The column of titles left of the lanes; a click folds, its right edge can be dragged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPolygonF
from PySide6.QtWidgets import QMenu, QToolTip, QWidget

from plugins.timeline.ui.labels import label_font
from plugins.timeline.ui.layout import ROW, Band
from studio.i18n import tr, trn
from studio.ui.text import format_number

if TYPE_CHECKING:
    from PySide6.QtGui import QContextMenuEvent, QHelpEvent, QMouseEvent, QPaintEvent, QWheelEvent

    from plugins.timeline.ui.state import TimelineState

WIDTH = 216
NARROWEST, WIDEST = 90, 560
_EDGE = 5


class Gutter(QWidget):
    """Names processes and lanes."""

    width_wanted = Signal(int)

    def __init__(self, state: TimelineState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._held: int | None = None
        self.setFixedWidth(WIDTH)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName(tr("Processes and lanes"))
        for signal in (
            state.layout_changed,
            state.scroll_changed,
            state.palette_changed,
            state.selection_changed,
        ):
            signal.connect(self.update)

    # -- painting -----------------------------------------------------------------------------
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the titles of what is in view; that of a tall lane stays visible."""
        state = self._state
        colour = state.palette.colour
        painter = QPainter(self)
        painter.fillRect(self.rect(), colour("surface"))
        for band in state.layout_.between(state.scroll, state.scroll + self.height()):
            if band.kind == "process":
                self._draw_process(painter, band)
            else:
                self._draw_track(painter, band)
        painter.setPen(colour("line"))
        painter.drawLine(self.width() - 1, 0, self.width() - 1, self.height())
        painter.end()

    def _draw_process(self, painter: QPainter, band: Band) -> None:
        colour = self._state.palette.colour
        y = band.top - self._state.scroll
        painter.fillRect(QRect(0, y, self.width(), band.height), colour("raised"))
        painter.setPen(colour("line"))
        painter.drawLine(0, y, self.width(), y)
        painter.drawLine(0, y + band.height - 1, self.width(), y + band.height - 1)
        self._draw_chevron(painter, 12, y + band.height / 2, band.folded)
        font = label_font()
        font.setPixelSize(12)
        font.setWeight(QFont.Weight.DemiBold)
        metrics = QFontMetrics(font)
        right = self.width() - 8
        if band.group.labels:
            right = self._draw_chip(painter, band.group.labels, right, y + band.height // 2)
        painter.setFont(font)
        painter.setPen(colour("text"))
        room = right - 22 - 6
        title = metrics.elidedText(band.group.title, Qt.TextElideMode.ElideRight, room)
        painter.drawText(QRect(22, y, room, band.height), Qt.AlignmentFlag.AlignVCenter, title)

    def _draw_chip(self, painter: QPainter, text: str, right: int, middle: int) -> int:
        colour = self._state.palette.colour
        font = label_font()
        font.setPixelSize(10)
        painter.setFont(font)
        wide = min(QFontMetrics(font).horizontalAdvance(text) + 10, self.width() // 3)
        box = QRectF(right - wide, middle - 8, wide, 15)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour("hover"))
        painter.drawRoundedRect(box, 7, 7)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(colour("muted"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
        return right - wide

    def _draw_track(self, painter: QPainter, band: Band) -> None:
        state = self._state
        if band.track is None:
            return
        colour = state.palette.colour
        y = band.top - state.scroll
        visible = max(y, 0) if y + band.height > ROW else y
        visible = min(visible, y + band.height - ROW - 4)
        if band.track is not band.group.tracks[0]:
            painter.setPen(colour("line", 0.6))
            painter.drawLine(0, y - 3, self.width() - 1, y - 3)
        if band.track.rows > 1:
            self._draw_chevron(painter, 20, visible + ROW / 2, band.folded)
        font = label_font()
        painter.setFont(font)
        metrics = QFontMetrics(font)
        right = self.width() - 8
        if band.kind == "counter":
            right = self._draw_scale(painter, band, y, right, metrics)
        selected = state.selected
        if selected >= 0 and band.kind == "slices":
            row = state.scene.row_of(selected) - band.track.first_row
            if 0 <= row < band.track.rows:
                painter.fillRect(QRect(0, y, 3, band.height - 5), colour("accent"))
        painter.setPen(colour("text", 0.92))
        room = right - 30 - 4
        title = metrics.elidedText(band.track.title, Qt.TextElideMode.ElideMiddle, room)
        painter.drawText(QRect(30, visible, room, ROW), Qt.AlignmentFlag.AlignVCenter, title)

    def _draw_scale(
        self, painter: QPainter, band: Band, y: int, right: int, metrics: QFontMetrics
    ) -> int:
        """Write the largest value of a counter's lane beside its top."""
        track = band.track
        if track is None:
            return right
        top = format_number(self._state.scene.counters[track.number].largest, 3)
        painter.setPen(self._state.palette.colour("muted"))
        wide = metrics.horizontalAdvance(top)
        painter.drawText(QRect(right - wide, y, wide, ROW), Qt.AlignmentFlag.AlignVCenter, top)
        return right - wide - 4

    def _draw_chevron(self, painter: QPainter, x: float, y: float, folded: bool) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._state.palette.colour("muted"))
        side = 3.5
        points = (
            [QPointF(x - 2, y - side), QPointF(x + 3, y), QPointF(x - 2, y + side)]
            if folded
            else [QPointF(x - side, y - 2), QPointF(x + side, y - 2), QPointF(x, y + 3)]
        )
        painter.drawPolygon(QPolygonF(points))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    # -- pointer ------------------------------------------------------------------------------
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Fold or unfold what was clicked, or take hold of the edge."""
        if event.button() != Qt.MouseButton.LeftButton:
            return
        place = event.position().toPoint()
        if place.x() >= self.width() - _EDGE:
            self._held = self.width() - place.x()
            return
        band = self._state.layout_.at(place.y() + self._state.scroll)
        if band is not None and (band.track is None or band.track.rows > 1):
            self._state.toggle(band)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag the edge."""
        x = event.position().toPoint().x()
        on_edge = self._held is not None or x >= self.width() - _EDGE
        self.setCursor(
            Qt.CursorShape.SplitHCursor if on_edge else Qt.CursorShape.PointingHandCursor
        )
        if self._held is not None:
            self.width_wanted.emit(max(NARROWEST, min(x + self._held, WIDEST)))

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        """Let the edge go."""
        self._held = None

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll the lanes."""
        self._state.scroll_to(self._state.scroll - event.angleDelta().y() // 2)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer folding of one or all."""
        state = self._state
        band = state.layout_.at(event.pos().y() + state.scroll)
        menu = QMenu(self)
        if band is not None and (band.track is None or band.track.rows > 1):
            title = tr("Unfold") if band.folded else tr("Fold")
            menu.addAction(title, lambda: state.toggle(band))
        groups = [group.key for group in state.scene.groups]
        menu.addAction(tr("Fold all processes"), lambda: state.fold(groups, True))
        menu.addAction(tr("Unfold all processes"), lambda: state.fold(groups, False))
        lanes = [t.key for g in state.scene.groups for t in g.tracks if t.rows > 1]
        menu.addAction(tr("Low rows in all lanes"), lambda: state.fold(lanes, True))
        menu.addAction(tr("Full rows in all lanes"), lambda: state.fold(lanes, False))
        menu.exec(event.globalPos())
        menu.deleteLater()

    def event(self, event: QEvent) -> bool:
        """Tell the whole title of what is under the pointer."""
        if event.type() != QEvent.Type.ToolTip:
            return super().event(event)
        asked: QHelpEvent = event  # type: ignore[assignment]
        band = self._state.layout_.at(asked.pos().y() + self._state.scroll)
        QToolTip.showText(asked.globalPos(), self._explain(band) if band else "", self)
        return True

    def _explain(self, band: Band) -> str:
        if band.track is None:
            count = len(band.group.tracks)
            lanes = trn("{n} lane", "{n} lanes", count)
            return f"{band.group.title} · {lanes}\n" + (
                tr("Click to unfold") if band.folded else tr("Click to fold")
            )
        text = f"{band.group.title} · {band.track.title}"
        if band.track.rows > 1:
            text += "\n" + (tr("Click for full rows") if band.folded else tr("Click for low rows"))
        return text
