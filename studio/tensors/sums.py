"""Sums over chunks in float64 that neither overflow nor vanish at any scale of the values."""

from __future__ import annotations

from math import frexp, ldexp, sqrt
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_LIMIT = 1000  # 2**±1000 is within float64, and its reciprocal too


class Scale:
    """A power of two that brings the largest value seen so far near 1.

    Only float64 values need one: the square of any narrower type's value is within float64.
    """

    def __init__(self, active: bool) -> None:
        self.active = active
        self.exponent: int | None = None

    def grow(self, values: Floats) -> int:
        """Take in more values; returns by how many powers of two the scale grew."""
        if not self.active:
            self.exponent = 0
            return 0
        largest = float(np.max(np.abs(values), initial=0.0))
        if largest == 0.0:
            return 0
        exponent = min(max(frexp(largest)[1], -_LIMIT), _LIMIT)
        before = self.exponent
        if before is not None and exponent <= before:
            return 0
        self.exponent = exponent
        return 0 if before is None else exponent - before

    def apply(self, values: Floats) -> Floats:
        """Return the values in units of the scale."""
        return values * 2.0**-self.exponent if self.exponent else values

    def unit(self, value: float) -> float:
        """Return a value in units of the scale as it is; infinity beyond float64."""
        try:
            return ldexp(value, self.exponent or 0)
        except OverflowError:
            return float("inf")


class PairSums:
    """b·b, c·c and b·c of two long vectors."""

    def __init__(self, wide: bool) -> None:
        self._b, self._c = Scale(wide), Scale(wide)
        self._bb = self._cc = self._bc = 0.0

    def add(self, base: Floats, candidate: Floats) -> None:
        """Take in the next parts of both vectors (finite values)."""
        grown_b, grown_c = self._b.grow(base), self._c.grow(candidate)
        self._bb = ldexp(self._bb, -2 * grown_b)
        self._cc = ldexp(self._cc, -2 * grown_c)
        self._bc = ldexp(self._bc, -grown_b - grown_c)
        b, c = self._b.apply(base), self._c.apply(candidate)
        square = float(np.dot(b, b))
        self._bb += square
        if candidate is base and self._b.exponent == self._c.exponent:
            self._cc += square
            self._bc += square
            return
        self._cc += float(np.dot(c, c))
        self._bc += float(np.dot(b, c))

    @property
    def base_zero(self) -> bool:
        """Whether all values of the base are zero."""
        return self._bb == 0.0

    @property
    def candidate_zero(self) -> bool:
        """Whether all values of the candidate are zero."""
        return self._cc == 0.0

    def cosine(self) -> float | None:
        """b·c / (|b| |c|) within [-1, 1]; None when either vector is zero."""
        if self.base_zero or self.candidate_zero:
            return None
        value = self._bc / (sqrt(self._bb) * sqrt(self._cc))
        return min(max(value, -1.0), 1.0)

    def base_rms(self, count: int) -> float:
        """sqrt(b·b / count)."""
        return self._b.unit(sqrt(self._bb / count)) if count else 0.0


class ErrorSums:
    """Mean and root mean square of non-negative errors."""

    def __init__(self, wide: bool) -> None:
        self._scale = Scale(wide)
        self._sum = self._squares = 0.0

    def add(self, errors: Floats) -> None:
        """Take in more errors (finite values)."""
        grown = self._scale.grow(errors)
        self._sum, self._squares = ldexp(self._sum, -grown), ldexp(self._squares, -2 * grown)
        scaled = self._scale.apply(errors)
        self._sum += float(np.sum(scaled))
        self._squares += float(np.dot(scaled, scaled))

    def mean(self, count: int) -> float:
        """The sum divided by `count`."""
        return self._scale.unit(self._sum / count) if count else 0.0

    def rms(self, count: int) -> float:
        """The root of the mean square."""
        return self._scale.unit(sqrt(self._squares / count)) if count else 0.0

    def norm(self) -> float:
        """The root of the sum of squares: the Euclidean distance."""
        return self._scale.unit(sqrt(self._squares))
