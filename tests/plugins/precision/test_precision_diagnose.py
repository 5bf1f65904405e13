"""Naming the operator that goes wrong: the known truths, and small runs of our own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from plugins.precision.core.dumping import diagnose, first
from studio.cli import main
from tests.fixtures.pt_writer import write_dump

if TYPE_CHECKING:
    from pathlib import Path

NORM = "Module.layers.1.ln1.RMSNorm.forward.0"
ATTENTION = "Module.layers.1.attn.Attention.forward.0"


@pytest.mark.parametrize(
    ("base", "candidate"),
    [
        ("baseline/tensor_mix", "perturbed/eps_tensor_mix"),
        ("baseline/stat_mix", "perturbed/eps_stat_mix"),
        ("baseline/md5_mix", "perturbed/eps_md5_mix"),
    ],
)
def test_another_epsilon(shared: Path, base: str, candidate: str) -> None:
    data = shared / "data" / "precision"
    result = diagnose(data / base, data / candidate)
    assert result.exit_code == 1
    assert result.first is not None
    found = result.first.first
    assert found is not None
    assert (found.operator, found.module) == ("Tensor.__add__.4.forward", NORM)
    assert "1e-06 became 0.01" in found.reason
    assert found.source.endswith("train_tiny.py:44")
    assert (result.first.inserted, result.first.removed) == ((), ())
    if "md5" not in base:
        assert result.first.ranking[0].operator == "Tensor.__add__.4.forward"


def test_a_call_that_adds_nothing(shared: Path) -> None:
    data = shared / "data" / "precision"
    result = first(data / "baseline/tensor_mix", data / "perturbed/extra_add_tensor_mix")
    assert result.exit_code == 0
    content: Any = result.to_json()
    assert content["operator"] is None
    assert content["inserted"] == ["Tensor.__add__.1.forward"]
    assert content["removed"] == content["evidence"] == []


@pytest.mark.parametrize("kind", ["tensor", "stat"])
def test_a_product_in_lower_precision(shared: Path, kind: str) -> None:
    data = shared / "data" / "precision"
    result = diagnose(data / f"baseline/{kind}_mix", data / f"perturbed/bf16_{kind}_mix")
    part = result.first
    assert part is not None
    assert part.first is not None
    assert (part.first.operator, part.first.module) == ("Tensor.to.0.forward", ATTENTION)
    assert part.then is not None
    assert part.then.operator == "Torch.matmul.2.forward"
    assert part.inserted == ("Tensor.to.0.forward", "Tensor.to.1.forward", "Tensor.to.2.forward")


def test_two_ranks(shared: Path) -> None:
    data = shared / "data" / "precision" / "dist2"
    result = diagnose(data / "none", data / "eps")
    found = {(p.step, p.rank): p.first.operator for p in result.parts if p.first}
    assert found[0, 0] == found[0, 1] == "Tensor.__add__.4.forward"
    assert result.first is not None
    assert (result.first.step, result.first.rank) == (0, 0)
    same = diagnose(data / "none", data / "none")
    assert (same.first, same.exit_code) == (None, 0)


def test_values_made_by_an_inserted_call(shared: Path) -> None:
    data = shared / "data" / "precision"
    result = diagnose(data / "baseline/stat_mix", data / "overflow/fp16_stat_mix")
    assert result.first is not None
    assert result.first.first is not None
    assert result.first.first.operator == "Torch.mul.0.forward"


def test_two_dumps_out_of_order(cases: Path) -> None:
    case = cases / "A11-matching-two-dumps"
    expected = json.loads((case / "expected.json").read_text())
    result = first(case / "input" / "bench", case / "input" / "npu")
    content: Any = result.to_json()
    assert content["evidence"][0]["name"] == expected["first_difference"]
    assert content["operator"] == "Functional.linear.1.forward"
    assert content["inserted"] == ["NPU.npu_fusion_attention.0.forward"]
    assert content["removed"] == ["Functional.dropout.0.forward"]


RANDOM = np.random.default_rng(9)
W = [RANDOM.standard_normal((8, 8)).astype(np.float32) for _ in range(6)]


def network(wrong: int = -1, noise: float = 0.0, seed: int = 1) -> dict[str, Any]:
    """Six products in two modules; the product `wrong` gives 1 % too much."""
    random = np.random.default_rng(seed)
    x = np.ones((4, 8), np.float32)
    calls: dict[str, Any] = {}
    enter = x
    for n, w in enumerate(W):
        before = x
        enter = x if n % 3 == 0 else enter
        x = np.tanh(before @ w) * (1 + noise * random.standard_normal((4, 8), np.float32))
        x = (x * np.float32(1.01) if n == wrong else x).astype(np.float32)
        calls[f"Torch.matmul.{n}.forward"] = {"input": [before, w], "output": [x]}
        if n in (2, 5):
            inside = [enter, *W[n - 2 : n + 1]]
            calls[f"Module.part{n // 3}.Part.forward.0"] = {"input": inside, "output": [x]}
    return calls


def construct() -> dict[str, str | None]:
    parents: dict[str, str | None] = {}
    for n in range(6):
        parents[f"Torch.matmul.{n}.forward"] = f"Module.part{n // 3}.Part.forward.0"
    return parents | {"Module.part0.Part.forward.0": None, "Module.part1.Part.forward.0": None}


def dumped(folder: Path, calls: dict[str, Any]) -> Path:
    return write_dump(folder, calls, construct=construct())


@pytest.mark.parametrize("wrong", range(6))
def test_the_added_error_is_ranked_first(tmp_path: Path, wrong: int) -> None:
    base = dumped(tmp_path / "base", network())
    result = diagnose(base, dumped(tmp_path / "candidate", network(wrong)))
    part = result.first
    assert part is not None
    assert part.first is not None
    assert part.first.operator == f"Torch.matmul.{wrong}.forward"
    assert part.first.module == f"Module.part{wrong // 3}.Part.forward.0"
    assert part.ranking[0].operator == part.first.operator
    assert part.ranking[0].added == pytest.approx(0.01, rel=0.01)
    assert not any(entry.operator.startswith("Module") for entry in part.ranking)


def test_against_the_noise_of_a_third_run(tmp_path: Path) -> None:
    base = dumped(tmp_path / "base", network())
    third = dumped(tmp_path / "third", network(noise=1e-4, seed=2))
    candidate = dumped(tmp_path / "candidate", network(4, noise=1e-4, seed=3))
    plain = diagnose(base, candidate)
    assert plain.first is not None
    assert plain.first.first is not None
    assert plain.first.first.operator == "Torch.matmul.0.forward"
    result = diagnose(base, candidate, noise=str(third))
    assert result.first is not None
    assert result.first.first is not None
    assert result.first.first.operator == "Torch.matmul.4.forward"


def test_inputs_that_nothing_explains(tmp_path: Path) -> None:
    base, candidate = network(), network()
    entry = candidate["Torch.matmul.1.forward"]
    entry["input"] = [entry["input"][0] * 2, entry["input"][1]]
    result = first(dumped(tmp_path / "a", base), dumped(tmp_path / "b", candidate))
    content: Any = result.to_json()
    assert content["operator"] == "Torch.matmul.1.forward"
    assert "no call before it explains that" in content["reason"]


def test_the_command_line(tmp_path: Path, capsys: Any) -> None:
    base = str(dumped(tmp_path / "base", network()))
    candidate = str(dumped(tmp_path / "candidate", network(3)))
    assert main(["precision", "first", base, candidate, "--json"]) == 1
    content = json.loads(capsys.readouterr().out)
    assert content["operator"] == "Torch.matmul.3.forward"
    assert {"module", "reason", "evidence", "inserted", "removed"} <= content.keys()
    assert content["evidence"][0]["name"] == "Torch.matmul.3.forward.output.0"
    assert main(["precision", "diagnose", base, candidate, "--json"]) == 1
    content = json.loads(capsys.readouterr().out)
    assert content["ranking"][0]["operator"] == "Torch.matmul.3.forward"
    assert content["ranks"][0]["first"]["operator"] == "Torch.matmul.3.forward"
    assert main(["precision", "diagnose", base, candidate]) == 1
    assert "First deviation: Torch.matmul.3.forward" in capsys.readouterr().out
    assert main(["precision", "diagnose", base, base]) == 0
    assert "do not deviate" in capsys.readouterr().out
    assert main(["precision", "first", base, str(tmp_path / "absent")]) == 3
