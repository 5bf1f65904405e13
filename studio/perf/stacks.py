"""The call stack that each piece of work came from: frames of Python, operators, the kernel.

The stack of a row goes from the outermost frame to what was running itself:

    frames of Python, the outermost first (where stacks were recorded),
    the operators of the framework that were running inside each other on the thread,
    the name of the kernel (work of the device only).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from studio.perf.host_operators import outer_operators
from studio.perf.launched_by import host_positions
from studio.perf.launches import TABLES, span
from studio.perf.python_frames import python_nodes

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from numpy.typing import NDArray

    from studio.formats.chrome_trace import Progress
    from studio.perf.profile import Profile

    Numbers = NDArray[np.int64]

WEIGHTS: Final = ("device", "host")
"""What a stack can be weighed by: the time of what it launched, or the operators' own time."""

STEP_PREFIX: Final = "ProfilerStep#"
NO_OPERATOR: Final = -1


@dataclass(frozen=True)
class Stacks:
    """Work in the order of time, with the stack of each piece.

    `leaf` is the node of each row in the tree of `parents` (-1 at the root of all) and `names`;
    `start_ns` and `weight_ns` belong to the rows, `table` and `index` say which row of the profile
    each one is (`TABLES` and "host_ops").
    """

    parents: Numbers
    names: Sequence[str]
    kinds: Sequence[str]
    """python, operator or kernel."""
    leaf: Numbers
    start_ns: Numbers
    weight_ns: Numbers
    table: NDArray[np.int8]
    index: Numbers


def stacks_of(
    profile: Profile,
    weight: str = "device",
    *,
    step: int | None = None,
    job: Progress | None = None,
) -> Stacks:
    """Gather the stacks of all work that is known to come from an operator of the host.

    `step` keeps what belongs to one step: work of the device by its step, operators of the host by
    the step they began in.
    """
    host = profile.table("host_ops", job)
    tree = _Tree()
    places = _operators(host, tree, python_nodes(profile, host, tree.node, job))
    asked = _Asked(profile, host, tree, places, step, job)
    return _of_host(asked) if weight == "host" else _of_device(asked)


@dataclass(frozen=True)
class _Asked:
    """Whose stacks are wanted: the operators of the host, their nodes (`places`), of which step."""

    profile: Profile
    host: pd.DataFrame
    tree: _Tree
    places: Numbers
    step: int | None
    job: Progress | None


