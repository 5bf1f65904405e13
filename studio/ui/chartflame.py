"""A flame graph, roots above: boxes as wide as what they took, callers over what they called.

Ctrl and the wheel zoom at the pointer, a drag moves, a double click fills the width with a box,
Escape shows all. Arrow keys go to the caller, the callee and the neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPen, QWheelEvent

from studio.ui.chartpick import NONE, PickChart
from studio.ui.sharebar import ink_on
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

ROW = 20
FILLED = 0.36
"""How opaque a box is under its name."""
_PALE = 0.14
_ZOOM = 1.25
_TEXT = 26.0
_LEAST = 0.6
_MOVED = 4.0


@dataclass(frozen=True)
class Boxes:
    """The boxes of a flame graph as arrays, in the order of depth, then start.

    `name` are numbers of `names`, `parent` numbers of boxes (-1 for roots), `own` the part of
    `length` that no box below takes, `tint` the number of a colour per name.
    """

    depth: Numbers
    start: Numbers
    length: Numbers
    own: Numbers
    parent: Numbers
    name: Numbers
    names: Sequence[str]
    tint: Sequence[int]

    def __len__(self) -> int:
        return len(self.start)

    @property
    def total(self) -> int:
        """The width of all roots together."""
        return int(self.length[self.depth == 0].sum()) if len(self) else 0


def no_boxes() -> Boxes:
    """A flame graph without any box."""
    nothing = np.zeros(0, np.int64)
    return Boxes(nothing, nothing, nothing, nothing, nothing, nothing, (), ())


class FlameGraph(PickChart):
    """Boxes under each other; `write` writes an amount."""

    def __init__(self, name: str, write: Callable[[int], str], empty: str = "") -> None:
        super().__init__(name, empty)
        self.boxes = no_boxes()
        self._write = write
        self._low, self._high = 0.0, 1.0
        self._marked: frozenset[int] = frozenset()
        self._edges = np.zeros(1, np.int64)
        self._pressed: tuple[QPointF, float] | None = None

    # -- data -----------------------------------------------------------------------------------
    def set_boxes(self, boxes: Boxes) -> None:
        """Show other boxes, all of them."""
        self.boxes = boxes
        deepest = int(boxes.depth.max(initial=-1)) + 1
        self._edges = np.searchsorted(boxes.depth, np.arange(deepest + 1))
        self._marked = frozenset()
        self.setMinimumHeight(deepest * ROW + 4)
        self.show_all()
        self.set_current(NONE)

    def mark(self, names: frozenset[int]) -> None:
        """Let the boxes of these names stand out; none lets all."""
        self._marked = names
        self.update()

    def count(self) -> int:
        """How many boxes there are."""
        return len(self.boxes)

    def shown(self) -> tuple[float, float]:
        """The amounts at the left and right end."""
        return self._low, self._high

    def show_all(self) -> None:
        """Show every box."""
        self._show(0.0, float(max(self.boxes.total, 1)))

    def zoom_to(self, part: int) -> None:
        """Fill the width with a box."""
        start = float(self.boxes.start[part])
        self._show(start, start + float(self.boxes.length[part]))

    # -- parts ----------------------------------------------------------------------------------
    def part_at(self, place: QPointF) -> int:
        """The box at a place."""
        level = int(place.y() // ROW)
        if not 0 <= level < len(self._edges) - 1:
            return NONE
        amount = self._low + place.x() * (self._high - self._low) / max(self.width(), 1)
        first, last = int(self._edges[level]), int(self._edges[level + 1])
        found = first + int(np.searchsorted(self.boxes.start[first:last], amount, "right")) - 1
        if found < first or amount >= self.boxes.start[found] + self.boxes.length[found]:
            return NONE
        return found

    def table(self) -> Iterable[Sequence[object]]:
        """Name, depth, start, length and own part of every box."""
        boxes = self.boxes
        yield "name", "depth", "start", "total", "self"
        columns = (boxes.name, boxes.depth, boxes.start, boxes.length, boxes.own)
        for name, *numbers in zip(*(column.tolist() for column in columns), strict=True):
            yield boxes.names[name], *numbers

    def told(self, part: int) -> str:
        """Name, total and own amount, and both as shares of all."""
        boxes = self.boxes
        total, own = int(boxes.length[part]), int(boxes.own[part])
        whole = max(boxes.total, 1)
        name = boxes.names[int(boxes.name[part])]
        shares = f"{total / whole:.1%}, {own / whole:.1%}"
        return f"{name}\n{self._write(total)}  ({self._write(own)})\n{shares}"

    def place_of(self, part: int) -> QRectF:
        """Where a box lies."""
        boxes, scale = self.boxes, self.width() / (self._high - self._low)
        left = (float(boxes.start[part]) - self._low) * scale
        wide = float(boxes.length[part]) * scale
        return QRectF(left, float(boxes.depth[part]) * ROW, wide, ROW)

    def next_by(self, key: int) -> int:
        """The caller, the first callee, or the box beside the current one."""
        boxes, at = self.boxes, self.current
        if at == NONE:
            return 0
        if key == Qt.Key.Key_Up:
            return int(boxes.parent[at])
        if key == Qt.Key.Key_Down:
            inside = np.flatnonzero(boxes.parent == at)
            return int(inside[0]) if len(inside) else NONE
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(key), 0)
        beside = at + step
        same = step and 0 <= beside < len(boxes) and boxes.depth[beside] == boxes.depth[at]
        return beside if same else NONE

    def sizeHint(self) -> QSize:
        """As deep as the boxes."""
        return QSize(600, max(len(self._edges) - 1, 8) * ROW + 4)

    # -- painting -------------------------------------------------------------------------------
    def draw(self, painter: QPainter, within: QRectF) -> None:
        """Draw the boxes in view, at most one per pixel and row."""
        levels = len(self._edges) - 1
        first = max(int(within.top() // ROW), 0)
        for level in range(first, min(int(within.bottom() // ROW) + 1, levels)):
            self._draw_level(painter, level)

    def _draw_level(self, painter: QPainter, level: int) -> None:
        boxes = self.boxes
        first, last = int(self._edges[level]), int(self._edges[level + 1])
        starts = boxes.start[first:last]
        ends = starts + boxes.length[first:last]
        low = first + int(np.searchsorted(ends, self._low, "right"))
        high = first + int(np.searchsorted(starts, self._high))
        scale = self.width() / (self._high - self._low)
        left = (boxes.start[low:high] - self._low) * scale
        wide = boxes.length[low:high] * scale
        pixel = np.floor(left).astype(np.int64)
        seen = np.ones(len(left), np.bool_)
        seen[1:] = (wide[1:] >= _LEAST) | (pixel[1:] != pixel[:-1])
        for place in np.flatnonzero(seen).tolist():
            rect = QRectF(left[place], level * ROW, max(float(wide[place]), 1.0), ROW)
            self._draw_box(painter, low + place, rect)

    def _draw_box(self, painter: QPainter, part: int, rect: QRectF) -> None:
        theme = current_theme()
        name = int(self.boxes.name[part])
        pale = bool(self._marked) and name not in self._marked
        chosen = part == self.current
        colour = QColor(theme.category(self.boxes.tint[name]))
        ink = theme.colour("muted" if pale else "text")
        if chosen:
            ink = ink_on(colour)
        else:
            colour.setAlphaF(_PALE if pale else FILLED)
        gap = 1.0 if rect.width() > 3 else 0.0
        painter.fillRect(rect.adjusted(0, 0, -gap, -1), colour)
        if chosen:
            painter.setPen(QPen(theme.colour("text"), 1))
            painter.drawRect(rect.adjusted(0.5, 0.5, -1.5, -1.5))
        left = max(rect.left(), 0.0)
        room = QRectF(left + 4, rect.top(), min(rect.right(), self.width()) - left - 8, ROW - 1)
        if room.width() >= _TEXT:
            painter.setPen(ink)
            text = painter.fontMetrics().elidedText(
                self.boxes.names[name], Qt.TextElideMode.ElideRight, round(room.width())
            )
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, text)

    # -- pointer and keys -----------------------------------------------------------------------
    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom at the pointer with Ctrl, else let the page scroll."""
        if not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            super().wheelEvent(event)
            return
        share = event.position().x() / max(self.width(), 1)
        at = self._low + share * (self._high - self._low)
        factor = _ZOOM ** (-event.angleDelta().y() / 120)
        self._show(at + (self._low - at) * factor, at + (self._high - at) * factor)
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose a box, and begin to move."""
        super().mousePressEvent(event)
        self._pressed = (event.position(), self._low)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move what is in view."""
        if self._pressed is not None and event.buttons() & Qt.MouseButton.LeftButton:
            place, low = self._pressed
            moved = event.position().x() - place.x()
            if abs(moved) > _MOVED:
                span = self._high - self._low
                left = low - moved * span / max(self.width(), 1)
                self._show(left, left + span)
        super().mouseMoveEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Fill the width with a box."""
        part = self.part_at(event.position())
        if part == NONE:
            self.show_all()
        else:
            self.zoom_to(part)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Also zoom by keys."""
        middle = (self._low + self._high) / 2
        span = self._high - self._low
        match event.key():
            case Qt.Key.Key_Escape | Qt.Key.Key_Home | Qt.Key.Key_0:
                self.show_all()
            case Qt.Key.Key_Plus | Qt.Key.Key_W:
                self._show(middle - span / 2.5, middle + span / 2.5)
            case Qt.Key.Key_Minus | Qt.Key.Key_S:
                self._show(middle - span / 1.6, middle + span / 1.6)
            case Qt.Key.Key_Z if self.current != NONE:
                self.zoom_to(self.current)
            case _:
                super().keyPressEvent(event)

    def _show(self, low: float, high: float) -> None:
        """Show a stretch, never beyond what there is."""
        total = float(max(self.boxes.total, 1))
        span = min(max(high - low, min(4.0, total)), total)
        self._low = min(max(low, 0.0), total - span)
        self._high = self._low + span
        self.update()
