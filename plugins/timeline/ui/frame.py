"""One picture of the lanes: all slices as an image, and what is drawn over it one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtGui import QImage

from plugins.timeline.ui.area import paint_area, paint_ticks
from plugins.timeline.ui.layout import HEADING, ROW
from plugins.timeline.ui.raster import Grid, grid, mark_edges, raster_row, shade

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from plugins.timeline.ui.layout import Band
    from plugins.timeline.ui.rows import Rows
    from plugins.timeline.ui.state import TimelineState

_PREVIEWS = 10
"""A folded process shows the first rows of so many of its lanes in its heading."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A slice wide enough to be drawn by itself; logical pixels, cut to the view."""

    index: int
    left: float
    width: float
    top: int
    height: int


@dataclass(frozen=True)
class Frame:
    """The image (whose memory `pixels` is) and the slices that may carry a label."""

    image: QImage
    pixels: NDArray[np.uint32]
    placed: tuple[Placed, ...]


@dataclass(frozen=True, slots=True)
class _Strip:
    """A row of slices and the pixel rows it takes."""

    row: int
    top: int
    bottom: int
    logical_top: int
    logical_height: int


def make_frame(state: TimelineState, ratio: float) -> Frame:
    """Paint the visible lanes; `ratio` is the number of device pixels per logical one."""
    width, height = round(state.width * ratio), round(state.height * ratio)
    pixels = np.full((max(height, 1), max(width, 1)), _argb(state, "bg"), np.uint32)
    columns = grid(state.viewport.scaled(ratio), pixels.shape[1])
    strips: list[_Strip] = []
    for band in state.layout_.between(state.scroll, state.scroll + state.height):
        top, bottom = _device(state, band.top, ratio), _device(state, band.bottom, ratio)
        if band.kind == "process":
            pixels[max(top, 0) : max(bottom, 0)] = _argb(state, "surface")
            if band.folded:
                strips += _preview(state, band, ratio)
        elif band.kind == "slices":
            strips += _rows_of(state, band, ratio)
        elif band.track is not None:
            paint = paint_area if band.kind == "counter" else paint_ticks
            paint(pixels, top, bottom, band.track, columns, state)
    placed = _paint_strips(state, pixels, strips, columns)
    _paint_hairlines(state, pixels, ratio)
    image = QImage(
        pixels.data,
        pixels.shape[1],
        pixels.shape[0],
        pixels.strides[0],
        QImage.Format.Format_RGB32,
    )
    image.setDevicePixelRatio(ratio)
    return Frame(image, pixels, placed)


def _rows_of(state: TimelineState, band: Band, ratio: float) -> list[_Strip]:
    if band.track is None:
        return []
    gap = round(ratio) if band.row_height == ROW else 0
    strips = []
    for row in range(band.track.first_row, band.track.first_row + band.track.rows):
        top = band.row_top(row)
        if top + band.row_height <= state.scroll or top >= state.scroll + state.height:
            continue
        low = _device(state, top + band.row_height, ratio)
        strips.append(
            _Strip(row, _device(state, top, ratio), low - gap, top - state.scroll, band.row_height)
        )
    return strips


def _preview(state: TimelineState, band: Band, ratio: float) -> list[_Strip]:
    tracks = [track for track in band.group.tracks if track.kind == "slices"][:_PREVIEWS]
    if not tracks:
        return []
    top, room = band.top + 4, HEADING - 8
    strips = []
    for number, track in enumerate(tracks):
        high = _device(state, top, ratio) + round(room * ratio * number / len(tracks))
        low = _device(state, top, ratio) + round(room * ratio * (number + 1) / len(tracks))
        strips.append(_Strip(track.first_row, high, max(low - (len(tracks) < 6), high + 1), 0, 0))
    return strips


def _paint_strips(
    state: TimelineState,
    pixels: NDArray[np.uint32],
    strips: list[_Strip],
    columns: Grid,
) -> tuple[Placed, ...]:
    if not strips:
        return ()
    rows, palette = state.scene.rows, state.palette
    shape = (len(strips), columns.width)
    slots, shares = np.zeros(shape, np.uint8), np.zeros(shape, np.float32)
    placed: list[Placed] = []
    for number, strip in enumerate(strips):
        drawn = raster_row(rows, strip.row, columns)
        if drawn is None:
            continue
        if strip.logical_height:
            mark_edges(drawn, rows, columns)
        slots[number], shares[number] = drawn.slot, drawn.share
        if strip.logical_height == ROW and drawn.wide.size:
            placed += _place(state, rows, drawn.wide, strip)
    if state.hits is None:
        colours = shade(slots, shares, palette.table)
    else:
        colours = shade(slots, shares, palette.dimmed)
        _light_up(state, state.hits.rows, strips, columns, colours)
    for number, strip in enumerate(strips):
        band = pixels[max(strip.top, 0) : max(strip.bottom, 0)]
        if strip.logical_height:
            band[:] = colours[number]
        else:
            np.copyto(band, colours[number], where=slots[number] != 0)
    return tuple(placed)


def _paint_hairlines(state: TimelineState, pixels: NDArray[np.uint32], ratio: float) -> None:
    """Draw lines between processes and between lanes (painters draw long lines slowly)."""
    thick = max(round(ratio), 1)
    line = _argb(state, "line")
    faint = np.uint32(state.palette.theme.mix("bg", "line", 0.6).rgb())
    for band in state.layout_.between(state.scroll, state.scroll + state.height):
        first = band.track is not None and band.track is band.group.tracks[0]
        places = (
            ((band.top, line), (band.bottom - 1, line))
            if band.kind == "process"
            else ()
            if first
            else ((band.top - 3, faint),)
        )
        for y, colour in places:
            top = _device(state, y, ratio)
            pixels[max(top, 0) : max(top + thick, 0)] = colour


def _light_up(
    state: TimelineState,
    hits: Rows,
    strips: list[_Strip],
    columns: Grid,
    colours: NDArray[np.uint32],
) -> None:
    """Paint the slices that a search found over the dimmed others."""
    for number, strip in enumerate(strips):
        drawn = raster_row(hits, strip.row, columns)
        if drawn is None:
            continue
        mark_edges(drawn, hits, columns)
        lit = shade(drawn.slot, drawn.share, state.palette.table)
        np.copyto(colours[number], lit, where=drawn.slot != 0)


def _place(
    state: TimelineState, rows: Rows, wide: NDArray[np.int64], strip: _Strip
) -> list[Placed]:
    lefts = state.viewport.xs(rows.start[wide])
    rights = np.minimum(lefts + rows.duration[wide] / state.viewport.scale, state.width)
    lefts = np.maximum(lefts, 0.0)
    return [
        Placed(index, left, right - left, strip.logical_top, strip.logical_height)
        for index, left, right in zip(wide.tolist(), lefts.tolist(), rights.tolist(), strict=True)
    ]


def _device(state: TimelineState, y: int, ratio: float) -> int:
    return round((y - state.scroll) * ratio)


def _argb(state: TimelineState, token: str) -> np.uint32:
    return np.uint32(state.palette.theme.colour(token).rgb())
