"""Notices: what the user should know, in the corner of the window, never in the way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from studio.i18n import tr
from studio.ui.fonts import mono_font
from studio.ui.icons import pixmap, set_icon
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from PySide6.QtGui import QEnterEvent

_WIDTH = 400
_SHOWN = 4
_SECONDS = {"info": 8, "ok": 6}
_MARGIN = 12


class Told(NamedTuple):
    """A notice that was shown."""

    severity: str
    source: str
    message: str


class Notices(QObject):
    """The stack of notices above the bottom right corner of the window."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self.shown: list[Notice] = []
        self.history: list[Told] = []
        window.installEventFilter(self)

    def show(
        self,
        severity: str,
        message: str,
        *,
        source: str = "",
        details: str = "",
        actions: Mapping[str, Callable[[], object]] | None = None,
    ) -> Notice:
        """Show a notice; the same text again replaces the older one."""
        for old in [n for n in self.shown if n.message == message and n.severity == severity]:
            self.dismiss(old)
        notice = Notice(self._window, severity, message, source, details, actions or {})
        notice.close_button.clicked.connect(lambda: self.dismiss(notice))
        for button in notice.buttons:
            button.clicked.connect(lambda _=False: self.dismiss(notice))
        notice.expired.timeout.connect(lambda: self.dismiss(notice))
        notice.resized = self.arrange
        self.history.append(Told(severity, source, message))
        self.shown.append(notice)
        for old in self.shown[:-_SHOWN]:
            self.dismiss(old)
        notice.show()
        self.arrange()
        return notice

    def dismiss(self, notice: Notice | None = None) -> bool:
        """Take a notice away (the newest one by default); False when there is none."""
        if notice is None and self.shown:
            notice = self.shown[-1]
        if notice not in self.shown or notice is None:
            return False
        self.shown.remove(notice)
        notice.expired.stop()
        notice.hide()
        notice.deleteLater()
        self.arrange()
        return True

    def arrange(self) -> None:
        """Stack the notices from the bottom right corner upwards."""
        bottom = self._window.height() - 24 - _MARGIN
        for notice in reversed(self.shown):
            width = min(_WIDTH, self._window.width() - 2 * _MARGIN)
            notice.resize(width, notice.heightForWidth(width))
            bottom -= notice.height()
            notice.move(self._window.width() - notice.width() - _MARGIN, bottom)
            notice.raise_()
            bottom -= 8

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the size of the window, and stay above panels that it gets."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            self.arrange()
        return super().eventFilter(watched, event)


class Notice(QFrame):
    """One notice: severity as icon, colour and word; message; details; actions."""

    def __init__(
        self,
        window: QWidget,
        severity: str,
        message: str,
        source: str,
        details: str,
        actions: Mapping[str, Callable[[], object]],
    ) -> None:
        super().__init__(window)
        self.severity, self.message = severity, message
        self.resized: Callable[[], Any] = lambda: None
        self.buttons: list[QPushButton] = []
        self.close_button = QToolButton()
        set_icon(self.close_button, "close", "muted")
        self.close_button.setToolTip(tr("Dismiss (Esc)"))
        self.close_button.setAccessibleName(tr("Dismiss"))
        self.setAccessibleName(f"{severity_word(severity)}: {message}")
        self.setAutoFillBackground(False)
        self._details = QPlainTextEdit(details, readOnly=True)
        self._details.hide()
        self._details.setFont(mono_font())
        self._details.setFixedHeight(160)
        self._sign = QLabel()
        self._lay_out(source, details, actions)
        self.expired = QTimer(self, singleShot=True)
        if severity in _SECONDS and not actions:
            self.expired.start(_SECONDS[severity] * 1000)

    def enterEvent(self, event: QEnterEvent) -> None:
        """Stay while the pointer is on it."""
        self.expired.stop()
        super().enterEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the ground and the bar in the colour of the severity."""
        theme = current_theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme.colour("line"))
        painter.setBrush(theme.colour("raised"))
        painter.drawRoundedRect(self.rect().toRectF().adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour(self.severity))
        painter.drawRoundedRect(0, 6, 3, self.height() - 12, 1.5, 1.5)
        painter.end()

    def _lay_out(
        self, source: str, details: str, actions: Mapping[str, Callable[[], object]]
    ) -> None:
        self._tint()
        heading = severity_word(self.severity) + (f" · {source}" if source else "")
        title = QLabel(heading)
        title.setProperty("role", "muted")
        top = QHBoxLayout()
        top.setSpacing(8)
        top.addWidget(self._sign)
        top.addWidget(title, 1)
        top.addWidget(self.close_button)
        text = QLabel(self.message)
        text.setTextFormat(Qt.TextFormat.PlainText)
        text.setWordWrap(True)
        text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        bottom = QHBoxLayout()
        bottom.setSpacing(8)
        bottom.addStretch()
        if details:
            bottom.addWidget(self._button(tr("Details"), self._toggle_details, flat=True))
            bottom.addWidget(self._button(tr("Copy details"), self._copy, flat=True))
        for name, run in actions.items():
            button = self._button(name, run)
            self.buttons.append(button)
            bottom.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 8, 8, 10)
        column.setSpacing(6)
        column.addLayout(top)
        column.addWidget(text)
        column.addWidget(self._details)
        if details or actions:
            column.addLayout(bottom)

    def changeEvent(self, event: QEvent) -> None:
        """Take the colours of another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._tint()

    def _tint(self) -> None:
        sign = pixmap(self.severity, 16, self.severity, self.devicePixelRatioF())
        self._sign.setPixmap(sign)

    def _button(self, title: str, run: Callable[[], object], *, flat: bool = False) -> QPushButton:
        button = QPushButton(title)
        button.setProperty("flat", flat)
        button.clicked.connect(lambda _checked=False: run())
        return button

    def _toggle_details(self) -> None:
        self.expired.stop()
        self._details.setVisible(not self._details.isVisible())
        self.resized()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(f"{self.message}\n\n{self._details.toPlainText()}")


def severity_word(severity: str) -> str:
    """The word beside the icon of a severity."""
    return {
        "error": tr("Error"),
        "warn": tr("Warning"),
        "warning": tr("Warning"),
        "ok": tr("Done"),
        "hint": tr("Hint"),
    }.get(severity, tr("Info"))
