"""Comparing two folders: pairing, verdicts, and the cases that go wrong elsewhere."""

from __future__ import annotations

import csv
import io
import json
import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from plugins.precision.core.compare import compare
from plugins.precision.core.dumps import dump_facts, is_dump
from plugins.precision.core.result import Comparison, Row, Status
from studio.cli import main
from studio.kernel.errors import StudioError

if TYPE_CHECKING:
    from pathlib import Path

VERDICTS = {
    "pass": {Status.OK},
    "fail": {Status.DIFFERS},
    "review": {Status.REVIEW},
    "pass or review, not hidden": {Status.OK, Status.REVIEW},
}


def rows_of(case: Path) -> dict[str, Row]:
    """Compare the two sides of a case."""
    result = compare(case / "input" / "bench", case / "input" / "npu")
    return {row.name: row for row in result.rows}


def test_degenerate_tensors(cases: Path) -> None:
    case = cases / "A07-degenerate-tensors"
    expected = json.loads((case / "expected.json").read_text())
    rows = rows_of(case)
    assert rows.keys() == expected["pairs"].keys()
    for name, wanted in expected["pairs"].items():
        row = rows[name]
        if wanted.get("state") == "empty":
            assert row.status == Status.EMPTY
            assert row.max_abs is None
            continue
        assert row.max_abs == pytest.approx(wanted["max_abs"], rel=expected["rel_tol"])
        assert row.max_rel == pytest.approx(float(wanted["max_rel"]), rel=expected["rel_tol"])
        cosine = wanted["cosine"]
        if isinstance(cosine, float):
            assert row.cosine == pytest.approx(cosine, rel=expected["rel_tol"])
        else:
            assert row.cosine == (1.0 if cosine == "1 or identical" else None)
        if "verdict" in wanted:
            assert row.status in VERDICTS[wanted["verdict"]], name
    assert "candidate is all zero" in rows["zero_vs_one"].reason


def test_infinities_and_nan(cases: Path) -> None:
    case = cases / "A08-inf-and-nan-positions"
    expected = json.loads((case / "expected.json").read_text())["pairs"]
    rows = rows_of(case)
    assert expected["inf_sign"] == "fail"
    assert rows["inf_sign"].status == Status.DIFFERS
    assert rows["inf_sign"].max_abs == math.inf
    assert rows["inf_sign"].reason.startswith("infinity with other sign at 1 position")
    one = expected["nan_one_side"]
    row = rows["nan_one_side"]
    assert row.status in VERDICTS[one["verdict"]]
    assert (row.nan_candidate, row.nan_base) == (one["npu_nan"], one["bench_nan"])
    assert row.first_differing == (one["first_index"],)
    assert row.max_abs is not None
    assert math.isnan(row.max_abs)
    same = expected["nan_same_place"]
    row = rows["nan_same_place"]
    assert row.status in VERDICTS[same["verdict"]]
    assert (row.nan_both, row.max_abs) == (same["nan_both"], same["max_abs_finite"])
    assert "NaN on both sides: 1" in row.reason
    row = rows["inf_same"]
    assert row.status in VERDICTS[expected["inf_same"]["verdict"]]
    assert row.inf_both == expected["inf_same"]["inf_both"]
    assert "inf on both sides: 1" in row.reason


def test_bfloat16_and_float8_files(cases: Path) -> None:
    case = cases / "A09-bf16-and-fp8-npy"
    expected = json.loads((case / "expected.json").read_text())
    rows = rows_of(case)
    row = rows["Functional.gelu.0.forward.output.0"]
    assert row.dtype_candidate == "bfloat16"
    assert row.max_abs == pytest.approx(expected["max_abs_finite"], rel=1e-12)
    assert row.inf_both == 1
    assert rows["f8"].status == Status.UNREADABLE
    assert "'<f1'" in rows["f8"].reason


@pytest.fixture
def runs(tmp_path: Path) -> tuple[Path, Path]:
    """Two runs with one pair of each kind."""
    base, candidate = tmp_path / "base", tmp_path / "candidate"
    values = np.arange(1, 5, dtype=np.float32)
    pairs = {
        "2_same": (values, values),
        "10_off": (values, values * 1.5),
        "11_shape": (values, values.reshape(2, 2)),
        "step1/12_base_only": (values, None),
        "step1/13_candidate_only": (None, values),
        "14_rounding": (values, values * np.float32(1 + 2**-22)),
    }
    for name, arrays in pairs.items():
        for side, array in zip((base, candidate), arrays, strict=True):
            path = side / f"{name}.npy"
            path.parent.mkdir(parents=True, exist_ok=True)
            if array is not None:
                np.save(path, array)
    (candidate / "15_broken.npy").write_bytes(b"nothing")
    np.save(base / "15_broken.npy", values)
    return base, candidate


