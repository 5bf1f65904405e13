"""Stacked bars, one per step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from studio.i18n import tr
from studio.ui.pictures import PictureMenu
from studio.ui.text import format_ns, format_percent
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from plugins.steps.ui.parts import Part

_LEFT: Final = 64
_LONGEST: Final = "888.8 ms"
_FOOT: Final = 22
_TOP: Final = 10
_WIDEST: Final = 72.0
_NARROWEST: Final = 5.0
_LINES: Final = 4


class StepBars(QWidget):
    """A click or the arrow keys choose a step; a click on a part chooses that too.

    `word` says what a bar stands for, by default a step.
    """

    chosen = Signal(int, str)

    def __init__(
        self,
        name: str = "",
        word: Callable[[str], str] | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._word = word or step_word
        self._names: Sequence[str] = ()
        self._bars: Sequence[Sequence[Part]] = ()
        self._largest = 1
        self.current = -1
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(name or tr("Time of every step"))
        self.pictures = PictureMenu(self, self.table)

    def set_steps(self, names: Sequence[str], bars: Sequence[Sequence[Part]]) -> None:
        """Show these steps, each with the parts of its bar from below."""
        self._names, self._bars = names, bars
        self._largest = max((sum(p.ns for p in bar) for bar in bars), default=1) or 1
        self.setMinimumWidth(round(self._left() + len(bars) * _NARROWEST + 8))
        self.update()

    def set_current(self, row: int) -> None:
        """Mark a step."""
        self.current = row
        if 0 <= row < len(self._names):
            step = self._word(self._names[row])
            self.setAccessibleDescription(f"{step}: {format_ns(self._total(row))}")
        self.update()

    def table(self) -> Iterable[Sequence[object]]:
        """Every part of every bar, in nanoseconds."""
        yield "bar", "part", "time_ns"
        for name, bar in zip(self._names, self._bars, strict=True):
            for part in bar:
                yield self._word(name), part.title, part.ns

    def sizeHint(self) -> QSize:
        """A low strip."""
        return QSize(600, 170)

    def minimumSizeHint(self) -> QSize:
        """Bars need some height."""
        return QSize(200, 72)

    def place_of(self, row: int) -> QRectF:
        """Where the bar of a step stands."""
        wide = self._wide()
        gap = 2.0 if wide > 12 else 1.0
        high = self._room() * self._total(row) / self._largest
        top = self.height() - _FOOT - high
        return QRectF(self._left() + row * wide + gap / 2, top, wide - gap, high)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw a quiet scale and the bars in view."""
        theme, painter = current_theme(), QPainter(self)
        painter.fillRect(event.rect(), theme.colour("bg"))
        self._draw_scale(painter)
        wide = self._wide()
        first = max(int((event.rect().left() - self._left()) / wide), 0)
        last = min(int((event.rect().right() - self._left()) / wide) + 2, len(self._bars))
        every = max(round(46 / wide), 1)
        for row in range(first, last):
            column = QRectF(self._left() + row * wide, 0, wide, self.height())
            if row == self.current:
                painter.fillRect(column, theme.colour("selected"))
            self._draw_bar(painter, row)
            if row % every == 0:
                text = QRectF(column.center().x() - 40, self.height() - _FOOT, 80, _FOOT)
                painter.setPen(theme.colour("text" if row == self.current else "muted"))
                painter.drawText(text, Qt.AlignmentFlag.AlignCenter, self._names[row])
        if self.hasFocus():
            painter.setPen(QPen(theme.colour("accent"), 1))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()

    def event(self, event: QEvent) -> bool:
        """Tell the step and its parts under the pointer."""
        if isinstance(event, QHelpEvent):
            row = self._row_at(event.pos().x())
            QToolTip.showText(event.globalPos(), self.told(row) if row >= 0 else "", self)
            return True
        return super().event(event)

    def told(self, row: int) -> str:
        """A step and its parts in words."""
        total = self._total(row) or 1
        lines = [f"{self._word(self._names[row])}: {format_ns(self._total(row))}"]
        lines += [
            f"{part.title}: {format_ns(part.ns)} ({format_percent(part.ns / total)})"
            for part in self._bars[row]
        ]
        return "\n".join(lines)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose a step, and the part that was hit."""
        row = self._row_at(event.position().x())
        if row >= 0 and event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit(row, self._part_at(row, event.position().y()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to the step before or after."""
        move = {
            Qt.Key.Key_Left: self.current - 1,
            Qt.Key.Key_Right: self.current + 1,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: len(self._bars) - 1,
        }.get(Qt.Key(event.key()))
        if move is None:
            super().keyPressEvent(event)
        elif 0 <= move < len(self._bars):
            self.chosen.emit(move, "")

    # -- places -------------------------------------------------------------------------------
    def _left(self) -> int:
        """The room of the scale, for fonts of any size."""
        return max(_LEFT, self.fontMetrics().horizontalAdvance(_LONGEST) + 12)

    def _draw_scale(self, painter: QPainter) -> None:
        theme = current_theme()
        bottom = self.height() - _FOOT
        for line in range(_LINES + 1):
            y = bottom - self._room() * line / _LINES
            painter.setPen(theme.mix("bg", "line", 0.5))
            painter.drawLine(self._left(), round(y), self.width(), round(y))
            if line and (line % 2 == 0):
                painter.setPen(theme.colour("muted"))
                text = format_ns(round(self._largest * line / _LINES), 3)
                flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
                painter.drawText(QRectF(0, y - 9, self._left() - 8, 18), flags, text)

    def _draw_bar(self, painter: QPainter, row: int) -> None:
        place, total = self.place_of(row), self._total(row) or 1
        bottom = place.bottom()
        for part in self._bars[row]:
            high = place.height() * part.ns / total
            rect = QRectF(place.left(), bottom - high, place.width(), high)
            painter.fillRect(rect, current_theme().semantic(part.semantic))
            bottom -= high

    def _part_at(self, row: int, y: float) -> str:
        place, total = self.place_of(row), self._total(row) or 1
        bottom = place.bottom()
        for part in self._bars[row]:
            high = place.height() * part.ns / total
            if bottom - high <= y <= bottom:
                return part.key
            bottom -= high
        return ""

    def _row_at(self, x: float) -> int:
        row = int((x - self._left()) // self._wide())
        return row if x >= self._left() and row < len(self._bars) else -1

    def _total(self, row: int) -> int:
        return sum(part.ns for part in self._bars[row])

    def _wide(self) -> float:
        room = (self.width() - self._left() - 8) / max(len(self._bars), 1)
        return min(max(room, _NARROWEST), _WIDEST)

    def _room(self) -> int:
        return max(self.height() - _FOOT - _TOP, 1)


def step_word(name: str) -> str:
    """Name a step."""
    return tr("step {step}", step=name)
