"""Indexing dumps of msprobe: odd JSON, both kinds of stacks, steps and ranks, the cache."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from studio.paths import cache_dir
from studio.tensors.dumps.index import index_dump
from studio.tensors.dumps.names import parse_call, parse_value
from studio.tensors.tensor import TensorError
from studio.tensors.tensor_file import open_one
from tests.fixtures.pt_writer import leaf, write_dump

if TYPE_CHECKING:
    from pathlib import Path

    from studio.tensors.dumps.model import DumpIndex, Value


def values_of(index: DumpIndex) -> dict[str, Value]:
    return {v.name: v for part in index.parts for call in part.calls for v in call.values}


def test_odd_values_keep_their_meaning(cases: Path) -> None:
    case = cases / "A10-dump-json-odd-values"
    expected = json.loads((case / "expected.json").read_text())
    index = index_dump(case / "input")
    (part,) = index.parts
    assert len(part.calls) == expected["api_entries"]
    assert len(part.faults) == len(expected["duplicate_keys"])
    for fault, key in zip(part.faults, expected["duplicate_keys"], strict=True):
        assert key in fault
    values = values_of(index)
    assert values["Torch.add.0.forward.output.0"].max == expected["shown_add_max"]
    assert str(values["Torch.arange.0.forward.output.0"].max) == expected["arange_max_text"]
    assert values["Torch.arange.0.forward.input.0"].scalar == int(expected["arange_max_text"])
    assert values["Torch.eq.0.forward.output.0"].mean is expected["bool_mean"]
    one = values["Tensor.__mul__.0.forward.input.0"]
    two = values["Tensor.__mul__.0.forward.output.0"]
    for name in ("max", "min", "mean", "norm"):
        a, b = getattr(one, name), getattr(two, name)
        assert a == b or (math.isnan(a) and math.isnan(b))
    bare = {v.name: v for v in values.values() if not v.measured}
    assert bare["Tensor.__mul__.0.forward.input.1"].scalar is None
    assert bare["Tensor.__mul__.0.forward.input.2"].scalar == 3
    assert bare["Torch.empty.0.forward.output.0"].shape == ()
    assert "Functional.dropout.0.forward.output" in bare


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("Tensor.__add__.4.forward", ("Tensor.__add__", 4, "forward", "")),
        ("Module.layers.1.ln1.RMSNorm.backward.0", ("RMSNorm", 0, "backward", "layers.1.ln1")),
        ("Cell.network.ln.LayerNorm.forward.2", ("LayerNorm", 2, "forward", "network.ln")),
        ("Module.head.Linear.parameters_grad.0", ("Linear", 0, "parameters_grad", "head")),
        ("Module.head.Linear.parameters_grad", ("Linear", -1, "parameters_grad", "head")),
        ("NPU.npu_rms_norm.11.backward", ("NPU.npu_rms_norm", 11, "backward", "")),
        ("after.x.0.debug", ("after.x", 0, "debug", "")),
        ("optimizer", ("optimizer", -1, "", "")),
    ],
)
def test_names_of_calls(name: str, wanted: tuple[str, int, str, str]) -> None:
    assert tuple(parse_call(name)) == wanted


def test_names_of_values() -> None:
    assert parse_value("Torch.mean.0.forward.input.0.1") == ("Torch.mean.0.forward", "input", "0.1")
    name = "Module.a.Linear.forward.0.parameters.weight"
    assert parse_value(name) == ("Module.a.Linear.forward.0", "parameter", "weight")
    grad = "Module.a.Linear.parameters_grad.0.bias"
    assert parse_value(grad) == ("Module.a.Linear.parameters_grad.0", "parameter_grad", "bias")
    assert parse_value("weights") is None


NAME = "Torch.mean.0.forward"
FRAME = "File /w/model.py, line 7, in forward, \n x = x.mean()"


@pytest.mark.parametrize(
    "stack", [{"0": [[NAME], [FRAME]]}, {NAME: [FRAME]}, {NAME: FRAME}], ids=["new", "old", "text"]
)
def test_both_shapes_of_stacks(tmp_path: Path, stack: Any) -> None:
    write_dump(tmp_path, {NAME: {"output": [np.ones(2, np.float32)]}}, stack=stack)
    (part,) = index_dump(tmp_path).parts
    assert part.frames(part.calls[0]) == (FRAME,)


def test_parents_may_be_lists(tmp_path: Path) -> None:
    construct = {NAME: ["Module.a.Linear.forward.0", "Module.b.Linear.forward.0"]}
    write_dump(tmp_path, {NAME: {"output": [np.ones(2, np.float32)]}}, construct=construct)
    assert index_dump(tmp_path).parts[0].calls[0].parent == "Module.a.Linear.forward.0"


def test_steps_and_ranks_from_any_level(tmp_path: Path) -> None:
    values = {NAME: {"output": [np.ones(2, np.float32)]}}
    for step in (0, 10, 2):
        for rank in ("rank0", "rank10", "rank2"):
            write_dump(tmp_path / "d" / f"step{step}" / rank, values, task="statistics")
    found = [(part.step, part.rank) for part in index_dump(tmp_path / "d").parts]
    assert found == [(s, r) for s in (0, 2, 10) for r in (0, 2, 10)]
    one = index_dump(tmp_path / "d" / "step2")
    assert [(part.step, part.rank) for part in one.parts] == [(2, 0), (2, 2), (2, 10)]
    (part,) = index_dump(tmp_path / "d" / "step2" / "rank10").parts
    assert (part.step, part.rank) == (2, 10)
    write_dump(tmp_path / "e" / "step0" / "proc77", values)
    assert [(p.step, p.rank) for p in index_dump(tmp_path / "e").parts] == [(0, None)]
    (part,) = index_dump(tmp_path / "e" / "step0" / "proc77" / "dump.json").parts
    assert part.calls


def test_elements_are_opened_where_they_are(tmp_path: Path) -> None:
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    write_dump(tmp_path / "step0" / "rank0", {NAME: {"input": [array]}})
    index = index_dump(tmp_path)
    (part,) = index.parts
    (value,) = part.calls[0].values
    assert open_one(index.path(part, value), value.dtype).array().tolist() == array.tolist()


def test_values_without_files_or_types(tmp_path: Path) -> None:
    data = {
        "Torch.f.0.forward": {
            "input_args": [[{"type": "int", "value": 3}, {}],
                           {"type": "slice", "value": [0, 2, 1]}],
            "input_kwargs": {"eps": {"type": "float", "value": 1e-6}, "dtype": {}},
            "output": [{"class_type": "torch.distributed.P2POp", "op": "isend", "peer": 1,
                        "tensor": leaf(np.ones(2, np.float32))}],
        },
        "Module.a.Linear.parameters_grad.0": {"weight": [leaf(np.ones(3, np.float32))]},
        "x.0.debug": {"k": [leaf(np.ones(1, np.float32))]},
    }  # fmt: skip
    (tmp_path / "dump.json").write_text(json.dumps({"task": "statistics", "data": data}))
    values = values_of(index_dump(tmp_path))
    assert {name: (v.role, v.place, v.kind) for name, v in values.items()} == {
        "Torch.f.0.forward.input.0.0": ("input", "0.0", "int"),
        "Torch.f.0.forward.input.1": ("input", "1", "slice"),
        "Torch.f.0.forward.input.eps": ("input", "eps", "float"),
        "Torch.f.0.forward.output.0": ("output", "0", "torch.Tensor"),
        "Module.a.Linear.parameters_grad.0.weight": ("parameter_grad", "weight", "torch.Tensor"),
        "x.0.debug.k.0": ("debug", "k.0", "torch.Tensor"),
    }


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"data": []}', '{"a":' * 100_000, "nonsense"])
def test_damaged_json_is_told(tmp_path: Path, text: str) -> None:
    (tmp_path / "dump.json").write_text(text)
    with pytest.raises(TensorError, match=r"dump\.json"):
        index_dump(tmp_path)


def test_a_damaged_side_file_is_a_fault_and_not_the_end(tmp_path: Path) -> None:
    write_dump(tmp_path, {NAME: {"output": [np.ones(2, np.float32)]}})
    (tmp_path / "stack.json").write_text("{")
    (part,) = index_dump(tmp_path).parts
    assert len(part.calls) == 1
    assert any("stack.json" in fault for fault in part.faults)


def big_dump(folder: Path, count: int = 6000) -> None:
    calls = {f"Torch.f.{n}.forward": {"output": [np.ones(2, np.float32)]} for n in range(count)}
    write_dump(folder, calls, task="statistics")


def test_the_index_of_a_large_dump_is_kept(tmp_path: Path) -> None:
    big_dump(tmp_path)
    first = index_dump(tmp_path)
    (kept,) = (cache_dir() / "dumps").iterdir()
    stamp = kept.stat().st_mtime_ns
    assert index_dump(tmp_path) == first
    assert kept.stat().st_mtime_ns == stamp
    kept.write_bytes(kept.read_bytes()[:-100])  # half a file
    assert index_dump(tmp_path) == first
    kept.write_bytes(b"\x80nonsense")
    assert index_dump(tmp_path) == first
    big_dump(tmp_path, 6001)
    assert len(index_dump(tmp_path).parts[0].calls) == 6001


def test_real_dumps_of_every_kind(shared: Path) -> None:
    folder = shared / "data" / "precision" / "baseline"
    tasks = {}
    for name in ("stat_mix", "stat_L0", "tensor_mix", "md5_mix", "xor_L1", "structure_mix"):
        index = index_dump(folder / name)
        part = index.parts[0]
        tasks[name] = (len(index.parts), part.task, part.level, part.summed, len(part.calls))
    assert tasks["stat_mix"] == (2, "statistics", "mix", False, 450)
    assert tasks["tensor_mix"] == (1, "tensor", "mix", False, 450)
    assert tasks["md5_mix"][3]
    assert tasks["xor_L1"][3]
    assert tasks["structure_mix"][1:3] == ("structure", "mix")
    assert tasks["structure_mix"][4] == 437
    debug = index_dump(folder.parent / "single_save" / "tensor")
    names = [value.name for call in debug.parts[0].calls for value in call.values]
    assert "inputs.0.debug.l.1" in names
