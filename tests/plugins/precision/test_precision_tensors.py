"""Slices, histograms, worst elements and axes of tensors, against NumPy on whole arrays."""

from __future__ import annotations

import csv
import io
import os
import resource as limits
import zipfile
from typing import TYPE_CHECKING

import ml_dtypes
import numpy as np
import pytest

from plugins.precision.core.network import overview
from plugins.precision.core.places import Place, open_place
from plugins.precision.core.tensors import planes, walk
from plugins.precision.core.tensors.export import slice_csv
from plugins.precision.core.tensors.figures import figures_of
from plugins.precision.core.tensors.finding import places_of
from plugins.precision.core.tensors.opened import OpenedPair, open_pair, tensors_of
from plugins.precision.core.tensors.planes import Slice, Window, first_slice, planes_of
from plugins.precision.core.tensors.reading import read_part
from studio.kernel.errors import StudioError
from studio.tensors.tensor import TensorError

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


def saved(folder: Path, base: NDArray, candidate: NDArray | None = None) -> OpenedPair:
    """A pair in two files."""
    np.save(folder / "b.npy", base)
    if candidate is None:
        return open_pair(None, Place(folder / "b.npy"))
    np.save(folder / "c.npy", candidate)
    return open_pair(Place(folder / "b.npy"), Place(folder / "c.npy"))


def random_pair(shape: tuple[int, ...], seed: int = 7) -> tuple[NDArray, NDArray]:
    """Two arrays that differ a little everywhere."""
    rng = np.random.default_rng(seed)
    base = rng.normal(size=shape).astype(np.float32)
    return base, (base * (1 + 1e-3 * rng.normal(size=shape))).astype(np.float32)


