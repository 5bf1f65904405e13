"""More about the errors of a pair: in units of the last place, their sign, their distribution.

b is the base, c the candidate, over the elements where both are finite.

    ulp          |c_i - b_i| / 2^(max(floor(log2 |b_i|), e_min) - m)
                 m bits of fraction, e_min the least exponent, of the coarser of the two types:
                 1 is a step to the next number
    balance      (#(c_i > b_i) - #(c_i < b_i)) / n, 0 for unbiased rounding
    small        elements with |b_i| <= small_value; errors among them: |c_i - b_i| > small_error
    histogram    how many elements have a relative error in each decade
    snr          10 log10(sum b_i^2 / sum e_i^2) in dB

The limits for small values are those of the vendor's checker (see resources/rules/precision.toml).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ldexp
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from studio.tensors.stretch import Stretch
    from studio.tensors.values import ElementType

    Floats = NDArray[np.float64]

DECADES = range(-12, 3)
"""The histogram's edges are 10 to these powers."""

_EDGES = tuple(float(f"1e{power}") for power in DECADES)
_EXPONENT = 0x7FF << 52  # of the bits of a float64


@dataclass(frozen=True, slots=True)
class Format:
    """The shape of a floating-point type."""

    fraction: int
    least_exponent: int
    small_value: float
    small_error: float


_FORMATS = {
    "float64": Format(52, -1022, 2.0**-20, 2.0**-30),
    "float32": Format(23, -126, 2.0**-20, 2.0**-30),
    "complex64": Format(23, -126, 2.0**-20, 2.0**-30),
    "float16": Format(10, -14, 2.0**-10, 1e-16),
    "bfloat16": Format(7, -126, 2.0**-10, 1e-16),
    "float8_e4m3fn": Format(3, -6, 2.0**-6, 2.0**-9),
    "float8_e5m2": Format(2, -14, 2.0**-14, 2.0**-16),
}


@dataclass(frozen=True, slots=True)
class Limits:
    """What counts as far: how many units in the last place, by type; and the small values."""

    ulp: float = 1.0
    small_value: float | None = None
    small_error: float | None = None


@dataclass(frozen=True, slots=True)
class Profile:
    """The result; the module says what each number means."""

    ulp_max: float
    ulp_mean: float
    ulp_above: float
    """The share of elements beyond the limit."""
    ulp_limit: float
    balance: float
    small_count: int
    small_errors: int
    histogram: tuple[int, ...]
    """Exactly equal, below 1e-12, one per decade, from 1e2 on (infinite ones included)."""


def format_of(base: ElementType, candidate: ElementType) -> Format | None:
    """Return the coarser of two floating-point types, None when one of them is none."""
    found = [_FORMATS.get(kind.name) for kind in (base, candidate) if kind.kind == "float"]
    if len(found) < 2 or None in found:
        return None
    return min((f for f in found if f), key=lambda f: (f.fraction, -f.least_exponent))


class ProfileSums:
    """Takes a pair in chunk by chunk."""

    def __init__(self, shape: Format, limits: Limits) -> None:
        self._shape, self._limits = shape, limits
        self._small = limits.small_value if limits.small_value is not None else shape.small_value
        self._error = limits.small_error if limits.small_error is not None else shape.small_error
        self._max = self._sum = 0.0
        self._above = self._more = self._less = self._count = 0
        self._small_count = self._small_errors = 0
        self._histogram = np.zeros(len(DECADES) + 2, np.int64)

    def add(self, part: Stretch) -> None:
        """Take in a chunk of finite numbers."""
        # In units of the greatest power of two in each number: that is the unit of the last place
        # but for the bits of the fraction, and multiplying by a power of two is exact.
        steps = part.error / _powers(part.size, self._shape)
        unit = 2.0**self._shape.fraction
        self._max = max(self._max, float(steps.max(initial=0.0)) * unit)
        self._sum += float(steps.sum()) * unit
        self._above += int(np.count_nonzero(steps > self._limits.ulp / unit))
        more = int(np.count_nonzero(part.candidate > part.base))
        changed = int(np.count_nonzero(part.error))
        self._more += more
        self._less += changed - more
        self._count += len(part)
        small = part.size <= self._small
        if count := int(np.count_nonzero(small)):
            self._small_count += count
            self._small_errors += int(np.count_nonzero(part.error[small] > self._error))
        self._histogram += _decades(part.relative, len(part) - changed)

    def result(self) -> Profile:
        """What all chunks together give."""
        count = max(self._count, 1)
        return Profile(
            ulp_max=self._max,
            ulp_mean=self._sum / count,
            ulp_above=self._above / count,
            ulp_limit=self._limits.ulp,
            balance=(self._more - self._less) / count,
            small_count=self._small_count,
            small_errors=self._small_errors,
            histogram=tuple(int(n) for n in self._histogram),
        )


def _powers(size: Floats, shape: Format) -> Floats:
    """Return 2^max(floor(log2 |x|), e_min) of each number."""
    # A float64 with its fraction cleared; 0 and denormals give 0, which the least one replaces.
    powers: Floats = (size.view(np.int64) & _EXPONENT).view(np.float64)
    np.maximum(powers, ldexp(1.0, shape.least_exponent), out=powers)
    return powers


def _decades(relative: Floats, equal: int) -> NDArray[np.int64]:
    """Count the relative errors in each decade; those of `equal` elements are 0."""
    counts = np.zeros(len(DECADES) + 2, np.int64)
    counts[0] = equal
    largest = float(relative.max(initial=0.0))
    # Counting those below each edge is several times as fast as taking logarithms.
    left = len(relative)
    for place, edge in enumerate(reversed(_EDGES)):
        if largest >= edge and left > equal:
            below = int(np.count_nonzero(relative < edge))
            counts[len(counts) - 1 - place] = left - below
            left = below
    counts[1] = left - equal
    return counts


def snr(base_rms: float, rmse: float) -> float | None:
    """Return the signal-to-noise ratio in dB; None without a signal, infinity without noise."""
    if base_rms == 0:
        return None
    return float(20 * np.log10(base_rms / rmse)) if rmse else float("inf")


def as_dict(profile: Profile) -> dict[str, Any]:
    """Return the numbers by name, the histogram left out."""
    names = ("ulp_max", "ulp_mean", "ulp_above", "balance", "small_count", "small_errors")
    return {name: getattr(profile, name) for name in names}
