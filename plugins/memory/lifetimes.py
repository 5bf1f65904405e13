"""How long blocks of memory live: classes of lifetimes, and rows for drawing them. Knows no Qt."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from studio.perf.memory_blocks import BEFORE, HELD, UNTIMED, lifetimes

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from studio.perf.memory_peak import MemoryAt

    Numbers = NDArray[np.int64]

CLASSES: Final = (
    (1_000_000, "up to 1 ms"),
    (10_000_000, "1 to 10 ms"),
    (100_000_000, "10 to 100 ms"),
    (1_000_000_000, "100 ms to 1 s"),
    (1 << 62, "over 1 s"),
)
"""Classes of lifetimes by their upper end in ns."""

NEVER: Final = "never released"
MOST_ROWS: Final = 400


def with_lifetimes(memory: MemoryAt) -> MemoryAt:
    """Memory at a time whose live blocks also have the column `lifetime`.

    Blocks from before the recording that are known one by one (in a snapshot) count as live ones.
    """
    import pandas as pd

    live, held = memory.live, memory.held
    known = int(held["bytes"].abs().sum()) if len(held) else 0
    if known:
        live = pd.concat([live, held.assign(bytes=held["bytes"].abs())], ignore_index=True)
        live = live.sort_values("bytes", ascending=False, kind="stable", ignore_index=True)
    before = memory.held_before_bytes
    return replace(
        memory,
        live=live.assign(lifetime=lifetime_classes(live)),
        live_bytes=memory.live_bytes + known,
        live_count=memory.live_count + (len(held) if known else 0),
        held_before_bytes=None if before is None else before - known,
    )


def lifetime_classes(blocks: pd.DataFrame) -> pd.Categorical:
    """The class of lifetime of every block: of `CLASSES`, `NEVER` for those still held, `BEFORE`.

    The last are those whose allocation was not recorded.
    """
    import pandas as pd

    limits = np.array([limit for limit, _ in CLASSES], np.int64)
    duration = blocks["duration_ns"].to_numpy(np.int64, na_value=0)
    codes = np.searchsorted(limits, duration, "left")
    states = blocks["state"].astype("str")
    codes = np.where((states == HELD).to_numpy(np.bool_), len(CLASSES), codes)
    codes = np.where(states.isin([BEFORE, UNTIMED]).to_numpy(np.bool_), len(CLASSES) + 1, codes)
    names = [*(name for _, name in CLASSES), NEVER, BEFORE]
    return pd.Categorical.from_codes(codes, categories=pd.Index(names, dtype="str"))


def largest_blocks(blocks: pd.DataFrame, end_ns: int) -> pd.DataFrame:
    """The blocks that hold most bytes for longest, with a lane for each so that none overlap.

    Columns: place (row in `blocks`), lane, start_ns, end_ns (of blocks still held `end_ns`), bytes.
    """
    import pandas as pd

    start, end, timed = lifetimes(blocks)
    end = np.minimum(end, max(end_ns, int(start.max(initial=0)) + 1))
    size = blocks["bytes"].to_numpy(np.int64, na_value=0)
    held = np.where(timed, size.astype(np.float64) * np.maximum(end - start, 1), 0.0)
    chosen = np.argsort(-held, kind="stable")[:MOST_ROWS]
    chosen = chosen[held[chosen] > 0]
    chosen = chosen[np.argsort(-size[chosen], kind="stable")]
    return pd.DataFrame(
        {
            "place": chosen,
            "lane": _lanes(start[chosen], end[chosen]),
            "start_ns": start[chosen],
            "end_ns": end[chosen],
            "bytes": size[chosen],
        }
    )


def _lanes(start: Numbers, end: Numbers) -> Numbers:
    """The first lane with room for each block, in the order given."""
    lanes: list[list[tuple[int, int]]] = []
    found = []
    for begin, finish in zip(start.tolist(), end.tolist(), strict=True):
        free = (
            number
            for number, taken in enumerate(lanes)
            if all(finish <= first or begin >= last for first, last in taken)
        )
        number = next(free, len(lanes))
        if number == len(lanes):
            lanes.append([])
        lanes[number].append((begin, finish))
        found.append(number)
    return np.array(found, np.int64)
