"""Memory that was planned for a graph before it ran (static_op_mem.csv of MindSpore's graph mode).

A block is needed from its first node to its last; one without a last node to the end of the graph.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from studio.formats.chrome_trace import Progress
    from studio.perf.profile import Profile

    Numbers = NDArray[np.int64]

TO_THE_END: Final = np.iinfo(np.int64).max


@dataclass(frozen=True)
class StaticMemory:
    """The plan of one graph on one device.

    Columns of `curve`: node (from which on it holds), bytes (of all blocks needed there). The peak
    is the first node at which most is needed.
    """

    device: str
    graph: int | None
    curve: pd.DataFrame
    blocks: pd.DataFrame

    @property
    def peak_node(self) -> int | None:
        """The first node at which most is needed; None without blocks."""
        if not len(self.curve):
            return None
        return int(self.curve["node"].iloc[int(self.curve["bytes"].to_numpy(np.int64).argmax())])

    @property
    def peak_bytes(self) -> int:
        """What is needed there."""
        return int(self.curve["bytes"].max()) if len(self.curve) else 0

    def live(self, node: int | None = None) -> pd.DataFrame:
        """The blocks needed at a node (default: the peak), the largest first."""
        at = self.peak_node if node is None else node
        first, last = _span(self.blocks)
        there = (first <= at) & (at <= last) if at is not None else first < 0
        return self.blocks[there].sort_values("bytes", ascending=False, ignore_index=True)


def static_memory(profile: Profile, job: Progress | None = None) -> list[StaticMemory]:
    """The plans of all graphs of a profile, the one that needs most first."""
    table = profile.table("static_memory", job)
    table = table[table["bytes"].notna() & table["first_node"].notna()]
    plans = []
    keys = table[["device", "graph"]].drop_duplicates().itertuples(index=False, name=None)
    for device, graph in keys:
        mine = _same(table["device"], device) & _same(table["graph"], graph)
        blocks = table[mine].reset_index(drop=True)
        known = graph == graph and graph is not None
        plans.append(
            StaticMemory(str(device), int(graph) if known else None, _curve(blocks), blocks)
        )
    return sorted(plans, key=lambda plan: -plan.peak_bytes)


def _same(column: pd.Series, value: Any) -> NDArray[np.bool_]:  # noqa: ANN401 - a cell
    import pandas as pd

    found = column.isna() if pd.isna(value) else (column == value).fillna(value=False)
    return found.to_numpy(np.bool_)


def _curve(blocks: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    first, last = _span(blocks)
    size = blocks["bytes"].to_numpy(np.int64)
    ends = last != TO_THE_END
    nodes = np.concatenate((first, last[ends] + 1))
    changes = np.concatenate((size, -size[ends]))
    distinct, place = np.unique(nodes, return_inverse=True)
    steps = np.zeros(len(distinct), np.int64)
    np.add.at(steps, place, changes)
    return pd.DataFrame({"node": distinct, "bytes": np.cumsum(steps)})


def _span(blocks: pd.DataFrame) -> tuple[Numbers, Numbers]:
    first = blocks["first_node"].to_numpy(np.int64, na_value=0)
    return first, blocks["last_node"].to_numpy(np.int64, na_value=TO_THE_END)
