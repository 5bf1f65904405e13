"""The elements that lie furthest apart, with their places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

KEPT = 200
"""How many elements are kept in each order."""


@dataclass(frozen=True, slots=True)
class Element:
    """One element of both tensors."""

    index: tuple[int, ...]
    base: Any
    candidate: Any
    difference: float
    """candidate - base; NaN or infinite where one side is not finite."""
    relative: float


class WorstSums:
    """Keeps the worst elements of all blocks, by difference and by relative error."""

    def __init__(self, kept: int = KEPT) -> None:
        self._kept = kept
        self._orders: tuple[list[tuple[float, Element]], ...] = ([], [])

    def add(
        self,
        start: tuple[int, ...],
        base: NDArray[Any],
        candidate: NDArray[Any],
        difference: Floats,
        relative: Floats,
    ) -> None:
        """Take in a block that begins at `start`."""
        for order, size in zip(self._orders, (np.abs(difference), relative), strict=True):
            # What is not finite on one side only comes first: NaN, then infinities.
            rank = np.where(np.isnan(size), np.inf, size).reshape(-1)
            least = order[-1][0] if len(order) >= self._kept else 0.0
            found = np.flatnonzero(rank > least)
            if len(found) > self._kept:
                best = np.argpartition(rank[found], len(found) - self._kept)[-self._kept :]
                found = found[best]
            if not len(found):
                continue
            places = np.unravel_index(found, difference.shape)
            for number, flat in enumerate(found):
                where = tuple(int(axis[number]) for axis in places)
                order.append(
                    (
                        float(rank[flat]),
                        Element(
                            tuple(s + w for s, w in zip(start, where, strict=True)),
                            base[where].item(),
                            candidate[where].item(),
                            float(difference[where]),
                            float(relative[where]),
                        ),
                    )
                )
            order.sort(key=lambda entry: -entry[0])
            del order[self._kept :]

    def by_difference(self) -> tuple[Element, ...]:
        """The elements with the largest differences, the worst first; equal ones are left out."""
        return tuple(element for _, element in self._orders[0])

    def by_relative(self) -> tuple[Element, ...]:
        """The elements with the largest relative errors, the worst first."""
        return tuple(element for _, element in self._orders[1])
