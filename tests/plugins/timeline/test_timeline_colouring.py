"""Colours by kind, name, category, length and launcher, and the legend that explains them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from plugins.timeline.core.colouring import SCALE
from plugins.timeline.ui.classes import COLOURINGS, coloured
from plugins.timeline.ui.palette import SLOTS
from plugins.timeline.ui.scene import make_scene, recoloured
from studio.trace import load

if TYPE_CHECKING:
    from pathlib import Path

    from studio.trace import Trace

pytestmark = pytest.mark.gui


def event(name: str, ts: float, dur: float, tid: int = 1, **more: Any) -> dict[str, Any]:
    return {"ph": "X", "name": name, "pid": 1, "tid": tid, "ts": ts, "dur": dur, **more}


@pytest.fixture
def trace(tmp_path: Path) -> Trace:
    path = tmp_path / "trace_view.json"
    flow = {"name": "x", "cat": "async_npu", "pid": 1}
    path.write_text(
        json.dumps(
            [
                event("aten::mm", 0, 10, cat="cpu_op"),
                event("aten::add", 20, 5, cat="cpu_op"),
                event("aten::mm", 40, 10, cat="cpu_op"),
                event("MatMul", 100, 300, 2),
                event("Add", 500, 0.05, 2),
                event("MatMul", 600, 2000, 2),
                event("Orphan", 3000, 1, 2, cat="kernel"),
                *(
                    {**flow, "ph": phase, "id": i, "tid": tid, "ts": ts, "bp": "e"}
                    for i, (a, b) in enumerate(((0, 100), (20, 500), (40, 600)))
                    for phase, tid, ts in (("s", 1, a), ("f", 2, b))
                ),
            ]
        )
    )
    return load(path)


def slots(trace: Trace, colouring: str) -> dict[str, set[int]]:
    found: dict[str, set[int]] = {}
    for name, slot in zip(
        trace.name.tolist(), coloured(trace, colouring).slots.tolist(), strict=True
    ):
        found.setdefault(trace.names[name], set()).add(slot)
    return found


def titles(trace: Trace, colouring: str) -> list[str]:
    return [entry.title for entry in coloured(trace, colouring).legend]


def test_every_name_of_few_has_a_colour_of_its_own(trace: Trace) -> None:
    found = slots(trace, "name")
    assert all(len(mine) == 1 for mine in found.values())
    assert len(set.union(*found.values())) == len(found) == 5
    assert titles(trace, "name") == ["MatMul", "aten::mm", "aten::add", "Orphan", "Add"]


def test_categories_stand_in_the_legend_by_their_time(trace: Trace) -> None:
    assert titles(trace, "category") == ["cpu_op", "kernel"] or "cpu_op" in titles(
        trace, "category"
    )
    found = slots(trace, "category")
    assert found["aten::mm"] == found["aten::add"]
    assert found["MatMul"] != found["Orphan"]


def test_lengths_are_powers_of_ten(trace: Trace) -> None:
    assert titles(trace, "length") == [
        "below 100 ns", "1 µs to 10 µs", "10 µs to 100 µs", "100 µs to 1 ms", "1 ms to 10 ms",
    ]  # fmt: skip
    found = slots(trace, "length")
    assert len(found["MatMul"]) == 2


def test_kernels_have_the_colour_of_what_launched_them(trace: Trace) -> None:
    found = slots(trace, "launcher")
    assert found["MatMul"] == found["aten::mm"]
    assert found["Add"] == found["aten::add"]
    assert not found["Orphan"] & (found["MatMul"] | found["Add"])
    assert titles(trace, "launcher") == ["aten::mm", "aten::add"]


def test_many_names_share_the_rest_of_the_scale(tmp_path: Path) -> None:
    path = tmp_path / "trace_view.json"
    path.write_text(json.dumps([event(f"op {n}", n * 100, 90 - n) for n in range(60)]))
    colours = coloured(load(path), "name")
    assert [entry.title for entry in colours.legend][:2] == ["op 0", "op 1"]
    assert len(colours.legend) == SCALE + 1
    rest = set(colours.legend[-1].slots)
    own = {entry.slots[0] for entry in colours.legend[:-1]}
    assert len(own) == SCALE
    assert not own & rest
    assert set(colours.slots.tolist()) <= own | rest


@pytest.mark.parametrize("colouring", COLOURINGS)
def test_legends_explain_the_colours_that_occur(shared: Path, colouring: str) -> None:
    folder = shared / "data/profiling/msinsight/test/data/pytorch/text/level2/rank0_ascend_pt"
    trace = load(folder / "ASCEND_PROFILER_OUTPUT" / "trace_view.json")
    colours = coloured(trace, colouring)
    assert int(colours.slots.min()) >= 1
    assert int(colours.slots.max()) < SLOTS
    explained = [slot for entry in colours.legend for slot in entry.slots]
    assert len(explained) == len(set(explained))
    share = np.isin(colours.slots, explained).mean()
    assert share > (0.15 if colouring == "launcher" else 0.75)


def test_a_scene_knows_its_colouring(trace: Trace) -> None:
    scene = make_scene(trace)
    assert (scene.colouring, recoloured(scene, "length").colouring) == ("kind", "length")
    assert recoloured(scene, "kind").legend == scene.legend
