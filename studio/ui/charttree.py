"""A treemap: what is made of what, as rectangles whose areas are the amounts.

Squarified as in Bruls, Huizing and van Wijk (2000): rows of rectangles as near to squares as
possible, the largest first.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPen, QResizeEvent

from studio.ui.chartpick import NONE, PickChart
from studio.ui.sharebar import ink_on
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MOST = 400
_INSIDE = 5.0
_LINE = 16.0


@dataclass(frozen=True)
class Tile:
    """One rectangle: its name, how much as a number and as a text, and which colour it has."""

    text: str
    amount: float
    value: str
    colour: int
    tip: str = ""


class TreeMap(PickChart):
    """Rectangles of the largest amounts, at most `MOST`; how much the rest is, callers say."""

    def __init__(self, name: str, empty: str = "") -> None:
        super().__init__(name, empty)
        self.tiles: tuple[Tile, ...] = ()
        self._places: list[QRectF] = []

    def set_tiles(self, tiles: Sequence[Tile]) -> None:
        """Show these rectangles, the largest first; those without an amount are left out."""
        known = sorted(
            (tile for tile in tiles if 0 < tile.amount < math.inf), key=lambda t: -t.amount
        )
        self.tiles = tuple(known[:MOST])
        self._arrange()
        self.set_current(NONE)

    def count(self) -> int:
        """How many rectangles there are."""
        return len(self.tiles)

    def place_of(self, part: int) -> QRectF:
        """Where a rectangle lies."""
        return self._places[part]

    def part_at(self, place: QPointF) -> int:
        """The rectangle at a place."""
        found = (n for n, rect in enumerate(self._places) if rect.contains(place))
        return next(found, NONE)

    def told(self, part: int) -> str:
        """Name and amount of a rectangle."""
        tile = self.tiles[part]
        return tile.tip or f"{tile.text}\n{tile.value}"

    def table(self) -> Iterable[Sequence[object]]:
        """Name and amount of every rectangle."""
        yield "name", "amount"
        for tile in self.tiles:
            yield tile.text, tile.amount

    def sizeHint(self) -> QSize:
        """A wide rectangle."""
        return QSize(420, 220)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Arrange the rectangles anew."""
        super().resizeEvent(event)
        self._arrange()

    def draw(self, painter: QPainter, within: QRectF) -> None:
        """Draw the rectangles with name and amount where they fit."""
        for number, (tile, rect) in enumerate(zip(self.tiles, self._places, strict=True)):
            if rect.intersects(within):
                self._draw_tile(painter, tile, rect, number == self.current)

    def _draw_tile(self, painter: QPainter, tile: Tile, rect: QRectF, chosen: bool) -> None:
        theme = current_theme()
        colour = theme.category(tile.colour)
        inner = rect.adjusted(0.5, 0.5, -0.5, -0.5)
        painter.fillRect(inner, colour)
        if chosen:
            painter.setPen(QPen(theme.colour("text"), 2))
            painter.drawRect(inner.adjusted(1, 1, -1, -1))
        room = inner.adjusted(_INSIDE, 3, -_INSIDE, -3)
        if room.width() < 24 or room.height() < _LINE - 4:
            return
        painter.setPen(ink_on(colour))
        metrics = painter.fontMetrics()
        top = Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft
        wide = round(room.width())
        painter.drawText(
            room, top, metrics.elidedText(tile.text, Qt.TextElideMode.ElideMiddle, wide)
        )
        if room.height() >= 2 * _LINE:
            font = QFont(painter.font())
            small = QFont(font)
            small.setPointSizeF(font.pointSizeF() * 0.9)
            painter.setFont(small)
            text = painter.fontMetrics().elidedText(tile.value, Qt.TextElideMode.ElideRight, wide)
            painter.drawText(room.adjusted(0, _LINE, 0, 0), top, text)
            painter.setFont(font)

    def _arrange(self) -> None:
        room = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        self._places = squarified([tile.amount for tile in self.tiles], room)
        self.update()


def squarified(amounts: Sequence[float], room: QRectF) -> list[QRectF]:
    """Rectangles for amounts (the largest first) that fill a room in proportion."""
    total = sum(amounts)
    if total <= 0 or room.width() <= 0 or room.height() <= 0:
        return [QRectF() for _ in amounts]
    scale = room.width() * room.height() / total
    areas = [amount * scale for amount in amounts]
    places: list[QRectF] = []
    left = QRectF(room)
    while len(places) < len(areas):
        side = max(min(left.width(), left.height()), 1e-9)
        row = [areas[len(places)]]
        for area in areas[len(places) + 1 :]:
            if _worst([*row, area], side) > _worst(row, side):
                break
            row.append(area)
        left = _place_row(row, left, places)
    return places


def _worst(row: Sequence[float], side: float) -> float:
    """How far the least square of a row is from a square."""
    total = sum(row)
    square, most, least = side * side, max(row), max(min(row), 1e-12)
    return max(square * most / (total * total), total * total / (square * least))


def _place_row(row: Sequence[float], room: QRectF, places: list[QRectF]) -> QRectF:
    """Put a row along the shorter side of a room; returns what is left of the room."""
    total = sum(row)
    if room.width() >= room.height():
        wide, y = total / max(room.height(), 1e-9), room.top()
        for area in row:
            high = area / max(wide, 1e-9)
            places.append(QRectF(room.left(), y, wide, high))
            y += high
        return room.adjusted(wide, 0, 0, 0)
    high, x = total / max(room.width(), 1e-9), room.left()
    for area in row:
        wide = area / max(high, 1e-9)
        places.append(QRectF(x, room.top(), wide, high))
        x += wide
    return room.adjusted(0, high, 0, 0)
