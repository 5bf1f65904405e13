"""Operators that are worth a look of their own: on the AI CPU, with changing shapes, compiled late.

Each function returns a table with the longest total first; without rows when there is nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from studio.perf.frames import integers
from studio.perf.grouping import group_rows, statistics, sums
from studio.perf.host_calls import named
from studio.perf.work import NO_STEP, Steps

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from studio.formats.chrome_trace import Progress
    from studio.perf.profile import Profile

    Numbers = NDArray[np.int64]

LONG_NS: Final = 20_000
"""An AI CPU task from this long on is worth moving to an AI core (msprof-analyze's advisor)."""

_AI_CPU: Final = re.compile(r"ai_?cpu", re.IGNORECASE)
_COMPILES: Final = re.compile(r"aclopcompile", re.IGNORECASE)
_WIDE: Final = re.compile(r"(^|;)\s*(DT_)?DOUBLE\s*(;|$)")


def ai_cpu_operators(profile: Profile, job: Progress | None = None) -> pd.DataFrame:
    """Operators that ran on the AI CPU instead of a core.

    Columns: name, type, input_types, count, total_ns, avg_ns, min_ns, max_ns, share (of the time of
    all operators), long_count (tasks over `LONG_NS`), has_double (float64 inputs, which the AI
    cores do not compute: convert them to float32 where the digits are not needed).
    """
    import pandas as pd

    kernels = profile.table("kernels", job)
    whole = int(kernels["duration_ns"].sum())
    rows = kernels[_fits(kernels["core"], _AI_CPU)]
    group, first = group_rows(rows, ["name", "type", "input_types"])
    duration = rows["duration_ns"].to_numpy(np.int64)
    found = statistics(group, duration, len(first)) if len(first) else _no_statistics()
    texts: dict[str, Any] = {n: rows[n].iloc[first].array for n in ("name", "type", "input_types")}
    kinds = pd.Series(texts["input_types"]).astype("str").fillna("")
    made = {
        **texts,
        **{name: found[name] for name in ("count", "total_ns", "avg_ns", "min_ns", "max_ns")},
        "share": found["total_ns"] / max(whole, 1),
        "long_count": sums(group, (duration > LONG_NS).astype(np.int64), len(first)),
        "has_double": np.array([bool(_WIDE.search(text)) for text in kinds], np.bool_),
    }
    return _longest_first(pd.DataFrame(made))


def dynamic_shapes(profile: Profile, job: Progress | None = None) -> pd.DataFrame:
    """Operators called with more than one set of input shapes, or compiled for any shape.

    Columns: type, core, count, shapes (how many different sets of shapes), dynamic_count (calls the
    profiler marks as dynamic; missing where it marks none), changes (calls with other shapes than
    the call of the same type before), steps (in how many steps they differ from the first one of
    these; missing without steps), total_ns, share.
    """
    import pandas as pd

    kernels = profile.table("kernels", job).sort_values("start_ns", kind="stable")
    kernels = kernels[kernels["input_shapes"].notna()]
    group, first = group_rows(kernels, ["type", "core"])
    count = len(first)
    shape = kernels["input_shapes"].cat.codes.to_numpy().astype(np.int64)
    duration = kernels["duration_ns"].to_numpy(np.int64)
    pairs = np.unique(np.column_stack((group, shape)), axis=0) if count else np.zeros((0, 2), int)
    states = kernels["state"].astype("str").str.casefold()
    told = states.notna().to_numpy()
    is_dynamic = (states == "dynamic").fillna(value=False).to_numpy(np.bool_)
    has_state = np.bincount(group, told, count) > 0 if count else np.zeros(0, np.bool_)
    changes, apart = _changes(group, shape, count), _steps_apart(profile, kernels, group, shape)
    total = sums(group, duration, count)
    made = pd.DataFrame(
        {
            "type": kernels["type"].iloc[first].array,
            "core": kernels["core"].iloc[first].array,
            "count": np.bincount(group, minlength=count),
            "shapes": np.bincount(pairs[:, 0], minlength=count),
            "dynamic_count": integers(sums(group, is_dynamic.astype(np.int64), count), has_state),
            "changes": changes,
            "steps": apart,
            "total_ns": total,
            "share": total / max(int(duration.sum()), 1),
        }
    )
    kept = (made["shapes"] > 1) | (made["dynamic_count"].fillna(0) > 0)
    return _longest_first(made[kept.to_numpy(np.bool_)])


def compile_calls(profile: Profile, job: Progress | None = None) -> pd.DataFrame:
    """Calls that compile an operator while the model runs (aclopCompile…): name, count, total_ns.

    The vendor's advisor complains from 20 calls on.
    """
    import pandas as pd

    api = profile.table("api", job)
    rows = api[named(api, lambda name: bool(_COMPILES.search(name)))]
    group, first = group_rows(rows, ["name"])
    made = {
        "name": rows["name"].iloc[first].array,
        "count": np.bincount(group, minlength=len(first)),
        "total_ns": sums(group, rows["duration_ns"].to_numpy(np.int64), len(first)),
    }
    return _longest_first(pd.DataFrame(made))


def _changes(group: Numbers, shape: Numbers, count: int) -> Numbers:
    """How often the shapes of a group change from one call to the next."""
    order = np.argsort(group, kind="stable")
    same = group[order][1:] == group[order][:-1]
    other = shape[order][1:] != shape[order][:-1]
    return np.bincount(group[order][1:][same & other], minlength=count).astype(np.int64)


def _steps_apart(
    profile: Profile, kernels: pd.DataFrame, group: Numbers, shape: Numbers
) -> pd.arrays.IntegerArray:
    """In how many steps a group has a set of shapes that its first step does not have."""
    count = int(group.max(initial=-1)) + 1
    steps = Steps(profile).of("kernels", profile.table("kernels"))
    position = kernels.index.to_numpy(np.int64)
    step = steps[position] if len(steps) else np.zeros(0, np.int64)
    known = step != NO_STEP
    if not known.any() or len(np.unique(step[known])) < 2:
        return integers(np.zeros(count, np.int64), np.zeros(count, np.bool_))
    apart = np.zeros(count, np.int64)
    for number in range(count):
        mine = known & (group == number)
        by_step = {s: frozenset(shape[mine & (step == s)].tolist()) for s in np.unique(step[mine])}
        first = by_step[min(by_step)] if by_step else frozenset()
        apart[number] = sum(shapes != first for shapes in by_step.values())
    return integers(apart, np.ones(count, np.bool_))


def _fits(column: pd.Series, rule: re.Pattern[str]) -> NDArray[np.bool_]:
    texts = column.cat
    fits = np.array([bool(rule.search(str(t))) for t in texts.categories] + [False], np.bool_)
    found: NDArray[np.bool_] = fits[texts.codes.to_numpy()]
    return found


def _no_statistics() -> dict[str, Numbers]:
    names = ("count", "total_ns", "avg_ns", "min_ns", "max_ns")
    return {name: np.zeros(0, np.int64) for name in names}


def _longest_first(table: pd.DataFrame) -> pd.DataFrame:
    return table.sort_values("total_ns", ascending=False, kind="stable", ignore_index=True)