def statuses(result: Comparison) -> dict[str, Status]:
    """The verdict by name."""
    return {row.name: row.status for row in result.rows}


def test_every_pair_gets_its_row_in_natural_order(runs: tuple[Path, Path]) -> None:
    result = compare(*runs)
    assert list(statuses(result).items()) == [
        ("2_same", Status.OK),
        ("10_off", Status.DIFFERS),
        ("11_shape", Status.SHAPE),
        ("14_rounding", Status.OK),
        ("15_broken", Status.UNREADABLE),
        ("step1/12_base_only", Status.NO_CANDIDATE),
        ("step1/13_candidate_only", Status.NO_BASE),
    ]
    assert result.first is not None
    assert result.first.name == "10_off"
    assert result.exit_code == 1
    assert not result.ordered
    shape = result.rows[2]
    assert (shape.shape_base, shape.shape_candidate, shape.cosine) == ((4,), (2, 2), None)
    assert result.rows[4].reason == "candidate: is not a .npy file"


def test_equal_runs_say_yes(runs: tuple[Path, Path]) -> None:
    base, _ = runs
    result = compare(base, base)
    assert result.exit_code == 0
    assert result.first is None
    assert set(statuses(result).values()) == {Status.OK}


def test_tolerances_can_be_given(runs: tuple[Path, Path]) -> None:
    assert statuses(compare(*runs, rtol=0.6))["10_off"] == Status.OK
    assert statuses(compare(*runs, rtol=0.0, scale_tol=0.0))["14_rounding"] == Status.DIFFERS


def test_two_files_and_wrong_arguments(runs: tuple[Path, Path], tmp_path: Path) -> None:
    base, candidate = runs
    result = compare(base / "2_same.npy", candidate / "10_off.npy")
    assert statuses(result) == {"2_same": Status.DIFFERS}
    with pytest.raises(StudioError, match="does not exist"):
        compare(base, tmp_path / "none")
    with pytest.raises(StudioError, match=r"A file can only"):
        compare(base, candidate / "2_same.npy")
    (tmp_path / "empty").mkdir()
    with pytest.raises(StudioError, match=r"no \.npy files"):
        compare(base, tmp_path / "empty")


def test_command_line(runs: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    base, candidate = map(str, runs)
    assert main(["precision", "compare", base, candidate, "--csv"]) == 1
    lines = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [line["name"] for line in lines][:2] == ["2_same", "10_off"]
    assert lines[1]["status"] == "differs"
    assert float(lines[1]["max_rel"]) == 0.5
    assert lines[2]["status"] == "shape differs"
    assert lines[2]["cosine"] == ""
    assert json.loads(lines[2]["shape_candidate"]) == [2, 2]
    assert main(["precision", "compare", base, base, "--csv"]) == 0
    capsys.readouterr()
    assert main(["precision", "compare", base, base + "/none", "--csv"]) == 3
    assert "does not exist" in capsys.readouterr().err


def test_json_keeps_nan_apart_from_missing(cases: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = cases / "A08-inf-and-nan-positions" / "input"
    code = main(["precision", "compare", str(folder / "bench"), str(folder / "npu"), "--json"])
    assert code == 1
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)["rows"]}
    assert rows["nan_one_side"]["max_abs"] == "nan"
    assert rows["inf_sign"]["max_abs"] == "inf"


def test_what_counts_as_a_dump(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros(4))
    assert not is_dump(tmp_path)
    np.save(tmp_path / "b.npy", np.zeros(4))
    (tmp_path / "c.npy").mkdir()
    assert is_dump(tmp_path)
    assert dump_facts(tmp_path) == {"tensors": 2, "MiB": 0.0}
    assert not is_dump(tmp_path / "none")


def test_the_planted_fault_of_the_sample_is_found_first() -> None:
    from studio.paths import resource

    dumps = resource("sample", "dumps")
    result = compare(dumps / "baseline", dumps / "candidate")
    assert result.ordered
    assert result.first is not None
    assert result.first.name == "011_blocks.1.norm1"
    position = [row.name for row in result.rows].index(result.first.name)
    assert all(row.max_abs == 0 for row in result.rows[:position])
    assert all(row.status == Status.DIFFERS for row in result.rows[position:])
    assert min(row.cosine or 0 for row in result.rows) > 0.999999
