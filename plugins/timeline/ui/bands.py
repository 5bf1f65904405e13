"""The stretches of time that another view selected together, as columns of pixels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QRectF

from plugins.timeline.ui.raster import grid

if TYPE_CHECKING:
    from PySide6.QtGui import QPainter

    from plugins.timeline.ui.state import TimelineState
    from plugins.timeline.ui.viewport import Viewport
    from studio.model.ranges import Ranges

_TINT = 0.16
_STRIP = 3


def band_columns(bands: Ranges, view: Viewport, width: int) -> list[tuple[int, int]]:
    """The runs of pixel columns that hold a part of a stretch, `[left, right)`.

    One search per column: millions of stretches cost no more than a few.
    """
    edges = grid(view, max(width, 1)).times
    at = np.searchsorted(bands.end, edges[:-1], "right")
    last = len(bands.start) - 1
    inside = (at <= last) & (bands.start[np.minimum(at, last)] < edges[1:])
    touched = np.concatenate(([False], inside, [False]))
    turns = np.flatnonzero(touched[1:] != touched[:-1]).tolist()
    return list(zip(turns[::2], turns[1::2], strict=True))


def draw_bands(painter: QPainter, state: TimelineState, bands: Ranges) -> None:
    """Tint the stretches from top to bottom, and shade what lies between them."""
    width, height = state.width, state.lanes.height
    shade, tint = state.palette.colour("bg", 0.55), state.palette.colour("info", _TINT)
    strip = state.palette.colour("info", 0.9)
    begin = 0
    for left, right in band_columns(bands, state.viewport, width):
        painter.fillRect(QRectF(begin, 0, left - begin, height), shade)
        painter.fillRect(QRectF(left, 0, right - left, height), tint)
        painter.fillRect(QRectF(left, 0, right - left, _STRIP), strip)
        begin = right
    painter.fillRect(QRectF(begin, 0, width - begin, height), shade)
