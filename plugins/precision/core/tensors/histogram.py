"""Distributions of magnitudes: one bin per power of two, so that no range is chosen beforehand."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LEAST, MOST = -1074, 1024
"""Exponents of float64: bin e holds 2^e <= |x| < 2^(e+1)."""

_CODES = 2048
"""Codes of the exponent: 0 for zeros and denormals, the last for NaN and infinities."""
_NORMAL = -1022 - LEAST
_LEAST_NORMAL = 2.0**-1022


@dataclass(frozen=True, slots=True)
class Histogram:
    """How many elements have which magnitude; what has none is counted apart."""

    first: int
    """The exponent of the first bin."""
    negative: NDArray[np.int64]
    """Counts per power of two of the elements below zero."""
    positive: NDArray[np.int64]
    zeros: int
    nan: int
    negative_infinity: int
    positive_infinity: int

    @property
    def counts(self) -> NDArray[np.int64]:
        """Both signs together."""
        return self.negative + self.positive

    @property
    def total(self) -> int:
        """All elements."""
        odd = self.nan + self.negative_infinity + self.positive_infinity
        return int(self.counts.sum()) + self.zeros + odd

    @property
    def last(self) -> int:
        """The exponent after the last bin."""
        return self.first + len(self.negative)


class HistogramSums:
    """Takes numbers in block by block."""

    def __init__(self) -> None:
        self._bins = np.zeros((2, MOST - LEAST), np.int64)
        self._zeros = self._nan = self._below = self._above = 0

    def add(self, values: Floats) -> None:
        """Take in a block of any shape."""
        flat = np.ascontiguousarray(values).reshape(-1)
        # Sign and exponent are the upper 12 bits: one pass, where frexp takes ten times as long.
        counts = np.bincount((flat.view(np.int64) >> 52) & 0xFFF, minlength=2 * _CODES)
        for sign, codes in enumerate((counts[_CODES:], counts[:_CODES])):
            self._bins[sign, _NORMAL:] += codes[1:-1]
        if counts[0] or counts[_CODES]:
            self._add_small(flat[np.abs(flat) < _LEAST_NORMAL])
        if counts[_CODES - 1] or counts[-1]:
            self._nan += int(np.count_nonzero(np.isnan(flat)))
            self._below += int(np.count_nonzero(flat == -np.inf))
            self._above += int(np.count_nonzero(flat == np.inf))

    def _add_small(self, values: Floats) -> None:
        """Take in zeros and numbers without an exponent of their own."""
        kept = values[values != 0]
        self._zeros += len(values) - len(kept)
        # frexp gives 0.5 <= |fraction| < 1, so that its exponent is one above the bin's.
        places = np.frexp(kept)[1].astype(np.int64) - 1 - LEAST
        for sign, chosen in enumerate((kept < 0, kept > 0)):
            self._bins[sign] += np.bincount(places[chosen], minlength=MOST - LEAST)

    def result(self) -> Histogram:
        """The bins from the first to the last one that is not empty."""
        used = np.flatnonzero(self._bins.sum(axis=0))
        low, high = (int(used[0]), int(used[-1]) + 1) if len(used) else (-LEAST, -LEAST)
        return Histogram(
            LEAST + low,
            self._bins[0, low:high].copy(),
            self._bins[1, low:high].copy(),
            self._zeros,
            self._nan,
            self._below,
            self._above,
        )


def decade_of(exponent: float) -> float:
    """Return log10 of a power of two."""
    return float(exponent * np.log10(2.0))


def decades(first: int, last: int) -> list[int]:
    """Return the whole powers of ten between two powers of two."""
    return list(range(floor(decade_of(first)), floor(decade_of(last)) + 1))
