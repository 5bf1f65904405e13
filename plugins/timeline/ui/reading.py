"""What panels ask of a trace: at once when it is little, in a job when it is much."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from studio.formats.byte_source import PLAIN
from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.ui.columns import Column, Values, read_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from plugins.timeline.core.part import Part
    from plugins.timeline.core.summary import Summary
    from plugins.timeline.ui.facts import Fact
    from plugins.timeline.ui.view import TimelineView
    from studio.trace import Trace

_AT_ONCE = 100_000

COUNTERS = "counter"
"""What counters did, beside what slices are summed up by."""


def read_args(
    view: TimelineView, offset: int, done: Callable[[Mapping[str, object] | None], object]
) -> None:
    """Read the args of the event at an offset of the file; None when they cannot be read."""
    from plugins.timeline.ui.sources import read_args as read

    text = view.scene.trace.text
    if text is None or text.packing == PLAIN:
        try:
            done(read(view.scene.events, offset))
        except StudioError:
            done(None)
        return
    view.studio.start_job(
        "timeline:ui.sources.read_args",
        {"events": view.scene.events, "offset": offset},
        title=tr("Reading arguments"),
        key=f"args {id(view)}",
        done=done,
        failed=lambda _error: done(None),
    )


def read_name_facts(
    view: TimelineView, index: int, done: Callable[[Sequence[Fact]], object]
) -> None:
    """Compare a slice with all of its name; a first look at millions of names takes a while."""
    from plugins.timeline.ui.facts import name_facts

    if len(view.scene.trace) <= _AT_ONCE:
        done(name_facts(view.scene, index))
        return
    view.studio.start_job(
        "timeline:ui.facts.name_facts",
        {"scene": view.scene, "index": index},
        title=tr("All slices of this name"),
        key=f"name {id(view)}",
        done=done,
    )


def read_summary(
    view: TimelineView,
    start: int,
    end: int,
    lanes: list[int] | None,
    by: str,
    done: Callable[[Summary], object],
) -> None:
    """Sum up a stretch of time over some lanes."""
    state = view.pane_now().state
    arguments: dict[str, Any] = {"trace": view.scene.trace, "start": start, "end": end}
    if by == COUNTERS:
        from plugins.timeline.core.counters import counter_rows
        from plugins.timeline.core.summary import Summary

        done(Summary(by, counter_rows(counters=state.area_counters(), **arguments), 0, 0))
        return
    arguments |= {"lanes": lanes, "by": by}
    if len(view.scene.trace) <= _AT_ONCE:
        from plugins.timeline.core.summary import summarise

        done(summarise(**arguments))
        return
    view.studio.start_job(
        "timeline:core.summary.summarise",
        arguments,
        title=tr("Statistics of the selected time"),
        key=f"statistics {id(view)}",
        done=done,
    )


@dataclass(frozen=True)
class Table:
    """The slices of a part of a trace, and what a table shows of them."""

    indices: NDArray[np.int64]
    columns: list[Values]


def make_table(trace: Trace, part: Part, origin: int, columns: list[Column]) -> Table:
    """List the slices of a part of a trace for a table; may run in a job."""
    from plugins.timeline.core.listing import list_part
    from plugins.timeline.ui.lanetitles import titled

    listed = list_part(trace, part)
    rows = listed.rows.assign(start_ns=listed.rows["start_ns"] - origin)
    rows = titled(rows, trace)
    return Table(listed.indices, read_columns(rows, columns))


def read_slices(
    view: TimelineView, part: Part, columns: list[Column], done: Callable[[Table], object]
) -> None:
    """List the slices of a part of the trace, starts counted from its beginning."""
    scene = view.scene
    arguments: dict[str, Any] = {"trace": scene.trace, "part": part, "origin": scene.start}
    arguments["columns"] = columns
    if len(scene.trace) <= _AT_ONCE:
        done(make_table(**arguments))
        return
    view.studio.start_job(
        "timeline:ui.reading.make_table",
        arguments,
        title=tr("Listing slices"),
        key=f"slices {id(view)}",
        done=done,
    )


def write_part(view: TimelineView, part: Part, path: object) -> None:
    """Write a part of the trace to a file, and tell where it is."""
    view.studio.start_job(
        "timeline:core.convert.write_part",
        {"trace": view.scene.trace, "part": part, "output": path},
        title=tr("Writing {name}", name=path),
        key=f"write {path}",
        done=lambda written: view.studio.notify(
            tr("{n} slices written to {file}", n=written.slices, file=written.path), severity="ok"
        ),
        failed=lambda error: view.studio.notify(
            error.message if isinstance(error, StudioError) else str(error), severity="error"
        ),
    )
