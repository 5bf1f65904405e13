"""One bar divided into coloured parts that add up to a whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from studio.ui.pictures import PictureMenu
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from PySide6.QtGui import QColor

_HEIGHT = 24
_GAP = 1.0


@dataclass(frozen=True)
class Part:
    """One part of a bar; `semantic` names the colour of its kind of work."""

    key: str
    title: str
    value: str
    share: float
    semantic: str


class ShareBar(QWidget):
    """A click chooses a part; hovering tells its name and value."""

    chosen = Signal(str)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self._parts: tuple[Part, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.current = -1
        """The part that the keys are at."""
        self.pictures = PictureMenu(self, self.table)

    def set_parts(self, parts: Sequence[Part]) -> None:
        """Show these parts from left to right."""
        self._parts = tuple(parts)
        self.current = -1
        told = ", ".join(f"{part.title} {part.value}" for part in parts)
        self.setAccessibleName(f"{self._name}: {told}")
        self.update()

    def table(self) -> Iterable[Sequence[object]]:
        """Every part, how much it is in words, and its share."""
        yield "part", "value", "share"
        for part in self._parts:
            yield part.title, part.value, part.share

    def sizeHint(self) -> QSize:
        """As wide as there is room."""
        return QSize(240, _HEIGHT)

    def part_at(self, x: float) -> Part | None:
        """The part at a place."""
        return next(
            (part for part, rect in self._places() if rect.left() <= x < rect.right()), None
        )

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the parts, with their share where it fits."""
        theme = current_theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), theme.colour("surface"))
        for part, rect in self._places():
            colour = theme.semantic(part.semantic)
            painter.fillRect(rect.adjusted(0, 0, -_GAP if rect.width() > 3 else 0, 0), colour)
            text = f"{part.title} {part.value}"
            metrics = painter.fontMetrics()
            fitting = next(
                (t for t in (text, part.value) if metrics.horizontalAdvance(t) + 12 < rect.width()),
                "",
            )
            painter.setPen(ink_on(colour))
            painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, fitting)
        if self.hasFocus():
            places = [QRectF(self.rect()), *(rect for _, rect in self._places())]
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
            painter.setPen(QPen(theme.colour("text"), 2))
            painter.drawRect(places[self.current + 1].adjusted(1, 1, -1, -1))
        painter.end()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go from part to part by the arrow keys; Enter chooses one."""
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()), 0)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.current >= 0:
            self.chosen.emit(self._parts[self.current].key)
        elif step and self._parts:
            self.current = min(max(self.current + step, 0), len(self._parts) - 1)
            part = self._parts[self.current]
            self.setAccessibleDescription(f"{part.title}: {part.value}")
            self.update()
        else:
            super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Choose a part."""
        part = self.part_at(event.position().x())
        if part is not None and event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit(part.key)

    def event(self, event: QEvent) -> bool:
        """Tell what is under the pointer."""
        if isinstance(event, QHelpEvent):
            part = self.part_at(event.pos().x())
            text = f"{part.title}: {part.value}" if part is not None else ""
            QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().event(event)

    def _places(self) -> list[tuple[Part, QRectF]]:
        total = sum(part.share for part in self._parts) or 1.0
        places, left = [], 0.0
        for part in self._parts:
            width = self.width() * part.share / total
            places.append((part, QRectF(left, 0, width, self.height())))
            left += width
        return places


def ink_on(colour: QColor) -> QColor:
    """The colour of text on a ground: dark on light, light on dark."""
    light = 0.299 * colour.red() + 0.587 * colour.green() + 0.114 * colour.blue()
    return type(colour)("#0b1118" if light > 120 else "#ffffff")
