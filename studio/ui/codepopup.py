"""The list of proposals below the cursor of an editor; the editor keeps the focus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QFrame, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from studio.ui.fonts import mono_font
from studio.ui.icons import icon
from studio.ui.lines import BADGE_ROLE, LineDelegate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtCore import QRect
    from PySide6.QtGui import QKeyEvent

_ROWS, _WIDTH = 10, 360
_STEPS = {
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_PageUp: -_ROWS,
    Qt.Key.Key_PageDown: _ROWS,
}
_TAKES = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab)


class ProposalPopup(QFrame):
    """Shows pairs of name and kind; `chosen` tells which name was taken."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAutoFillBackground(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list = QListWidget()
        self.list.setFont(mono_font())
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setUniformItemSizes(True)
        self.list.setItemDelegate(LineDelegate(self.list))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.itemClicked.connect(lambda item: self._take(item))
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 1, 1, 1)
        column.addWidget(self.list)
        self.hide()

    def show_at(self, cursor: QRect, proposals: Sequence[tuple[str, str, str]]) -> None:
        """Show names with their kinds and icons below (or above) the cursor; hide without any.

        `cursor` is in the coordinates of the parent; the selected name stays selected.
        """
        if not proposals:
            self.hide()
            return
        current = self.list.currentItem()
        before = current.text() if current is not None and self.isVisible() else ""
        self.list.clear()
        for name, kind, sign in proposals:
            item = QListWidgetItem(icon(sign, "muted"), name)
            item.setData(BADGE_ROLE, (kind, "muted"))
            self.list.addItem(item)
        names = [name for name, _, _ in proposals]
        self.list.setCurrentRow(names.index(before) if before in names else 0)
        height = min(len(names), _ROWS) * self.list.sizeHintForRow(0) + 6
        self.resize(_WIDTH, height)
        parent = self.parentWidget()
        room = parent.height() if parent is not None else 0
        below = cursor.bottom() + 2
        top = below if below + height <= room else max(cursor.top() - height - 2, 0)
        left = cursor.left()
        if parent is not None:
            left = max(min(left, parent.width() - _WIDTH), 0)
        self.move(QPoint(left, top))
        self.show()
        self.raise_()

    def names(self) -> list[str]:
        """The names that are shown."""
        found = (self.list.item(row) for row in range(self.list.count()))
        return [item.text() for item in found if item is not None]

    def takes(self, event: QKeyEvent) -> bool:
        """Use a key of the editor while the list is shown; whether it was one for the list."""
        if not self.isVisible():
            return False
        key = event.key()
        if key == Qt.Key.Key_Escape:
            self.hide()
            return True
        if key in _STEPS and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            last = self.list.count() - 1
            row = min(max(self.list.currentRow() + _STEPS[Qt.Key(key)], 0), last)
            self.list.setCurrentRow(row)
            return True
        if key in _TAKES and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            self._take(self.list.currentItem())
            return True
        return False

    def _take(self, item: QListWidgetItem | None) -> None:
        self.hide()
        if item is not None:
            self.chosen.emit(item.text())