def extremes(values: NDArray, high: int, wide: int) -> NDArray:
    """The element of largest magnitude of each block of that size, NaN first: cell by cell."""
    rows, columns = values.shape
    found = np.zeros((-(-rows // high), -(-columns // wide)))
    for i, j in np.ndindex(found.shape):
        part = values[i * high : (i + 1) * high, j * wide : (j + 1) * wide].ravel()
        found[i, j] = np.nan if np.isnan(part).any() else part[np.argmax(np.abs(part))]
    return found


def test_a_small_slice_is_shown_as_it_is(tmp_path: Path) -> None:
    base, candidate = random_pair((3, 5, 7))
    pair = saved(tmp_path, base, candidate)
    where = Slice(1, 2, (2, 0, 0))
    found = planes_of(pair, where)
    assert np.array_equal(found.base, base[2].astype(float))
    assert np.array_equal(found.candidate, candidate[2].astype(float))
    wide = candidate[2].astype(float) - base[2]
    assert np.array_equal(found.difference, wide)
    assert np.allclose(found.relative, np.abs(wide) / np.abs(base[2]), rtol=1e-15)
    assert found.step == (1, 1)


def test_any_two_axes_are_shown_in_either_order(tmp_path: Path) -> None:
    base, candidate = random_pair((3, 5, 7))
    pair = saved(tmp_path, base, candidate)
    assert np.array_equal(planes_of(pair, Slice(2, 0, (0, 4, 0))).base, base[:, 4, :].T)
    assert np.array_equal(planes_of(pair, Slice(0, 1, (0, 0, 6))).base, base[:, :, 6])
    part = planes_of(pair, Slice(2, 0, (0, 4, 0)), Window(1, 1, 4, 3)).base
    assert np.array_equal(part, base[1:3, 4, 1:4].T)
    assert first_slice((3, 5, 7)) == Slice(1, 2, (0, 0, 0))


def test_axes_that_are_not_there(tmp_path: Path) -> None:
    row = np.arange(6.0)
    assert np.array_equal(planes_of(saved(tmp_path, row, row), first_slice((6,))).base, [row])
    one = np.array(3.5)
    assert planes_of(saved(tmp_path, one, one + 1), first_slice(())).difference.tolist() == [[1.0]]
    empty = np.zeros((0, 4))
    assert planes_of(saved(tmp_path, empty, empty), first_slice((0, 4))).window == Window(
        0, 0, 0, 4
    )


def test_blocks_show_their_largest_element_and_nan_before_all(tmp_path: Path) -> None:
    base, candidate = random_pair((53, 101))
    candidate[10, 20] = -40
    candidate[30, 60] = np.nan
    candidate[40, 70] = -np.inf
    pair = saved(tmp_path, base, candidate)
    found = planes_of(pair, first_slice((53, 101)), cells=(8, 16))
    assert found.base.shape == (8, 15)
    assert found.rows.tolist() == [0, 7, 14, 21, 28, 35, 42, 49, 53]
    for name, whole in (
        ("base", base.astype(float)),
        ("candidate", candidate.astype(float)),
        ("difference", candidate.astype(float) - base),
    ):
        assert np.array_equal(getattr(found, name), extremes(whole, 7, 7), equal_nan=True)


def test_more_than_is_read_at_once_leaves_rows_out_evenly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planes, "READ_LIMIT", 1100)
    monkeypatch.setattr(planes, "_AT_ONCE", 300)
    values = np.arange(100 * 80, dtype=np.float64).reshape(100, 80)
    pair = saved(tmp_path, values)
    found = planes_of(pair, first_slice((100, 80)), cells=(5, 4))
    # 8000 / 1100 elements ask for every eighth row; a step divides the 20 rows of a cell.
    assert found.step == (10, 1)
    expected = [[values[20 * i + 10, 20 * j + 19] for j in range(4)] for i in range(5)]
    assert found.candidate.tolist() == expected
    part = planes_of(pair, first_slice((100, 80)), Window(0, 0, 10, 80), cells=(5, 4))
    assert part.step == (1, 1)


@pytest.mark.parametrize("order", ["C", "F"])
def test_parts_of_large_files_are_read_as_numpy_indexes(tmp_path: Path, order: str) -> None:
    values = np.arange(6 * 7 * 50 * 9).reshape(6, 7, 50, 9)
    turn = 1 if order == "C" else -1
    if order == "F":
        values = values.T
    np.save(tmp_path / "x.npy", values)
    tensor = open_place(Place(tmp_path / "x.npy"))
    every = slice(None)
    for part in (
        (every, every, every, every),
        (slice(2, 5), every, every, every),
        (slice(0, 6, 2), slice(1, 3), every, every),
        (slice(1, 2), slice(2, 7, 3), slice(10, 40, 7), every),
        (slice(1, 2), slice(3, 4), slice(5, 45), slice(2, 8, 3)),
    ):
        found = read_part(tensor, part[::turn])
        assert found is not None
        assert np.array_equal(found, values[part[::turn]])
    assert read_part(tensor, (every, every, every, slice(3, 4))[::turn]) is None


def test_differences_that_are_not_finite(tmp_path: Path) -> None:
    inf, nan = np.inf, np.nan
    base = np.array([[inf, inf, nan, nan, 1.0, 0.0, 0.0, 1.0]])
    candidate = np.array([[inf, -inf, nan, 2.0, nan, 0.0, 3.0, inf]])
    found = planes_of(saved(tmp_path, base, candidate), first_slice((1, 8)))
    assert np.array_equal(
        found.difference, [[0.0, -inf, 0.0, nan, nan, 0.0, 3.0, inf]], equal_nan=True
    )
    assert np.array_equal(
        found.relative, [[0.0, inf, 0.0, nan, nan, 0.0, inf, inf]], equal_nan=True
    )


def test_integers_and_complex_numbers(tmp_path: Path) -> None:
    large = np.array([[2**53, -5]])
    found = planes_of(saved(tmp_path, large, large + np.array([[1, -2]])), first_slice((1, 2)))
    assert found.difference.tolist() == [[1.0, -2.0]]
    numbers = np.array([[3 + 4j, 1j]], np.complex64)
    found = planes_of(saved(tmp_path, numbers, numbers + 1j), first_slice((1, 2)))
    assert found.base.tolist() == [[5.0, 1.0]]
    assert found.difference.tolist() == [[1.0, 1.0]]


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_types_that_numpy_lacks(tmp_path: Path, name: str) -> None:
    kind = np.dtype(getattr(ml_dtypes, name))
    values = np.linspace(-3, 3, 24).reshape(4, 6).astype(kind)
    raw = values.view(np.uint8).view(f"V{kind.itemsize}")
    np.save(tmp_path / "x.npy", raw.reshape(4, 6))
    pair = open_pair(None, Place(tmp_path / "x.npy", name))
    assert np.array_equal(planes_of(pair, first_slice((4, 6))).candidate, values.astype(float))
    assert pair.candidate is not None
    assert pair.candidate.element((3, 5)) == float(values[3, 5])
    assert figures_of(pair).candidate.total == 24


@pytest.mark.parametrize("order", ["C", "F"])
def test_the_blocks_of_a_walk_cover_each_element_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, order: str
) -> None:
    monkeypatch.setattr(walk, "BLOCK", 16)
    values = np.asarray(np.arange(3 * 5 * 50, dtype=np.int64).reshape(3, 5, 50), order=order)
    seen = np.zeros(values.shape, int)
    for block in walk.blocks(saved(tmp_path, values)):
        assert block.candidate is not None
        part = tuple(
            slice(s, s + n) for s, n in zip(block.start, block.candidate.shape, strict=True)
        )
        seen[part] += 1
        assert np.array_equal(block.candidate, values[part])
        assert block.count <= 50
    assert (seen == 1).all()


def test_histograms_count_by_powers_of_two(tmp_path: Path) -> None:
    values = np.array([0.0, -0.0, 1.0, 1.99, 2.0, -3.0, 5e-324, np.nan, np.inf, -np.inf, -np.inf])
    found = figures_of(saved(tmp_path, values)).candidate
    assert (found.zeros, found.nan) == (2, 1)
    assert (found.negative_infinity, found.positive_infinity) == (2, 1)
    assert found.first == -1074
    assert found.last == 2
    assert found.positive[[0, 1074, 1075]].tolist() == [1, 2, 1]
    assert found.negative[1075] == 1
    assert found.counts.sum() == 5
    assert found.total == 11


def test_histograms_agree_with_numpy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "BLOCK", 100)
    base, candidate = random_pair((20, 30))
    candidate[:5] = base[:5]
    found = figures_of(saved(tmp_path, base, candidate))
    edges = 2.0 ** np.arange(found.base.first, found.base.last + 1)
    counts, _ = np.histogram(np.abs(base.astype(float)), edges)
    assert found.base.counts.tolist() == counts.tolist()
    apart = np.abs(candidate.astype(float) - base) / np.abs(base)
    assert found.relative.zeros == np.count_nonzero(apart == 0)
    edges = 2.0 ** np.arange(found.relative.first, found.relative.last + 1)
    assert found.relative.counts.tolist() == np.histogram(apart, edges)[0].tolist()


