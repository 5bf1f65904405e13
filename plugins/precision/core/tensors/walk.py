"""Walk one tensor or two in blocks that keep their axes, for sums along each of them."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from plugins.precision.core.tensors.opened import OpenedPair

BLOCK = 1 << 18
"""Elements of a block, but for a single row that is longer."""


@dataclass(frozen=True, slots=True)
class Block:
    """A part of both tensors with all axes: where it begins, and its elements as numbers."""

    start: tuple[int, ...]
    base: NDArray[Any] | None
    candidate: NDArray[Any] | None

    @property
    def count(self) -> int:
        """How many elements it has."""
        side = self.base if self.base is not None else self.candidate
        return 0 if side is None else side.size


def blocks(pair: OpenedPair) -> Iterator[Block]:
    """Yield a pair of tensors of the same shape, or one tensor, in blocks of memory order.

    A base of another shape than the candidate's is left out.
    """
    base = pair.base if pair.comparable or pair.candidate is None else None
    for part in _parts(pair.shape, _order(pair)):
        yield Block(
            tuple(piece.start for piece in part),
            base.numbers(part) if base else None,
            pair.candidate.numbers(part) if pair.candidate else None,
        )


def _order(pair: OpenedPair) -> list[int]:
    """The axes from the slowest to the fastest in the file of the first side."""
    axes = list(range(len(pair.shape)))
    sides = pair.sides()
    if sides and sides[0].tensor.fortran_order:
        axes.reverse()
    return axes


def _parts(shape: tuple[int, ...], order: list[int]) -> Iterator[tuple[slice, ...]]:
    if 0 in shape:
        return
    whole = [slice(0, length) for length in shape]
    yield from _divided(shape, order, whole)


def _divided(
    shape: tuple[int, ...], order: list[int], part: list[slice]
) -> Iterator[tuple[slice, ...]]:
    """Cut along the slowest axis that is left, and its single items along the next one."""
    if not order or prod(piece.stop - piece.start for piece in part) <= BLOCK:
        yield tuple(part)
        return
    axis, rest = order[0], order[1:]
    inner = prod(shape[other] for other in rest)
    at_once = max(BLOCK // inner, 1)
    for start in range(0, shape[axis], at_once):
        piece = list(part)
        piece[axis] = slice(start, min(start + at_once, shape[axis]))
        if at_once == 1 and inner > BLOCK:
            yield from _divided(shape, rest, piece)
        else:
            yield tuple(piece)
