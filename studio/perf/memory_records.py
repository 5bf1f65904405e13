"""The memory curve of one component on one device, as arrays: a record has millions of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]
    Mask = NDArray[np.bool_]

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
    allocated = _sizes(table["allocated_bytes"])
    chosen = allocated != NOT_RECORDED
    if device:
        chosen &= _is(table["device"], device)
    if not component:
        known = _names(table["component"], chosen)
        component = next((name for name in COMPONENTS if name in known), known[0] if known else "")
    chosen &= _is(table["component"], component)
    if not chosen.any():
        return None
    devices = table["device"].cat.codes.to_numpy()
    there = np.unique(devices[chosen]).tolist()
    most = there[0]
    if len(there) > 1:
        most = max(there, key=lambda code: int(allocated[chosen & (devices == code)].max()))
        chosen &= devices == most
    rows: Any = slice(None) if chosen.all() else chosen
    times = table["time_ns"].to_numpy(np.int64)[rows]
    reserved = _sizes(table["reserved_bytes"])[rows]
    allocated = allocated[rows]
    if (times[1:] < times[:-1]).any():
        order = np.argsort(times, kind="stable")
        times, allocated, reserved = times[order], allocated[order], reserved[order]
    device = str(table["device"].cat.categories[most]) if most >= 0 else ""
    return Curve(component, device, times, allocated, reserved)


def last_process_bytes(table: pd.DataFrame, device: str, at_ns: int) -> int | None:
    """What the whole process (APP) had at a time, as last sampled; at first the first sample."""
    reserved = _sizes(table["reserved_bytes"])
    mine = _is(table["component"], "APP") & (reserved != NOT_RECORDED)
    if device:
        mine &= _is(table["device"], device)
    rows = np.flatnonzero(mine)
    if not len(rows):
        return None
    times = table["time_ns"].to_numpy(np.int64)[rows]
    order = np.argsort(times, kind="stable")
    place = int(np.searchsorted(times[order], at_ns, "right")) - 1
    return int(reserved[rows[order[max(place, 0)]]])


def _sizes(column: pd.Series) -> Numbers:
    """Sizes with `NOT_RECORDED` where there are none; not copied when there are all."""
    if not column.isna().any():
        return column.to_numpy(np.int64)
    return column.to_numpy(np.int64, na_value=NOT_RECORDED)


def _is(column: pd.Series, text: str) -> Mask:
    codes: Mask = (column == text).fillna(value=False).to_numpy(np.bool_)
    return codes


def _names(column: pd.Series, chosen: Mask) -> list[str]:
    codes = np.unique(column.cat.codes.to_numpy()[chosen])
    return [str(column.cat.categories[code]) for code in codes.tolist() if code >= 0]
