"""A line above a view that tells of its file and offers what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRect, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QToolButton, QWidget

from studio.i18n import tr
from studio.ui.icons import pixmap, set_icon
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_COLOURS = {"info": "info", "ok": "ok", "warn": "warn", "error": "error"}


class NoticeBar(QWidget):
    """One sentence with its buttons; hidden while there is nothing to tell."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._severity = "info"
        self._icon = QLabel()
        self._text = QLabel()
        self._text.setWordWrap(True)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._buttons: list[QPushButton] = []
        self._close = QToolButton()
        set_icon(self._close, "close")
        self._close.setToolTip(tr("Dismiss"))
        self._close.setAccessibleName(tr("Dismiss"))
        self._close.clicked.connect(lambda _checked=False: self.clear())
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(12, 5, 8, 5)
        self._row.setSpacing(8)
        self._row.addWidget(self._icon)
        self._row.addWidget(self._text, 1)
        self._row.addWidget(self._close)
        self.hide()

    def text(self) -> str:
        """What it tells, "" while hidden."""
        return "" if self.isHidden() else self._text.text()

    def buttons(self) -> dict[str, QPushButton]:
        """The buttons by their titles."""
        return {button.text(): button for button in self._buttons}

    def tell(
        self, severity: str, text: str, actions: Mapping[str, Callable[[], object]] | None = None,
        *, closable: bool = True,
    ) -> None:  # fmt: skip
        """Show a sentence; a click on a button runs its action."""
        self._severity = severity
        self._text.setText(text)
        for old in self._buttons:
            old.hide()
            old.deleteLater()
        self._buttons = []
        for number, (title, run) in enumerate((actions or {}).items()):
            button = QPushButton(title)
            button.setProperty("flat", number > 0)
            button.clicked.connect(lambda _checked=False, run=run: run())
            self._row.insertWidget(2 + number, button)
            self._buttons.append(button)
        self._close.setVisible(closable)
        self._draw()
        self.show()

    def clear(self) -> None:
        """Hide again."""
        self.hide()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint a quiet background with the colour of the severity at the left."""
        theme = current_theme()
        painter = QPainter(self)
        colour = _COLOURS[self._severity]
        painter.fillRect(self.rect(), theme.mix("surface", colour, 0.10))
        painter.fillRect(QRect(0, 0, 3, self.height()), theme.colour(colour))
        painter.fillRect(QRect(0, self.height() - 1, self.width(), 1), theme.colour("line"))
        painter.end()

    def changeEvent(self, event: QEvent) -> None:
        """Draw the icon anew in another theme."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._draw()

    def _draw(self) -> None:
        ratio = self.devicePixelRatioF()
        self._icon.setPixmap(pixmap(self._severity, 16, _COLOURS[self._severity], ratio))
