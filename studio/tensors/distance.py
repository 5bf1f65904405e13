"""|c - b| element by element, exact where the types allow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def distance(base: NDArray[Any], candidate: NDArray[Any]) -> NDArray[Any]:
    """Return |c - b|: uint64 and exact for two integer arrays, float64 otherwise."""
    if base.dtype.kind in "iu" and candidate.dtype.kind in "iu":
        return _integer_distance(base, candidate)
    if np.iscomplexobj(base) or np.iscomplexobj(candidate):
        apart: NDArray[Any] = np.abs(candidate.astype(np.complex128) - base)
        return apart
    far: NDArray[np.float64] = np.subtract(candidate, base, dtype=np.float64)
    np.abs(far, out=far)
    return far


def parts(values: NDArray[Any]) -> NDArray[np.float64]:
    """Return the values as a vector of float64; a complex number gives two."""
    if np.iscomplexobj(values):
        return np.ascontiguousarray(values, np.complex128).view(np.float64)
    return values.astype(np.float64, copy=False)


def _integer_distance(base: NDArray[Any], candidate: NDArray[Any]) -> NDArray[Any]:
    unsigned = [a.dtype.kind == "u" and a.dtype.itemsize == 8 for a in (base, candidate)]
    if not any(unsigned):
        # In two's complement the wrapped difference, read as unsigned, is the exact distance.
        b, c = base.astype(np.int64), candidate.astype(np.int64)
        return np.maximum(b, c).view(np.uint64) - np.minimum(b, c).view(np.uint64)
    negative = (base < 0) | (candidate < 0)
    b, c = base.astype(np.uint64), candidate.astype(np.uint64)
    exact = np.maximum(b, c) - np.minimum(b, c)
    if not negative.any():
        return exact
    # A negative number against a uint64 can be further apart than any integer type holds.
    rounded = np.abs(candidate.astype(np.float64) - base.astype(np.float64))
    return np.where(negative, rounded, exact)