class _Tree:
    """Nodes by parent, kind and name."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[int, str, str], int] = {}
        self.parents: list[int] = []
        self.names: list[str] = []
        self.kinds: list[str] = []

    def node(self, parent: int, kind: str, name: str) -> int:
        found = self._numbers.setdefault((parent, kind, name), len(self.parents))
        if found == len(self.parents):
            self.parents.append(parent)
            self.kinds.append(kind)
            self.names.append(name)
        return found


def _operators(host: pd.DataFrame, tree: _Tree, frames_of: Numbers) -> Numbers:
    """The node of every operator of the host; `NO_OPERATOR` for marks of steps."""
    if not len(host):
        return np.zeros(0, np.int64)
    outer = outer_operators(host)
    names = [str(name) for name in host["name"].cat.categories]
    is_step = np.array([name.startswith(STEP_PREFIX) for name in names] + [False], np.bool_)
    codes = host["name"].cat.codes.to_numpy()
    marks = is_step[codes].tolist()
    frames = [str(text).split("\n") for text in host["stack"].cat.categories]
    stacks = host["stack"].cat.codes.to_numpy().tolist()
    bases: dict[int, int] = {}
    found = [NO_OPERATOR] * len(host)
    listed, outers, called = codes.tolist(), outer.tolist(), frames_of.tolist()
    for place in np.argsort(_depths(outer), kind="stable").tolist():
        if marks[place]:
            continue
        above = outers[place]
        parent = found[above] if above >= 0 else NO_OPERATOR
        if parent == NO_OPERATOR:
            parent = called[place]
        if parent == NO_OPERATOR and stacks[place] >= 0:
            stack = stacks[place]
            if stack not in bases:
                bases[stack] = _base(tree, frames[stack])
            parent = bases[stack]
        name = names[listed[place]] if listed[place] >= 0 else ""
        found[place] = tree.node(parent, "operator", name)
    return np.array(found, np.int64)


def _base(tree: _Tree, frames: list[str]) -> int:
    """The node of the innermost frame of a stack that is written from the inside out."""
    node = -1
    for frame in reversed(frames):
        if text := frame.strip().rstrip(";"):
            node = tree.node(node, "python", text)
    return node


def _depths(outer: Numbers) -> Numbers:
    depth = np.zeros(len(outer), np.int64)
    above = outer.copy()
    while (above >= 0).any():
        depth += above >= 0
        above = np.where(above >= 0, outer[np.maximum(above, 0)], -1)
    return depth


def _of_host(asked: _Asked) -> Stacks:
    host, places = asked.host, asked.places
    start, end = span(host)
    own = end - start
    outer = outer_operators(host) if len(host) else places
    inside = outer >= 0
    np.subtract.at(own, outer[inside], (end - start)[inside])
    chosen = places != NO_OPERATOR
    if asked.step is not None:
        steps = asked.profile.table("host_steps", asked.job)
        mine = steps[steps["step"].eq(asked.step).fillna(False)]
        within = np.zeros(len(host), np.bool_)
        for begin, last in zip(mine["start_ns"].tolist(), mine["end_ns"].tolist(), strict=True):
            within |= (start >= begin) & (start < last)
        chosen &= within
    rows = np.flatnonzero(chosen)
    rows = rows[np.argsort(start[rows], kind="stable")]
    table = np.full(len(rows), len(TABLES), np.int8)
    return _made(asked.tree, places[rows], start[rows], np.maximum(own[rows], 0), table, rows)


def _of_device(asked: _Asked) -> Stacks:
    from studio.perf.work import Steps

    profile, job, tree = asked.profile, asked.job, asked.tree
    parts: list[tuple[Numbers, Numbers, Numbers, NDArray[np.int8], Numbers]] = []
    for number, name in enumerate(TABLES):
        rows = profile.table(name, job)
        if not len(rows) or not len(asked.host):
            continue
        operator = host_positions(name, len(rows), profile, job)
        node = np.where(operator >= 0, asked.places[np.maximum(operator, 0)], NO_OPERATOR)
        chosen = node != NO_OPERATOR
        if asked.step is not None:
            chosen &= Steps(profile, job).of(name, rows) == asked.step
        kept = np.flatnonzero(chosen)
        leaf = _with_kernels(tree, node[kept], rows["name"].iloc[kept])
        start, end = span(rows)
        own = (end - start)[kept]
        parts.append((leaf, start[kept], own, np.full(len(kept), number, np.int8), kept))
    if not parts:
        nothing = np.zeros(0, np.int64)
        return _made(tree, nothing, nothing, nothing, nothing.astype(np.int8), nothing)
    leaf, start, weight, table, index = map(np.concatenate, zip(*parts, strict=True))
    order = np.argsort(start, kind="stable")
    return _made(tree, leaf[order], start[order], weight[order], table[order], index[order])


def _with_kernels(tree: _Tree, node: Numbers, name: pd.Series) -> Numbers:
    """The nodes of kernels below those of the operators that launched them."""
    codes = name.cat.codes.to_numpy().astype(np.int64)
    names = [*map(str, name.cat.categories), ""]
    pairs = node * (len(names) + 1) + codes + 1
    _, first, inverse = np.unique(pairs, return_index=True, return_inverse=True)
    made = [tree.node(int(node[row]), "kernel", names[codes[row]]) for row in first.tolist()]
    found: Numbers = np.array(made, np.int64)[inverse] if len(made) else node
    return found


def _made(
    tree: _Tree,
    leaf: Numbers,
    start: Numbers,
    weight: Numbers,
    table: NDArray[np.int8],
    index: Numbers,
) -> Stacks:
    parents = np.array(tree.parents, np.int64)
    return Stacks(parents, tree.names, tree.kinds, leaf, start, weight, table, index)
