"""Comparing dumps strictly: verdicts, reasons, arguments, statistics, noise, the command line."""

from __future__ import annotations

import csv
import io
import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from plugins.precision.core.align.change import Change
from plugins.precision.core.arguments import compare_statistics
from plugins.precision.core.compare import compare
from plugins.precision.core.dumps import dump_facts, is_dump
from plugins.precision.core.parallel import Workers
from plugins.precision.core.result import Status
from studio.cli import main
from studio.kernel.errors import StudioError
from studio.tensors.dumps.model import Value
from studio.tensors.tolerance import Tolerance
from tests.fixtures.pt_writer import write_dump

if TYPE_CHECKING:
    from pathlib import Path

    from plugins.precision.core.dump_result import DumpComparison
    from plugins.precision.core.dump_row import DumpRow

X = np.linspace(1, 2, 12, dtype=np.float32).reshape(3, 4)


def run(folder: Path, calls: dict[str, Any], rank: int = 0, **options: Any) -> Path:
    write_dump(folder / "step0" / f"rank{rank}", calls, **options)
    return folder


def compared(
    base: Path, candidate: Path, **options: Any
) -> tuple[DumpComparison, dict[str, DumpRow]]:
    result: Any = compare(base, candidate, **options)
    assert result.parts
    return result, {row.name: row for row in result.rows}


@pytest.fixture
def runs(tmp_path: Path) -> tuple[Path, Path]:
    """Two runs with one call of each kind."""
    half = X.astype(np.float16)
    base = {
        "Torch.same.0.forward": {"input": [X], "output": [X]},
        "Torch.off.0.forward": {"input": [X, 1e-6, "cuda:0"], "output": [X]},
        "Torch.type.0.forward": {"output": [X]},
        "Torch.shape.0.forward": {"output": [X]},
        "Torch.gone.0.forward": {"output": [X.reshape(12)]},
        "Torch.int.0.forward": {"output": [np.array([2**53, 5])]},
    }
    candidate = {
        "Torch.same.0.forward": {"input": [X], "output": [X]},
        "Torch.off.0.forward": {"input": [X, 1e-2, "npu:0"], "output": [X * np.float32(1.5)]},
        "Torch.type.0.forward": {"output": [half]},
        "Torch.shape.0.forward": {"output": [X.reshape(4, 3)]},
        "Torch.int.0.forward": {"output": [np.array([2**53 + 1, 5])]},
    }
    return run(tmp_path / "base", base), run(tmp_path / "candidate", candidate)


def test_every_kind_of_row(runs: tuple[Path, Path]) -> None:
    result, rows = compared(*runs)
    assert rows["Torch.same.0.forward.output.0"].status == Status.OK
    off = rows["Torch.off.0.forward.output.0"]
    assert off.status == Status.DIFFERS
    assert off.relative_error == pytest.approx(0.5)
    assert off.snr == pytest.approx(20 * math.log10(2))
    errors = (X * np.float32(1.5)).astype(float) - X
    assert off.ulp_max == (errors / np.spacing(X)).max()
    assert off.balance == 1.0
    assert off.histogram is not None
    assert sum(off.histogram) == 12
    argument = rows["Torch.off.0.forward.input.1"]
    assert argument.status == Status.DIFFERS
    assert argument.reason == "argument 1e-06 became 0.01"
    assert rows["Torch.off.0.forward.input.2"].status == Status.OK
    retyped = rows["Torch.type.0.forward.output.0"]
    assert retyped.status == Status.REVIEW
    assert "types differ (float32, float16)" in retyped.reason
    assert not retyped.deviates
    assert rows["Torch.shape.0.forward.output.0"].status == Status.SHAPE
    assert rows["Torch.gone.0.forward.output.0"].status == Status.NO_CANDIDATE
    assert not rows["Torch.gone.0.forward.output.0"].deviates
    exact = rows["Torch.int.0.forward.output.0"]
    assert (exact.status, exact.max_abs) == (Status.DIFFERS, 1)
    assert result.first is argument
    assert result.exit_code == 1
    assert result.changes() == {Change.SAME: 5, Change.REMOVED: 1}


