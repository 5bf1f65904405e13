"""The six numbers that msprobe 26.2 gives for a pair of tensors, with its rounding and its rules.

They are what its users know, and not always right: `studio.tensors.metrics` has the right ones.
Differences are kept on purpose, among them: axes of length 1 are dropped before shapes are
compared, infinities count as equal whatever their sign, imaginary parts are dropped, integers are
compared as float64, and a difference below 5e-13 is printed as 0.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from math import inf, isnan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from studio.tensors.tensor import chunks
from studio.tensors.values import RAW_TYPES

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from studio.tensors.tensor import TensorFile
    from studio.tensors.values import ElementType

COLUMNS = (
    "Cosine",
    "EucDist",
    "MaxAbsErr",
    "MaxRelativeErr",
    "One Thousandth Err Ratio",
    "Five Thousandths Err Ratio",
)
Cell = float | str

UNSUPPORTED = "unsupported"
SHAPES_DIFFER = "shape unmatched"
NOT_A_NUMBER = "Nan"
NOT_AVAILABLE = "N/A"

_TINY_NORM = float(np.finfo(np.float64).eps)
_ROUNDED_ABOVE = 0.9999


def columns_of(
    npu: TensorFile, bench: TensorFile, check: Callable[[], object] = lambda: None
) -> list[Cell]:
    """Return msprobe's six columns for a tensor of the device and one of the reference."""
    npu, bench = _squeezed(npu), _squeezed(bench)
    if npu.count == 0 or bench.count == 0:
        return [UNSUPPORTED] * 6
    if npu.shape != bench.shape:
        return [SHAPES_DIFFER] * 6
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # complex numbers lose their imaginary part
        if npu.shape == ():
            return _of_numbers(npu, bench)
        sums = _Sums()
        for _, n, b in chunks(npu, bench):
            check()
            if not sums.add(_loaded(npu.type, n), _loaded(bench.type, b)):
                return [NOT_AVAILABLE] * 6
        return sums.columns(npu.count)


class _Sums:
    """One pass over a pair."""

    def __init__(self) -> None:
        self.dot = self.npu = self.bench = self.apart = 0.0
        self.largest = self.relative = 0.0
        self.within_1, self.within_5 = 0, 0

    def add(self, n: NDArray[Any], b: NDArray[Any]) -> bool:
        """Take in a chunk; False when NaN or infinities are not at the same places."""
        wide_n, wide_b = n.astype(np.float64), b.astype(np.float64)
        bad_n, bad_b = ~np.isfinite(wide_n), ~np.isfinite(wide_b)
        if bad_n.any() or bad_b.any():
            if not _same_places(wide_n, wide_b):
                return False
            n, b = np.where(bad_n, 0, n).astype(n.dtype), np.where(bad_b, 0, b).astype(b.dtype)
            wide_n, wide_b = n.astype(np.float64), b.astype(np.float64)
        self.dot += float(wide_n @ wide_b)
        self.npu += float(wide_n @ wide_n)
        self.bench += float(wide_b @ wide_b)
        wide_n -= wide_b
        self.apart += float(wide_n @ wide_n)
        np.abs(wide_n, out=wide_n)
        self.largest = max(self.largest, float(wide_n.max()))
        relative = relative_errors(n, b)
        self.relative = _larger(self.relative, float(relative.max()))
        self.within_1 += int(np.count_nonzero(relative < 0.001))
        self.within_5 += int(np.count_nonzero(relative < 0.005))
        return True

    def columns(self, count: int) -> list[Cell]:
        """What all chunks together give."""
        return [
            self._cosine() if count > 1 else UNSUPPORTED,
            sqrt(self.apart),
            _shown(self.largest),
            _shown(self.relative),
            _shown(self.within_1 / count),
            _shown(self.within_5 / count),
        ]

    def _cosine(self) -> Cell:
        npu, bench = sqrt(self.npu), sqrt(self.bench)
        if npu <= _TINY_NORM and bench <= _TINY_NORM:
            return 1.0
        if npu <= _TINY_NORM or bench <= _TINY_NORM:
            return NOT_A_NUMBER
        value = _shown(self.dot / (npu * bench))
        return round(value, 6) if isinstance(value, float) and value > _ROUNDED_ABOVE else value


def relative_errors(n: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """|n - b| / |b| in float32, or float64 for wider types; eps is added to both where b is 0."""
    n = n if n.dtype.kind == "f" else n.astype(np.float64)
    b = b if b.dtype.kind == "f" else b.astype(np.float64)
    wide = np.result_type(n, b, np.float32)
    n, b = n.astype(wide), b.astype(wide)
    zero = b == 0
    if zero.any():
        eps = np.finfo(wide).eps
        n, b = np.where(zero, n + eps, n), np.where(zero, b + eps, b)
    relative: NDArray[Any] = np.abs((n - b) / b)
    return relative


def _of_numbers(npu: TensorFile, bench: TensorFile) -> list[Cell]:
    n, b = _loaded(npu.type, npu.array()), _loaded(bench.type, bench.array())
    relative = float(np.max(np.abs(relative_errors(n, b))))
    if n.dtype == bool:
        n, b = n.astype(float), b.astype(float)
    largest = float(np.abs(n - b))
    no: Cell = UNSUPPORTED
    return [no, no, _shown(largest), _shown(relative), no, no]


def _loaded(kind: ElementType, raw: NDArray[Any]) -> NDArray[Any]:
    """Return the elements as msprobe holds them: types that NumPy lacks as float32."""
    if kind.name in RAW_TYPES:
        return kind.numbers(raw).astype(np.float32)
    return raw.astype(raw.dtype.newbyteorder("="), copy=False)


def _squeezed(tensor: TensorFile) -> TensorFile:
    if 1 not in tensor.shape:
        return tensor
    kept = [place for place, length in enumerate(tensor.shape) if length != 1]
    steps = tensor.strides
    return replace(
        tensor,
        shape=tuple(tensor.shape[place] for place in kept),
        strides=None if steps is None else tuple(steps[place] for place in kept),
    )


def _same_places(n: NDArray[Any], b: NDArray[Any]) -> bool:
    infinite = bool(np.array_equal(np.isinf(n), np.isinf(b)))
    return infinite and bool(np.array_equal(np.isnan(n), np.isnan(b)))


def _larger(one: float, two: float) -> float:
    return two if isnan(two) or two > one else one


def _shown(value: float) -> Cell:
    """Round to twelve places after the point, as msprobe prints."""
    if isnan(value):
        return NOT_A_NUMBER
    return value if abs(value) == inf else float(f"{value:.12f}")
