"""A part of a trace as tables of a database in memory, for questions in SQL.

slice (id, name, start_ns, duration_ns, self_ns, lane_id, depth, category, unfinished, source, and
loaded args), lane (lane_id, process, pid, name, tid, kind), flow (category, source_id, target_id,
source_ns, target_ns), instant (name, time_ns, lane_id, category), counter (lane_id, name, time_ns,
value).
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import numpy as np

from studio.i18n import tr
from studio.kernel.errors import StudioError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pandas as pd
    from numpy.typing import NDArray

    from plugins.timeline.core.part import Part
    from studio.trace import Trace


def ask(trace: Trace, slices: NDArray[np.int64], part: Part, sql: str) -> pd.DataFrame:
    """Answer one question; raises StudioError with what the database says is wrong with it."""
    import pandas as pd

    with closing(sqlite3.connect(":memory:")) as database:
        _fill_slices(database, trace, slices)
        _fill_lanes(database, trace)
        _fill_rest(database, trace, slices, part)
        try:
            answer = database.execute(sql)
            columns = [column[0] for column in answer.description or ()]
            return pd.DataFrame(answer.fetchall(), columns=pd.Index(columns, dtype="object"))
        except sqlite3.Error as error:
            raise StudioError(
                tr("The question is wrong: {error}.", error=error), exit_code=2
            ) from error


def _fill_slices(database: sqlite3.Connection, trace: Trace, slices: NDArray[np.int64]) -> None:
    from plugins.timeline.core.listing import slice_frame

    frame = slice_frame(trace, slices).drop(columns=["process", "lane"])
    frame.insert(0, "id", slices)
    frame.insert(5, "lane_id", trace.lane[slices])
    rows = zip(*(frame[column].tolist() for column in frame), strict=True)
    _table(database, "slice", list(frame.columns), rows)


def _fill_lanes(database: sqlite3.Connection, trace: Trace) -> None:
    rows = (
        (lane.id, lane.process_title, lane.process, lane.title, lane.thread, lane.kind)
        for lane in trace.lanes
    )
    _table(database, "lane", ["lane_id", "process", "pid", "name", "tid", "kind"], rows)


def _fill_rest(
    database: sqlite3.Connection, trace: Trace, slices: NDArray[np.int64], part: Part
) -> None:
    chosen = np.zeros(len(trace) + 1, np.bool_)
    chosen[slices] = True
    flows = trace.flows
    kept = np.flatnonzero(chosen[flows.source_slice] | chosen[flows.target_slice])
    columns = (flows.source_slice, flows.target_slice, flows.source_time, flows.target_time)
    category = [trace.categories[number] for number in flows.category[kept].tolist()]
    _table(
        database,
        "flow",
        ["category", "source_id", "target_id", "source_ns", "target_ns"],
        zip(category, *(column[kept].tolist() for column in columns), strict=True),
    )
    instants = trace.instants
    inside = np.flatnonzero((instants.time >= part.start) & (instants.time < part.end))
    _table(
        database,
        "instant",
        ["name", "time_ns", "lane_id", "category"],
        (
            (trace.names[name], time, lane, trace.categories[category] if category >= 0 else "")
            for name, time, lane, category in zip(
                instants.name[inside].tolist(),
                instants.time[inside].tolist(),
                instants.lane[inside].tolist(),
                instants.category[inside].tolist(),
                strict=True,
            )
        ),
    )
    samples: list[tuple[Any, ...]] = []
    for counter in trace.counters:
        low, high = np.searchsorted(counter.times, (part.start, part.end)).tolist()
        title = trace.lanes[counter.lane].title
        times, values = counter.times[low:high].tolist(), counter.values[low:high].tolist()
        samples += [(counter.lane, title, *pair) for pair in zip(times, values, strict=True)]
    _table(database, "counter", ["lane_id", "name", "time_ns", "value"], samples)


def _table(
    database: sqlite3.Connection, name: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]
) -> None:
    quoted = ", ".join('"' + column.replace('"', '""') + '"' for column in columns)
    database.execute(f'create table "{name}" ({quoted})')
    places = ", ".join("?" * len(columns))
    database.executemany(f'insert into "{name}" values ({places})', rows)
