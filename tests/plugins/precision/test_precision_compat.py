"""The table of msprobe: equal to the files it wrote, cell by cell."""

from __future__ import annotations

import csv
import io
import json
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from plugins.precision.core.compare import compare
from plugins.precision.core.compat.matching import unnumbered
from plugins.precision.core.compat.rules import judge
from plugins.precision.core.compat.statistics import difference
from studio.cli import main
from studio.kernel.render import to_csv
from tests.fixtures.pt_writer import write_dump

if TYPE_CHECKING:
    from pathlib import Path

# The folder of the result, the candidate, the base, the options, and the rank of several.
TABLES = [
    ("eps_tensor", "perturbed/eps_tensor_mix", "baseline/tensor_mix", False, None),
    ("eps_stat", "perturbed/eps_stat_mix", "baseline/stat_mix", False, None),
    ("eps_stat_da", "perturbed/eps_stat_mix", "baseline/stat_mix", False, None),
    ("eps_md5", "perturbed/eps_md5_mix", "baseline/md5_mix", False, None),
    ("bf16_tensor", "perturbed/bf16_tensor_mix", "baseline/tensor_mix", False, None),
    ("bf16_tensor_fuzzy", "perturbed/bf16_tensor_mix", "baseline/tensor_mix", True, None),
    ("fp16_stat", "overflow/fp16_stat_mix", "baseline/stat_mix", False, None),
    ("nan_tensor", "overflow/nan_tensor_mix", "baseline/tensor_mix", False, None),
    ("extra", "perturbed/extra_add_tensor_mix", "baseline/tensor_mix", False, None),
    ("extra_fm", "perturbed/extra_add_tensor_mix", "baseline/tensor_mix", True, None),
    ("d2_eps", "dist2/eps", "dist2/none", False, 0),
    ("d2_eps", "dist2/eps", "dist2/none", False, 1),
]


def read(path: Path) -> list[list[str]]:
    limit = csv.field_size_limit(sys.maxsize)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return list(csv.reader(file))
    finally:
        csv.field_size_limit(limit)


def close(one: str, two: str) -> bool:
    """Equal texts, or numbers within what msprobe itself varies by between runs."""
    if one == two:
        return True
    try:
        a, b = float(one.strip("%")), float(two.strip("%"))
    except ValueError:
        return False
    return abs(a - b) <= max(1e-6 * abs(b), 1e-12)


@pytest.mark.parametrize(
    ("name", "candidate", "base", "fuzzy", "rank"), TABLES, ids=lambda v: str(v).split("/")[-1]
)
def test_every_table_that_msprobe_wrote(
    shared: Path, tmp_path: Path, name: str, candidate: str, base: str, fuzzy: bool,
    rank: int | None,
) -> None:  # fmt: skip
    data = shared / "data" / "precision"
    step = "step0"
    compare(data / base / step, data / candidate / step, mode="compatible", fuzzy=fuzzy,
            report=str(tmp_path))  # fmt: skip
    pattern = f"*rank{rank}*.csv" if rank is not None else "*.csv"
    (expected,) = (data / "compare_output" / name).glob(pattern)
    (found,) = tmp_path.glob(pattern)
    wanted, rows = read(expected), read(found)
    assert rows[0] == wanted[0]
    assert len(rows) == len(wanted)
    for row, other in zip(rows, wanted, strict=True):
        wrong = [
            (column, a, b)
            for column, a, b in zip(wanted[0], row, other, strict=True)
            if not close(a, b)
        ]
        assert not wrong, (row[0], wrong)


@pytest.mark.parametrize(
    ("npu", "bench", "wanted"),
    [
        (1.5, 1.0, ("0.5", "50.0%")),
        (1.0, 1.0, ("0", "0")),
        (1.0, 0.0, ("1.0", "inf")),
        (0, 0.0, ("0.0", "inf")),  # equal numbers with other texts: its own way
        ("Nan", 1.0, ("Nan", "Nan")),
        ("Nan", "Nan", ("0", "0")),
        (float("inf"), 1.0, ("inf", "inf")),
        (1.0, float("inf"), ("-inf", "-inf")),
        (float("-inf"), float("inf"), ("-inf", "-inf")),
        ("npu:0", "cuda:0", ("N/A", "N/A")),
        ("npu:0", 1.0, ("Diff", "Diff")),
        ("None", 1.0, ("Diff", "Diff")),
        (1.0, "N/A", ("N/A", "N/A")),
        ("True", "False", ("Diff", "Diff")),
    ],
)
def test_differences_of_statistics(npu: Any, bench: Any, wanted: tuple[str, str]) -> None:
    assert difference(npu, bench) == wanted


def row(name: str, **cells: Any) -> dict[str, Any]:
    known: dict[str, Any] = {"NPU Name": name, "Bench Name": name}
    for column in ("Dtype", "Tensor Shape", "Requires_grad", "max", "min"):
        for side in ("NPU", "Bench"):
            known[f"{side} {column}"] = {"max": 1.0, "min": 0.0}.get(column, "x")
    known |= {"Cosine": 1.0, "One Thousandth Err Ratio": 1.0, "NormRelativeErr": "0"}
    return known | cells


