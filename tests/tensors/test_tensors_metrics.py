"""Metrics against values computed on their own, in rational numbers and from the definitions."""

from __future__ import annotations

import gc
import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from studio.tensors.metrics import Metrics, measure
from studio.tensors.npy import CHUNK, open_npy
from studio.tensors.profile import Limits
from studio.tensors.stretch import Stretch
from studio.tensors.tolerance import Tolerance, tolerance_for

if TYPE_CHECKING:
    from pathlib import Path


def compare(folder: Path, base: Any, candidate: Any, tolerance: Tolerance | None = None) -> Metrics:
    """Save two arrays and compare the files."""
    np.save(folder / "b.npy", base)
    np.save(folder / "c.npy", candidate)
    b, c = open_npy(folder / "b.npy"), open_npy(folder / "c.npy")
    return measure(b, c, tolerance or tolerance_for(b.type, c.type))


def exactly(base: np.ndarray, candidate: np.ndarray) -> dict[str, float]:
    """The definitions in rational numbers, rounded once at the end."""
    b = [Fraction(v.item()) for v in base.ravel()]
    c = [Fraction(v.item()) for v in candidate.ravel()]
    errors = [abs(y - x) for x, y in zip(b, c, strict=True)]
    dot = sum((x * y for x, y in zip(b, c, strict=True)), Fraction(0))
    norms = sum((x * x for x in b), Fraction(0)) * sum((y * y for y in c), Fraction(0))
    squares = sum((e * e for e in errors), Fraction(0))
    return {
        "cosine": math.copysign(math.sqrt(dot * dot / norms), dot),
        "max_abs": float(max(errors)),
        "max_rel": float(max(e / abs(x) for e, x in zip(errors, b, strict=True) if x)),
        "mean_abs": float(sum(errors) / len(errors)),
        "rmse": math.sqrt(squares / len(errors)),
        "euclid": math.sqrt(squares),
    }


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "int32", "uint8"])
@pytest.mark.parametrize("shape", [(7,), (3, 5), (2, 3, 4)])
def test_metrics_equal_exact_arithmetic(tmp_path: Path, dtype: str, shape: tuple[int, ...]) -> None:
    random = np.random.default_rng(7)
    base = (random.normal(size=shape) * 40 + 50).astype(dtype)
    candidate = (base + random.normal(size=shape)).astype(dtype)
    got = compare(tmp_path, base, candidate)
    for name, value in exactly(base, candidate).items():
        assert getattr(got, name) == pytest.approx(value, rel=1e-12), name


def test_long_tensors_are_summed_over_chunks(tmp_path: Path) -> None:
    random = np.random.default_rng(8)
    base = random.normal(size=2 * CHUNK + 17).astype(np.float32)
    candidate = base.copy()
    candidate[CHUNK + 3] += 0.5
    candidate[2 * CHUNK + 16] -= 0.25
    got = compare(tmp_path, base, candidate)
    b, c = base.astype(np.float64), candidate.astype(np.float64)
    assert got.max_abs == np.abs(c - b).max()
    assert got.worst == got.first_differing == (CHUNK + 3,)
    assert got.differing == 2
    assert got.rmse == pytest.approx(math.sqrt(math.fsum((c - b) ** 2) / len(b)), rel=1e-13)
    exact = math.fsum(b * c) / math.sqrt(math.fsum(b * b) * math.fsum(c * c))
    assert got.cosine == pytest.approx(exact, rel=1e-13)


@pytest.mark.parametrize("scale", [1e-320, 1e-300, 1e-170, 1.0, 1e170, 1e300])
def test_no_scale_of_float64_breaks_the_sums(tmp_path: Path, scale: float) -> None:
    base = np.array([3.0, 4.0, 0.0]) * scale
    candidate = np.array([4.0, 3.0, 0.0]) * scale
    got = compare(tmp_path, base, candidate)
    assert got.cosine == pytest.approx(0.96, rel=1e-3 if scale < 1e-310 else 1e-14)
    assert got.euclid == pytest.approx(math.sqrt(2) * scale, rel=1e-3 if scale < 1e-310 else 1e-14)
    assert got.rmse > 0
    assert got.differing == 2


def test_scales_that_grow_from_chunk_to_chunk(tmp_path: Path) -> None:
    base = np.full(2 * CHUNK, 1e-200)
    base[CHUNK:] = 1e200
    got = compare(tmp_path, base, -base)
    assert got.cosine == pytest.approx(-1.0, abs=1e-14)
    assert got.rmse == pytest.approx(2e200 / math.sqrt(2), rel=1e-13)


def test_tiny_vectors_have_a_real_cosine(tmp_path: Path) -> None:
    vector = np.array([1e-17, 2e-17], np.float32)
    assert compare(tmp_path, vector, -vector).cosine == pytest.approx(-1.0)


def test_denormals_do_not_vanish(tmp_path: Path) -> None:
    base, candidate = np.array([1e-42, 1.0e-42], np.float32), np.array([2e-42, 1e-42], np.float32)
    got = compare(tmp_path, base, candidate)
    assert got.max_abs == float(candidate[0]) - float(base[0]) > 0
    assert got.differing == 1


def test_integers_are_exact_up_to_64_bits(tmp_path: Path) -> None:
    base, candidate = np.array([2**53, 5]), np.array([2**53 + 1, 5])
    got = compare(tmp_path, base, candidate)
    assert (got.max_abs, got.differing, got.first_differing) == (1, 1, (0,))
    assert isinstance(got.max_abs, int)
    ends = np.iinfo(np.int64)
    assert compare(tmp_path, np.array([ends.min]), np.array([ends.max])).max_abs == 2**64 - 1
    unsigned = np.array([2**64 - 1], np.uint64)
    assert compare(tmp_path, unsigned, unsigned - np.uint64(1)).max_abs == 1
    assert compare(tmp_path, np.array([7]), np.array([9], np.uint64)).max_abs == 2
    assert compare(tmp_path, np.array([-1]), np.array([1], np.uint64)).max_abs == 2


