"""The trace store: exact columnar slices, readers, lanes, queries.

    trace = load(path)                     what the file holds, as columns (`store`)
    query.visible(trace, lane, row, a, b)  questions about single slices (`query`)
    statistics(trace, a, b)                sums over a window (`statistics`)
    query.args(trace, index)               what else the file says about a slice

`reader` turns bytes into columns with `studio.formats.chrome_trace`; `gather`, `pairing`, `layout`,
`lanes` and `time_range` are the steps of `build`, each a few functions on arrays, and `kernels` has
compiled ones. `cache` keeps large traces as mapped columns (`folder`).
"""

from studio.trace.reader import load
from studio.trace.store import Counter, Flows, Instants, Lane, Trace

__all__ = ["Counter", "Flows", "Instants", "Lane", "Trace", "load"]
