"""What counters did in a stretch of time: a value holds from its sample to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from studio.trace import Counter, Trace


def counter_rows(
    trace: Trace, start: int, end: int, counters: Sequence[int] | None = None
) -> pd.DataFrame:
    """Sum up `[start, end)` for some counters (by their place in `trace.counters`), or all.

    Columns: counter, process, samples (inside), at_start, at_end (what holds there), min, max, avg
    (weighted by time), known (share of the stretch with a value), id (the place). Values that were
    not recorded are missing and count for nothing.
    """
    import pandas as pd

    numbers = range(len(trace.counters)) if counters is None else counters
    rows = [_row(trace, number, start, end) for number in numbers]
    frame = pd.DataFrame(rows, columns=list(_COLUMNS))
    kinds = dict.fromkeys(("at_start", "at_end", "min", "max", "avg"), "Float64")
    return frame.astype(kinds)


_COLUMNS = (
    "counter",
    "process",
    "samples",
    "at_start",
    "at_end",
    "min",
    "max",
    "avg",
    "known",
    "id",
)


def _row(trace: Trace, number: int, start: int, end: int) -> dict[str, object]:
    counter = trace.counters[number]
    lane = trace.lanes[counter.lane]
    inside = np.searchsorted(counter.times, (start, end))
    row: dict[str, object] = {
        "counter": lane.title,
        "process": lane.process_title,
        "samples": int(inside[1] - inside[0]),
        "id": number,
    }
    return row | _held(counter, start, end)


def _held(counter: Counter, start: int, end: int) -> dict[str, float | None]:
    """The values that hold in the stretch, each for its part of it."""
    first = max(int(np.searchsorted(counter.times, start, "right")) - 1, 0)
    last = int(np.searchsorted(counter.times, end))
    values = counter.values[first:last]
    begins = np.maximum(counter.times[first:last], start)
    ends = np.append(begins[1:], max(end, start))
    finite = np.isfinite(values)
    weight = np.where(finite, ends - begins, 0).astype(np.float64)
    known = values[finite]
    total = float(weight.sum())
    before = bool(values.size) and int(counter.times[first]) <= start
    return {
        "at_start": _value(values[0]) if before else None,
        "at_end": _value(values[-1]) if values.size else None,
        "min": float(known.min()) if known.size else None,
        "max": float(known.max()) if known.size else None,
        "avg": float((known * weight[finite]).sum()) / total if total else None,
        "known": total / max(end - start, 1),
    }


def _value(value: np.float64) -> float | None:
    return float(value) if np.isfinite(value) else None