def test_complex_numbers_count_with_both_parts(tmp_path: Path) -> None:
    base = np.array([1 + 2j, 3 - 1j], np.complex64)
    candidate = np.array([1 + 5j, 3 - 1j], np.complex64)
    got = compare(tmp_path, base, candidate)
    assert got.max_abs == 3.0
    assert got.max_rel == pytest.approx(3 / math.sqrt(5))
    b, c = base.view(np.float32).astype(float), candidate.view(np.float32).astype(float)
    assert got.cosine == pytest.approx(b @ c / (np.linalg.norm(b) * np.linalg.norm(c)))
    odd = np.array([complex(math.nan, 1), complex(math.inf, 1)])
    same = compare(tmp_path, odd, odd)
    assert same.identical
    assert (same.non_finite.nan_both, same.non_finite.inf_both) == (1, 1)
    flipped = compare(tmp_path, odd, np.array([complex(math.nan, 1), complex(math.inf, -1)]))
    assert flipped.non_finite.mismatched == 1


def test_non_finite_elements_are_counted_by_place_and_sign(tmp_path: Path) -> None:
    inf, nan = math.inf, math.nan
    base = np.array([[1, inf, -inf], [nan, nan, 6]])
    candidate = np.array([[1, inf, inf], [nan, 5, -inf]])
    got = compare(tmp_path, base, candidate)
    found = got.non_finite
    assert (found.nan_base, found.nan_candidate, found.nan_both) == (2, 1, 1)
    assert (found.inf_base, found.inf_candidate, found.inf_both) == (2, 3, 1)
    assert (found.inf_sign, found.mismatched) == (1, 3)
    assert got.first_differing == (0, 2)
    assert math.isnan(got.max_abs)
    assert got.compared == 1
    assert got.rmse == 0


def test_infinity_against_a_number_is_an_infinite_error(tmp_path: Path) -> None:
    got = compare(tmp_path, np.array([1.0, 2.0]), np.array([math.inf, 2.0]))
    assert got.max_abs == got.max_rel == math.inf
    assert got.differing == 1


def test_zero_reference_makes_the_relative_error_infinite_and_is_counted(tmp_path: Path) -> None:
    got = compare(tmp_path, np.array([0.0, 0.0, 2.0]), np.array([0.0, 1e-9, 2.0]))
    assert got.max_rel == math.inf
    assert got.zero_base == 1


@pytest.mark.parametrize("orders", ["CF", "FC", "FF"])
def test_memory_order_does_not_change_the_result(tmp_path: Path, orders: str) -> None:
    random = np.random.default_rng(3)
    base = random.normal(size=(13, 7, 5))
    candidate = base.copy()
    candidate[4, 6, 1] += 1
    plain = compare(tmp_path, base, candidate)
    turned = compare(
        tmp_path, np.asarray(base, order=orders[0]), np.asarray(candidate, order=orders[1])
    )
    assert turned.worst == turned.first_differing == plain.worst == (4, 6, 1)
    assert turned.cosine == pytest.approx(plain.cosine, rel=1e-15)
    assert turned.rmse == pytest.approx(plain.rmse, rel=1e-15)


def test_byte_order_does_not_change_the_result(tmp_path: Path) -> None:
    base = np.array([1.5, -2.25], "<f4")
    assert compare(tmp_path, base, base.astype(">f4")).identical


def test_tolerance_follows_the_scale_of_the_tensor(tmp_path: Path) -> None:
    small = np.full(100, 1e-8, np.float32)
    assert compare(tmp_path, small, small * np.float32(1.5)).differing == 100
    large = np.full(100, 1.0, np.float32)
    large[0] = 1e-9
    noisy = large.copy()
    noisy[0] = 2e-9
    assert compare(tmp_path, large, noisy).differing == 0
    assert compare(tmp_path, large, noisy, Tolerance(0.0, 0.0)).differing == 1
    half = np.linspace(1, 2, 50, dtype=np.float16)
    assert compare(tmp_path, half, half.astype(np.float32) * 1.0004).differing == 0


def test_a_comparison_can_be_stopped_between_chunks(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros(3 * CHUNK, np.float32))
    tensor = open_npy(tmp_path / "a.npy")
    seen: list[int] = []

    def check() -> None:
        seen.append(1)
        if len(seen) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure(tensor, tensor, Tolerance(0, 0), check)
    assert len(seen) == 2


def test_nothing_is_left_to_the_collection_of_garbage(tmp_path: Path) -> None:
    base = np.linspace(1.0, 2.0, 5000, dtype=np.float32)
    files = [tmp_path / name for name in ("b.npy", "c.npy")]
    for file, values in zip(files, (base, base * np.float32(1.001)), strict=True):
        np.save(file, values)
    one, two = map(open_npy, files)
    tolerance = tolerance_for(one.type, two.type)
    measure(one, two, tolerance, limits=Limits())
    gc.collect()
    gc.disable()
    try:
        before = sum(isinstance(found, Stretch) for found in gc.get_objects())
        measure(one, two, tolerance, limits=Limits())
        assert sum(isinstance(found, Stretch) for found in gc.get_objects()) == before
    finally:
        gc.enable()
