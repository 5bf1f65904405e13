"""Pens for pyqtgraph, whose own are as wide in pixels of the screen: hairlines on fine ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyqtgraph  # noqa: TID253 - this module is imported only when a chart is shown
from PySide6.QtCore import Qt

if TYPE_CHECKING:
    from PySide6.QtGui import QColor, QPen
    from PySide6.QtWidgets import QWidget


def plot_pen(
    colour: QColor,
    plot: QWidget,
    width: float = 1,
    style: Qt.PenStyle = Qt.PenStyle.SolidLine,
) -> QPen:
    """A pen of `width` logical pixels for what is drawn in `plot`; whole ones of the screen."""
    wide = max(round(width * plot.devicePixelRatioF()), 1)
    pen: QPen = pyqtgraph.mkPen(colour, width=wide, style=style)
    return pen
