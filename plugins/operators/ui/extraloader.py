"""The work behind the further pages of the operators view, done in jobs."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from zlib import crc32

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pandas as pd
    from numpy.typing import NDArray

    from plugins.operators.calltree import CallTree
    from plugins.operators.flows import Flows
    from plugins.operators.hostside import HostSide
    from plugins.operators.roofs import Roofs
    from studio.kernel.job_context import JobContext
    from studio.perf.chips import Chip
    from studio.ui.chartflame import Boxes
    from studio.ui.envelope import Envelope

    Numbers = NDArray[np.int64]

ORDERS: Final = ("left", "time")
_LIBRARIES: Final = ("site-packages", "dist-packages", "/lib/python", "<")
_TINTS: Final = {"operator": 5, "kernel": 0}
_OWN: Final = (1, 2, 3, 7, 9)
_LIBRARY: Final = 11


@dataclass(frozen=True)
class CallStacks:
    """A call tree, its functions, and its boxes by `ORDERS`."""

    tree: CallTree
    functions: pd.DataFrame
    boxes: Mapping[str, Boxes]
    weight: str


@dataclass(frozen=True)
class Special:
    """Operators worth a look of their own (columns: `studio.perf.special_operators`)."""

    ai_cpu: pd.DataFrame
    shapes: pd.DataFrame
    compiled: pd.DataFrame


@dataclass(frozen=True)
class DrawnFlows:
    """Queues and copies, and what their curves are drawn from."""

    flows: Flows
    queues: list[Envelope]
    copies: list[Envelope]


def load_stacks(path: Path, weight: str, step: int | None, job: JobContext) -> CallStacks:
    """Build the call tree of a profile and lay it out."""
    importlib.import_module("plugins.operators.ui.stackspage")
    from plugins.operators.calltree import CallTree
    from studio.perf.flame import flame
    from studio.perf.opened import open_profile

    found = flame(open_profile(path, job), weight, step=step, job=job)
    tree = CallTree(found.stacks)
    tables = {"left": found.left_heavy, "time": found.by_time}
    boxes = {order: _boxes(tree, table) for order, table in tables.items()}
    return CallStacks(tree, tree.functions(), boxes, weight)


def load_roofline(
    path: Path, by: str, kind: str, step: int | None, chip: Chip | None, job: JobContext
) -> Roofs:
    """Place the operators of a profile under the roofline of the chip."""
    importlib.import_module("plugins.operators.ui.rooflinepage")
    from plugins.operators.roofs import roofs
    from studio.perf.opened import open_profile
    from studio.perf.operators import operators

    profile = open_profile(path, job)
    return roofs(operators(profile, by, kind=kind, step=step, chip=chip, counters=False, job=job))


def load_host(path: Path, by: str, job: JobContext) -> HostSide:
    """The operators on the host with the kernels that they launched."""
    importlib.import_module("plugins.operators.ui.hostpage")
    from plugins.operators.hostside import host_side
    from studio.perf.opened import open_profile

    return host_side(open_profile(path, job), by, job)


def load_calls(path: Path, job: JobContext) -> pd.DataFrame:
    """The calls of the runtime by level and name, with their share of all."""
    from studio.perf.host_operators import api_calls
    from studio.perf.opened import open_profile

    table = api_calls(open_profile(path, job), job)
    total = max(int(table["total_ns"].sum()), 1) if len(table) else 1
    return table.assign(share=table["total_ns"].astype("Float64") / total)


def load_flows(path: Path, job: JobContext) -> DrawnFlows:
    """The queues of streams and the bandwidth of copies over time."""
    importlib.import_module("plugins.operators.ui.flowspage")
    from plugins.operators.flows import flows
    from studio.perf.opened import open_profile
    from studio.ui.envelope import Envelope

    found = flows(open_profile(path, job), job)
    curves = (
        [Envelope(*curve) for curve in each] for each in (found.queue_curves, found.copy_curves)
    )
    return DrawnFlows(found, *curves)


def load_special(path: Path, job: JobContext) -> Special:
    """Operators on the AI CPU, with changing shapes, and compiled while the model ran."""
    importlib.import_module("plugins.operators.ui.specialpage")
    from studio.perf.opened import open_profile
    from studio.perf.special_operators import ai_cpu_operators, compile_calls, dynamic_shapes

    profile = open_profile(path, job)
    return Special(
        ai_cpu_operators(profile, job), dynamic_shapes(profile, job), compile_calls(profile, job)
    )


def _boxes(tree: CallTree, table: pd.DataFrame) -> Boxes:
    """The boxes of `studio.perf.flame` in the order of depth, then start."""
    from plugins.operators.calltree import short
    from studio.ui.chartflame import Boxes

    depth, start = table["depth"].to_numpy(np.int64), table["start_ns"].to_numpy(np.int64)
    length = table["total_ns"].to_numpy(np.int64)
    order = np.lexsort((start, depth))
    order = order[length[order] > 0]
    pairs = zip(tree.names, tree.kinds, strict=True)
    return Boxes(
        depth[order],
        start[order],
        length[order],
        table["self_ns"].to_numpy(np.int64)[order],
        _parents(depth[order], start[order]),
        tree.number[table["node"].to_numpy(np.int64)[order]],
        [short(text) for text in tree.names],
        [_tint(text, kind) for text, kind in pairs],
    )


def _parents(depth: Numbers, start: Numbers) -> Numbers:
    """The box of the row above that each box lies under."""
    parent = np.full(len(depth), -1, np.int64)
    edges = np.searchsorted(depth, np.arange(int(depth.max(initial=-1)) + 2))
    for level in range(1, len(edges) - 1):
        above = slice(int(edges[level - 1]), int(edges[level]))
        mine = slice(int(edges[level]), int(edges[level + 1]))
        place = np.searchsorted(start[above], start[mine], "right") - 1
        parent[mine] = edges[level - 1] + place
    return parent


def _tint(text: str, kind: str) -> int:
    """Operators and kernels have one colour each, files of the user one of a few, others one."""
    if kind in _TINTS:
        return _TINTS[kind]
    if any(part in text for part in _LIBRARIES):
        return _LIBRARY
    return _OWN[crc32(text.partition("(")[0].encode()) % len(_OWN)]
