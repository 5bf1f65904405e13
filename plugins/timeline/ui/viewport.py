"""The part of time that is shown: exact mapping between nanoseconds and pixels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

FINEST = 0.01
"""Nanoseconds per pixel at the deepest zoom: one nanosecond is a hundred pixels wide."""


@dataclass(frozen=True, slots=True)
class Viewport:
    """The left edge in time (`start` nanoseconds plus a `fraction`) and nanoseconds per pixel.

    Epoch nanoseconds do not fit in a double, so times are made relative to `start` as integers
    before they become floats: neighbouring nanoseconds stay apart at every zoom.
    """

    start: int
    fraction: float
    scale: float

    @classmethod
    def over(cls, start: int, end: int, width: float, margin: float = 0.0) -> Viewport:
        """Show `[start, end)` over `width` pixels, with a share of `margin` free at each side."""
        span = max(end - start, 1) * (1 + 2 * margin)
        scale = max(span / max(width, 1.0), FINEST)
        return cls(start, 0.0, scale).panned(
            -((scale * width) - (end - start)) / 2 / scale if margin or scale == FINEST else 0.0
        )

    def x(self, time: int) -> float:
        """Return the pixel position of a time."""
        return (time - self.start - self.fraction) / self.scale

    def xs(self, times: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the pixel positions of many times."""
        offsets = (times - np.int64(self.start)).astype(np.float64)
        return (offsets - self.fraction) / self.scale

    def time(self, x: float) -> int:
        """Return the nanosecond that a pixel position falls into."""
        return self.start + math.floor(self.fraction + x * self.scale)

    def nearest(self, x: float) -> int:
        """Return the nanosecond boundary closest to a pixel position."""
        return self.start + round(self.fraction + x * self.scale)

    def end(self, width: float) -> int:
        """Return the first nanosecond right of a view of `width` pixels."""
        return self.start + math.ceil(self.fraction + width * self.scale)

    def panned(self, pixels: float) -> Viewport:
        """Return the view moved to later times by `pixels`."""
        return self._at(self.fraction + pixels * self.scale, self.scale)

    def zoomed(self, factor: float, x: float) -> Viewport:
        """Return the view with `factor` times the nanoseconds per pixel; the time at `x` stays."""
        scale = max(self.scale * factor, FINEST)
        return self._at(self.fraction + x * self.scale - x * scale, scale)

    def scaled(self, factor: float) -> Viewport:
        """Return the same left edge with `factor` pixels where one was (high DPI)."""
        return Viewport(self.start, self.fraction, self.scale / factor)

    def within(self, start: int, end: int, width: float) -> Viewport:
        """Return the view held to `[start, end)`: not wider than it plus a rim, never off it."""
        rim = 0.1
        span = max(end - start, 1)
        widest = span * (1 + 2 * rim) / max(width, 1.0)
        view = self if self.scale <= widest else self.zoomed(widest / self.scale, width / 2)
        shown = view.scale * width
        # relative to `start`: epoch nanoseconds do not survive as floats
        low = -max(span * rim, shown * 0.5)
        high = max(span - shown - low, low)
        offset = view.start - start + view.fraction
        held = min(max(offset, low), high)
        return view if held == offset else view._at(view.fraction + held - offset, view.scale)

    def between(self, other: Viewport, share: float, width: float) -> Viewport:
        """Return the view a `share` of the way to `other` (zoom eased logarithmically)."""
        if share >= 1:
            return other
        scale = self.scale * (other.scale / self.scale) ** share
        eased = share
        if abs(other.scale - self.scale) > 1e-9 * self.scale:
            eased = (scale - self.scale) / (other.scale - self.scale)
        move = (other.start - self.start) + (other.fraction - self.fraction)
        return self._at(self.fraction + move * eased, scale)

    def _at(self, offset: float, scale: float) -> Viewport:
        whole = math.floor(offset)
        return Viewport(self.start + whole, offset - whole, scale)
