"""One picture of the lanes: all slices as an image, and what is drawn over it one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtGui import QImage

from plugins.timeline.ui.area import paint_area, paint_previews, paint_ticks
from plugins.timeline.ui.layout import HEADING, ROW
from plugins.timeline.ui.painting import paint, shade
from plugins.timeline.ui.raster import grid

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from plugins.timeline.ui.layout import Band
    from plugins.timeline.ui.painting import Picture
    from plugins.timeline.ui.raster import Grid
    from plugins.timeline.ui.state import TimelineState

_PREVIEWS = 10
"""A folded process shows the first rows of so many of its lanes in its heading."""

_PREVIEW_ROWS = 8
"""Of a lane whose slices cross or run side by side that is so many of its rows, one on another."""

_CURVES = 3
"""One that has counters alone shows so many of them there."""


@dataclass(frozen=True, slots=True)
class Placed:
    """Slices wide enough to be drawn by themselves; logical pixels, cut to the view.

    Nothing of one may be drawn above its `clip`, where pinned lanes lie.
    """

    index: NDArray[np.int64]
    left: NDArray[np.float64]
    width: NDArray[np.float64]
    top: NDArray[np.int32]
    clip: NDArray[np.int32]


@dataclass(frozen=True)
class Frame:
    """The image (whose memory `pixels` is) and the slices that may carry a label."""

    image: QImage
    pixels: NDArray[np.uint32]
    placed: Placed


@dataclass(frozen=True, slots=True)
class _Strip:
    """A row of slices and the pixel rows it takes; previews have no logical height."""

    row: int
    top: int
    bottom: int
    logical_top: int
    logical_height: int


@dataclass(frozen=True, slots=True)
class _Part:
    """The lanes that scroll, or the pinned ones, and the height above which they do not show."""

    bands: tuple[Band, ...]
    clip: int


def make_frame(state: TimelineState, ratio: float) -> Frame:
    """Paint the visible lanes; `ratio` is the number of device pixels per logical one."""
    width, height = round(state.width * ratio), round(state.lanes.height * ratio)
    pixels = np.full((max(height, 1), max(width, 1)), _argb(state, "bg"), np.uint32)
    columns = grid(state.viewport.scaled(ratio), pixels.shape[1])
    bands, sticky = tuple(state.lanes.shown()), state.lanes.sticky
    placed: list[Placed] = []
    scrolled = tuple(band for band in bands if not (band.pinned and sticky))
    _paint_part(state, pixels, columns, _Part(scrolled, sticky), ratio, placed)
    if sticky:
        floor = round(sticky * ratio)
        pixels[:floor] = _argb(state, "bg")
        pinned = tuple(band for band in bands if band.pinned)
        _paint_part(state, pixels[:floor], columns, _Part(pinned, 0), ratio, placed)
        edge = max(round(2 * ratio), 1)
        pixels[floor - edge : floor] = _argb(state, "line")
    image = QImage(
        pixels.data,
        pixels.shape[1],
        pixels.shape[0],
        pixels.strides[0],
        QImage.Format.Format_RGB32,
    )
    image.setDevicePixelRatio(ratio)
    return Frame(image, pixels, _joined(placed))


def _paint_part(
    state: TimelineState,
    pixels: NDArray[np.uint32],
    columns: Grid,
    part: _Part,
    ratio: float,
    placed: list[Placed],
) -> None:
    strips: list[_Strip] = []
    for band in part.bands:
        y = state.lanes.y(band)
        top, bottom = round(y * ratio), round((y + band.height) * ratio)
        if band.kind == "process":
            pixels[max(top, 0) : max(bottom, 0)] = _argb(state, "surface")
            if band.folded:
                strips += _preview(state, band, ratio)
                _preview_counters(state, pixels, band, columns, ratio)
        elif band.kind == "slices":
            strips += _rows_of(state, band, ratio)
        elif band.track is not None:
            paint = paint_area if band.kind == "counter" else paint_ticks
            paint(pixels, top, bottom, band.track, columns, state)
    _paint_strips(state, pixels, strips, columns, part.clip, placed)
    _paint_hairlines(state, pixels, part.bands, ratio)


def _rows_of(state: TimelineState, band: Band, ratio: float) -> list[_Strip]:
    if band.track is None:
        return []
    gap = round(ratio) if band.row_height == ROW else 0
    strips = []
    first, y, high = band.track.first_row, state.lanes.y(band), band.row_height
    # of a lane of very many rows only those in sight are looked at
    begin = max((state.lanes.clip(band) - y) // high, 0)
    stop = min(-((y - state.lanes.height) // high), band.track.rows)
    for row in range(begin, stop):
        top = y + row * high
        low = round((top + high) * ratio)
        strips.append(_Strip(first + row, round(top * ratio), low - gap, top, high))
    return strips


def _preview(state: TimelineState, band: Band, ratio: float) -> list[_Strip]:
    tracks = [track for track in band.group.tracks if track.kind == "slices"][:_PREVIEWS]
    if not tracks:
        return []
    top, room = state.lanes.y(band) + 4, HEADING - 8
    strips = []
    for number, track in enumerate(tracks):
        high = round(top * ratio) + round(room * ratio * number / len(tracks))
        low = round(top * ratio) + round(room * ratio * (number + 1) / len(tracks))
        low = max(low - (len(tracks) < 6), high + 1)
        # where slices nest, the first row is busy whenever the lane is
        nested = state.scene.utilisation.nested(track.number)
        rows = 1 if nested else min(track.rows, _PREVIEW_ROWS)
        strips += [_Strip(track.first_row + row, high, low, 0, 0) for row in range(rows)]
    return strips


def _preview_counters(
    state: TimelineState, pixels: NDArray[np.uint32], band: Band, columns: Grid, ratio: float
) -> None:
    if any(track.kind == "slices" for track in band.group.tracks):
        return
    tracks = [track for track in band.group.tracks if track.kind == "counter"][:_CURVES]
    top, floor = (round((state.lanes.y(band) + y) * ratio) for y in (3, HEADING - 2))
    paint_previews(pixels, top, floor, tracks, columns, state, ratio)


def _paint_strips(
    state: TimelineState,
    pixels: NDArray[np.uint32],
    strips: list[_Strip],
    columns: Grid,
    clip: int,
    placed: list[Placed],
) -> None:
    if not strips:
        return
    rows, palette, hits = state.scene.rows, state.palette, state.hits
    numbers = [strip.row for strip in strips]
    edges = [strip.logical_height > 0 for strip in strips]
    picture = paint(rows, numbers, columns, edges)
    compiled = rows.cells is not None
    placed.append(_place(state, picture, strips, clip))
    if hits is None:
        colours = shade(picture, palette.table, compiled=compiled)
    else:
        # what a search found over the dimmed others
        colours = shade(picture, palette.dimmed, compiled=compiled)
        found = paint(hits.rows, numbers, columns, edges)
        lit = shade(found, palette.table, compiled=compiled)
        np.copyto(colours, lit, where=found.slots != 0)
    busiest: dict[tuple[int, int], NDArray[np.float32]] = {}
    for number, strip in enumerate(strips):
        band = pixels[max(strip.top, 0) : max(strip.bottom, 0)]
        if strip.logical_height:
            band[:] = colours[number]
            continue
        shares = picture.shares[number]
        place = strip.top, strip.bottom
        before = busiest.setdefault(place, np.full(shares.size, -1, np.float32))
        shown = (picture.slots[number] != 0) & (shares > before)
        before[shown] = shares[shown]
        np.copyto(band, colours[number], where=shown)


def _paint_hairlines(
    state: TimelineState, pixels: NDArray[np.uint32], bands: tuple[Band, ...], ratio: float
) -> None:
    """Draw lines between processes and between lanes (painters draw long lines slowly)."""
    thick = max(round(ratio), 1)
    line = _argb(state, "line")
    faint = np.uint32(state.palette.theme.mix("bg", "line", 0.6).rgb())
    for band in bands:
        y = state.lanes.y(band)
        places = (
            ((y, line), (y + band.height - 1, line))
            if band.kind == "process"
            else ()
            if band.first or (band.pinned and band.top == 0)
            else ((y - 3, faint),)
        )
        for place, colour in places:
            top = round(place * ratio)
            pixels[max(top, 0) : max(top + thick, 0)] = colour


def _place(state: TimelineState, picture: Picture, strips: list[_Strip], clip: int) -> Placed:
    """The slices in rows of full height."""
    full = np.array([strip.logical_height == ROW for strip in strips], np.bool_)
    chosen = full[picture.row]
    rows, wide, row = state.scene.rows, picture.wide[chosen], picture.row[chosen]
    lefts = state.viewport.xs(rows.start[wide])
    rights = np.minimum(lefts + rows.duration[wide] / state.viewport.scale, state.width)
    lefts = np.maximum(lefts, 0.0)
    tops = np.array([strip.logical_top for strip in strips], np.int32)[row]
    return Placed(wide, lefts, rights - lefts, tops, np.full(wide.size, clip, np.int32))


def _joined(parts: list[Placed]) -> Placed:
    if not parts:
        none = np.zeros(0)
        whole = none.astype(np.int32)
        return Placed(whole.astype(np.int64), none, none, whole, whole)
    return Placed(
        np.concatenate([part.index for part in parts]),
        np.concatenate([part.left for part in parts]),
        np.concatenate([part.width for part in parts]),
        np.concatenate([part.top for part in parts]),
        np.concatenate([part.clip for part in parts]),
    )


def _argb(state: TimelineState, token: str) -> np.uint32:
    return np.uint32(state.palette.theme.colour(token).rgb())
