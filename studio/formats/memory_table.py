"""Memory over time as one table, whatever profiler recorded it.

The columns of `MemoryRecord.frame`:

    component        str      APP, PTA, GE, PTA+GE, WORKSPACE …; "PyTorch" for Kineto
    time_ns          int64    exact, from the text of the file
    allocated_bytes  Int64    <NA> where the file has a blank: APP records only what is reserved
    reserved_bytes   Int64
    active_bytes     Int64
    stream           str      "" where there is none
    device           str      such as NPU:0, CUDA:1, CPU
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd
    from numpy.typing import NDArray

    from studio.formats.faults import Fault

    Places = NDArray[np.int64]
    Sizes = tuple[NDArray[np.int64], NDArray[np.bool_]]

SIZES: Final = ("allocated", "reserved", "active")
"""The kinds of sizes; their columns are called `allocated_bytes` and so on."""


@dataclass(frozen=True)
class MemoryRecord:
    """The table described in this module, and what was wrong in the file."""

    frame: pd.DataFrame
    faults: tuple[Fault, ...] = ()


def memory_frame(
    component: Sequence[str] = (),
    time: Places | None = None,
    sizes: Mapping[str, Sizes] | None = None,
    stream: Sequence[str] = (),
    device: Sequence[str] = (),
) -> pd.DataFrame:
    """Make the table of what was read; sizes come with a mask of where they are known."""
    import pandas as pd

    time = np.zeros(0, np.int64) if time is None else time
    nothing = np.zeros(len(time), np.int64), np.zeros(len(time), np.bool_)
    columns: dict[str, Any] = {
        "component": pd.array(list(map(sys.intern, component)), dtype="str"),
        "time_ns": time,
    }
    for size in SIZES:
        values, known = (sizes or {}).get(size, nothing)
        columns[f"{size}_bytes"] = pd.arrays.IntegerArray(values, ~known)
    columns["stream"] = pd.array(list(map(sys.intern, stream)), dtype="str")
    columns["device"] = pd.array(list(map(sys.intern, device)), dtype="str")
    return pd.DataFrame(columns)
