"""Flame graphs: the call tree with self and total time, left-heavy and in the order of time.

Both are tables of boxes in the same columns, so that one view draws either:

    node       number of the call in the tree; the same in both orders
    parent     node around it, -1 at the bottom
    depth      0 at the bottom
    name, kind what is called; python, operator or kernel
    start_ns   where the box begins: time counted up from 0, not on the clock of the profile
    total_ns   width of the box: its own time and that of all above it
    self_ns    its own time
    count      pieces of work in it
    share      total_ns in the time of all

Left-heavy: every call once, the heaviest first (as speedscope calls it). In the order of time: a
call is one box for as long as the work after it came from the same call.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from studio.perf.frames import category, coded
from studio.perf.stacks import stacks_of

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from studio.formats.chrome_trace import Progress
    from studio.perf.profile import Profile
    from studio.perf.stacks import Stacks

    Numbers = NDArray[np.int64]

COLUMNS: Final = (
    "node",
    "parent",
    "depth",
    "name",
    "kind",
    "start_ns",
    "total_ns",
    "self_ns",
    "count",
    "share",
)


@dataclass(frozen=True)
class Flame:
    """The flame graph of a profile; without rows where nothing leads from work to its operator.

    `left_heavy` and `by_time` have the columns `COLUMNS`; in `by_time` a node may have many boxes,
    and `first_ns` is the start of the box's first work on the clock of the profile.
    """

    weight: str
    total_ns: int
    left_heavy: pd.DataFrame
    by_time: pd.DataFrame
    stacks: Stacks

    def rows_of(self, node: int) -> tuple[NDArray[np.int8], Numbers]:
        """The work in a call: the number of each piece's table in `launches.TABLES` and its row."""
        inside = np.zeros(len(self.stacks.parents) + 1, np.bool_)
        inside[node] = True
        for place in range(node + 1, len(self.stacks.parents)):  # parents come before their calls
            inside[place] = inside[self.stacks.parents[place]]
        chosen = inside[self.stacks.leaf]
        return self.stacks.table[chosen], self.stacks.index[chosen]

    def path_of(self, node: int) -> list[str]:
        """The names from the outermost call to a node."""
        found: list[str] = []
        while node >= 0:
            found.append(self.stacks.names[node])
            node = int(self.stacks.parents[node])
        return found[::-1]

    def to_json(self) -> object:
        """The left-heavy tree as plain values."""
        return self.left_heavy


def flame(
    profile: Profile,
    weight: str = "device",
    *,
    step: int | None = None,
    job: Progress | None = None,
) -> Flame:
    """Make the flame graph of a profile, weighed by time on the device or on the host.

    Device time of several streams is counted up one after another, host time is that of the
    operators without those inside.
    """
    stacks = stacks_of(profile, weight, step=step, job=job)
    whole = int(stacks.weight_ns.sum())
    return Flame(weight, whole, _left_heavy(stacks, whole), _by_time(stacks, whole, job), stacks)


def _left_heavy(stacks: Stacks, whole: int) -> pd.DataFrame:
    nodes = len(stacks.parents)
    own, count = np.zeros(nodes, np.int64), np.zeros(nodes, np.int64)
    np.add.at(own, stacks.leaf, stacks.weight_ns)
    np.add.at(count, stacks.leaf, 1)
    total = own.copy()
    parents = stacks.parents.tolist()
    for node in range(nodes - 1, -1, -1):  # a parent is always made before its calls
        if parents[node] >= 0:
            total[parents[node]] += total[node]
            count[parents[node]] += count[node]
    kept = np.flatnonzero(count)
    heavy = kept[np.argsort(-total[kept], kind="stable")]
    depth = np.zeros(nodes, np.int64)
    for node, parent in enumerate(parents):
        depth[node] = depth[parent] + 1 if parent >= 0 else 0
    begin, used, bottom = np.zeros(nodes, np.int64), np.zeros(nodes, np.int64), 0
    for node in heavy[np.argsort(depth[heavy], kind="stable")].tolist():
        parent = parents[node]
        if parent < 0:
            begin[node], bottom = bottom, bottom + int(total[node])
        else:
            begin[node] = begin[parent] + used[parent]
            used[parent] += total[node]
    order = kept[np.lexsort((begin[kept], depth[kept]))]
    return _boxes(
        stacks, order, depth[order], begin[order], total[order], own[order], count[order], whole
    )


def _by_time(stacks: Stacks, whole: int, job: Progress | None) -> pd.DataFrame:
    changes = np.flatnonzero(np.diff(stacks.leaf, prepend=-2))
    ends = np.append(changes, len(stacks.leaf))[1:]
    sums = np.concatenate(([0], np.cumsum(stacks.weight_ns)))
    paths: dict[int, list[int]] = {}
    boxes: list[list[int]] = []
    open_boxes: list[list[int]] = []
    for number, (first, last) in enumerate(zip(changes.tolist(), ends.tolist(), strict=True)):
        if job is not None and number % 65536 == 0:
            job.check()
        leaf = int(stacks.leaf[first])
        path = paths.get(leaf)
        if path is None:
            path = paths[leaf] = _path(stacks.parents, leaf)
        shared = 0
        while shared < min(len(path), len(open_boxes)) and open_boxes[shared][0] == path[shared]:
            shared += 1
        del open_boxes[shared:]
        begin, width, pieces = int(sums[first]), int(sums[last] - sums[first]), last - first
        for depth in range(shared, len(path)):
            box = [path[depth], depth, begin, 0, 0, 0, int(stacks.start_ns[first])]
            boxes.append(box)
            open_boxes.append(box)
        for box in open_boxes:
            box[3] += width
            box[5] += pieces
        open_boxes[-1][4] += width
    table = np.array(boxes, np.int64).reshape(-1, 7)
    node, depth_of, begin_of, total, own, count, clock = table.T
    made = _boxes(stacks, node, depth_of, begin_of, total, own, count, whole)
    return made.assign(first_ns=clock)


def _path(parents: Numbers, leaf: int) -> list[int]:
    found: list[int] = []
    while leaf >= 0:
        found.append(leaf)
        leaf = int(parents[leaf])
    return found[::-1]


def _boxes(
    stacks: Stacks,
    node: Numbers,
    depth: Numbers,
    begin: Numbers,
    total: Numbers,
    own: Numbers,
    count: Numbers,
    whole: int,
) -> pd.DataFrame:
    import pandas as pd

    listed = node.tolist()
    columns: dict[str, Any] = {
        "node": node,
        "parent": stacks.parents[node] if len(node) else node,
        "depth": depth,
        "name": category(coded(stacks.names[place] for place in listed)),
        "kind": category(coded(stacks.kinds[place] for place in listed)),
        "start_ns": begin,
        "total_ns": total,
        "self_ns": own,
        "count": count,
        "share": total / max(whole, 1),
    }
    return pd.DataFrame({name: columns[name] for name in COLUMNS})
