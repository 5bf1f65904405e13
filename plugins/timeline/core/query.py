"""`studio trace query`: the slices of a window, or the answer to a question in SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from plugins.timeline.core.part import Part, Wanted, load_trace, parse_time
from studio.i18n import tr
from studio.kernel.errors import StudioError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import Unpack

    from numpy.typing import NDArray

    from plugins.timeline.core.listing import Listing
    from plugins.timeline.core.part import Words
    from studio.formats.chrome_trace import Progress
    from studio.trace import Trace

_ORDERS = {"start": ("start", False), "duration": ("duration", True), "self": ("self_ns", True)}


def query(
    file: Path,
    sql: str = "",
    from_: str = "",
    to: str = "",
    at: str = "",
    sort: str = "start",
    limit: int = 0,
    arg: Sequence[str] = (),
    job: Progress | None = None,
    **words: Unpack[Words],
) -> Listing:
    """List the slices that touch a window (or a moment, `at`), or ask in SQL about them.

    SQL knows the tables of `plugins.timeline.core.sql`; they hold the chosen part of the trace.
    """
    from plugins.timeline.core.listing import Listing, slice_frame

    trace = load_trace(file, job, arg)
    if at:
        if from_ or to:
            raise StudioError(tr("--at and --from or --to exclude each other."), exit_code=2)
        from_, to = str(parse_time(at, trace)), str(parse_time(at, trace) + 1)
    part = Wanted(from_, to, **words).of(trace)
    found = slices_of(trace, part)
    if sql:
        from plugins.timeline.core.sql import ask

        rows = ask(trace, found, part, sql)
        return Listing(trace, part, rows, len(rows))
    key, descending = _ORDERS[sort]
    values = getattr(trace, key)[found]
    order = np.argsort(-values if descending else values, kind="stable")
    shown = found[order][: max(limit, 0) or None]
    return Listing(trace, part, slice_frame(trace, shown), len(found))


def slices_of(trace: Trace, part: Part) -> NDArray[np.int64]:
    """Return the slices of a part of a trace, by time."""
    from studio.trace.query import in_range

    found = in_range(trace, part.start, part.end, part.lanes)
    if part.names is not None:
        wanted = np.zeros(len(trace.names), np.bool_)
        wanted[part.names] = True
        found = found[wanted[trace.name[found]]]
    return found[np.argsort(trace.start[found], kind="stable")]
