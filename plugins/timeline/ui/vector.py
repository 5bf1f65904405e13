"""The picture of a timeline as SVG: slices as rectangles, names as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QBuffer, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter
from PySide6.QtSvg import QSvgGenerator

from plugins.timeline.ui.labels import label_font, short_name, without_prefix
from studio.ui.pictures import without_controls

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from plugins.timeline.ui.frame import Frame
    from plugins.timeline.ui.pane import TimelinePane
    from plugins.timeline.ui.state import TimelineState

_NARROWEST = 30.0
_PADDING = 4


def svg_of(pane: TimelinePane) -> bytes:
    """Overview, ruler, titles and lanes as the content of an SVG file."""
    from plugins.timeline.ui.exporting import parts_of

    parts = parts_of(pane)
    whole = QRect()
    for _, place in parts:
        whole = whole.united(place)
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(QSize(whole.width(), whole.height()))
    generator.setViewBox(QRectF(0, 0, whole.width(), whole.height()))
    generator.setTitle(pane.state.scene.trace.path.name)
    pane.canvas.vector = True
    painter = QPainter(generator)
    try:
        painter.fillRect(
            QRect(0, 0, whole.width(), whole.height()), pane.state.palette.colour("bg")
        )
        for widget, place in parts:
            widget.render(painter, place.topLeft() - whole.topLeft())
    finally:
        painter.end()
        pane.canvas.vector = False
    return without_controls(bytes(buffer.data().data()))


def draw_frame(painter: QPainter, state: TimelineState, frame: Frame) -> None:
    """Draw the lanes of a frame (made for one pixel per unit) with rectangles and texts."""
    ground = int(np.uint32(state.palette.theme.colour("bg").rgb()))
    colours: dict[int, QColor] = {}
    for rect, argb in rectangles(frame.pixels):
        if argb != ground:
            painter.fillRect(rect, colours.setdefault(argb, QColor.fromRgb(argb)))
    _draw_names(painter, state, frame)


def rectangles(pixels: NDArray[np.uint32]) -> Iterator[tuple[QRectF, int]]:
    """Take an image apart into rectangles of one colour: equal rows together, then runs in them."""
    changed = np.flatnonzero((pixels[1:] != pixels[:-1]).any(axis=1)) + 1
    tops = np.concatenate(([0], changed)).tolist()
    bottoms = [*tops[1:], pixels.shape[0]]
    for top, bottom in zip(tops, bottoms, strict=True):
        row = pixels[top]
        lefts = np.concatenate(([0], np.flatnonzero(row[1:] != row[:-1]) + 1)).tolist()
        rights = [*lefts[1:], row.size]
        for left, right in zip(lefts, rights, strict=True):
            yield QRectF(left, top, right - left, bottom - top), int(row[left])


def _draw_names(painter: QPainter, state: TimelineState, frame: Frame) -> None:
    placed, trace = frame.placed, state.scene.trace
    font = label_font()
    metrics = QFontMetricsF(font)
    painter.setFont(font)
    for place in np.flatnonzero(placed.width >= _NARROWEST).tolist():
        top = int(placed.top[place])
        if top < placed.clip[place]:
            continue
        index = int(placed.index[place])
        slot = int(state.scene.rows.slot[index])
        room = float(placed.width[place]) - 2 * _PADDING
        name = short_name(trace.names[int(trace.name[index])])
        if metrics.horizontalAdvance(name) > room:
            name = without_prefix(name)
        text = metrics.elidedText(name, Qt.TextElideMode.ElideRight, room)
        box = QRectF(float(placed.left[place]) + _PADDING, top, room, 17)
        painter.setPen(state.palette.inks[slot])
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, text)
