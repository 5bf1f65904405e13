"""Errors in units of the last place, their balance and distribution, computed another way."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import ml_dtypes
import numpy as np
import pytest

from studio.tensors.dtypes import named_type
from studio.tensors.metrics import Metrics, measure
from studio.tensors.npy import CHUNK, open_npy
from studio.tensors.profile import DECADES, Limits, Profile
from studio.tensors.tolerance import Tolerance

if TYPE_CHECKING:
    from pathlib import Path

EXACT = Tolerance(0.0, 0.0)


def profile(
    folder: Path, base: np.ndarray, candidate: np.ndarray, limits: Limits | None = None
) -> tuple[Profile, Metrics]:
    for name, array in (("b", base), ("c", candidate)):
        raw = array.view(f"V{array.itemsize}") if array.dtype.kind == "V" else array
        np.save(folder / f"{name}.npy", raw)
    hints = [array.dtype.name for array in (base, candidate)]
    b, c = (open_npy(folder / f"{n}.npy", lambda h=h: h) for n, h in zip("bc", hints, strict=True))
    found = measure(b, c, EXACT, limits=limits or Limits())
    assert found.profile is not None
    return found.profile, found


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "bfloat16"])
@pytest.mark.parametrize("scale", [1.0, 1e-3, 1e4])
def test_units_equal_the_spacing_of_the_type(tmp_path: Path, dtype: str, scale: float) -> None:
    kind = np.dtype(getattr(ml_dtypes, dtype)) if dtype == "bfloat16" else np.dtype(dtype)
    random = np.random.default_rng(11)
    base = (random.normal(size=3000) * scale).astype(kind)
    candidate = (base.astype(np.float64) * (1 + 1e-3 * random.normal(size=3000))).astype(kind)
    found, _ = profile(tmp_path, base, candidate, Limits(ulp=2.0))
    b, c = base.astype(np.float64), candidate.astype(np.float64)
    spacing = np.spacing(np.abs(base)).astype(np.float64)
    units = np.abs(c - b) / spacing
    assert found.ulp_max == pytest.approx(units.max(), rel=1e-12)
    assert found.ulp_mean == pytest.approx(units.mean(), rel=1e-12)
    assert found.ulp_above == np.mean(units > 2)
    assert found.balance == pytest.approx(np.mean(np.sign(c - b)), abs=1e-15)


def test_units_of_zero_and_denormals_are_the_least_step(tmp_path: Path) -> None:
    least = np.float32(2.0**-149)
    found, _ = profile(tmp_path, np.array([0, least, 1], np.float32),
                       np.array([least, 3 * least, 1], np.float32))  # fmt: skip
    assert found.ulp_max == 2.0
    wide, _ = profile(tmp_path, np.array([0.0, 5e-324]), np.array([5e-324, 5e-324]))
    assert wide.ulp_max == 1.0


def test_the_coarser_type_sets_the_unit(tmp_path: Path) -> None:
    base = np.array([1.0, 2.0], np.float32)
    found, _ = profile(tmp_path, base, np.array([1.0 + 2**-10, 2.0], np.float16))
    assert found.ulp_max == 1.0


def test_histogram_counts_every_element_once(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    base = np.concatenate([random.normal(size=CHUNK), [0.0, 0.0, 1.0]])
    candidate = base * (1 + 10.0 ** random.uniform(-14, 4, base.size))
    candidate[-3:] = [0.0, 1.0, 1.0]
    found, _ = profile(tmp_path, base, candidate)
    assert sum(found.histogram) == base.size
    with np.errstate(all="ignore"):
        relative = np.abs(candidate - base) / np.abs(base)
    relative[np.isnan(relative)] = 0
    edges = [10.0**power for power in DECADES]
    wanted = [int(np.sum(relative == 0)), int(np.sum((relative > 0) & (relative < edges[0])))]
    wanted += [int(np.sum((relative >= low) & (relative < high))) for low, high in pairwise(edges)]
    wanted.append(int(np.sum(relative >= edges[-1])))
    assert np.abs(np.subtract(found.histogram, wanted)).max() <= 2  # rounding at the edges


def test_small_values_are_judged_apart(tmp_path: Path) -> None:
    base = np.array([1.0, 2.0**-11, -(2.0**-12), 0.0], np.float16)
    candidate = np.array([1.5, 2.0**-11, -(2.0**-13), 0.0], np.float16)
    found, _ = profile(tmp_path, base, candidate)
    assert (found.small_count, found.small_errors) == (3, 1)
    other, _ = profile(tmp_path, base, candidate, Limits(small_value=2.0, small_error=1.0))
    assert (other.small_count, other.small_errors) == (4, 0)


def test_signal_to_noise_and_relative_error(tmp_path: Path) -> None:
    base = np.array([3.0, 4.0], np.float32)
    _, found = profile(tmp_path, base, np.array([3.5, 4.0], np.float32))
    assert found.relative_error == pytest.approx(0.5 / 5)
    assert found.snr == pytest.approx(20 * math.log10(5 / 0.5))
    _, lost = profile(tmp_path, base, np.array([np.inf, 4.0], np.float32))
    assert lost.relative_error == math.inf


def test_integers_have_no_units(tmp_path: Path) -> None:
    np.save(tmp_path / "b.npy", np.array([1, 2]))
    np.save(tmp_path / "c.npy", np.array([1, 3]))
    found = measure(open_npy(tmp_path / "b.npy"), open_npy(tmp_path / "c.npy"), EXACT,
                    limits=Limits())  # fmt: skip
    assert found.profile is None
    assert named_type("int64") is not None
