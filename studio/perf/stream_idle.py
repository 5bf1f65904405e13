"""Why each stream of the device was idle between two pieces of work: host, kernels, or neither.

The definitions are those of Holistic Trace Analysis (`get_idle_time_breakdown`): a gap is the
*host's* when what came next was launched only after what was before had ended; else it is of
*kernels* when it is shorter than a kernel takes to follow another (30 µs); else it is *other*. A
gap below zero stands for work that began before the one before it had ended.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from studio.perf.launches import TABLES
from studio.perf.work import Steps

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from studio.formats.chrome_trace import Progress
    from studio.perf.profile import Profile

    Numbers = NDArray[np.int64]

FOLLOWS_NS: Final = 30_000
"""Gaps below this are what it takes to start the next kernel, unless the host was late."""

WAITS: Final = ("host_wait", "kernel_wait", "other")
_UNKNOWN: Final = -1


def stream_idle(
    profile: Profile,
    job: Progress | None = None,
    *,
    without_last_step: bool = False,
    follows_ns: int = FOLLOWS_NS,
) -> pd.DataFrame:
    """Gaps of every stream by wait, summed up.

    Columns: device and stream (missing where not recorded), wait (see `WAITS`), count, total_ns,
    avg_ns, min_ns, max_ns and share (of the gaps of the stream). Nothing is said of a profile that
    does not tell when work was launched. `without_last_step` leaves out what was launched from the
    last of several steps on, as Holistic Trace Analysis does.
    """
    import pandas as pd

    work = _work(profile, job, without_last_step)
    if work is None:
        return pd.DataFrame(_columns([]))
    stream, start, end, launched = work
    rows = []
    for number in np.unique(stream, axis=0):
        mine = np.flatnonzero((stream == number).all(axis=1))
        mine = mine[np.argsort(start[mine], kind="stable")]
        gap = start[mine][1:] - end[mine][:-1]
        late = launched[mine][1:] > end[mine][:-1]
        kinds = np.where(late, 0, np.where(gap < follows_ns, 1, 2))
        whole = max(int(np.maximum(gap, 0).sum()), 1)
        for kind, wait in enumerate(WAITS):
            rows.append((*number.tolist(), wait, whole, gap[kinds == kind]))
    return pd.DataFrame(_columns([row for row in rows if len(row[-1])]))


def _work(
    profile: Profile, job: Progress | None, without_last_step: bool
) -> tuple[Numbers, Numbers, Numbers, Numbers] | None:
    """Device and stream, start, end and the begin of the launching call of all work."""
    launches = profile.table("launches", job)
    if not launches["api"].notna().any():
        return None
    calls = profile.table("api", job)["start_ns"].to_numpy(np.int64)
    host, steps = profile.table("host_steps", job), Steps(profile, job)
    last = int(host["start_ns"].max()) if without_last_step and len(host) > 1 else None
    found: list[tuple[Numbers, ...]] = []
    for name in TABLES:
        table = profile.table(name, job)
        called = np.full(len(table), np.iinfo(np.int64).min)
        mine = launches[(launches["table"] == name) & launches["api"].notna()]
        called[mine["index"].to_numpy(np.int64)] = calls[mine["api"].to_numpy(np.int64)]
        start = table["start_ns"].to_numpy(np.int64)
        end = start + table["duration_ns"].to_numpy(np.int64)
        where = [
            table[column].to_numpy(np.int64, na_value=_UNKNOWN)
            if column in table
            else np.full(len(table), _UNKNOWN)
            for column in ("device", "stream")
        ]
        kept = np.ones(len(table), np.bool_)
        if last is not None:
            launched = steps.launched(name, len(table))
            kept = (launched >= 0) & (launched < last)
        found.append((np.stack(where, axis=1)[kept], start[kept], end[kept], called[kept]))
    stream, start, end, called = map(np.concatenate, zip(*found, strict=True))
    return stream, start, end, called


def _columns(rows: list[tuple[Any, ...]]) -> dict[str, Any]:
    import pandas as pd

    def whole(values: list[int]) -> Any:  # noqa: ANN401 - an array of pandas
        return pd.array([None if value == _UNKNOWN else value for value in values], dtype="Int64")

    gaps = [row[-1] for row in rows]
    sums = [int(gap.sum()) for gap in gaps]
    return {
        "device": whole([row[0] for row in rows]),
        "stream": whole([row[1] for row in rows]),
        "wait": pd.array([row[2] for row in rows], dtype="str"),
        "count": np.array([len(gap) for gap in gaps], np.int64),
        "total_ns": np.array(sums, np.int64),
        "avg_ns": np.array([round(s / len(g)) for s, g in zip(sums, gaps, strict=True)], np.int64),
        "min_ns": np.array([int(gap.min()) for gap in gaps], np.int64),
        "max_ns": np.array([int(gap.max()) for gap in gaps], np.int64),
        "share": np.array([s / row[3] for s, row in zip(sums, rows, strict=True)], np.float64),
    }
