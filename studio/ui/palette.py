"""The command palette and quick open: one box, told apart by its first character."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from studio.i18n import tr
from studio.ui.icons import icon
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtCore import QModelIndex, QPersistentModelIndex

    from studio.ui.shell import MainWindow

_ENTRY = Qt.ItemDataRole.UserRole + 1
_WIDTH = 640
_ROWS = 12


@dataclass(frozen=True)
class Entry:
    """One line of the palette; a disabled one shows its reason as detail."""

    title: str
    run: Callable[[], object]
    detail: str = ""
    keys: str = ""
    icon: str = ""
    enabled: bool = True
    marks: tuple[int, ...] = ()


class Palette(QFrame):
    """A box over the window; typing filters, Enter runs, Esc closes."""

    def __init__(
        self, window: MainWindow, source: Callable[[str], tuple[str, Sequence[Entry]]]
    ) -> None:
        super().__init__(window)
        self._window = window
        self._source = source
        self._before: QWidget | None = None
        self.box = QLineEdit()
        self.list = QListWidget()
        self._hint = QLabel()
        self._hint.setProperty("role", "muted")
        self._hint.setContentsMargins(6, 2, 6, 4)
        self._soon = QTimer(self, singleShot=True, interval=30)
        self._soon.timeout.connect(self.update_list)
        self.box.textChanged.connect(lambda _: self._soon.start())
        self.box.installEventFilter(self)
        self.box.setAccessibleName(tr("Command or file"))
        self.list.setItemDelegate(_Delegate(self.list))
        self.list.setUniformItemSizes(True)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setAccessibleName(tr("Matches"))
        self.list.itemClicked.connect(lambda _: self.accept())
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 4)
        column.setSpacing(6)
        column.addWidget(self.box)
        column.addWidget(self.list)
        column.addWidget(self._hint)
        self.setAutoFillBackground(True)
        self.setObjectName("palette")
        self.hide()

    def open(self, prefix: str = "", hint: str = "") -> None:
        """Show the box with a prefix already typed."""
        focused = self._window.focusWidget()
        if not self.isVisible():
            self._before = focused
        self.box.setPlaceholderText(hint)
        self.box.setText(prefix)
        self.update_list()
        self.show()
        self.raise_()
        self.box.setFocus(Qt.FocusReason.PopupFocusReason)
        self.box.setCursorPosition(len(prefix))

    def close_box(self) -> None:
        """Hide the box and give the focus back."""
        if self.isVisible():
            self.hide()
            before, self._before = self._before, None
            if before is not None and isValid(before) and before.isVisible():
                QWidget.setFocus(before)

    def update_list(self) -> None:
        """Show what matches the typed text."""
        self._soon.stop()
        hint, entries = self._source(self.box.text())
        self.list.clear()
        for entry in entries:
            item = QListWidgetItem(entry.title)
            item.setData(_ENTRY, entry)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{entry.title} {entry.keys}")
            if not entry.enabled:
                item.setFlags(Qt.ItemFlag.NoItemFlags)
            self.list.addItem(item)
        self._select_first()
        nothing = not entries and bool(self.box.text().lstrip(">@#:").strip())
        self._hint.setText(tr("No match. {hint}", hint=hint) if nothing else hint)
        self._place()

    def entries(self) -> list[Entry]:
        """What is listed."""
        return [self.list.item(i).data(_ENTRY) for i in range(self.list.count())]

    def accept(self) -> None:
        """Run the selected entry."""
        if self._soon.isActive():
            self.update_list()
        item = self.list.currentItem()
        if item is None or not item.flags() & Qt.ItemFlag.ItemIsEnabled:
            return
        entry: Entry = item.data(_ENTRY)
        self.close_box()
        entry.run()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keys of the box: up, down, Enter, Esc; losing the focus closes it."""
        if watched is self.box and isinstance(event, QKeyEvent):
            if event.type() == QEvent.Type.ShortcutOverride and event.key() == Qt.Key.Key_Escape:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress and self._key(event.key()):
                return True
        if watched is self.box and event.type() == QEvent.Type.FocusOut:
            QTimer.singleShot(0, self, self._focus_lost)
        return super().eventFilter(watched, event)

    def _focus_lost(self) -> None:
        if not self.box.hasFocus() and self._window.isActiveWindow():
            self.hide()
            self._before = None

    def _key(self, key: int) -> bool:
        steps: dict[int, int] = {
            Qt.Key.Key_Down: 1,
            Qt.Key.Key_Up: -1,
            Qt.Key.Key_PageDown: _ROWS,
            Qt.Key.Key_PageUp: -_ROWS,
        }
        if key == Qt.Key.Key_Escape:
            self.close_box()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.accept()
        elif key in steps and self.list.count():
            row = self.list.currentRow() + steps[key]
            wraps = abs(steps[key]) == 1
            last = self.list.count() - 1
            self.list.setCurrentRow(row % (last + 1) if wraps else min(max(row, 0), last))
        else:
            return False
        return True

    def _select_first(self) -> None:
        for row in range(self.list.count()):
            if self.list.item(row).flags() & Qt.ItemFlag.ItemIsEnabled:
                self.list.setCurrentRow(row)
                return

    def _place(self) -> None:
        rows = min(self.list.count(), _ROWS)
        self.list.setVisible(rows > 0)
        self.list.setFixedHeight(rows * 28 + 4)
        width = min(_WIDTH, self._window.width() - 32)
        self.setFixedWidth(width)
        self.adjustSize()
        top = self._window.menuBar().height() + 6
        self.move(QPoint((self._window.width() - width) // 2, top))

    def paintEvent(self, event: Any) -> None:  # noqa: ANN401 - as Qt has it
        """Draw the ground with a hairline around it."""
        theme = current_theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme.colour("line"))
        painter.setBrush(theme.colour("raised"))
        painter.drawRoundedRect(self.rect().toRectF().adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        painter.end()


class _Delegate(QStyledItemDelegate):
    """Title with the matched characters marked, detail after it, keys at the right."""

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        return QSize(100, 28)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        entry: Entry = index.data(_ENTRY)
        theme = current_theme()
        given: Any = option
        rect = given.rect
        if given.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, theme.colour("selected"))
        ink = theme.colour("text" if entry.enabled else "muted")
        middle = rect.top() + (rect.height() - 16) // 2
        icon(entry.icon, "muted").paint(painter, rect.left() + 8, middle, 16, 16)
        right = rect.right() - 10
        if entry.keys:
            painter.setPen(theme.colour("muted"))
            width = given.fontMetrics.horizontalAdvance(entry.keys)
            area = rect.adjusted(0, 0, -10, 0)
            painter.drawText(
                area, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, entry.keys
            )
            right -= width + 16
        x = rect.left() + 32
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        marked = set(entry.marks)
        for place, character in enumerate(entry.title):
            width = given.fontMetrics.horizontalAdvance(character)
            if x + width > right:
                break
            painter.setPen(theme.colour("accent") if place in marked else ink)
            painter.drawText(x, rect.top(), width + 2, rect.height(), flags, character)
            x += width
        if entry.detail and x + 24 < right:
            painter.setPen(theme.colour("muted"))
            room = right - x - 12
            text = given.fontMetrics.elidedText(entry.detail, Qt.TextElideMode.ElideMiddle, room)
            painter.drawText(x + 12, rect.top(), room, rect.height(), flags, text)
