"""The Python frames around operators where a trace has them as slices (Kineto's with_stack)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from studio.perf.launches import span, threads
from studio.perf.nesting import enclosing, innermost
from studio.perf.trace_slices import SliceTable

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd
    from numpy.typing import NDArray

    from studio.formats.chrome_trace import Progress
    from studio.perf.profile import Profile

    Numbers = NDArray[np.int64]

CATEGORY: Final = "python_function"
NONE: Final = -1


def python_nodes(
    profile: Profile,
    host: pd.DataFrame,
    node: Callable[[int, str, str], int],
    job: Progress | None = None,
) -> Numbers:
    """The node of the innermost frame that was running when each operator began, `NONE` without.

    `node(parent, "python", name)` makes the nodes; only frames that lead to an operator have one.
    """
    import pandas as pd

    found = np.full(len(host), NONE, np.int64)
    trace = profile.trace(job) if len(host) and host["stack"].isna().all() else None
    if trace is None:
        return found
    slices = SliceTable(trace)
    calls = slices.of_category(CATEGORY)
    if not len(calls):
        return found
    coded = slices.thread(calls)
    kept = pd.Categorical.from_codes(coded.codes, categories=pd.Index(list(coded.texts)))
    thread = threads(pd.DataFrame({"thread": kept}))
    start, end = trace.start[calls], trace.end[calls]
    outer = enclosing(thread, start, end).tolist()
    at = innermost(thread, start, end, threads(host), span(host)[0])
    names = [trace.names[number] for number in trace.name[calls].tolist()]
    made: dict[int, int] = {NONE: NONE}
    for place in np.unique(at).tolist():
        path = []
        while place not in made:
            path.append(place)
            place = outer[place]
        below = made[place]
        for call in reversed(path):
            below = made[call] = node(below, "python", names[call])
    found[:] = [made[place] for place in at.tolist()]
    return found