def test_the_worst_elements_with_their_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walk, "BLOCK", 64)
    base, candidate = random_pair((6, 7, 40))
    candidate[1, 2, 3] = base[1, 2, 3] + 9
    candidate[5, 6, 39] = np.nan
    found = figures_of(saved(tmp_path, base, candidate))
    size = np.abs(candidate.astype(float) - base)
    ranked = np.argsort(-np.where(np.isnan(size), np.inf, size), axis=None)[:200]
    expected = [tuple(int(i) for i in np.unravel_index(flat, size.shape)) for flat in ranked]
    assert [element.index for element in found.by_difference] == expected
    second = found.by_difference[1]
    assert second.index == (1, 2, 3)
    assert second.base == float(base[1, 2, 3])
    assert second.difference == pytest.approx(9, rel=1e-6)
    apart = size / np.abs(base)
    best = np.unravel_index(np.nanargmax(apart), apart.shape)
    assert found.by_relative[1].index == tuple(int(i) for i in best)
    equal = figures_of(saved(tmp_path, base, base))
    assert equal.by_difference == equal.by_relative == ()


def test_figures_along_each_axis(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "BLOCK", 50)
    base, candidate = random_pair((4, 9, 11))
    base[2, 3, 4] = candidate[2, 3, 4] = np.inf
    candidate[1, 0, 0] = np.nan
    found = figures_of(saved(tmp_path, base, candidate)).axes
    wide_b, wide_c = base.astype(float), candidate.astype(float)
    finite = np.isfinite(wide_b) & np.isfinite(wide_c)
    for axis, figures in enumerate(found):
        others = tuple(other for other in range(3) if other != axis)
        b, c = np.where(np.isfinite(wide_b), wide_b, np.nan), np.where(finite, wide_c, np.nan)
        e = np.where(finite, np.where(finite, wide_c, 0) - np.where(finite, wide_b, 0), np.nan)
        assert figures.elements.tolist() == [396 // base.shape[axis]] * base.shape[axis]
        assert np.allclose(figures.base_mean, np.nanmean(b, axis=others), rtol=1e-12)
        assert np.allclose(figures.candidate_peak, np.nanmax(np.abs(c), axis=others), rtol=1e-12)
        rmse = np.sqrt(np.nanmean(e**2, axis=others))
        assert np.allclose(figures.rmse, rmse, rtol=1e-12)
        assert np.allclose(figures.error_peak, np.nanmax(np.abs(e), axis=others), rtol=1e-12)
        rms = np.sqrt(np.nanmean(b**2, axis=others))
        assert np.allclose(figures.relative_error, rmse / rms, rtol=1e-12)
        assert figures.mismatched.sum() == 1
        assert figures.base_odd.sum() == 1
        assert figures.candidate_odd.sum() == 2


def test_shapes_that_differ_show_the_candidate(tmp_path: Path) -> None:
    pair = saved(tmp_path, np.ones((2, 3)), np.ones((3, 2)))
    assert not pair.comparable
    found = planes_of(pair, first_slice(pair.shape))
    assert found.base is None
    assert found.difference is None
    assert found.candidate.shape == (3, 2)
    figures = figures_of(pair)
    assert figures.base is None
    assert figures.relative is None
    assert figures.axes[0].rmse is None


def test_a_part_of_a_slice_as_csv(tmp_path: Path) -> None:
    base, candidate = random_pair((2, 3, 4))
    pair = saved(tmp_path, base, candidate)
    rows = list(
        csv.DictReader(io.StringIO(slice_csv(pair, Slice(1, 2, (1, 0, 0)), Window(1, 0, 3, 2))))
    )
    assert [[row[f"axis {n}"] for n in range(3)] for row in rows] == [
        ["1", "1", "0"],
        ["1", "1", "1"],
        ["1", "2", "0"],
        ["1", "2", "1"],
    ]
    assert float(rows[2]["candidate"]) == float(candidate[1, 2, 0])
    assert float(rows[2]["difference"]) == float(candidate[1, 2, 0]) - float(base[1, 2, 0])
    with pytest.raises(StudioError, match="Zoom in"):
        slice_csv(pair, first_slice((2, 3, 4)), Window(0, 0, 2000, 2000))


def test_a_file_that_became_shorter_is_an_error_and_no_crash(tmp_path: Path) -> None:
    path = tmp_path / "big.npy"
    np.save(path, np.zeros((3000, 1000), np.float64))
    pair = open_pair(None, Place(path))
    os.truncate(path, 1000)
    with pytest.raises(TensorError, match="shorter"):
        planes_of(pair, first_slice((3000, 1000)))


def test_four_gigabytes_are_looked_at_without_loading_them(tmp_path: Path) -> None:
    path = tmp_path / "huge.npy"
    shape = (32768, 32768)
    head = np.lib.format.header_data_from_array_1_0(np.zeros(1, np.float32)) | {"shape": shape}
    with path.open("wb") as file:
        np.lib.format.write_array_header_1_0(file, head)
        start = file.tell()
        file.truncate(start + 4 * shape[0] * shape[1])
        file.seek(start + 4 * (20000 * shape[1] + 30000))
        file.write(np.float32(-7.5).tobytes())
    before = limits.getrusage(limits.RUSAGE_SELF).ru_maxrss
    pair = open_pair(Place(path), Place(path))
    found = planes_of(pair, first_slice(shape), cells=(256, 256))
    assert found.step[0] * found.step[1] >= 64
    part = planes_of(pair, first_slice(shape), Window(19990, 29990, 20010, 30010)).base
    assert part[10, 10] == -7.5
    assert np.count_nonzero(part) == 1
    assert pair.base is not None
    assert pair.base.element((20000, 30000)) == -7.5
    grown = limits.getrusage(limits.RUSAGE_SELF).ru_maxrss - before
    assert grown < 800 << 10  # KiB; the file has 4 GiB


def test_the_tensors_of_a_file(tmp_path: Path) -> None:
    np.savez(tmp_path / "two.npz", a=np.ones(3), b=np.ones((2, 2)))
    places, refused = tensors_of(tmp_path / "two.npz")
    assert [place.member for place in places] == ["a", "b"]
    assert refused == {}


def test_bfloat16_of_torch_is_read_as_its_bits_say(shared: Path) -> None:
    folder = shared / "data" / "precision" / "perturbed" / "bf16_tensor_mix"
    [path] = folder.glob("step0/*/dump_tensor_data/Torch.matmul.2.forward.input.0.pt")
    pair = open_pair(None, Place(path))
    assert pair.candidate is not None
    assert pair.candidate.tensor.type.name == "bfloat16"
    with zipfile.ZipFile(path) as archive:
        [name] = [name for name in archive.namelist() if name.endswith("/data/0")]
        bits = np.frombuffer(archive.read(name), "<u2").astype(np.uint32) << 16
    values = bits.view(np.float32).astype(float)
    figures = figures_of(pair)
    assert figures.candidate.total == len(values)
    size = np.abs(values[values != 0])
    assert 2.0**figures.candidate.first <= size.min()
    assert size.max() < 2.0**figures.candidate.last
    found = planes_of(pair, first_slice(pair.shape), cells=(4096, 4096))
    assert np.isin(found.candidate, values).all()


def test_places_of_a_row_are_found_in_both_dumps(shared: Path) -> None:
    data = shared / "data" / "precision"
    base, candidate = data / "baseline" / "tensor_mix", data / "perturbed" / "eps_tensor_mix"
    found = overview(base, candidate)
    row = next(row for row in found.result.dump_rows() if row.deviates and row.role == "output")
    one, two = places_of(base, candidate, row)
    assert one is not None
    assert two is not None
    figures = figures_of(open_pair(one, two))
    # The comparison measured the same pair by other code.
    assert abs(figures.by_difference[0].difference) == row.max_abs
    statistics = data / "baseline" / "stat_mix"
    with pytest.raises(TensorError, match="Only statistics"):
        places_of(statistics, statistics, row)
