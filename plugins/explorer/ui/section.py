"""A part of the panel with a heading that closes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from studio.i18n import tr
from studio.ui.icons import set_icon

if TYPE_CHECKING:
    from collections.abc import Callable


class Section(QWidget):
    """Heading, count and buttons in one line; the content below can be hidden."""

    def __init__(self, title: str, content: QWidget) -> None:
        super().__init__()
        self._content = content
        self._heading = QToolButton()
        self._heading.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._heading.setText(title)
        self._heading.setIconSize(QSize(12, 12))
        font = self._heading.font()
        font.setBold(True)
        self._heading.setFont(font)
        self._heading.setAccessibleName(title)
        self._heading.setToolTip(tr("Show or hide {title}", title=title))
        self._heading.clicked.connect(lambda _=False: self.toggle())
        self._note = QLabel()
        self._note.setProperty("role", "muted")
        self._row = QHBoxLayout()
        self._row.setContentsMargins(4, 0, 6, 0)
        self._row.setSpacing(2)
        self._row.addWidget(self._heading)
        self._row.addWidget(self._note)
        self._row.addStretch()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._row)
        column.addWidget(content, 1)
        self._show_arrow()

    def set_note(self, text: str) -> None:
        """Show a count after the heading."""
        self._note.setText(text)

    def add_button(self, icon: str, tip: str, run: Callable[[], object]) -> QToolButton:
        """Add a button at the right end of the heading."""
        button = QToolButton()
        set_icon(button, icon, "muted")
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        button.setIconSize(QSize(14, 14))
        button.clicked.connect(lambda _checked=False: run())
        self._row.addWidget(button)
        return button

    def toggle(self) -> None:
        """Show or hide the content."""
        self._content.setVisible(self._content.isHidden())
        hidden = self._content.isHidden()
        self.setMaximumHeight(self._heading.sizeHint().height() if hidden else 16777215)
        self._show_arrow()

    def _show_arrow(self) -> None:
        set_icon(
            self._heading, "chevron-right" if self._content.isHidden() else "chevron-down", "muted"
        )
