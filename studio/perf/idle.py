"""The longest gaps in which the device did nothing: what was before and after, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from studio.perf.frames import Coded, integers
from studio.perf.gaps import CAUSES
from studio.perf.launched_by import host_positions
from studio.perf.steps import step_breakdown
from studio.trace.intervals import covered_parts

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from studio.formats.chrome_trace import Progress
    from studio.perf.profile import Profile
    from studio.perf.steps import StepBreakdown

    Numbers = NDArray[np.int64]

MOST: Final = 20


def top_gaps(
    profile: Profile,
    most: int = MOST,
    *,
    breakdown: StepBreakdown | None = None,
    job: Progress | None = None,
) -> pd.DataFrame:
    """The longest gaps inside steps, longest first.

    Columns: step, start_ns, end_ns, duration_ns, cause (that took most of it) and cause_share,
    before and after (names of the operators around), launched_by (the framework's operator that
    launched the one after), and one `<cause>_ns` per cause of `gaps.CAUSES`.
    """
    import pandas as pd

    breakdown = breakdown or step_breakdown(profile, job)
    start, end = breakdown.parts["free"]
    longest = np.argsort(-(end - start), kind="stable")[:most]
    start, end = start[longest], end[longest]
    duration = end - start
    nothing = start[:0], start[:0]
    parts = {
        cause: covered_parts(start, end, breakdown.parts.get(cause, nothing)) for cause in CAUSES
    }
    table = np.array([parts[cause] for cause in CAUSES]).reshape(len(CAUSES), len(start))
    main = np.where(table.any(axis=0), table.argmax(axis=0), -1)
    before, after, launcher = _around(profile, start, end, job)
    columns: dict[str, Any] = {
        "step": _steps(breakdown, start),
        "start_ns": start,
        "end_ns": end,
        "duration_ns": duration,
        "cause": _texts(Coded(main.astype(np.int32), CAUSES)),
        "cause_share": table.max(axis=0, initial=0) / np.maximum(duration, 1),
        "before": _texts(before),
        "after": _texts(after),
        "launched_by": _texts(launcher),
        **{f"{cause}_ns": values for cause, values in parts.items()},
    }
    return pd.DataFrame(columns)


def _around(
    profile: Profile, start: Numbers, end: Numbers, job: Progress | None
) -> tuple[Coded, Coded, Coded]:
    """What ended at the begin of each gap, what began at its end, and what launched that."""
    names: list[str] = []
    codes, starts, ends, owners = [], [], [], []
    for table in ("kernels", "communication"):
        rows = profile.table(table, job)
        found = rows["name"].cat
        known = found.codes.to_numpy().astype(np.int64)
        codes.append(np.where(known < 0, -1, known + len(names)))
        names += found.categories.tolist()
        begin = rows["start_ns"].to_numpy(np.int64)
        starts.append(begin)
        ends.append(begin + rows["duration_ns"].to_numpy(np.int64))
        owners.append(host_positions(table, len(rows), profile, job))
    code, owner = np.concatenate(codes), np.concatenate(owners)
    before = _at(np.concatenate(ends), code, start, "right")
    after = _at(np.concatenate(starts), code, end, "left")
    operators = profile.table("host_ops", job)["name"].cat
    of_owner = operators.codes.to_numpy().astype(np.int64)
    launched = np.where(owner >= 0, of_owner[owner], -1) if len(of_owner) else owner * 0 - 1
    launcher = _at(np.concatenate(starts), launched, end, "left")
    return (
        Coded(before, names),
        Coded(after, names),
        Coded(launcher, operators.categories.tolist()),
    )


def _at(times: Numbers, values: Numbers, wanted: Numbers, side: str) -> NDArray[np.int32]:
    """The value of the last time up to each wanted one ("right"), or of the first from it on."""
    if not len(times):
        return np.full(len(wanted), -1, np.int32)
    order = np.argsort(times, kind="stable")
    place = np.searchsorted(times[order], wanted, "right" if side == "right" else "left")
    place = place - 1 if side == "right" else place
    inside = (place >= 0) & (place < len(times))
    found = values[order[np.clip(place, 0, len(times) - 1)]]
    return np.where(inside, found, -1).astype(np.int32)


def _steps(breakdown: StepBreakdown, start: Numbers) -> pd.arrays.IntegerArray:
    table = breakdown.table[breakdown.table["source"] == "computed"]
    begin = table["start_ns"].to_numpy(np.int64)
    order = np.argsort(begin)
    place = np.searchsorted(begin[order], start, "right") - 1
    if not len(order):
        return integers(np.zeros(len(start), np.int64), np.zeros(len(start), np.bool_))
    rows = order[np.maximum(place, 0)]
    step = table["step"].to_numpy(np.int64, na_value=0)[rows]
    return integers(step, table["step"].notna().to_numpy()[rows] & (place >= 0))


def _texts(coded: Coded) -> pd.Categorical:
    import pandas as pd

    distinct, codes = np.unique(np.array([*coded.texts, ""], object), return_inverse=True)
    found = np.where(coded.codes >= 0, codes[coded.codes], -1)
    known = pd.Index(distinct.tolist(), dtype="str")
    return pd.Categorical.from_codes(found, categories=known)
