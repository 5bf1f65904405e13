"""What a view in the centre may offer, and the empty state that teaches what would fill it.

A view is any QWidget. The host looks for the methods of these protocols one by one and uses those
that are there, so a view implements only what it needs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtCore import Qt, SignalInstance
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from studio.ui.icons import pixmap, set_icon

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QResizeEvent

    from studio.model.locations import Location


_MARGIN, _LEAST, _PICTURE = 24, 4, 40


class Titled(Protocol):
    """A view that names its own tab."""

    title_changed: SignalInstance

    def title(self) -> str:
        """The text of the tab; else the name of the opened file."""

    def tool_tip(self) -> str:
        """The tool tip of the tab; else the path."""


class Editing(Protocol):
    """A view that holds work which can be unsaved."""

    dirty_changed: SignalInstance

    def is_dirty(self) -> bool:
        """Whether there is unsaved work; the tab shows a dot."""

    def save(self) -> bool:
        """Save it; False when that failed (and was told)."""

    def can_close(self) -> bool:
        """Ask about unsaved work; False keeps the tab open."""


class Restorable(Protocol):
    """A view that comes back after a restart as it was."""

    def save_state(self) -> dict[str, Any]:
        """Place, zoom and the like, as plain JSON values."""

    def restore_state(self, state: dict[str, Any]) -> None:
        """Return to a saved state."""


class Revealing(Protocol):
    """A view that can show a place."""

    def reveal(self, location: Location) -> bool:
        """Show the place; False when it is not here."""


class Waiting(Protocol):
    """A view that loads or animates."""

    def idle(self) -> bool:
        """Whether all is shown; False while loading or animating."""


@dataclass(frozen=True)
class Action:
    """A button of an empty state; the first one of a state is its primary action."""

    title: str
    run: Callable[[], object]
    icon: str = ""


class EmptyState(QWidget):
    """Says what would be here, what fills it, and offers the next step."""

    def __init__(
        self,
        icon: str,
        title: str,
        text: str = "",
        actions: Sequence[Action] = (),
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._icon = icon
        self._picture = QLabel(alignment=Qt.AlignmentFlag.AlignHCenter)
        self._title = QLabel(alignment=Qt.AlignmentFlag.AlignHCenter)
        self._text = QLabel(alignment=Qt.AlignmentFlag.AlignHCenter)
        self._text.setProperty("role", "muted")
        for label in (self._title, self._text):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
        font = self._title.font()
        font.setPointSizeF(font.pointSizeF() * 1.25)
        self._title.setFont(font)
        self._buttons = QHBoxLayout()
        self._buttons.setSpacing(8)
        column = QVBoxLayout(self)
        column.setContentsMargins(_MARGIN, _MARGIN, _MARGIN, _MARGIN)
        column.setSpacing(8)
        column.addStretch(2)
        column.addWidget(self._picture)
        column.addSpacing(4)
        column.addWidget(self._title)
        column.addWidget(self._text)
        column.addSpacing(8)
        column.addLayout(self._buttons)
        column.addStretch(3)
        self._column = column
        self.set_content(icon, title, text, actions)

    def set_content(
        self, icon: str, title: str, text: str = "", actions: Sequence[Action] = ()
    ) -> None:
        """Show another icon, text and buttons."""
        self._icon = icon
        self._title.setText(title)
        self._text.setText(text)
        self._text.setVisible(bool(text))
        while (item := self._buttons.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.deleteLater()
        self._buttons.addStretch()
        for index, action in enumerate(actions):
            button = QPushButton(action.title)
            button.setProperty("primary", index == 0)
            if action.icon:
                set_icon(button, action.icon, "on_accent" if index == 0 else "text")
            button.clicked.connect(_without_argument(action.run))
            self._buttons.addWidget(button)
        self._buttons.addStretch()
        self._draw()
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Rather do without the picture than cut the text."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        inner = max(self.width() - 2 * _MARGIN, 1)
        texts = [label for label in (self._title, self._text) if label.text()]
        needed = sum(label.heightForWidth(inner) + self._column.spacing() for label in texts)
        needed += self._buttons.sizeHint().height() + 3 * self._column.spacing()
        room = self.height() - needed
        pictured = room >= _PICTURE + self._column.spacing() + 2 * _LEAST
        room -= _PICTURE + self._column.spacing() if pictured else 0
        across = _MARGIN if room >= 2 * _MARGIN else _LEAST
        self._column.setContentsMargins(_MARGIN, across, _MARGIN, across)
        self._picture.setVisible(pictured)

    def changeEvent(self, event: QEvent) -> None:
        """Draw the picture anew in another theme."""
        super().changeEvent(event)
        if event.type() == event.Type.PaletteChange:
            self._draw()

    def _draw(self) -> None:
        self._picture.setPixmap(pixmap(self._icon, _PICTURE, "muted", self.devicePixelRatioF()))


def _without_argument(run: Callable[[], object]) -> Callable[[bool], None]:
    def clicked(_checked: bool = False) -> None:
        run()

    return clicked
