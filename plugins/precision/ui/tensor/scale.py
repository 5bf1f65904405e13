"""From numbers to colours: what a heat map means by them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import log10
from typing import TYPE_CHECKING

import numpy as np

from studio.ui.text import format_number

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray
    from PySide6.QtGui import QColor

    from studio.ui.theme import Theme

    Floats = NDArray[np.float64]

_SHADES = 255
_DECADES = 6.0


class Odd(StrEnum):
    """What has no place on a scale of numbers."""

    NAN = "NaN"
    ABOVE = "+inf"
    BELOW = "-inf"


_ODD_COLOURS = {Odd.NAN: 4, Odd.ABOVE: 2, Odd.BELOW: 3}


def odd_colour(theme: Theme, odd: Odd) -> QColor:
    """The colour of NaN or an infinity."""
    return theme.category(_ODD_COLOURS[odd])


@dataclass(frozen=True, slots=True)
class Scale:
    """Which numbers the ends of a colour bar stand for."""

    limit: float
    """The largest magnitude."""
    signed: bool
    logarithmic: bool = False
    decades: float = _DECADES
    """On a logarithmic scale, how far below the limit the other end is."""

    def fractions(self, values: Floats) -> Floats:
        """Return -1 to 1 on a signed scale, 0 to 1 otherwise; NaN stays."""
        with np.errstate(all="ignore"):
            if not self.limit:
                return np.where(np.isfinite(values), 0.0, values)
            share = np.abs(values) / self.limit
            if self.logarithmic:
                share = np.maximum(1 + np.log10(share) / self.decades, 0.0)
                share[values == 0] = 0.0
            if self.signed:
                return np.copysign(share, values)
            return share

    def value(self, fraction: float) -> float:
        """Return the number that stands at a fraction of the scale."""
        size = abs(fraction)
        if self.logarithmic:
            size = 10.0 ** ((size - 1) * self.decades) if size else 0.0
        return float(np.copysign(size * self.limit, fraction))

    def label(self, fraction: float) -> str:
        """Return that number as the colour bar writes it."""
        if self.logarithmic and not self.signed and fraction == 0 and self.limit:
            return f"≤ {format_number(self.limit * 10.0**-self.decades, 3)}"
        return format_number(self.value(fraction), 3)


def scale_of(values: Iterable[Floats | None], *, signed: bool, logarithmic: bool) -> Scale:
    """Return a scale that holds all finite numbers of some pictures."""
    limit, least = 0.0, np.inf
    for cells in values:
        if cells is None:
            continue
        size = np.abs(cells[np.isfinite(cells)])
        limit = max(limit, float(size.max(initial=0.0)))
        least = min(least, float(size[size > 0].min(initial=np.inf)))
    decades = _DECADES
    if limit and np.isfinite(least):
        decades = min(max(float(np.ceil(log10(limit) - log10(least))), 1.0), 12.0)
    return Scale(limit, signed, logarithmic, decades)


def colours(values: Floats, scale: Scale, theme: Theme) -> NDArray[np.uint32]:
    """Return 0xffRRGGBB for each number."""
    shades = [place / _SHADES for place in range(_SHADES + 1)]
    of = theme.diverging if scale.signed else theme.sequential
    ends = [2 * shade - 1 for shade in shades] if scale.signed else shades
    table = np.array([of(end).rgb() for end in ends], np.uint32)
    fractions = scale.fractions(values)
    if scale.signed:
        fractions = (fractions + 1) / 2
    with np.errstate(invalid="ignore"):
        places = np.nan_to_num(np.clip(fractions, 0, 1) * _SHADES).round().astype(np.int64)
    found: NDArray[np.uint32] = table[places]
    found[np.isnan(values)] = odd_colour(theme, Odd.NAN).rgb()
    found[values == np.inf] = odd_colour(theme, Odd.ABOVE).rgb()
    found[values == -np.inf] = odd_colour(theme, Odd.BELOW).rgb()
    return found


def odd_counts(values: Floats) -> dict[Odd, int]:
    """How many cells are NaN or infinite, those that occur."""
    tests = {Odd.NAN: np.isnan(values), Odd.ABOVE: values == np.inf, Odd.BELOW: values == -np.inf}
    counts = {odd: int(np.count_nonzero(test)) for odd, test in tests.items()}
    return {odd: count for odd, count in counts.items() if count}
