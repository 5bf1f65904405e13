"""Titles of processes and lanes that the file does not name, in the language of the window.

The trace itself, which is cached and exported, calls them "Process 7" and "Thread 7" in every
language.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.i18n import tr

if TYPE_CHECKING:
    import pandas as pd

    from studio.trace import Lane, Trace


def process_title(lane: Lane) -> str:
    """The process of a lane: as the file names it, else by its number."""
    if lane.process_title != f"Process {lane.process}":
        return lane.process_title or lane.process
    return _by_number(lane.process, tr("Process {id}", id=lane.process), tr("No process"))


def lane_title(lane: Lane) -> str:
    """A lane: as the file names it, else by the number of its thread."""
    if lane.kind != "slices":
        return lane.title
    if lane.asynchronous:
        return tr("Async") if lane.title == "Async" else lane.title
    if lane.title != f"Thread {lane.thread}":
        return lane.title
    return _by_number(lane.thread, tr("Thread {id}", id=lane.thread), tr("No thread"))


def place(lane: Lane) -> str:
    """Process and lane in one line."""
    return " · ".join(part for part in (process_title(lane), lane_title(lane)) if part)


def titled(rows: pd.DataFrame, trace: Trace) -> pd.DataFrame:
    """Rows of a table whose columns "process" and "lane" are in the language of the window."""
    found = {}
    for column, given, shown in (
        ("process", "process_title", process_title),
        ("lane", "title", lane_title),
    ):
        if column in rows.columns:
            titles = {getattr(lane, given): shown(lane) for lane in trace.lanes}
            values = [titles.get(title, title) for title in rows[column].unique()]
            found[column] = rows[column].map(dict(zip(rows[column].unique(), values, strict=True)))
    return rows.assign(**found)


def _by_number(key: str, numbered: str, nothing: str) -> str:
    """What has words for a key, such as "stream 7", is called by them."""
    if not key.strip():
        return nothing
    return numbered if key.lstrip("-").isdecimal() else key