def test_inserted_calls_alone_are_no_error(tmp_path: Path) -> None:
    base = run(tmp_path / "a", {"Torch.f.0.forward": {"output": [X]}})
    more = {"Torch.f.0.forward": {"output": [X]}, "Torch.g.0.forward": {"output": [X]}}
    result, rows = compared(base, run(tmp_path / "b", more))
    assert result.exit_code == 0
    assert rows["Torch.g.0.forward.output.0"].reason == "an inserted call"
    content: Any = result.to_json()
    assert content["changed"] == {"inserted": ["Torch.g.0.forward"]}


def test_files_that_cannot_be_read_are_rows(runs: tuple[Path, Path]) -> None:
    folder = runs[1] / "step0" / "rank0" / "dump_tensor_data"
    (folder / "Torch.same.0.forward.input.0.pt").unlink()
    (folder / "Torch.same.0.forward.output.0.pt").write_bytes(b"PK\x03\x04 nothing")
    _, rows = compared(*runs)
    missing = rows["Torch.same.0.forward.input.0"]
    assert missing.status == Status.UNREADABLE
    assert missing.reason.startswith("candidate: No such file")
    assert rows["Torch.same.0.forward.output.0"].status == Status.UNREADABLE


def value(**numbers: Any) -> Value:
    known = {"max": 2.0, "min": -2.0, "mean": 1e-9, "norm": 10.0}
    return Value("x", "output", "0", "torch.Tensor", "torch.float32", (4,), **(known | numbers))


@pytest.mark.parametrize(
    ("change", "status", "error"),
    [
        ({}, Status.OK, 0.0),
        ({"max": 2.5}, Status.DIFFERS, 0.25),
        ({"mean": 2e-9}, Status.OK, 5e-10),  # 100 % of a mean of nothing
        ({"norm": 15.0}, Status.DIFFERS, 0.5),
        ({"max": math.nan}, Status.DIFFERS, math.inf),
        ({"max": math.inf}, Status.DIFFERS, math.inf),
        ({"max": None, "min": None, "norm": None}, Status.EMPTY, None),
    ],
)
def test_statistics_against_the_scale(
    change: dict[str, Any], status: Status, error: float | None
) -> None:
    found = compare_statistics(value(), value(**change), lambda: Tolerance(1.3e-6, 1e-5))
    assert found.status == status
    assert found.relative_error == pytest.approx(error)


def test_the_same_infinities_are_to_be_reviewed() -> None:
    odd = value(max=math.inf, mean=math.nan)
    found = compare_statistics(odd, odd, lambda: Tolerance(0, 0))
    assert found.status == Status.REVIEW
    other = compare_statistics(odd, value(max=-math.inf, mean=math.nan), lambda: Tolerance(0, 0))
    assert other.status == Status.DIFFERS


def test_statistics_dumps_need_no_files(tmp_path: Path) -> None:
    base = run(tmp_path / "a", {"Torch.f.0.forward": {"output": [X]}}, task="statistics")
    candidate = run(tmp_path / "b", {"Torch.f.0.forward": {"output": [X * 2]}}, task="statistics")
    _, rows = compared(base, candidate)
    row = rows["Torch.f.0.forward.output.0"]
    assert row.status == Status.DIFFERS
    assert row.relative_error == pytest.approx(1.0)
    assert (row.max_base, row.max_candidate) == (2.0, 4.0)
    assert row.cosine is None


