"""Small parts that views are put together from: boxes to choose from, widgets under a title."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QSignalBlocker, QSize, Qt
from PySide6.QtGui import QHelpEvent, QPainter
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QSplitter,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QPaintEvent
    from PySide6.QtWidgets import QMenu


class OneLine(QLabel):
    """A plain text that never makes its view wider: dots stand for what does not fit.

    The tool tip then begins with the whole text.
    """

    def __init__(
        self, parent: QWidget | None = None, dots: Qt.TextElideMode = Qt.TextElideMode.ElideRight
    ) -> None:
        super().__init__(parent)
        self._dots = dots
        self.setTextFormat(Qt.TextFormat.PlainText)

    def shown(self) -> str:
        """The text as it is painted."""
        room = self.contentsRect().width()
        return self.fontMetrics().elidedText(self.text(), self._dots, room)

    def minimumSizeHint(self) -> QSize:
        """Any width will do."""
        return QSize(0, super().minimumSizeHint().height())

    def event(self, event: QEvent) -> bool:
        """Tell the whole text where it is cut off."""
        asked = isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip
        if isinstance(event, QHelpEvent) and asked and self.shown() != self.text():
            told = "\n".join(part for part in (self.text(), self.toolTip()) if part)
            QToolTip.showText(event.globalPos(), told, self)
            return True
        return super().event(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint what fits."""
        painter = QPainter(self)
        self.style().drawItemText(
            painter,
            self.contentsRect(),
            self.alignment().value,
            self.palette(),
            self.isEnabled(),
            self.shown(),
            self.foregroundRole(),
        )
        painter.end()


def chooser(name: str, tip: str, entries: Sequence[tuple[str, Any]] = ()) -> QComboBox:
    """A box of titles and values, as wide as its longest title."""
    box = QComboBox()
    box.setAccessibleName(name)
    box.setToolTip(tip)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
    fill(box, entries)
    return box


def fill(box: QComboBox, entries: Sequence[tuple[str, Any]], chosen: object = None) -> None:
    """Show other titles and values, one of them chosen."""
    with QSignalBlocker(box):
        box.clear()
        for title, value in entries:
            box.addItem(title, value)
        box.setCurrentIndex(max(box.findData(chosen), 0))


def head_menu(menu: QMenu, title: str) -> None:
    """Say in a menu what the entries after it are; Qt's own sections show no words here."""
    if not menu.isEmpty():
        menu.addSeparator()
    menu.addAction(title).setEnabled(False)


def titled(title: str, widget: QWidget) -> QWidget:
    """A widget below its title."""
    label = QLabel(title)
    label.setProperty("role", "muted")
    label.setContentsMargins(10, 5, 8, 4)
    return stacked(label, widget)


def note(text: str) -> QLabel:
    """A text of several lines that can be copied."""
    label = QLabel(text)
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
    label.setContentsMargins(12, 8, 12, 6)
    return label


def stacked(top: QWidget, below: QWidget) -> QWidget:
    """A widget that takes what room there is below another one."""
    box = QWidget()
    column = QVBoxLayout(box)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    column.addWidget(top)
    column.addWidget(below, 1)
    return box


def scrolled(widget: QWidget) -> QScrollArea:
    """A widget that is at least as large as it needs, in a frame that scrolls; keys go to it."""
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(widget)
    return area


def split(orientation: Qt.Orientation, sizes: Sequence[int], *widgets: QWidget) -> QSplitter:
    """Widgets beside or below each other, with thin borders that can be moved."""
    splitter = QSplitter(orientation)
    splitter.setHandleWidth(1)
    splitter.setChildrenCollapsible(False)
    for widget in widgets:
        splitter.addWidget(widget)
    splitter.setSizes(list(sizes))
    return splitter
