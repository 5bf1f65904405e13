"""The memory curve of one component on one device, as arrays: a record has millions of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from studio.perf.memory_rows import NOT_RECORDED

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from studio.perf.memory_rows import Pools

    Numbers = NDArray[np.int64]

COMPONENTS: Final = ("PTA", "PTA+GE", "GE", "PyTorch")
"""Pools whose blocks are recorded, the usual one first."""

__all__ = ["COMPONENTS", "NOT_RECORDED", "Curve", "curve_of", "last_process_bytes"]


@dataclass(frozen=True)
class Curve:
    """What a pool had allocated and reserved, in the order of time; the latter may be missing."""

    component: str
    device: str
    times: Numbers
    allocated: Numbers
    reserved: Numbers


def curve_of(pools: Pools, component: str = "", device: str = "") -> Curve | None:
    """The curve of a component (default: the first of `COMPONENTS`, else any) in "memory".

    Of several devices it is the one that holds most. None when there are no such records.
    """
    there = {
        (where, name): rows
        for where, name in pools
        if name and device in ("", where) and component in ("", name)
        if (rows := pools.rows(where, name).recorded("allocated_bytes")).count
    }
    listed = sorted({name for _, name in there}, key=_order)
    curves = [
        Curve(name, where, rows.times, rows.sizes("allocated_bytes"), rows.sizes("reserved_bytes"))
        for (where, name), rows in there.items()
        if name == listed[0]
    ]
    return max(curves, key=lambda curve: int(curve.allocated.max()), default=None)


def last_process_bytes(pools: Pools, device: str, at_ns: int) -> int | None:
    """What the whole process (APP) had at a time, as last sampled; at first the first sample."""
    found = None
    for where, name in pools:
        if name != "APP" or device not in ("", where) or found is not None:
            continue
        rows = pools.rows(where, name).recorded("reserved_bytes")
        if rows.count:
            place = max(int(np.searchsorted(rows.times, at_ns, "right")) - 1, 0)
            found = int(rows.sizes("reserved_bytes")[place])
    return found


def _order(component: str) -> tuple[int, str]:
    known = COMPONENTS.index(component) if component in COMPONENTS else len(COMPONENTS)
    return known, component
