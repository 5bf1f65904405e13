"""`studio trace stats`: where the time went, by name of the slices, lane, process or category."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugins.timeline.core.part import Wanted, load_trace
from studio.i18n import tr
from studio.kernel.errors import StudioError

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Unpack

    from plugins.timeline.core.listing import Listing
    from plugins.timeline.core.part import Words
    from studio.formats.chrome_trace import Progress


def stats(
    file: Path,
    from_: str = "",
    to: str = "",
    by: str = "name",
    job: Progress | None = None,
    **words: Unpack[Words],
) -> Listing:
    """Sum up a window of a trace: the same numbers as those of a selected stretch in the window."""
    from plugins.timeline.core.listing import Listing
    from plugins.timeline.core.summary import summarise

    if by != "name" and words.get("name"):
        raise StudioError(tr("--name goes with --by name only."), exit_code=2)
    trace = load_trace(file, job)
    part = Wanted(from_, to, **words).of(trace)
    summary = summarise(trace, part.start, part.end, part.lanes, by)
    rows = summary.rows
    if part.names is not None:
        rows = rows[rows["name_id"].isin(part.names)].reset_index(drop=True)
    rows = rows.drop(columns=["name_id" if by == "name" else "id"])
    facts = {"covered_ns": summary.covered_ns} if part.names is None else {}
    return Listing(trace, part, rows, len(rows), facts)