def test_a_third_run_is_the_noise_floor(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    noise = 1 + 1e-3 * random.standard_normal(X.shape, np.float32)

    def calls(first: np.ndarray, second: np.ndarray) -> dict[str, Any]:
        return {"Torch.f.0.forward": {"output": [first]}, "Torch.g.0.forward": {"output": [second]}}

    base = run(tmp_path / "base", calls(X, X))
    third = run(tmp_path / "third", calls(X * noise, X * noise))
    candidate = run(tmp_path / "candidate", calls(X * (2 - noise), X * np.float32(1.1)))
    _, plain = compared(base, candidate)
    assert {row.status for row in plain.values()} == {Status.DIFFERS}
    _, rows = compared(base, candidate, noise=str(third))
    calm, loud = rows["Torch.f.0.forward.output.0"], rows["Torch.g.0.forward.output.0"]
    assert calm.status == Status.OK
    assert calm.noise == pytest.approx(calm.relative_error, rel=1e-3)
    assert "within the noise" in calm.reason
    assert loud.status == Status.DIFFERS
    assert "times the noise" in loud.reason


def test_standards_change_verdicts(tmp_path: Path) -> None:
    base = run(tmp_path / "a", {"Torch.f.0.forward": {"output": [X]}})
    candidate = run(tmp_path / "b", {"Torch.f.0.forward": {"output": [X * np.float32(1.0005)]}})
    assert compared(base, candidate)[0].exit_code == 1
    assert compared(base, candidate, standard="thousandth")[0].exit_code == 0
    assert compared(base, candidate, rtol=0.1, scale_tol=0.0)[0].exit_code == 0


def test_ranks_and_steps_are_paired(tmp_path: Path) -> None:
    values = {"Torch.f.0.forward": {"output": [X]}}
    base, candidate = tmp_path / "a", tmp_path / "b"
    for rank in (0, 1, 2):
        run(base, values, rank)
    for rank in (0, 1, 3):
        run(candidate, {"Torch.f.0.forward": {"output": [X * (2 if rank == 1 else 1)]}}, rank)
    result, _ = compared(base, candidate)
    assert [part.label for part in result.parts] == ["step 0, rank 0", "step 0, rank 1"]
    assert result.missing == ("step 0, rank 2: only in the base",
                              "step 0, rank 3: only in the candidate")  # fmt: skip
    first: Any = result.first
    assert first.part == "step 0, rank 1"
    for step in ("step7", "step8"):
        write_dump(tmp_path / "c" / step / "rank0", values)
    with pytest.raises(StudioError, match="no step and rank in common"):
        compare(base, tmp_path / "c")


def test_folders_of_other_files_are_compared_by_name(tmp_path: Path) -> None:
    for side, factor in (("a", 1), ("b", 2)):
        (tmp_path / side).mkdir()
        np.savez(tmp_path / side / "x.npz", one=X, two=X * factor)
    result, rows = compared(tmp_path / "a", tmp_path / "b")
    assert rows["x:one"].status == Status.OK
    assert rows["x:two"].status == Status.DIFFERS
    assert result.exit_code == 1


def test_the_command_line(runs: tuple[Path, Path], tmp_path: Path, capsys: Any) -> None:
    words = ["precision", "compare", *map(str, runs)]
    assert main([*words, "--csv", "--report", str(tmp_path / "out")]) == 1
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert len(rows) == 10
    by_name = {row["name"]: row for row in rows}
    off = by_name["Torch.off.0.forward.output.0"]
    assert float(off["relative_error"]) == pytest.approx(0.5)
    assert json.loads(off["shape_base"]) == [3, 4]
    assert "noise" not in rows[0]
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "tensors.csv",
        "diagnosis.json",
        "report.html",
    }
    assert main([*words, "--json"]) == 1
    content = json.loads(capsys.readouterr().out)
    assert content["mode"] == "strict"
    assert content["first"] == "Torch.off.0.forward.input.1"
    assert content["calls"] == {"same": 5, "removed": 1}
    assert len(content["rows"]) == 10
    assert main(words) == 1
    text = capsys.readouterr().out
    assert text.startswith("Values: ok 4, review 1, differs 3")
    assert "argument 1e-06 became 0.01" in text
    assert main([*words, "--standard", "none such"]) == 2
    assert main([*words, "--map", str(tmp_path / "no.yaml")]) == 3
    assert main(["precision", "compare", str(tmp_path / "absent"), str(runs[0])]) == 3


def test_many_files_are_spread_over_processes(tmp_path: Path) -> None:
    path = tmp_path / "numbers"
    path.write_text("x")
    seen: list[float] = []
    with Workers(1600) as workers:
        found = list(workers.run(_double, list(range(1600)), 2, seen.append))
    assert found == [2 * n for n in range(1600)]
    assert seen[-1] == 1.0


def test_a_job_that_is_cancelled_ends_the_processes() -> None:
    class Cancelled(Exception):
        pass

    def report(_fraction: float) -> None:
        raise Cancelled

    with pytest.raises(Cancelled), Workers(1600) as workers:
        list(workers.run(_double, list(range(1600)), 2, report))


def _double(item: int, common: int) -> int:
    return item * common


def test_dumps_are_recognised_once(runs: tuple[Path, Path]) -> None:
    base = runs[0]
    assert is_dump(base)
    facts = dump_facts(base)
    assert (facts["steps"], facts["ranks"], facts["task"]) == (1, 1, "tensor")
    rank = base / "step0" / "rank0"
    inside = [base / "step0", rank, rank / "dump_tensor_data"]
    assert not any(is_dump(folder) for folder in inside)
