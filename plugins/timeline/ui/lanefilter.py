"""The field left of the overview that filters lanes, with a menu for all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QMenu, QToolButton, QWidget

from plugins.timeline.ui import minimap
from plugins.timeline.ui.guttermenu import fill_lanes_menu
from studio.i18n import tr
from studio.ui.icons import icon, set_icon

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

    from plugins.timeline.ui.state import TimelineState

_WAIT = 80


class LaneFilter(QWidget):
    """Shows only the lanes whose process, title or categories contain what is typed."""

    def __init__(self, state: TimelineState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self.field = QLineEdit(clearButtonEnabled=True)
        self.button = QToolButton()
        self.menu = QMenu(self)
        self._soon = QTimer(self, singleShot=True, interval=_WAIT)
        self._soon.timeout.connect(self._apply)
        self._lay_out()
        state.palette_changed.connect(self.update)
        state.lanes.layout_changed.connect(self._follow)

    def idle(self) -> bool:
        """Whether what stands in the field is applied."""
        return not self._soon.isActive()

    def open(self) -> None:
        """Put the cursor into the field."""
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the ground that the column of titles has."""
        colour = self._state.palette.colour
        painter = QPainter(self)
        painter.fillRect(self.rect(), colour("surface"))
        painter.setPen(colour("line"))
        painter.drawLine(0, self.height() - 1, self.width(), self.height() - 1)
        painter.drawLine(self.width() - 1, 0, self.width() - 1, self.height())
        painter.end()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Clear the filter with Esc, go to the lanes with Enter."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() == Qt.Key.Key_Escape and self.field.text():
                self.field.clear()
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape):
                self._apply()
                self.focusNextChild()
                return True
        return super().eventFilter(watched, event)

    def _lay_out(self) -> None:
        self.setFixedHeight(minimap.HEIGHT)
        self.field.setPlaceholderText(tr("Filter lanes"))
        self.field.setAccessibleName(tr("Filter lanes"))
        self.field.setToolTip(
            tr("Show only lanes whose process, name or categories contain all these words")
        )
        self.field.addAction(icon("filter", "muted"), QLineEdit.ActionPosition.LeadingPosition)
        for button in self.field.findChildren(QToolButton):
            button.setToolTip(tr("Filter lanes"))
            button.setAccessibleName(tr("Filter lanes"))
        self.field.textChanged.connect(lambda _text: self._soon.start())
        self.field.installEventFilter(self)
        set_icon(self.button, "more")
        self.button.setToolTip(tr("All lanes: fold, unfold, show hidden ones"))
        self.button.setAccessibleName(tr("All lanes"))
        self.button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.button.setStyleSheet("QToolButton::menu-indicator { image: none; }")
        self.button.setMenu(self.menu)
        self.menu.aboutToShow.connect(self._fill_menu)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 0, 6, 1)
        row.setSpacing(4)
        row.addWidget(self.field, 1)
        row.addWidget(self.button)

    def _fill_menu(self) -> None:
        self.menu.clear()
        fill_lanes_menu(self.menu, self._state)

    def _apply(self) -> None:
        self._soon.stop()
        self._state.lanes.filter(self.field.text())

    def _follow(self) -> None:
        """Show the filter that is in force, when something else changed it."""
        text = self._state.lanes.arrangement.text
        if not self._soon.isActive() and text != self.field.text().strip():
            self.field.setText(text)
            self._soon.stop()
