"""How the rows of the list of findings are painted."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from plugins.migration.ui.listmodel import COUNT_ROLE, DECISION_ROLE, FINDING_ROLE, PLACE_ROLE
from plugins.migration.ui.looks import ICONS, paint_decision, status_of, status_title
from studio.ui.diff import Decision
from studio.ui.icons import icon
from studio.ui.lines import paint_focus
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from PySide6.QtGui import QFontMetrics, QPainter

    from studio.model.findings import Finding

Index = QModelIndex | QPersistentModelIndex
_ROW = 24
_BOX = 14
_GAP = 6
_WIDE = 360
"""From this width on there is room for the status as a word."""


class FindingDelegate(QStyledItemDelegate):
    """A box for the decision, an icon for the status, the line, the title."""

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        """One row of fixed height."""
        return QSize(120, _ROW)

    def box(self, row: QRect) -> QRect:
        """Where the box of a row is."""
        return QRect(row.left() + 2, row.top() + (row.height() - _BOX) // 2, _BOX, _BOX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint one row."""
        theme = current_theme()
        row: QRect = option.rect
        state: QStyle.StateFlag = option.state
        metrics: QFontMetrics = option.fontMetrics
        painter.save()
        painter.setFont(option.font)
        if state & QStyle.StateFlag.State_Selected:
            active = bool(state & QStyle.StateFlag.State_Active)
            fill = theme.colour("selected") if active else theme.mix("surface", "selected", 0.6)
            painter.fillRect(row, fill)
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(row, theme.colour("hover"))
        paint_focus(painter, row, state)
        finding = index.data(FINDING_ROLE)
        decision = index.data(DECISION_ROLE)
        left = row.left() + 2 + _BOX + _GAP
        if finding is None:
            if decision is not None:
                paint_decision(painter, self.box(row), decision)
            self._paint_group(painter, row.adjusted(left - row.left(), 0, -8, 0), index, metrics)
        else:
            if decision is not None or finding.fix is not None:
                paint_decision(painter, self.box(row), decision)
            area = row.adjusted(left - row.left(), 0, -8, 0)
            place = str(index.data(PLACE_ROLE) or "")
            self._paint_finding(painter, area, finding, decision, place, metrics)
        painter.restore()

    def _paint_group(
        self, painter: QPainter, area: QRect, index: Index, metrics: QFontMetrics
    ) -> None:
        theme = current_theme()
        accepted, changes = index.data(COUNT_ROLE)
        if count := f"{accepted}/{changes}" if changes else "":
            width = metrics.horizontalAdvance(count)
            painter.setPen(theme.colour("ok" if accepted == changes else "muted"))
            painter.drawText(area, _RIGHT, count)
            area = area.adjusted(0, 0, -width - _GAP, 0)
        path = PurePosixPath(str(index.data(Qt.ItemDataRole.DisplayRole)))
        painter.setPen(theme.colour("text"))
        named = Qt.TextElideMode.ElideRight if " " in path.name else Qt.TextElideMode.ElideMiddle
        name = metrics.elidedText(path.name, named, area.width())
        painter.drawText(area, _LEFT, name)
        if path.parent != PurePosixPath("."):
            rest = area.adjusted(metrics.horizontalAdvance(name) + _GAP, 0, 0, 0)
            folder = metrics.elidedText(
                str(path.parent), Qt.TextElideMode.ElideLeft, max(rest.width(), 0)
            )
            painter.setPen(theme.colour("muted"))
            painter.drawText(rest, _LEFT, folder)

    def _paint_finding(
        self,
        painter: QPainter,
        area: QRect,
        finding: Finding,
        decision: Decision | None,
        place: str,
        metrics: QFontMetrics,
    ) -> None:
        theme = current_theme()
        status = status_of(finding)
        painter.setPen(theme.colour("muted"))
        if area.width() > _WIDE:
            word = status_title(status)
            painter.drawText(area, _RIGHT, word)
            area = area.adjusted(0, 0, -metrics.horizontalAdvance(word) - 2 * _GAP, 0)
        text = place or str(finding.location.line or "")
        width = max(metrics.horizontalAdvance("000"), metrics.horizontalAdvance(text)) + 2
        width = min(width, area.width() // 2)
        text = metrics.elidedText(text, Qt.TextElideMode.ElideLeft, width)
        painter.drawText(QRect(area.left(), area.top(), width, area.height()), _RIGHT, text)
        area = area.adjusted(width + _GAP + 2, 0, 0, 0)
        if status != "auto":  # what needs no attention gets no icon
            mark = QRect(area.left(), area.top() + (area.height() - _BOX) // 2, _BOX, _BOX)
            icon(*ICONS[status]).paint(painter, mark)
            area = area.adjusted(_BOX + _GAP, 0, 0, 0)
        title = metrics.elidedText(finding.title, Qt.TextElideMode.ElideRight, area.width())
        rejected = decision is Decision.REJECTED
        if rejected:
            font = painter.font()
            font.setStrikeOut(True)
            painter.setFont(font)
        painter.setPen(theme.colour("muted" if rejected else "text"))
        painter.drawText(area, _LEFT, title)


_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
