"""Aligning the calls of two runs: what is the same, new, gone, moved, merged or done again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from plugins.precision.core.align.calls import align_calls
from plugins.precision.core.align.change import CallPair, Change
from plugins.precision.core.align.keys import frame_of, plain_api, wrappers
from plugins.precision.core.align.operator_names import _GROUPS, common_api
from plugins.precision.core.value_pairs import pair_values
from studio.tensors.dumps.index import index_dump
from studio.tensors.dumps.model import Call, Part, Value
from studio.tensors.dumps.names import parse_call

if TYPE_CHECKING:
    from pathlib import Path

Line = tuple[str, str] | tuple[str, str, str] | str


def part(*lines: Any, shape: tuple[int, ...] = (2, 3)) -> Part:
    """Make a run from names, or (name, parent[, line of source])."""
    calls, stacks = [], []
    for line in lines:
        name, parent, text = (*line, "", "")[:3] if isinstance(line, tuple) else (line, "", "")
        api, number, phase, module = parse_call(name)
        if text:
            stacks.append((f"File /w/m.py, line {len(stacks)}, in forward, \n {text}",))
        values = (
            Value(f"{name}.input.0", "input", "0", "torch.Tensor", "torch.float32", shape),
            Value(f"{name}.output.0", "output", "0", "torch.Tensor", "torch.float32", shape),
        )
        stack = len(stacks) - 1 if text else -1
        calls.append(Call(name, api, number, phase, module, parent, stack, values))
    return Part(".", ".", calls=tuple(calls), stacks=tuple(stacks))


def changes(base: Part, candidate: Part, **names: Any) -> list[tuple[str, str, str]]:
    """The pairs that are not simply the same, as (change, base, candidate)."""
    return [
        (pair.change.value, pair.base.name if pair.base else "",
         pair.candidate.name if pair.candidate else "")
        for pair in align_calls(base, candidate, **names) if pair.change is not Change.SAME
    ]  # fmt: skip


BLOCK = "Module.layers.{n}.Block.forward.0"


def layers(count: int, *, extra: int = -1) -> list[Line]:
    """Two additions and a product in each layer; `extra` adds one more addition in that layer."""
    lines: list[Line] = []
    add = mul = 0
    for n in range(count):
        inside = BLOCK.format(n=n)
        if n == extra:
            lines.append((f"Tensor.__add__.{add}.forward", inside, "x = x + 0.0"))
            add += 1
        lines.append((f"Tensor.__add__.{add}.forward", inside, "x = x + self.a(x)"))
        lines.append((f"Tensor.__mul__.{mul}.forward", inside, "x = x * self.w"))
        lines.append((f"Tensor.__add__.{add + 1}.forward", inside, "x = x + self.b(x)"))
        lines.append(inside)
        add, mul = add + 2, mul + 1
    return lines


def test_an_inserted_call_shifts_no_other() -> None:
    found = changes(part(*layers(4)), part(*layers(4, extra=1)))
    assert ("inserted", "", "Tensor.__add__.2.forward") in found
    rest = [entry for entry in found if entry[0] != "inserted"]
    assert {entry[0] for entry in rest} == {"renumbered"}
    assert ("renumbered", "Tensor.__add__.2.forward", "Tensor.__add__.3.forward") in rest
    assert len(rest) == 6
    back = changes(part(*layers(4, extra=1)), part(*layers(4)))
    assert ("removed", "Tensor.__add__.2.forward", "") in back


def test_moved_lines_do_not_matter() -> None:
    one = part(("Torch.f.0.forward", "", "a = f(x)"), ("Torch.f.1.forward", "", "b = f(y)"))
    two = part(("Torch.g.0.forward", "", "z"), ("Torch.f.0.forward", "", "b = f(y)"))
    assert changes(one, two) == [
        ("removed", "Torch.f.0.forward", ""), ("inserted", "", "Torch.g.0.forward"),
        ("renumbered", "Torch.f.1.forward", "Torch.f.0.forward"),
    ] or changes(one, two) == [
        ("replaced", "Torch.f.0.forward", "Torch.g.0.forward"),
        ("renumbered", "Torch.f.1.forward", "Torch.f.0.forward"),
    ]  # fmt: skip


def test_an_operator_may_be_replaced_or_fused() -> None:
    one = ["Torch.a.0.forward", "Torch.square.0.forward", "Torch.mean.0.forward",
           "Torch.rsqrt.0.forward", "Torch.z.0.forward"]  # fmt: skip
    two = ["Torch.a.0.forward", "NPU.npu_norm.0.forward", "Torch.z.0.forward"]
    (fused,) = [p for p in align_calls(part(*one), part(*two)) if p.change is Change.FUSED]
    assert fused.base is not None
    assert fused.candidate is not None
    assert (fused.base.name, fused.candidate.name) == (one[3], two[1])
    assert [call.name for call in fused.others] == one[1:3]
    assert [v.role for v, _ in pair_values(fused) if v] == ["output"]
    (split,) = [p for p in align_calls(part(*two), part(*one)) if p.change is Change.FUSED]
    assert [call.name for call in split.others] == one[1:3]
    assert changes(part("Torch.a.0.forward", "Torch.gelu.0.forward"),
                   part("Torch.a.0.forward", "NPU.fast_silu.0.forward")) == [
        ("replaced", "Torch.gelu.0.forward", "NPU.fast_silu.0.forward")
    ]  # fmt: skip


def test_calls_with_other_shapes_are_not_merged() -> None:
    one = part("Torch.a.0.forward", "Torch.square.0.forward", shape=(2, 3))
    two = part("Torch.a.0.forward", "NPU.norm.0.forward", shape=(4, 3))
    assert {entry[0] for entry in changes(one, two)} == {"removed", "inserted"}


def test_reordered_calls_are_found() -> None:
    lines = [(f"Torch.f{n}.0.forward", "Module.a.A.forward.0") for n in range(6)]
    other = [lines[0], lines[4], *lines[1:4], lines[5]]
    assert changes(part(*lines), part(*other)) == [
        ("reordered", "Torch.f4.0.forward", "Torch.f4.0.forward")
    ]


def test_recomputed_calls_are_no_new_ones() -> None:
    def module(n: int) -> list[Any]:
        inside = f"Module.a.A.forward.{n}"
        return [(f"Torch.f.{n}.forward", inside), (f"Torch.g.{n}.forward", inside), inside]

    forward, again = module(0), module(1)
    loss = ["Torch.loss.0.backward"]
    backward = ["Torch.g.0.backward", "Torch.f.0.backward"]
    found = changes(part(*forward, *loss, *backward), part(*forward, *loss, *again, *backward))
    assert found == [
        ("recomputed", "Torch.f.0.forward", "Torch.f.1.forward"),
        ("recomputed", "Torch.g.0.forward", "Torch.g.1.forward"),
        ("recomputed", "Module.a.A.forward.0", "Module.a.A.forward.1"),
    ]


def test_wrappers_of_modules_are_seen_through() -> None:
    one = ["a", "a.b", "a.c", "head"]
    assert wrappers(one, [f"module.{p}" for p in one]) == (0, 1)
    assert wrappers([f"network.net.{p}" for p in one], one) == (2, 0)
    assert wrappers(one, one) == (0, 0)
    base = part(*[f"Module.layers.{n}.Linear.forward.0" for n in range(3)])
    candidate = part(*[f"Cell.network.layers.{n}.Dense.forward.0" for n in range(1, 3)])
    found = [(p.base.name, p.candidate.name) for p in align_calls(base, candidate)
             if p.base and p.candidate]  # fmt: skip
    assert found == [
        ("Module.layers.1.Linear.forward.0", "Cell.network.layers.1.Dense.forward.0"),
        ("Module.layers.2.Linear.forward.0", "Cell.network.layers.2.Dense.forward.0"),
    ]


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("Tensor.__add__", "Mint.add"), ("Functional.layer_norm", "LayerNorm"),
        ("NPU.npu_rms_norm", "RmsNorm"), ("Torch.matmul", "MatMul"),
    ],
)  # fmt: skip
def test_operators_of_both_frameworks(one: str, two: str) -> None:
    assert plain_api(one) == plain_api(two)
    assert plain_api("Torch.add") != plain_api("Torch.addmm")


@pytest.mark.parametrize(
    ("torch", "mindspore"),
    [
        # rows of MindSpore's mapping table
        ("Torch.bmm", "BatchMatMul"), ("Torch.cat", "Concat"), ("Torch.chunk", "Split"),
        ("Torch.clamp", "Functional.clip_by_value"), ("Functional.linear", "Dense"),
        ("Torch.eq", "Equal"), ("Torch.mean", "ReduceMean"), ("Torch.unsqueeze", "ExpandDims"),
        ("Torch.gather", "GatherD"), ("Torch.where", "Select"), ("Tensor.permute", "Transpose"),
        # kernels of the sample dump, and of mint
        ("Tensor.__truediv__", "RealDiv"), ("Functional.embedding", "Gather"),
        ("Tensor.to", "Cast"), ("Torch.sum", "SumExt"), ("Functional.gelu", "GeLU"),
    ],
)  # fmt: skip
def test_operators_with_other_names(torch: str, mindspore: str) -> None:
    assert common_api(plain_api(torch)) == common_api(plain_api(mindspore))
    assert common_api(plain_api(torch)) != common_api(plain_api("Torch.exp"))


def test_every_name_has_one_group() -> None:
    names = [name for group in _GROUPS for name in group]
    assert len(names) == len(set(names))
    assert all(plain_api(name) == name for name in names)


def test_a_network_of_the_other_framework_is_aligned_through_its_operators() -> None:
    inside, cell = "Module.layers.0.Block.forward.0", "Cell.network.layers.0.Block.forward.0"
    base = part(
        ("Torch.bmm.0.forward", inside), ("Tensor.__truediv__.0.forward", inside),
        ("Functional.softmax.0.forward", inside), ("Tensor.to.0.forward", inside), inside,
    )  # fmt: skip
    candidate = part(
        ("Mint.bmm.0.forward", cell), ("Primitive.RealDiv.0.forward", cell),
        ("MintFunctional.softmax.0.forward", cell), ("Primitive.Cast.0.forward", cell),
        ("Mint.exp.0.forward", cell), cell,
    )  # fmt: skip
    base = msgspec.structs.replace(base, framework="pytorch")
    candidate = msgspec.structs.replace(candidate, framework="mindspore")
    found = [(change, one.split(".")[1], two.split(".")[1]) for change, one, two
             in changes(base, candidate) if one.startswith("T")]  # fmt: skip
    assert found == [
        ("renumbered", "bmm", "bmm"), ("renumbered", "__truediv__", "RealDiv"),
        ("renumbered", "to", "Cast"),
    ]  # fmt: skip
    assert ("inserted", "", "Mint.exp.0.forward") in changes(base, candidate)
    # Within one framework, a product of another kind is another operator.
    one, two = part("Torch.matmul.0.forward"), part("Torch.bmm.0.forward")
    assert changes(one, two)[0][0] == "replaced"


def test_parameters_of_both_frameworks() -> None:
    def call(name: str, *places: str) -> Call:
        values = [Value(f"{name}.parameters.{p}", "parameter", p, "T", "float32") for p in places]
        return Call(name, "x", 0, "forward", values=tuple(values))

    pair = CallPair(Change.SAME, call("a", "weight", "bias"), call("b", "beta", "gamma"))
    found = [(a.place, b.place) for a, b in pair_values(pair) if a and b]
    assert found == [("weight", "gamma"), ("bias", "beta")]


def test_arguments_by_name_and_by_place() -> None:
    one = Call("a", "x", 0, "forward", values=(
        Value("a.0", "input", "0", "T", "float32"), Value("a.1", "input", "1", "float", scalar=1),
    ))  # fmt: skip
    two = Call("a", "x", 0, "forward", values=(
        Value("a.0", "input", "0", "T", "float32"), Value("a.e", "input", "eps", "float", scalar=1),
    ))  # fmt: skip
    pairs = pair_values(CallPair(Change.SAME, one, two))
    assert [(a.place, b.place) for a, b in pairs if a and b] == [("0", "0"), ("1", "eps")]
    assert len(pairs) == 2


def test_files_out_of_order_are_matched_by_name(cases: Path) -> None:
    case = cases / "A11-matching-two-dumps"
    expected = json.loads((case / "expected.json").read_text())
    base, candidate = (index_dump(case / "input" / side).parts[0] for side in ("bench", "npu"))
    pairs = align_calls(base, candidate)
    names: dict[Change, list[tuple[str, str]]] = {}
    for pair in pairs:
        two = [c.name.removesuffix(".forward") if c else "" for c in (pair.candidate, pair.base)]
        names.setdefault(pair.change, []).append((two[0], two[1]))
    assert [one for one, _ in names[Change.SAME]] == expected["exact"]
    assert [list(pair) for pair in names[Change.FUZZY]] == expected["fuzzy"]
    assert [one for one, _ in names[Change.INSERTED]] == expected["npu_only"]
    assert [two for _, two in names[Change.REMOVED]] == expected["bench_only"]
    order = [pair.base.name for pair in pairs if pair.base]
    assert order == [call.name for call in base.calls]


def test_a_user_may_say_what_belongs_together() -> None:
    one, two = part("Torch.a.0.forward"), part("NPU.b.0.forward", "Torch.a.0.forward")
    names = {"NPU.b.0.forward": "Torch.a.0.forward"}
    assert changes(one, two, names=names) == [
        ("mapped", "Torch.a.0.forward", "NPU.b.0.forward"), ("inserted", "", "Torch.a.0.forward"),
    ]  # fmt: skip


def test_frames_are_taken_apart() -> None:
    frame = frame_of("File /a b/m.py, line 12, in forward, \n x = self.f(x), y")
    assert frame is not None
    assert (frame.file, frame.line, frame.function, frame.text) == (
        "/a b/m.py", 12, "forward", "x = self.f(x), y",
    )  # fmt: skip
    assert frame_of("nothing") is None