def verdicts(mode: str, *rows: dict[str, Any]) -> list[str]:
    judge(list(rows), mode)
    return [entry["Result"] for entry in rows]


def test_thresholds_of_tensors() -> None:
    ratio = "One Thousandth Err Ratio"
    name = "Torch.f.0.forward"
    clean = row(f"{name}.input.0")
    for value, wanted in ((0.09, "error"), (0.1, "pass"), ("unsupported", "pass")):
        assert verdicts("tensor", clean, row(f"{name}.output.0", **{ratio: value}))[1] == wanted
    dirty = row(f"{name}.input.0", **{ratio: 0.9})
    assert verdicts("tensor", dirty, row(f"{name}.output.0", **{ratio: 0.0})) == ["pass", "pass"]
    for value, wanted in ((0.89, "warning"), (0.95, "pass")):
        assert verdicts("tensor", clean, row(f"{name}.output.0", Cosine=value))[1] == wanted


def test_thresholds_of_statistics() -> None:
    name = "Torch.f.0.forward"
    for error, wanted in (("51%", "error"), ("50%", "warning"), ("9%", "pass")):
        rows = row(f"{name}.input.0"), row(f"{name}.output.0", NormRelativeErr=error)
        assert verdicts("statistics", *rows)[1] == wanted
    rows = (row(f"{name}.input.0", NormRelativeErr="0.001%"),
            row(f"{name}.output.0", NormRelativeErr="0.0101%"))  # fmt: skip
    assert verdicts("statistics", *rows)[1] == "warning"


def test_rules_for_all_and_those_that_are_skipped() -> None:
    for column in ("Dtype", "Tensor Shape", "Requires_grad"):
        cells = {f"NPU {column}": "y"}
        assert verdicts("tensor", row("Torch.f.0.forward.input.0", **cells)) == ["error"]
        assert verdicts("tensor", row("Torch.empty.0.forward.input.0", **cells)) == ["pass"]
    bad = {"NPU max": float("inf")}
    assert verdicts("statistics", row("Torch.f.0.forward.output.0", **bad)) == ["error"]
    both = bad | {"Bench max": "Nan"}
    assert verdicts("statistics", row("Torch.f.0.forward.output.0", **both)) == ["pass"]
    cells = {"NPU MD5": "a", "BENCH MD5": "b"}
    assert verdicts("md5", row("Torch.f.0.forward.input.0", **cells)) == ["error"]
    cells["BENCH MD5"] = "N/A"
    assert verdicts("md5", row("Torch.f.0.forward.input.0", **cells)) == ["warning"]


def test_names_without_their_numbers() -> None:
    assert unnumbered("Tensor.add.4.forward.input.0") == "Tensor.add.forward.input.0"
    assert unnumbered("Module.a.Linear.backward.3.output.0") == "Module.a.backward.3.output.0"
    assert unnumbered("weight") == "weight"


@pytest.fixture
def dumps(tmp_path: Path) -> tuple[Path, Path]:
    """Two dumps of our own that differ in one output."""
    x = np.linspace(1, 2, 12, dtype=np.float32).reshape(3, 4)
    base = {"Torch.f.0.forward": {"input": [x, 2.0], "output": [x * 2]},
            "Torch.g.0.forward": {"input": [x * 2], "output": [x]}}  # fmt: skip
    wrong = {"Torch.f.0.forward": {"input": [x, 2.0], "output": [x * 3]},
             "Torch.g.1.forward": {"input": [x * 3], "output": [x]}}  # fmt: skip
    write_dump(tmp_path / "base" / "step0" / "rank0", base, stack={})
    write_dump(tmp_path / "candidate" / "step0" / "rank0", wrong, stack={})
    return tmp_path / "base", tmp_path / "candidate"


def test_the_command_line_prints_the_table(dumps: tuple[Path, Path], capsys: Any) -> None:
    base, candidate = map(str, dumps)
    words = ["precision", "compare", base, candidate, "--mode", "compatible"]
    assert main([*words, "--csv"]) == 1
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [r["Bench Name"] for r in rows] == [
        "Torch.f.0.forward.input.0", "Torch.f.0.forward.input.1", "Torch.f.0.forward.output.0",
        "N/A", "N/A",
    ]  # fmt: skip
    assert rows[2]["Result"] == "error"
    assert rows[2]["MaxAbsErr"] == "2.0"
    assert main([*words, "--json", "--fuzzy"]) == 1
    content = json.loads(capsys.readouterr().out)
    assert content["counts"] == {"pass": 4, "warning": 0, "error": 1}
    assert content["rows"][4]["Bench Name"] == "Torch.g.0.forward.output.0"
    assert main([*words]) == 1
    assert "error: 1" in capsys.readouterr().out


def test_several_parts_tell_step_and_rank(dumps: tuple[Path, Path], tmp_path: Path) -> None:
    for side in dumps:
        write_dump(side / "step0" / "rank1", {"Torch.f.0.forward": {"output": [np.ones(2)]}})
    result: Any = compare(*dumps, mode="compatible")
    rows = list(csv.reader(io.StringIO(to_csv(result))))
    assert rows[0][:3] == ["Step", "Rank", "NPU Name"]
    assert {row[1] for row in rows[1:]} == {"0", "1"}
    assert len(result.write(tmp_path / "out")) == 2
