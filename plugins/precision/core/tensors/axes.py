"""Figures for each place along an axis: which channel, row or head is off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_SUMS = ("elements", "base_sum", "base_square", "candidate_sum", "candidate_square", "error_square")
_PEAKS = ("base_peak", "candidate_peak", "error_peak")
_ODD = ("base_odd", "candidate_odd", "mismatched")
_COUNTS = ("base_n", "candidate_n", "n")


@dataclass(frozen=True, slots=True)
class AxisFigures:
    """Arrays as long as the axis. Sums and peaks are over the finite elements of each side."""

    axis: int
    elements: NDArray[np.int64]
    base_mean: Floats | None
    base_rms: Floats | None
    base_peak: Floats | None
    """max |b|."""
    candidate_mean: Floats | None
    candidate_rms: Floats | None
    candidate_peak: Floats | None
    error_peak: Floats | None
    """max |c - b| where both are finite."""
    rmse: Floats | None
    relative_error: Floats | None
    """rmse / base_rms; infinite where only the base is zero."""
    base_odd: NDArray[np.int64] | None
    """Elements that are NaN or infinite."""
    candidate_odd: NDArray[np.int64] | None
    mismatched: NDArray[np.int64] | None
    """Elements that are not finite on one side, or another infinity or NaN there."""


class AxisSums:
    """Takes blocks in for all axes at once."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._shape = shape
        self._sums = [
            {name: np.zeros(length) for name in (*_SUMS, *_PEAKS, *_ODD, *_COUNTS)}
            for length in shape
        ]

    def add(
        self,
        start: tuple[int, ...],
        base: Floats | None,
        candidate: Floats | None,
        difference: Floats | None,
    ) -> None:
        """Take in a block that begins at `start`; moduli stand for complex numbers."""
        side = base if base is not None else candidate
        if side is None or not self._shape:
            return
        self._count(start, side.shape)
        for name, values in (("base", base), ("candidate", candidate)):
            if values is not None:
                self._side(name, start, values)
        if difference is None or base is None or candidate is None:
            return
        finite = np.isfinite(base) & np.isfinite(candidate)
        error = np.where(finite, difference, 0.0)
        self._add("error_square", start, np.square(error))
        self._most("error_peak", start, np.abs(error))
        self._add("n", start, finite)
        if not finite.all():
            self._add("mismatched", start, ~finite & (difference != 0))

    def result(self) -> tuple[AxisFigures, ...]:
        """The figures of every axis."""
        return tuple(_figures(axis, sums) for axis, sums in enumerate(self._sums))

    def _side(self, name: str, start: tuple[int, ...], values: Floats) -> None:
        finite = np.isfinite(values)
        kept = values if finite.all() else np.where(finite, values, 0.0)
        self._add(f"{name}_sum", start, kept)
        self._add(f"{name}_square", start, np.square(kept))
        self._most(f"{name}_peak", start, np.abs(kept))
        self._add(f"{name}_n", start, finite)
        if kept is not values:
            self._add(f"{name}_odd", start, ~finite)

    def _count(self, start: tuple[int, ...], shape: tuple[int, ...]) -> None:
        total = int(np.prod(shape))
        for axis, length in enumerate(shape):
            part = slice(start[axis], start[axis] + length)
            self._sums[axis]["elements"][part] += total // length

    def _add(self, name: str, start: tuple[int, ...], values: NDArray[Any]) -> None:
        for axis, length in enumerate(values.shape):
            part = slice(start[axis], start[axis] + length)
            others = tuple(other for other in range(values.ndim) if other != axis)
            self._sums[axis][name][part] += values.sum(axis=others, dtype=np.float64)

    def _most(self, name: str, start: tuple[int, ...], values: Floats) -> None:
        for axis, length in enumerate(values.shape):
            part = slice(start[axis], start[axis] + length)
            others = tuple(other for other in range(values.ndim) if other != axis)
            sums = self._sums[axis][name]
            np.maximum(sums[part], values.max(axis=others), out=sums[part])


def _figures(axis: int, sums: dict[str, Floats]) -> AxisFigures:
    sides: dict[str, Any] = {}
    for side in ("base", "candidate"):
        count = sums[f"{side}_n"]
        there = bool((count + sums[f"{side}_odd"]).any())
        sides |= {
            f"{side}_mean": _ratio(sums[f"{side}_sum"], count) if there else None,
            f"{side}_rms": np.sqrt(_ratio(sums[f"{side}_square"], count)) if there else None,
            f"{side}_peak": sums[f"{side}_peak"] if there else None,
            f"{side}_odd": sums[f"{side}_odd"].astype(np.int64) if there else None,
        }
    both = sides["base_rms"] is not None and sides["candidate_rms"] is not None
    rmse = np.sqrt(_ratio(sums["error_square"], sums["n"])) if both else None
    relative = None
    if rmse is not None:
        with np.errstate(all="ignore"):
            relative = rmse / sides["base_rms"]
            relative[rmse == 0] = 0.0
    return AxisFigures(
        axis=axis,
        elements=sums["elements"].astype(np.int64),
        error_peak=sums["error_peak"] if both else None,
        rmse=rmse,
        relative_error=relative,
        mismatched=sums["mismatched"].astype(np.int64) if both else None,
        **sides,
    )


def _ratio(total: Floats, count: Floats) -> Floats:
    """Means; NaN where there is nothing to average."""
    with np.errstate(all="ignore"):
        found: Floats = total / count
    return found
