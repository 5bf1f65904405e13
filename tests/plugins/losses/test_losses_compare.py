"""Comparing two training logs by step."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

import pytest

from plugins.losses.core.compare import compare
from plugins.losses.core.logs import is_training_log, log_facts
from studio.cli import main
from studio.kernel.errors import StudioError

if TYPE_CHECKING:
    from pathlib import Path


def test_two_logs_of_different_shape(cases: Path) -> None:
    case = cases / "A13-two-loss-logs"
    expected = json.loads((case / "expected.json").read_text())
    found = compare(case / "input" / "gpu_train.log", case / "input" / "npu_train.log")
    content: Any = found.to_json()
    assert content["common_steps"] == expected["common_steps"]
    assert content["missing"] == {"base": [], "candidate": expected["missing_on_npu"]}
    assert content["repeated"] == {"base": [], "candidate": expected["repeated"]}
    assert content["nan_steps"]["candidate"] == expected["nan_steps"]
    assert content["zero_steps"]["candidate"] == expected["zero_loss_steps"]
    errors = {str(row.step): row.relative_error for row in found.finite}
    assert errors.keys() == expected["relative_error"].keys()
    for step, wanted in expected["relative_error"].items():
        assert errors[step] == pytest.approx(wanted, abs=1e-12)
    assert content["mean_relative_error"] == pytest.approx(expected["mean_relative_error_finite"])
    assert content["finite_pairs"] == expected["finite_pairs"]
    assert content["first_step_beyond"] == expected["first_step_above_2pct"]
    assert found.exit_code == 1


def log(folder: Path, name: str, values: dict[int, float | str]) -> Path:
    path = folder / name
    path.write_text("".join(f"{{'loss': {v}, 'step': {s}}}\n" for s, v in values.items()))
    return path


def test_tolerance_and_ends(tmp_path: Path) -> None:
    base = log(tmp_path, "a.log", {1: 2.0, 2: 1.0, 3: 0.0})
    near = log(tmp_path, "b.log", {2: 1.015, 3: 0.0, 4: 1.0})
    found = compare(base, near)
    assert (found.exit_code, found.first_beyond) == (0, None)
    assert (found.missing("base"), found.missing("candidate")) == ([4], [1])
    assert compare(base, near, tolerance=0.01).first_beyond == 2
    far = log(tmp_path, "c.log", {3: 0.5})
    assert compare(base, far).rows[2].relative_error == float("inf")


def test_not_finite_in_one_run_only_is_a_difference(tmp_path: Path) -> None:
    base = log(tmp_path, "a.log", {1: 2.0, 2: "nan"})
    assert compare(base, log(tmp_path, "b.log", {1: 2.0, 2: "nan"})).exit_code == 0
    found = compare(base, log(tmp_path, "c.log", {1: "nan", 2: "nan"}))
    assert (found.not_finite, found.exit_code) == ([1], 1)


def test_nothing_in_common(tmp_path: Path) -> None:
    one, two = log(tmp_path, "a.log", {1: 2.0}), log(tmp_path, "b.log", {2: 2.0})
    with pytest.raises(StudioError, match="no step in common"):
        compare(one, two)
    with pytest.raises(StudioError, match="no series “grad_norm”"):
        compare(one, one, series="grad_norm")


def test_the_command_line(cases: Path, tmp_path: Path, capsys: Any) -> None:
    folder = cases / "A13-two-loss-logs" / "input"
    words = ["losses", "compare", str(folder / "gpu_train.log"), str(folder / "npu_train.log")]
    assert main([*words, "--csv"]) == 1
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["step"] for row in rows] == [str(n) for n in range(1, 11)]
    assert rows[3]["candidate"] == ""
    assert rows[8]["candidate"] == "nan"
    assert main([*words, "--json", "--series", "grad_norm"]) == 1
    assert json.loads(capsys.readouterr().out)["nan_steps"]["candidate"] == []
    assert main([*words[:3], words[2]]) == 0
    assert main([*words[:3], str(tmp_path / "absent.log")]) == 3


def test_logs_are_recognised(cases: Path, tmp_path: Path) -> None:
    path = cases / "A13-two-loss-logs" / "input" / "npu_train.log"
    assert is_training_log(path)
    assert log_facts(path) == {"writer": "megatron", "steps": 9, "last loss": 0.0}
    (tmp_path / "x.log").write_text("no numbers here; loss of signal\n")
    assert not is_training_log(tmp_path / "x.log")
    assert log_facts(tmp_path / "x.log") == {}
    assert not is_training_log(tmp_path / "absent.log")


def test_a_log_that_is_not_there_is_told_in_the_users_language(tmp_path: Path) -> None:
    from studio.i18n import set_language

    set_language("zh_CN")
    try:
        with pytest.raises(StudioError, match="文件或文件夹不存在"):
            compare(tmp_path / "none.log", tmp_path / "none.log")
    finally:
        set_language("en")
