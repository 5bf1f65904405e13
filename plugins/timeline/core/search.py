"""`studio trace search`: the slices whose name contains a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugins.timeline.core.part import Wanted, load_trace

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Unpack

    from plugins.timeline.core.listing import Listing
    from plugins.timeline.core.part import Words
    from studio.formats.chrome_trace import Progress


def search(
    file: Path,
    text: str,
    from_: str = "",
    to: str = "",
    limit: int = 0,
    job: Progress | None = None,
    **words: Unpack[Words],
) -> Listing:
    """List the slices that a search finds, by time; the exit code is 1 when there are none."""
    from plugins.timeline.core.listing import Listing, slice_frame
    from plugins.timeline.core.query import slices_of

    trace = load_trace(file, job)
    words["name"] = text
    part = Wanted(from_, to, **words).of(trace)
    found = slices_of(trace, part)
    shown = found[:limit] if limit > 0 else found
    facts = {"names": 0 if part.names is None else len(part.names)}
    return Listing(trace, part, slice_frame(trace, shown), len(found), facts, int(not len(found)))
