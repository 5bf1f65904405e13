"""How a heat map is drawn: title, numbers in cells, marks, and the bar that explains colours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QLinearGradient, QPainter, QPen

from plugins.precision.ui.tensor.scale import Odd, Scale, odd_colour
from studio.ui.text import format_number
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray
    from PySide6.QtGui import QColor, QImage

    from plugins.precision.core.tensors.planes import Planes

HEAD, FOOT, SIDE = 24, 30, 8
"""Room for the title, the colour bar, and at either side."""

_BAR, _SWATCH, _APART = 8.0, 10.0, 14.0
_WIDE_CELL, _HIGH_CELL = 52.0, 18.0
_LEAST_MARK = 7.0


def draw_title(painter: QPainter, width: int, title: str, note: str) -> None:
    """Write what is shown, and its type and shape."""
    theme, metrics = current_theme(), painter.fontMetrics()
    painter.setPen(theme.colour("text"))
    painter.drawText(QPointF(SIDE, 16.0), title)
    left = SIDE + metrics.horizontalAdvance(title) + 10
    note = metrics.elidedText(note, Qt.TextElideMode.ElideRight, max(width - left - SIDE, 0))
    painter.setPen(theme.colour("muted"))
    painter.drawText(QPointF(left, 16.0), note)


def draw_numbers(
    painter: QPainter,
    image: QImage,
    cells: NDArray[np.float64],
    planes: Planes,
    rect_of: Callable[[int, int, int, int], QRectF],
) -> None:
    """Write the numbers where the cells have room for them."""
    rows, columns = planes.rows.tolist(), planes.columns.tolist()
    one = rect_of(rows[0], columns[0], rows[1], columns[1])
    if one.width() < _WIDE_CELL or one.height() < _HIGH_CELL:
        return
    for row, column in np.ndindex(*cells.shape):
        rect = rect_of(rows[row], columns[column], rows[row + 1], columns[column + 1])
        painter.setPen(_ink(image.pixelColor(column, row)))
        text = format_number(float(cells[row, column]), 3)
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)


def draw_place(painter: QPainter, rect: QRectF, colour: QColor, wide: float) -> None:
    """Frame an element, never so small that it is not seen."""
    across = max((_LEAST_MARK - rect.width()) / 2, 0.0)
    down = max((_LEAST_MARK - rect.height()) / 2, 0.0)
    frame = rect.adjusted(-across, -down, across, down)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for pen in (QPen(current_theme().colour("bg"), wide + 2), QPen(colour, wide)):
        painter.setPen(pen)
        painter.drawRect(frame)


def draw_bar(painter: QPainter, room: QRectF, scale: Scale, odd: Mapping[Odd, int]) -> None:
    """Draw the colours with the numbers they stand for, and those of what is no number."""
    theme, metrics = current_theme(), painter.fontMetrics()
    x, y = room.right(), room.top()
    for kind in reversed(list(odd)):
        x -= metrics.horizontalAdvance(kind.value)
        painter.setPen(theme.colour("muted"))
        painter.drawText(QPointF(x, y + 9), kind.value)
        x -= _APART
        painter.fillRect(QRectF(x, y, _SWATCH, _SWATCH), odd_colour(theme, kind))
        x -= _APART
    bar = QRectF(room.left(), y, max(x - room.left(), 20.0), _BAR)
    gradient = QLinearGradient(bar.topLeft(), bar.topRight())
    for place in range(21):
        share = place / 20
        colour = theme.diverging(2 * share - 1) if scale.signed else theme.sequential(share)
        gradient.setColorAt(share, colour)
    painter.fillRect(bar, gradient)
    painter.setPen(theme.colour("muted"))
    ends = (-1.0, 0.0, 1.0) if scale.signed else (0.0, 0.5, 1.0)
    for share, fraction in zip((0.0, 0.5, 1.0), ends, strict=True):
        if not scale.limit and fraction:
            continue
        text = scale.label(fraction)
        left = bar.left() + share * (bar.width() - metrics.horizontalAdvance(text))
        painter.drawText(QPointF(left, y + _BAR + metrics.ascent()), text)


def _ink(ground: QColor) -> Qt.GlobalColor:
    """Black or white, whichever is seen better on a colour."""
    light = 0.299 * ground.red() + 0.587 * ground.green() + 0.114 * ground.blue()
    return Qt.GlobalColor.black if light > 140 else Qt.GlobalColor.white
