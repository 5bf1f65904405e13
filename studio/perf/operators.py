"""Operators on the device: how often, how long, how well the cores were used, by any grouping."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.perf.categories import with_categories
from studio.perf.chips import chip_for
from studio.perf.counters import bound_of, counters_of_groups
from studio.perf.frames import Coded, category, integers, let_go_of
from studio.perf.grouping import alone, group_rows, statistics, sums
from studio.perf.launched_by import with_operators
from studio.perf.launches import span
from studio.perf.work import NO_STEP, Steps
from studio.perf.workload import workload

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd
    from numpy.typing import NDArray

    from studio.formats.chrome_trace import Progress
    from studio.perf.chips import Chip
    from studio.perf.profile import Profile

    Numbers = NDArray[np.int64]

GROUPINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "type": ("type", "core"),
    "name": ("name", "type"),
    "shape": ("name", "type", "input_shapes", "input_types"),
    "core": ("core",),
    "state": ("state",),
    "stream": ("stream",),
    "step": ("step",),
    "operator": ("operator",),
    "stack": ("operator", "stack"),
    "module": ("module",),
    "category": ("category", "part"),
    "kernel": ("row", "name", "type", "core", "step", "start_ns"),
}
"""What operators can be grouped by, and the columns that each adds.

`operator` and `stack` are those of the framework's operator that launched a kernel, `module` is the
innermost nn.Module around that; `category` and `part` are those of `studio.perf.categories`, and
communication is a category of its own.
"""

SOURCES: Final = ("kernels", "communication")
"""The tables that single operators stand in."""

KINDS: Final = ("compute", "communication", "all")


@dataclass(frozen=True)
class Operators:
    """Operators by groups, the longest total first.

    Columns of `table`: those of the grouping, then count, total_ns, self_ns (while nothing else ran
    on the device), share (of the sum of all totals), avg_ns, min_ns, max_ns, p50_ns, p99_ns,
    wait_ns (sum of the waits before them, as recorded), flops, flops_share (of the chip's peak
    while they ran: MFU), moved_bytes, intensity (flops per byte), bound and bound_share (which unit
    of the core limits them and how busy it was), then the counters. `group` is the row of `table`
    for every row of `rows`.
    """

    by: str
    table: pd.DataFrame
    rows: pd.DataFrame
    group: Numbers
    chip: Chip | None = None

    def to_json(self) -> object:
        """The groups as plain values."""
        return self.table

    def rows_of(self, place: int) -> pd.DataFrame:
        """The single operators of one row of the table, by start."""
        import pandas as pd

        chosen = np.flatnonzero(self.group == place)
        start = self.rows["start_ns"].to_numpy(np.int64)[chosen]
        chosen = chosen[np.argsort(start, kind="stable")]
        columns: dict[str, Any] = {}
        for name in self.rows.columns:  # one by one: together they may be large
            columns[str(name)] = self.rows[name].array.take(chosen)
            let_go_of(self.rows)
        return pd.DataFrame(columns, index=self.rows.index[chosen], copy=False)

    def extent(self) -> tuple[int, int]:
        """When the first operator began and the last one ended, ns; (0, 0) without any."""
        if not len(self.rows):
            return 0, 0
        start, end = span(self.rows)
        found = int(start.min()), int(end.max())
        let_go_of(self.rows)
        return found


def operators(
    profile: Profile,
    by: str = "type",
    *,
    kind: str = "compute",
    step: int | None = None,
    chip: Chip | None = None,
    counters: bool = True,
    job: Progress | None = None,
) -> Operators:
    """Group the operators of a profile; `chip` goes before the one that the profile names.

    Raises StudioError for a grouping there is not.
    """
    if by not in GROUPINGS or kind not in KINDS:
        listed = ", ".join(GROUPINGS if by not in GROUPINGS else KINDS)
        raise StudioError(
            tr("There is no grouping “{name}”; there are {names}.", name=by, names=listed)
        )
    rows = _rows(profile, kind, by, step, job)
    chip = chip_for(profile.info.chip, chip)
    columns = [column for column in GROUPINGS[by] if column in rows]
    group, first = group_rows(rows, columns)
    count = len(first)
    start, end = span(rows)
    made: dict[str, Any] = {column: rows[column].iloc[first].array for column in columns}
    if count:
        let_go_of(rows)
        made |= _times(rows, group, count, start, end, profile, kind, job)
        let_go_of(rows)
        made |= _workload(rows, group, count, chip)
        let_go_of(rows)
        made |= _counters(profile, rows, group, count, job) if counters else {}
    return _ordered(by, made, rows, group, chip, columns)


def _times(
    rows: pd.DataFrame,
    group: Numbers,
    count: int,
    start: Numbers,
    end: Numbers,
    profile: Profile,
    kind: str,
    job: Progress | None,
) -> dict[str, Any]:
    import pandas as pd

    duration = end - start
    found = statistics(group, duration, count)
    others = profile.table("communication" if kind == "compute" else "kernels", job)
    both = (start, end)
    if kind != "all":
        both = tuple(map(np.concatenate, zip(both, span(others), strict=True)))  # type: ignore[assignment]
    own = alone(*both)[: len(start)]
    wait = rows["wait_ns"] if "wait_ns" in rows else pd.Series(pd.NA, rows.index, dtype="Int64")
    waits = sums(group, wait.to_numpy(np.int64, na_value=0), count)
    told = np.bincount(group, wait.notna().to_numpy(), count) > 0
    return {
        "count": found["count"],
        "total_ns": found["total_ns"],
        "self_ns": sums(group, own, count),
        "share": found["total_ns"] / max(int(duration.sum()), 1),
        "avg_ns": found["avg_ns"],
        "min_ns": found["min_ns"],
        "max_ns": found["max_ns"],
        "p50_ns": found["p50_ns"],
        "p99_ns": found["p99_ns"],
        "wait_ns": integers(waits, told),
    }


def _workload(rows: pd.DataFrame, group: Numbers, count: int, chip: Chip | None) -> dict[str, Any]:
    import pandas as pd

    work = workload(rows, chip)
    timed = np.zeros(count)
    duration = rows["duration_ns"].to_numpy(np.float64)
    possible = np.where(np.isnan(work.possible), 0, work.possible)
    np.add.at(timed, group, np.where(possible > 0, duration * possible, 0.0))
    flops = sums(group, work.flops, count)
    done = np.zeros(count)
    np.add.at(done, group, np.where(possible > 0, work.flops, 0).astype(np.float64))
    moved = sums(group, work.moved, count)
    has_flops, has_moved = flops > 0, moved > 0
    share = np.where(timed > 0, done / np.where(timed > 0, timed / 1e9, 1), np.nan)
    both = has_flops & has_moved
    intensity = np.where(both, flops / np.where(both, moved, 1), np.nan)
    return {
        "flops": integers(flops, has_flops),
        "flops_share": pd.array(share, dtype="Float64"),
        "moved_bytes": integers(moved, has_moved),
        "intensity": pd.array(intensity, dtype="Float64"),
    }


def _counters(
    profile: Profile, rows: pd.DataFrame, group: Numbers, count: int, job: Progress | None
) -> dict[str, Any]:
    import pandas as pd

    if not profile.has_counters or "row" not in rows:
        return {}
    mine = (rows["source"] == "kernels").to_numpy()
    duration = rows["duration_ns"].to_numpy(np.int64)
    row = rows["row"].to_numpy(np.int64)
    if not mine.all():
        row, group, duration = row[mine], group[mine], duration[mine]
    found = counters_of_groups(profile, row, group, duration, count, job)
    bound, ratio = bound_of(found, count)
    return {
        "bound": pd.array([text or pd.NA for text in bound], dtype="str"),
        "bound_share": pd.array(ratio, dtype="Float64"),
        **{name: pd.array(values, dtype="Float64") for name, values in found.items()},
    }


def _rows(
    profile: Profile, kind: str, by: str, step: int | None, job: Progress | None
) -> pd.DataFrame:
    """Single operators with what they are grouped by."""
    import pandas as pd

    wanted = {"compute": ("kernels",), "communication": ("communication",)}.get(
        kind, ("kernels", "communication")
    )
    parts = []
    for name in wanted:
        table = profile.table(name, job)
        if by in ("operator", "stack", "module"):
            table = with_operators(table, name, by, profile, job)
        elif by == "category" and name == "kernels":
            table = with_categories(table, profile, job)
        elif by == "category":
            table = table.assign(category=_same(name, len(table)), part=_none(len(table)))
        if step is not None or by == "step":
            found = Steps(profile, job).of(name, table)
            table = table.assign(step=integers(found, found != NO_STEP))
            table = table if step is None else table[found == step]
        parts.append(table.assign(source=_same(name, len(table))))
    if len(parts) == 1:
        return parts[0].reset_index(drop=True)
    shared = [column for column in parts[0].columns if column in parts[1].columns]
    for place, table in enumerate(parts):
        texts = {c: table[c].astype("str") for c in shared if table[c].dtype == "category"}
        core = {"core": "COMMUNICATION"} if "core" not in table else {}
        parts[place] = table.assign(**texts, **core)
    return pd.concat(parts, ignore_index=True)


def _same(table: str, rows: int) -> pd.Categorical:
    """The name of a table in every row, in little memory."""
    return category(Coded(np.full(rows, SOURCES.index(table), np.int8), SOURCES))


def _none(rows: int) -> pd.Categorical:
    """No text in any row."""
    return category(Coded(np.full(rows, -1, np.int8), ()))


def _ordered(
    by: str,
    made: dict[str, Any],
    rows: pd.DataFrame,
    group: Numbers,
    chip: Chip | None,
    columns: list[str],
) -> Operators:
    import pandas as pd

    table = pd.DataFrame(made)
    if not len(table):
        return Operators(by, table, rows, group, chip)
    texts = [column for column in columns if table[column].dtype in ("category", "str")]
    keys = [table["total_ns"].to_numpy(np.int64) * -1]
    keys = [table[c].astype("str").fillna("").to_numpy(str) for c in reversed(texts)] + keys
    order = np.lexsort(keys)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    ordered = table.iloc[order].reset_index(drop=True)
    return Operators(by, ordered, rows, place[group], chip)
