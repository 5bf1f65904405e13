"""Strict metrics on random tensors of every type, against exact arithmetic on the same bits."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from studio.tensors.metrics import measure
from studio.tensors.profile import Limits
from studio.tensors.tensor_file import open_one
from studio.tensors.tolerance import Tolerance
from tests.fixtures.exact_metrics import exactly
from tests.fixtures.pt_writer import Raw, write_pt

if TYPE_CHECKING:
    from pathlib import Path

    from studio.tensors.metrics import Metrics

FLOATS = ("float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2")
INTEGERS = ("int64", "int32", "int16", "int8", "uint8", "bool")
COMPLEX = ("complex64", "complex128")
SHAPES = ((), (0,), (1,), (2,), (5,), (2, 3), (3, 1, 4))

fuzzed = settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def numpy_type(name: str) -> np.dtype[Any]:
    return np.dtype(getattr(ml_dtypes, name)) if hasattr(ml_dtypes, name) else np.dtype(name)


@st.composite
def sides(draw: st.DrawFn, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Two tensors of a type: any bits on the first side, some other bits on the second."""
    kind = numpy_type(name)
    shape = draw(st.sampled_from(SHAPES))
    count = math.prod(shape)
    odd = [0, 1, -1, 2, 100]
    if kind.kind in "iu":
        odd += [np.iinfo(kind).min, np.iinfo(kind).max]
    elif kind.kind != "b":
        odd += [-0.0, math.inf, -math.inf, math.nan, 1e-42, 5e-324, 1e30, 65504, 448]

    def cells() -> np.ndarray:
        # Bytes give every exponent, NaN and denormal; plain numbers what tensors mostly hold.
        size = count * kind.itemsize
        way = draw(st.integers(0, 2))
        if way == 0 and kind.kind != "b":
            return np.frombuffer(draw(st.binary(min_size=size, max_size=size)), kind).copy()
        with np.errstate(all="ignore"):
            if way == 1:
                plain = draw(st.lists(st.sampled_from(odd), min_size=count, max_size=count))
                return np.array([np.asarray(v).astype(kind) for v in plain], kind)
            seed = draw(st.integers(0, 2**32 - 1))
            return (np.random.default_rng(seed).normal(size=count) * 50).astype(kind)

    base, other = cells(), cells()
    keep = np.array(draw(st.lists(st.booleans(), min_size=count, max_size=count)), bool)
    candidate = np.where(keep, base.view(_bits(kind)), other.view(_bits(kind)))
    return base.reshape(shape), candidate.view(kind).reshape(shape)


def _bits(kind: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype(f"u{kind.itemsize}") if kind.itemsize <= 8 else kind


def compare(
    folder: Path, base: np.ndarray, candidate: np.ndarray, limits: Limits | None = None
) -> Metrics:
    found = []
    for side, array in (("b", base), ("c", candidate)):
        plain = array.dtype.name
        raw = np.frombuffer(np.ascontiguousarray(array).tobytes(), np.uint8)
        write_pt(folder / f"{side}.pt", Raw(raw, plain, array.shape))
        found.append(open_one(folder / f"{side}.pt"))
    return measure(found[0], found[1], Tolerance(0.0, 0.0), limits=limits)


def numbers(array: np.ndarray) -> list[Any]:
    if array.dtype.kind == "b":
        return [int(v) for v in array.ravel()]
    if array.dtype.kind in "iuc":
        return list(array.ravel().tolist())
    with np.errstate(all="ignore"):
        return list(array.astype(np.float64).ravel().tolist())


def close(value: float, wanted: float) -> bool:
    if math.isnan(wanted) or math.isinf(wanted):
        return repr(float(value)) == repr(float(wanted))
    return abs(value - wanted) <= 1e-12 * abs(wanted) + 1e-323


@pytest.mark.parametrize("name", [*FLOATS, *INTEGERS, *COMPLEX])
@fuzzed
@given(data=st.data())
def test_random_tensors_of_every_type(tmp_path: Path, name: str, data: st.DataObject) -> None:
    base, candidate = data.draw(sides(name))
    got, wanted = compare(tmp_path, base, candidate), exactly(numbers(base), numbers(candidate))
    odd = got.non_finite
    assert got.compared == wanted.compared
    assert (odd.mismatched, odd.nan_both, odd.inf_both, odd.inf_sign) == (
        wanted.mismatched, wanted.nan_both, wanted.inf_both, wanted.inf_sign,
    )  # fmt: skip
    assert got.zero_base == wanted.zero_base
    assert got.differing == wanted.mismatched + sum(1 for e in wanted.errors if e)
    for field in ("max_abs", "max_rel", "mean_abs", "rmse", "euclid", "base_rms"):
        value, right = getattr(got, field), getattr(wanted, field)
        assert close(value, right), (field, value, right)
    if base.ndim == 0 or base.size < 2 or wanted.cosine is None:
        assert got.cosine is None or got.max_abs == 0
    else:
        assert got.cosine == pytest.approx(wanted.cosine, abs=1e-13)


@pytest.mark.parametrize("name", ["int64", "uint8", "bool"])
@fuzzed
@given(data=st.data())
def test_integers_are_exact(tmp_path: Path, name: str, data: st.DataObject) -> None:
    base, candidate = data.draw(sides(name))
    got = compare(tmp_path, base, candidate)
    pairs = zip(numbers(base), numbers(candidate), strict=True)
    assert got.max_abs == max((abs(c - b) for b, c in pairs), default=0)


@pytest.mark.parametrize("name", FLOATS)
@fuzzed
@given(data=st.data())
def test_units_in_the_last_place(tmp_path: Path, name: str, data: st.DataObject) -> None:
    base, candidate = data.draw(sides(name))
    got = compare(tmp_path, base, candidate, Limits(ulp=1.0))
    if got.profile is None:
        assert got.identical or not got.compared
        return
    kind = ml_dtypes.finfo(base.dtype)
    units, more, less, small = [], 0, 0, 0
    for b, c in zip(numbers(base), numbers(candidate), strict=True):
        if math.isfinite(b) and math.isfinite(c):
            exponent = math.frexp(b)[1] - 1 if b else kind.minexp
            step = Fraction(2) ** (max(exponent, int(kind.minexp)) - int(kind.nmant))
            units.append(abs(Fraction(c) - Fraction(b)) / step)
            more, less, small = more + (c > b), less + (c < b), small + (c == b)
    found = got.profile
    if max(units) < 1e300:
        assert found.ulp_max == pytest.approx(float(max(units)), rel=1e-12)
        assert found.ulp_mean == pytest.approx(float(sum(units) / len(units)), rel=1e-12)
    assert found.ulp_above == pytest.approx(sum(1 for u in units if u > 1) / len(units))
    assert found.balance == pytest.approx((more - less) / len(units), abs=1e-15)
    assert sum(found.histogram) == len(units)
    assert found.histogram[0] == small
