"""Blocks of device memory: when each was allocated and released, and what is live at a time.

A recording begins and ends in the middle of things. A block whose release is missing is still held
at the end; a row with a release alone, or of negative size, says that a block of unknown beginning
was freed; a row without both says nothing about time. Only blocks with a known beginning count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from studio.perf.frames import Coded, category, integers
from studio.perf.launches import span
from studio.perf.nesting import innermost

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from studio.formats.chrome_trace import Progress
    from studio.perf.profile import Profile

    Numbers = NDArray[np.int64]
    Mask = NDArray[np.bool_]

RELEASED: Final = "released"
HELD: Final = "held"
BEFORE: Final = "allocated before"
UNTIMED: Final = "not timed"
"""What is known of a block: both ends, only its begin, only its end, or neither."""

_CLASSES: Final = ((1 << 20, "up to 1 MiB"), (10 << 20, "1 to 10 MiB"), (1 << 62, "over 10 MiB"))
"""The size classes of PyTorch's caching allocator: small, large, and blocks of their own."""


def blocks(profile: Profile, job: Progress | None = None) -> pd.DataFrame:
    """All rows of the table "allocations" with what follows from them.

    Adds: component (PTA for PyTorch's pool, GE for the graph engine's, PyTorch for Kineto), state
    (`RELEASED`, `HELD`, `BEFORE`, `UNTIMED`), duration_ns (missing unless released), active_ns
    (until the last stream was done with it), size_class.
    """
    table = profile.table("allocations", job)
    size = _filled(table["bytes"], 0)
    begun, ended = table["allocated_ns"].notna().to_numpy(), table["released_ns"].notna().to_numpy()
    freed = ended & (~begun | (size < 0))
    codes = np.select([freed, begun & ended, begun & (size >= 0)], [2, 0, 1], 3).astype(np.int32)
    both = codes == 0
    start = _filled(table["allocated_ns"], 0)
    active = table["active_released_ns"].notna().to_numpy() & begun
    return table.assign(
        component=category(_components(table, profile)),
        state=category(Coded(codes, (RELEASED, HELD, BEFORE, UNTIMED))),
        duration_ns=integers(_filled(table["released_ns"], 0) - start, both),
        active_ns=integers(_filled(table["active_released_ns"], 0) - start, active),
        size_class=category(_size_classes(size, table["bytes"].notna().to_numpy() & (size >= 0))),
    )


def live_at(found: pd.DataFrame, at_ns: int) -> Mask:
    """Which blocks are live at a time: from their allocation on, until their release."""
    start, end, timed = lifetimes(found)
    return timed & (start <= at_ns) & (at_ns < end)


def lifetimes(found: pd.DataFrame) -> tuple[Numbers, Numbers, Mask]:
    """Begin and end of every block, and which have one; blocks that are held end after all time."""
    states = found["state"]
    timed = states.isin([RELEASED, HELD]).to_numpy()
    end = _filled(found["released_ns"], 0)
    end = np.where((states == HELD).to_numpy(), np.iinfo(np.int64).max, end)
    return _filled(found["allocated_ns"], 0), end, timed


def live_curve(found: pd.DataFrame) -> tuple[Numbers, Numbers]:
    """Times at which the sum of live blocks changes, and the bytes live from each on."""
    start, end, timed = lifetimes(found)
    size = _filled(found["bytes"], 0)
    over = timed & (end != np.iinfo(np.int64).max)
    times = np.concatenate((start[timed], end[over]))
    steps = np.concatenate((size[timed], -size[over]))
    moments, place = np.unique(times, return_inverse=True)
    changes = np.zeros(len(moments), np.int64)
    np.add.at(changes, place, steps)
    return moments, np.cumsum(changes)


def with_stacks(found: pd.DataFrame, profile: Profile, job: Progress | None = None) -> pd.DataFrame:
    """Add the column `stack`: as recorded, else that of the operator of the same name then."""
    if found["stack"].notna().any():
        return found
    host_ops = profile.table("host_ops", job)
    nothing = Coded(np.full(len(found), -1, np.int32), ())
    if not len(host_ops) or not len(found) or host_ops["stack"].isna().all():
        return found.assign(stack=category(nothing))
    names = {str(name): code for code, name in enumerate(host_ops["name"].cat.categories)}
    wanted = [names.get(str(name), -2) for name in found["name"].cat.categories] + [-2]
    asked = np.array(wanted, np.int64)[found["name"].cat.codes.to_numpy()]
    running = host_ops["name"].cat.codes.to_numpy().astype(np.int64)
    place = innermost(running, *span(host_ops), asked, _filled(found["allocated_ns"], 0))
    stacks = host_ops["stack"].cat
    codes = np.where(place >= 0, stacks.codes.to_numpy(np.int32)[place], -1).astype(np.int32)
    return found.assign(stack=category(Coded(codes, stacks.categories.tolist())))


def _components(table: pd.DataFrame, profile: Profile) -> Coded:
    recorded = table["component"].cat
    if len(recorded.categories):
        return Coded(recorded.codes.to_numpy().astype(np.int32), recorded.categories.tolist())
    if profile.info.form == "Kineto trace":
        return Coded(np.zeros(len(table), np.int32), ("PyTorch",))
    names = table["name"].cat
    is_graph = [str(name).startswith("cann::") for name in names.categories]
    numbers = np.array([*map(int, is_graph), 0], np.int32)
    return Coded(numbers[names.codes.to_numpy()], ("PTA", "GE"))


def _size_classes(size: Numbers, known: Mask) -> Coded:
    limits = np.array([limit for limit, _ in _CLASSES], np.int64)
    codes = np.searchsorted(limits, size, "left").astype(np.int32)
    return Coded(np.where(known, codes, -1).astype(np.int32), [name for _, name in _CLASSES])


def _filled(column: pd.Series, missing: int) -> Numbers:
    return column.to_numpy(np.int64, na_value=missing)
