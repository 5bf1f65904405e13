"""The memory curve of one component on one device, as arrays: a record has millions of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from studio.perf.memory_rows import Rows, owners

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

COMPONENTS: Final = ("PTA", "PTA+GE", "GE", "PyTorch")
"""Pools whose blocks are recorded, the usual one first."""

NOT_RECORDED: Final = -1


@dataclass(frozen=True)
class Curve:
    """What a pool had allocated and reserved, in the order of time; the latter may be missing."""

    component: str
    device: str
    times: Numbers
    allocated: Numbers
    reserved: Numbers


def curve_of(table: pd.DataFrame, component: str = "", device: str = "") -> Curve | None:
    """The curve of a component (default: the first of `COMPONENTS`, else any) in "memory".

    Of several devices it is the one that holds most. None when there are no such records.
    """
    owner, found = owners(table)
    known = table["allocated_bytes"].notna().to_numpy()
    there = {
        (where, name): number
        for (where, name), number in found.items()
        if name and (known & (owner == number)).any()
    }
    if device:
        there = {owned: number for owned, number in there.items() if owned[0] == device}
    if not component:
        names = [str(name) for name in table["component"].cat.categories]
        listed = sorted({name for _, name in there}, key=names.index)
        component = next((name for name in COMPONENTS if name in listed), "".join(listed[:1]))
    curves = [
        _curve(Rows(table, known & (owner == number)), name, where)
        for (where, name), number in there.items()
        if name == component
    ]
    return max(curves, key=lambda curve: int(curve.allocated.max()), default=None)


def _curve(rows: Rows, component: str, device: str) -> Curve:
    allocated, reserved = (
        rows.sizes(column, NOT_RECORDED) for column in ("allocated_bytes", "reserved_bytes")
    )
    return Curve(component, device, rows.times, allocated, reserved)


def last_process_bytes(table: pd.DataFrame, device: str, at_ns: int) -> int | None:
    """What the whole process (APP) had at a time, as last sampled; at first the first sample."""
    owner, found = owners(table)
    mine = [n for (where, name), n in found.items() if name == "APP" and device in ("", where)]
    rows = np.flatnonzero(np.isin(owner, mine) & table["reserved_bytes"].notna().to_numpy())
    if not len(rows):
        return None
    times = table["time_ns"].array[rows].to_numpy(np.int64)
    order = np.argsort(times, kind="stable")
    place = int(np.searchsorted(times[order], at_ns, "right")) - 1
    return int(table["reserved_bytes"].array[rows[order[max(place, 0)]]])
