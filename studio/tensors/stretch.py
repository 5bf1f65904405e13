"""Elements of two tensors at the same places, and what several sums need of them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from studio.tensors.distance import distance

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Stretch:
    """Numbers of the base and of the candidate; errors and sizes are computed once.

    `start` is the place of the first. Where all bytes are equal, both are the same array.
    """

    def __init__(self, start: int, base: NDArray[Any], candidate: NDArray[Any]) -> None:
        self.start, self.base, self.candidate = start, base, candidate

    def __len__(self) -> int:
        return len(self.base)

    @cached_property
    def error(self) -> NDArray[Any]:
        """|c - b|; uint64 for two integer types, else float64."""
        return distance(self.base, self.candidate)

    @cached_property
    def size(self) -> NDArray[np.float64]:
        """|b| in float64."""
        size: NDArray[np.float64] = np.abs(self.base.astype(self._float, copy=False))
        return size

    @cached_property
    def relative(self) -> NDArray[np.float64]:
        """|c - b| / |b|, where 0 / 0 is 0."""
        relative: NDArray[np.float64] = self.error / self.size
        if self.size.min(initial=1.0) == 0:
            relative[self.error == 0] = 0.0
        return relative

    @cached_property
    def finite(self) -> NDArray[np.bool_]:
        """Where both are finite."""
        both: NDArray[np.bool_] = np.isfinite(self.base) & np.isfinite(self.candidate)
        return both

    @cached_property
    def all_finite(self) -> bool:
        """Whether all numbers are."""
        # A sum is finite only when all its parts are; one that overflows is looked at in full.
        if self.candidate is self.base:
            total = self.base.sum(dtype=self._float)
        else:
            total = self.error.max(initial=0)
        return bool(np.isfinite(total)) or bool(self.finite.all())

    @property
    def part(self) -> Stretch:
        """What is finite on both sides, as if nothing else were there."""
        # Never kept in itself: that would keep its arrays until the next collection of garbage.
        return self if self.all_finite else self._finite_part

    @cached_property
    def _finite_part(self) -> Stretch:
        base = self.base[self.finite]
        same = self.candidate is self.base
        return Stretch(self.start, base, base if same else self.candidate[self.finite])

    def place(self, index: int) -> int:
        """Return the place in the tensor of a number of `part`."""
        inside = index if self.all_finite else int(np.flatnonzero(self.finite)[index])
        return self.start + inside

    @property
    def _float(self) -> type[Any]:
        return np.complex128 if np.iscomplexobj(self.base) else np.float64
