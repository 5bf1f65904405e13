"""Which operator of the framework, call stack and module a kernel was launched from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from studio.perf.nesting import innermost
from studio.perf.trace_slices import SliceTable

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from studio.formats.chrome_trace import Progress
    from studio.perf.profile import Profile

    Numbers = NDArray[np.int64]

_MODULE = "nn.Module: "


def host_positions(name: str, rows: int, profile: Profile, job: Progress | None = None) -> Numbers:
    """The position in host_ops of what launched each row of a table, -1 where unknown."""
    found = np.full(rows, -1, np.int64)
    launches = profile.table("launches", job)
    mine = launches[(launches["table"] == name) & launches["host_op"].notna()]
    found[mine["index"].to_numpy(np.int64)] = mine["host_op"].to_numpy(np.int64)
    return found


def with_operators(
    table: pd.DataFrame, name: str, by: str, profile: Profile, job: Progress | None = None
) -> pd.DataFrame:
    """Add the columns operator and stack, or module, to kernels or communication."""
    place = host_positions(name, len(table), profile, job)
    host_ops = profile.table("host_ops", job)
    if by == "module":
        return table.assign(module=_modules(place, host_ops, profile, job))
    return table.assign(
        operator=taken(host_ops["name"], place), stack=taken(host_ops["stack"], place)
    )


def taken(column: pd.Series, place: Numbers) -> pd.Categorical:
    """The texts of a column at some positions, none at -1."""
    import pandas as pd

    codes = column.cat.codes.to_numpy().astype(np.int32)
    found = np.where(place >= 0, codes[place], -1) if len(codes) else np.full(len(place), -1)
    return pd.Categorical.from_codes(found, categories=column.cat.categories, validate=False)


def _modules(
    place: Numbers, host_ops: pd.DataFrame, profile: Profile, job: Progress | None
) -> pd.Categorical:
    """The innermost nn.Module that was running on the thread of the launching operator."""
    import pandas as pd

    trace = profile.trace(job)
    if trace is None or not len(host_ops):
        return pd.Categorical([None] * len(place))
    slices = SliceTable(trace)
    calls = slices.of_category("python_function")
    calls = calls[slices.where(calls, lambda text: text.startswith(_MODULE))]
    threads, _ = pd.factorize(
        np.concatenate(
            (slices.thread_names(calls), host_ops["thread"].astype("str").to_numpy(object))
        )
    )
    known = np.asarray(threads, np.int64)
    at = host_ops["start_ns"].to_numpy(np.int64)
    inner = innermost(
        known[: len(calls)], trace.start[calls], trace.end[calls], known[len(calls) :], at
    )
    names = [trace.names[number].removeprefix(_MODULE) for number in trace.name[calls].tolist()]
    codes, distinct = pd.factorize(np.array(names, object))
    of_operator = np.where(inner >= 0, np.asarray(codes)[inner], -1) if len(names) else inner
    found = np.where(place >= 0, of_operator[place], -1)
    return pd.Categorical.from_codes(found, categories=pd.Index(distinct, dtype="str"))
