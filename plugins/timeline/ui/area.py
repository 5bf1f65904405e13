"""Counters as filled areas and instants as ticks, straight into the pixels of a frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from plugins.timeline.ui.layout import GAP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from PySide6.QtGui import QColor

    from plugins.timeline.ui.layout import Track
    from plugins.timeline.ui.raster import Grid
    from plugins.timeline.ui.state import TimelineState

_FILL = 0.4


@dataclass(frozen=True)
class Series:
    """A counter: values that hold from their time to the next; the scale of its lane."""

    times: NDArray[np.int64]
    values: NDArray[np.float64]
    low: float
    high: float
    largest: float

    @classmethod
    def of(cls, times: NDArray[np.int64], values: NDArray[np.float64]) -> Series:
        """Make a series whose scale begins at zero, or at its least value below zero."""
        finite = values[np.isfinite(values)]
        low = min(float(finite.min()), 0.0) if finite.size else 0.0
        high = max(float(finite.max()), 0.0) if finite.size else 0.0
        largest = float(finite.max()) if finite.size else 0.0
        return cls(times, values, low, high if high > low else low + 1.0, largest)

    def at(self, time: int) -> float | None:
        """Return the value that holds at a time; None before the first and where none is known."""
        index = int(np.searchsorted(self.times, time, "right")) - 1
        value = float(self.values[index]) if index >= 0 else float("nan")
        return value if np.isfinite(value) else None


def column_values(series: Series, columns: Grid) -> NDArray[np.float64]:
    """Return the highest value in each column (no peak is lost), NaN where there is none."""
    index = np.searchsorted(series.times, columns.times)
    held = np.full(columns.width, np.nan)
    known = index[:-1] > 0
    held[known] = series.values[index[:-1][known] - 1]
    filled = np.flatnonzero(np.diff(index) > 0)
    if filled.size:
        low, high = int(index[0]), int(index[-1])
        values = np.nan_to_num(series.values[low:high], nan=-np.inf)
        peaks = np.maximum.reduceat(values, index[filled] - low)
        peaks[~np.isfinite(peaks)] = np.nan
        held[filled] = np.fmax(held[filled], peaks)
    return held


def paint_area(
    pixels: NDArray[np.uint32],
    top: int,
    bottom: int,
    track: Track,
    columns: Grid,
    state: TimelineState,
) -> None:
    """Fill the area under a counter between two pixel rows."""
    ratio = (bottom - top) / max(GAP + 35, 1)
    floor = bottom - round(GAP * ratio)
    _fill(pixels, top + round(3 * ratio), floor, track, columns, state, ratio=ratio)


def paint_previews(
    pixels: NDArray[np.uint32],
    top: int,
    floor: int,
    tracks: Sequence[Track],
    columns: Grid,
    state: TimelineState,
    ratio: float,
) -> None:
    """Draw counters one over the other, the first one in front, on the ground of a heading."""
    for track in reversed(tracks):
        _fill(pixels, top, floor, track, columns, state, ratio=ratio, ground="surface")


def _fill(
    pixels: NDArray[np.uint32],
    top: int,
    floor: int,
    track: Track,
    columns: Grid,
    state: TimelineState,
    *,
    ratio: float,
    ground: str = "bg",
) -> None:
    series = state.scene.counters[track.number]
    values = column_values(series, columns)
    share = (values - series.low) / (series.high - series.low)
    reach = np.round(np.nan_to_num(share) * (floor - top))
    level = np.where(np.isfinite(share), reach, -1).astype(np.int64)
    first, last = max(top - 1, 0), min(floor, pixels.shape[0])
    if first >= last:
        return
    above = (floor - 1 - np.arange(first, last))[:, None]
    colour = state.palette.theme.category(track.number)
    line = max(round(1.5 * ratio), 1)
    area = pixels[first:last]
    area[above < level] = _blend(colour, state, _FILL, ground)
    edge = (above <= level) & (above > level - line) & (level >= 0)
    area[edge] = _blend(colour, state, 1.0, ground)


def paint_ticks(
    pixels: NDArray[np.uint32],
    top: int,
    bottom: int,
    track: Track,
    columns: Grid,
    state: TimelineState,
) -> None:
    """Draw instants as ticks."""
    times = state.scene.instants[track.number].times
    low, high = np.searchsorted(times, columns.times[[0, -1]])
    column = np.unique(np.searchsorted(columns.times, times[low:high], "right") - 1)
    ratio = (bottom - top) / (16 + GAP)
    first, last = max(top + round(2 * ratio), 0), max(bottom - round((GAP + 2) * ratio), 0)
    wide = max(round(1.5 * ratio), 1)
    for step in range(wide):
        pixels[first:last, np.minimum(column + step, columns.width - 1)] = _blend(
            state.palette.theme.colour("muted"), state, 0.8
        )


def _blend(colour: QColor, state: TimelineState, strength: float, ground: str = "bg") -> np.uint32:
    base = state.palette.theme.colour(ground)
    red, green, blue = (
        round(getattr(base, c)() + (getattr(colour, c)() - getattr(base, c)()) * strength)
        for c in ("red", "green", "blue")
    )
    return np.uint32((255 << 24) | (red << 16) | (green << 8) | blue)
