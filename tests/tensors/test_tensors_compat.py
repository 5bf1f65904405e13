"""The numbers of msprobe 26.2.0, equal to those it gave for the same tensors."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from studio.tensors.compat import COLUMNS, columns_of
from studio.tensors.npy import CHUNK, open_npy
from studio.tensors.tensor_file import open_one

if TYPE_CHECKING:
    from pathlib import Path


def columns(folder: Path, npu: np.ndarray, bench: np.ndarray) -> list[float | str]:
    np.save(folder / "n.npy", npu)
    np.save(folder / "b.npy", bench)
    return columns_of(open_npy(folder / "n.npy"), open_npy(folder / "b.npy"))


def test_all_vectors_that_msprobe_computed(shared: Path) -> None:
    folder = shared / "data" / "precision" / "metric_vectors"
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    assert tuple(expected["compare_columns"]) == COLUMNS
    assert len(expected["cases"]) == 33
    for name, case in expected["cases"].items():
        npu = open_one(folder / "pairs" / f"{name}.npu.pt")
        bench = open_one(folder / "pairs" / f"{name}.bench.pt")
        found = columns_of(npu, bench)
        for column, value in zip(COLUMNS, found, strict=True):
            wanted = case["compare"][column]
            if isinstance(wanted, str):
                assert value == wanted, (name, column)
            else:
                assert value == pytest.approx(wanted, rel=1e-6, abs=1e-12), (name, column)


def test_its_faults_are_reproduced_where_wanted(tmp_path: Path) -> None:
    inf = np.array([np.inf, 1.0, 2.0], np.float32)
    assert columns(tmp_path, inf, inf * [-1, 1, 1]) == [1.0, 0.0, 0.0, 0.0, 1.0, 1.0]
    assert columns(tmp_path, np.array([2**53 + 1, 5]), np.array([2**53, 5]))[2] == 0.0
    flat = np.arange(32, dtype=np.float32)
    assert columns(tmp_path, flat.reshape(1, 4, 8), flat.reshape(4, 8, 1))[0] == 1.0
    tiny = np.full(4, 1e-17)
    assert columns(tmp_path, tiny, -tiny)[0] == 1.0


def test_sums_run_over_chunks(tmp_path: Path) -> None:
    random = np.random.default_rng(5)
    bench = random.normal(size=CHUNK + 100).astype(np.float32)
    npu = bench.copy()
    npu[-1] += 1
    found = columns(tmp_path, npu, bench)
    wide = npu.astype(np.float64) - bench
    assert found[1] == pytest.approx(np.linalg.norm(wide), rel=1e-12)
    assert found[2] == pytest.approx(np.abs(wide).max(), abs=1e-12)
    assert found[4] == pytest.approx(1 - 1 / len(bench), abs=1e-12)
    npu[3] = np.nan
    assert columns(tmp_path, npu, bench) == ["N/A"] * 6


def test_empty_single_and_other_shapes(tmp_path: Path) -> None:
    assert columns(tmp_path, np.zeros((0, 4)), np.zeros((0, 4))) == ["unsupported"] * 6
    assert columns(tmp_path, np.zeros((2, 3)), np.zeros((3, 2))) == ["shape unmatched"] * 6
    one = columns(tmp_path, np.float32(1.5).reshape(1), np.float32(1.0).reshape(1))
    assert one[:4] == ["unsupported", "unsupported", 0.5, 0.5]
