"""The list of hits: each line with the hit marked, and what would replace it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem

from studio.ui.fonts import mono_font
from studio.ui.groups import GroupModel
from studio.ui.lines import LineDelegate
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Hashable
    from pathlib import Path

    from plugins.search.core.matches import Hit

HIT_ROLE = Qt.ItemDataRole.UserRole + 20
_GAP = 8


@dataclass(frozen=True)
class Row:
    """One hit of one file."""

    path: Path
    hit: Hit

    @property
    def key(self) -> tuple[str, int]:
        """Where it stands."""
        return str(self.path), self.hit.start


class HitRows(Sequence[Row]):
    """The hits of a file as rows, each made when it is asked for: there may be very many."""

    def __init__(self, path: Path, hits: Sequence[Hit]) -> None:
        self._path, self._hits = path, hits

    def __len__(self) -> int:
        return len(self._hits)

    @overload
    def __getitem__(self, at: int) -> Row: ...
    @overload
    def __getitem__(self, at: slice) -> HitRows: ...
    def __getitem__(self, at: int | slice) -> Row | HitRows:
        if isinstance(at, slice):
            return HitRows(self._path, self._hits[at])
        return Row(self._path, self._hits[at])


class HitModel(GroupModel[Row]):
    """Files with their hits."""

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = 0) -> Any:  # noqa: ANN401 - as Qt has it
        """The hit itself besides what every list of groups gives."""
        if role == HIT_ROLE:
            row = self.row_at(index)
            return None if row is None else row.hit
        return super().data(index, role)

    def find(self, key: Hashable) -> QModelIndex:
        """The index of a hit by its file and place; only the hits of that file are looked at."""
        for number, group in enumerate(self.groups):
            if isinstance(key, tuple) and str(group.key) == key[0]:
                for at, row in enumerate(group.rows):
                    if row.key == key:
                        return self.index(at, 0, self.index(number, 0))
        return QModelIndex()


class HitDelegate(LineDelegate):
    """Paints the number of the line, the line, and the hit in it."""

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Paint a hit; headings are painted as everywhere."""
        hit: Hit | None = index.data(HIT_ROLE)
        if hit is None:
            super().paint(painter, option, index)
            return
        given: Any = QStyleOptionViewItem(option)
        given.text = ""
        given.widget.style().drawControl(
            QStyle.ControlElement.CE_ItemViewItem, given, painter, given.widget
        )
        painter.save()
        painter.setClipRect(given.rect)
        self._paint_hit(painter, given, hit)
        painter.restore()

    def _paint_hit(self, painter: QPainter, option: Any, hit: Hit) -> None:  # noqa: ANN401 - a style option
        theme = current_theme()
        text = option.palette.color(QPalette.ColorRole.Text)
        font = mono_font()
        painter.setFont(font)
        rect = option.rect.adjusted(4, 0, -8, 0)
        number = str(hit.line)
        width = painter.fontMetrics().horizontalAdvance("00000")
        painter.setPen(theme.colour("muted"))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(QRect(rect.left(), rect.top(), width, rect.height()), right, number)
        at = rect.left() + width + _GAP
        shown = hit.shown.replace("\t", " ")
        at = self._piece(painter, rect, at, shown[: hit.at], text)
        found = shown[hit.at : hit.at + hit.size]
        if hit.after is None:
            at = self._piece(painter, rect, at, found, text, theme.mix("surface", "warn", 0.35))
        else:
            at = self._struck(painter, rect, at, found)
            new = hit.after.replace("\n", "⏎").replace("\t", " ")
            at = self._piece(painter, rect, at, new, text, theme.mix("surface", "ok", 0.35))
        self._piece(painter, rect, at, shown[hit.at + hit.size :], text)

    def _struck(self, painter: QPainter, rect: QRect, at: int, text: str) -> int:
        theme = current_theme()
        font = painter.font()
        font.setStrikeOut(True)
        painter.setFont(font)
        ink, ground = theme.colour("muted"), theme.mix("surface", "error", 0.18)
        at = self._piece(painter, rect, at, text, ink, ground)
        font.setStrikeOut(False)
        painter.setFont(font)
        return at

    def _piece(
        self,
        painter: QPainter,
        rect: QRect,
        at: int,
        text: str,
        ink: Any,  # noqa: ANN401 - a QColor
        ground: Any = None,  # noqa: ANN401 - a QColor or None
    ) -> int:
        """Paint one piece of the line and return where the next begins."""
        if not text or at > rect.right():
            return at
        width = painter.fontMetrics().horizontalAdvance(text)
        place = QRect(at, rect.top(), width, rect.height())
        if ground is not None:
            painter.fillRect(place.adjusted(0, 3, 0, -3), ground)
        painter.setPen(ink)
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(place, left, text)
        return at + width
