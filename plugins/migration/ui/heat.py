"""The files of a project by how much there is to do in them; a click shows one."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from plugins.migration.ui.looks import STATUSES, status_colour, status_title
from studio.i18n import tr, trn
from studio.ui.lines import paint_focus
from studio.ui.text import thousands
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from PySide6.QtGui import QFontMetrics, QPainter

    from plugins.migration.ui.review import Review

Index = QModelIndex | QPersistentModelIndex
PATH_ROLE = Qt.ItemDataRole.UserRole
_ROW = 26
_GAP = 8
_SHOWN = tuple(reversed([status for status in STATUSES if status != "info"]))
"""The hardest first, so that it stands at the left of every bar."""


class HeatList(QListView):
    """Files with a bar each, in the colours of what is to be done."""

    wanted = Signal(object)

    def __init__(self, review: Review, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.files = HeatModel(review, self)
        self.setModel(self.files)
        self.setItemDelegate(_Painter(self))
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(tr("Files by how much there is to do"))
        self.clicked.connect(self._want)
        self.activated.connect(self._want)

    def _want(self, index: QModelIndex) -> None:
        self.wanted.emit(index.data(PATH_ROLE))


class HeatModel(QAbstractListModel):
    """The files with most to do first."""

    def __init__(self, review: Review, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._review = review
        self._rows: list[tuple[Path, Mapping[str, int], int]] = []
        self.root: Path | None = None
        self.largest = 1
        self.digits = "0"

    def reload(self) -> None:
        """Take the counts anew."""
        rows: list[tuple[Path, Mapping[str, int], int]] = []
        for path in self._review.files():
            statuses = self._review.counts.statuses(path)
            number = sum(statuses[status] for status in _SHOWN)
            if number:
                rows.append((path, statuses, number))
        rows.sort(key=lambda row: -row[2])
        same = [row[0] for row in rows] == [row[0] for row in self._rows]
        if not same:
            self.beginResetModel()
        self._rows = rows
        self.largest = max((row[2] for row in rows), default=1)
        self.digits = thousands(self.largest)
        if not same:
            self.endResetModel()
        self.refresh()

    def refresh(self) -> None:
        """Show decisions anew."""
        if self._rows:
            self.dataChanged.emit(self.index(0), self.index(len(self._rows) - 1))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """How many files."""
        return 0 if parent.isValid() else len(self._rows)

    def counts(self, row: int) -> tuple[Mapping[str, int], int, int, int]:
        """Findings of a row by what is to be done, all of them, accepted ones, changes."""
        path, statuses, number = self._rows[row]
        tally = self._review.tally(path)
        return statuses, number, tally.accepted, tally.changes

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """What a row shows."""
        path, statuses, number = self._rows[index.row()]
        inside = self.root is not None and path.is_relative_to(self.root)
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return (path.relative_to(self.root) if inside and self.root else path).as_posix()
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{path.name}, {trn('{n} finding', '{n} findings', number)}"
            case Qt.ItemDataRole.ToolTipRole:
                words = [f"{statuses[s]} {status_title(s)}" for s in _SHOWN if statuses[s]]
                return "\n".join([str(path), *words])
            case _ if role == PATH_ROLE:
                return path
        return None


class _Painter(QStyledItemDelegate):
    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(200, _ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme = current_theme()
        row: QRect = option.rect
        metrics: QFontMetrics = option.fontMetrics
        state: QStyle.StateFlag = option.state
        model = index.model()
        assert isinstance(model, HeatModel)
        statuses, number, accepted, changes = model.counts(index.row())
        painter.save()
        painter.setFont(option.font)
        focused = QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_HasFocus
        if state & focused == focused:
            painter.fillRect(row, theme.colour("selected"))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(row, theme.colour("hover"))
        paint_focus(painter, row, state)
        area = row.adjusted(12, 0, -12, 0)
        decided = f"{accepted}/{changes}" if changes else ""
        width = metrics.horizontalAdvance("000/000")
        painter.setPen(theme.colour("ok" if changes and accepted == changes else "muted"))
        painter.drawText(area, _RIGHT, decided)
        area = area.adjusted(0, 0, -width - _GAP, 0)
        width = metrics.horizontalAdvance(model.digits)
        painter.setPen(theme.colour("text"))
        painter.drawText(area, _RIGHT, thousands(number))
        area = area.adjusted(0, 0, -width - _GAP, 0)
        room = max(int(area.width() * 0.46), 60)
        _paint_name(painter, QRect(area.left(), area.top(), room, _ROW), str(index.data()), metrics)
        track = QRectF(area.left() + room + _GAP, 0, area.width() - room - _GAP, 10)
        track.moveTop(area.top() + (_ROW - 10) / 2)
        _paint_bar(painter, track, statuses, number, model.largest)
        painter.restore()


def _paint_name(painter: QPainter, area: QRect, text: str, metrics: QFontMetrics) -> None:
    theme = current_theme()
    path = PurePosixPath(text)
    name = metrics.elidedText(path.name, Qt.TextElideMode.ElideMiddle, area.width())
    painter.setPen(theme.colour("text"))
    painter.drawText(area, _LEFT, name)
    rest = area.adjusted(metrics.horizontalAdvance(name) + _GAP, 0, 0, 0)
    if path.parent != PurePosixPath(".") and rest.width() > 20:
        folder = metrics.elidedText(str(path.parent), Qt.TextElideMode.ElideLeft, rest.width())
        painter.setPen(theme.colour("muted"))
        painter.drawText(rest, _LEFT, folder)


def _paint_bar(
    painter: QPainter, track: QRectF, statuses: Mapping[str, int], number: int, largest: int
) -> None:
    left, whole = track.left(), track.width() * number / largest
    for status in _SHOWN:
        if statuses[status]:
            width = max(whole * statuses[status] / number, 2.0)
            painter.fillRect(QRectF(left, track.top(), width - 1, 10), status_colour(status))
            left += width


_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
