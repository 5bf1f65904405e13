"""Functions of a call tree with own and total time, and the stacks that led to each.

Knows no Qt. The tree is that of `studio.perf.stacks`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from studio.model.frames import parse_frame
from studio.perf.grouping import sums

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from studio.perf.stacks import Stacks

    Numbers = NDArray[np.int64]

PYTHON = "python"
_ROOT = -1


class CallTree:
    """The nodes of `stacks` by function: a name of one kind (python, operator, kernel).

    `number` is the function of every node; `names` and `kinds` belong to the functions.
    """

    def __init__(self, stacks: Stacks) -> None:
        self.stacks = stacks
        found: dict[tuple[str, str], int] = {}
        pairs = zip(stacks.kinds, stacks.names, strict=True)
        listed = [found.setdefault(pair, len(found)) for pair in pairs]
        self.number: Numbers = np.array(listed, np.int64)
        self.kinds = [kind for kind, _ in found]
        self.names = [name for _, name in found]
        nodes = len(stacks.parents)
        self._own = sums(stacks.leaf, stacks.weight_ns, nodes)
        self._count = sums(stacks.leaf, np.ones(len(stacks.leaf), np.int64), nodes)
        self._total, self._inside = self._summed(self._own), self._summed(self._count)
        again = [self._is_inside_itself(node) for node in range(nodes)]
        self._outermost = ~np.array(again, np.bool_) if nodes else np.zeros(0, np.bool_)

    def functions(self) -> pd.DataFrame:
        """One row per function: number, name, kind, count, self_ns, total_ns, share.

        The longest total is first. A function that calls itself counts once; `count` are the pieces
        of work it was part of.
        """
        import pandas as pd

        top, count = np.flatnonzero(self._outermost), len(self.names)
        made = {
            "number": np.arange(count),
            "name": self.names,
            "kind": self.kinds,
            "count": sums(self.number[top], self._inside[top], count),
            "self_ns": sums(self.number, self._own, count),
            "total_ns": sums(self.number[top], self._total[top], count),
        }
        found = pd.DataFrame(made)
        found["share"] = found["total_ns"] / max(int(self.stacks.weight_ns.sum()), 1)
        found = found[found["count"] > 0]
        order = ["total_ns", "self_ns", "name"]
        return found.sort_values(order, ascending=[False, False, True], ignore_index=True)

    def stacks_of(self, number: int) -> pd.DataFrame:
        """The distinct stacks that led to a function: node, stack, count, total_ns."""
        import pandas as pd

        mine = np.flatnonzero((self.number == number) & self._outermost & (self._inside > 0))
        made = {
            "node": mine,
            "stack": [self.path(node) for node in mine.tolist()],
            "count": self._inside[mine],
            "total_ns": self._total[mine],
        }
        found = pd.DataFrame(made)
        return found.sort_values("total_ns", ascending=False, kind="stable", ignore_index=True)

    def path(self, node: int) -> str:
        """A node and its callers in one line, from the innermost."""
        return " ← ".join(short(self.stacks.names[place]) for place in self._up(node))

    def source(self, node: int) -> str:
        """The frames of Python of a node and its callers, from the innermost, one per line."""
        kinds, names = self.stacks.kinds, self.stacks.names
        return "\n".join(names[place] for place in self._up(node) if kinds[place] == PYTHON)

    def _up(self, node: int) -> list[int]:
        found = []
        while node != _ROOT:
            found.append(node)
            node = int(self.stacks.parents[node])
        return found

    def _summed(self, values: Numbers) -> Numbers:
        """The value of each node with those of all that it calls; a caller comes before."""
        total = values.copy()
        parents = self.stacks.parents.tolist()
        for node in range(len(parents) - 1, -1, -1):
            if parents[node] != _ROOT:
                total[parents[node]] += total[node]
        return total

    def _is_inside_itself(self, node: int) -> bool:
        mine = self.number[node]
        return any(self.number[place] == mine for place in self._up(node)[1:])


def short(name: str) -> str:
    """A frame as function and file, other names as they are."""
    frame = parse_frame(name)
    if frame is None:
        return name
    file = frame.path.replace("\\", "/").rpartition("/")[2]
    return f"{frame.function or '?'} · {file}:{frame.line}"
