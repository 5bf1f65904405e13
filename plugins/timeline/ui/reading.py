"""What panels ask of a trace: at once when it is little, in a job when it is much."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from studio.formats.byte_source import PLAIN
from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.ui.columns import Column, Values, read_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from plugins.timeline.core.part import Part
    from plugins.timeline.core.summary import Summary
    from plugins.timeline.ui.view import TimelineView
    from studio.trace import Trace

_AT_ONCE = 100_000


def read_args(
    view: TimelineView, index: int, done: Callable[[int, Mapping[str, object] | None], object]
) -> None:
    """Read the args of a slice from the file; None when they cannot be read."""
    from plugins.timeline.ui.sources import read_args as read

    offset = int(view.scene.trace.source[index])
    text = view.scene.trace.text
    if text is None or text.packing == PLAIN:
        try:
            done(index, read(view.scene.events, offset))
        except StudioError:
            done(index, None)
        return
    view.studio.start_job(
        "timeline:ui.sources.read_args",
        {"events": view.scene.events, "offset": offset},
        title=tr("Reading arguments"),
        key=f"args {id(view)}",
        done=lambda args: done(index, args),
        failed=lambda _error: done(index, None),
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
    arguments: dict[str, Any] = {
        "trace": view.scene.trace,
        "start": start,
        "end": end,
        "lanes": lanes,
        "by": by,
    }
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

    listed = list_part(trace, part)
    rows = listed.rows.assign(start_ns=listed.rows["start_ns"] - origin)
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
