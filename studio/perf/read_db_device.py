"""What ran on the device, from a database of the Ascend profilers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from studio.formats.ascend_layouts import NO_MODEL, counter_name
from studio.perf import db_cells as cells
from studio.perf import db_names as names
from studio.perf.communication import operation_of
from studio.perf.frames import Coded, Known, Recorded, coded, frame

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd
    from numpy.typing import NDArray

    from studio.formats.chrome_trace import Progress
    from studio.formats.database import Database


def read_kernels(database: Database, job: Progress | None = None) -> Recorded:
    """Operators: tasks that have a row in COMPUTE_TASK_INFO, by start; `row` is the global task."""
    tasks, _ = database.columns(("TASK",), names.TASK, order="start_ns", job=job)
    about, _ = database.columns(("COMPUTE_TASK_INFO",), names.COMPUTE, job=job)
    if "id" not in tasks or "id" not in about:
        return Recorded(frame("kernels", {}, 0))
    place, found = cells.match(tasks["id"].values, about["id"].values)
    kept = np.flatnonzero(found)
    place = place[kept]
    columns: dict[str, Any] = {
        "row": tasks["id"].values[kept],
        **cells.interval(tasks, kept),
        **{
            name: cells.taken(tasks, name, kept)
            for name in ("device", "stream", "task", "connection")
            if name in tasks
        },
        **{
            name: cells.taken(tasks, name, kept, NO_MODEL)
            for name in ("model", "context")
            if name in tasks
        },
        **{
            name: cells.taken(about, name, place)
            for name in ("blocks", "mix_blocks")
            if name in about
        },
    }
    for name in about.keys() - columns.keys() - {"id"}:
        columns[name] = cells.texts_of(database, cells.taken(about, name, place))
    columns["wait_ns"] = _waits(columns["start_ns"], columns["duration_ns"])
    return Recorded(frame("kernels", columns, len(kept)))


def read_tasks(database: Database, job: Progress | None = None) -> Recorded:
    """Everything that ran on the device, by start, with a name where another table has one."""
    tasks, rows = database.columns(("TASK",), names.TASK, order="start_ns", job=job)
    columns: dict[str, Any] = {
        name: cells.known(tasks[name])
        for name in ("device", "stream", "task", "connection")
        if name in tasks
    }
    columns |= cells.interval(tasks, np.arange(rows))
    columns["kind"] = (
        cells.texts_of(database, cells.known(tasks["kind"])) if "kind" in tasks else None
    )
    name = np.full(rows, -1, np.int64)
    for table, wanted in (
        ("COMPUTE_TASK_INFO", names.COMPUTE),
        ("COMMUNICATION_TASK_INFO", names.COMMUNICATION_TASK),
    ):
        about, _ = database.columns((table,), {k: wanted[k] for k in ("id", "name")}, job=job)
        if len(about) == 2 and "id" in tasks:
            place, found = cells.match(tasks["id"].values, about["id"].values)
            name[found] = about["name"].values[place[found]]
    columns["name"] = cells.texts_of(database, Known(name, name >= 0))
    return Recorded(frame("tasks", columns, rows))


def read_copies(database: Database, job: Progress | None = None) -> Recorded:
    """Memory copies and sets, by start."""
    tasks, _ = database.columns(("TASK",), names.TASK, order="start_ns", job=job)
    if "kind" not in tasks:
        return Recorded(frame("copies", {}, 0))
    kinds = cells.texts_of(database, cells.known(tasks["kind"]))
    is_copy = np.array([_is_copy(text) for text in kinds.texts] + [False], np.bool_)
    kept = np.flatnonzero(is_copy[kinds.codes])
    columns: dict[str, Any] = cells.interval(tasks, kept)
    for name in ("device", "stream", "connection"):
        if name in tasks:
            columns[name] = cells.taken(tasks, name, kept)
    columns["name"] = Coded(kinds.codes[kept], kinds.texts)
    is_set = ["set" if "MEMSET" in text.upper() else "copy" for text in kinds.texts]
    columns["kind"] = coded([is_set[code] for code in kinds.codes[kept].tolist()])
    about, _ = database.columns(("MEMCPY_INFO",), names.COPY, job=job)
    if "id" in about and "id" in tasks:
        place, found = cells.match(tasks["id"].values[kept], about["id"].values)
        if "bytes" in about:
            columns["bytes"] = Known(about["bytes"].values[place], found)
        if "direction" in about:
            directions = {
                number: text for number, text, *_ in database.pairs("ENUM_MEMCPY_OPERATION")
            }
            codes = about["direction"].values[place].tolist()
            columns["direction"] = coded(
                [
                    directions.get(code, "") if known else ""
                    for code, known in zip(codes, found, strict=True)
                ]
            )
    return Recorded(frame("copies", columns, len(kept)))


def _is_copy(kind: str) -> bool:
    return "MEMCPY" in kind.upper() or "MEMSET" in kind.upper() or kind in ("PCIE_DMA_SQE",)


def read_communication(database: Database, job: Progress | None = None) -> Recorded:
    """Communication operators, by start; `row` is the number of the operation."""
    rows, count = database.columns(
        ("COMMUNICATION_OP",), names.COMMUNICATION, order="start_ns", job=job
    )
    columns: dict[str, Any] = cells.interval(rows, np.arange(count))
    for name in ("name", "type", "group", "algorithm"):
        if name in rows:
            columns[name] = cells.texts_of(database, cells.known(rows[name]))
    for name in ("count", "connection", "device"):
        if name in rows:
            columns[name] = cells.known(rows[name])
    columns["row"] = rows["row"].values if "row" in rows else np.arange(count)
    if "data_type" in rows:
        columns["data_type"] = cells.enumerated(database, "ENUM_HCCL_DATA_TYPE", rows["data_type"])
    made = frame("communication", columns, count)
    missing = made["type"].isna()
    if missing.any():
        types = made["type"].astype("str")
        types = types.where(~missing, made["name"].astype("str").fillna("").map(operation_of))
        made = made.assign(type=types.astype("category"))
    return Recorded(made)


def _waits(start: NDArray[np.int64], duration: NDArray[np.int64]) -> NDArray[np.int64]:
    """Start minus the end of the operator before, at least 0: as the text form counts it."""
    waits = np.zeros(len(start), np.int64)
    waits[1:] = np.maximum(start[1:] - (start[:-1] + duration[:-1]), 0)
    return waits


def counter_parts(database: Database, job: Progress | None = None) -> Iterator[pd.DataFrame]:
    """The performance counters of TASK_PMU_INFO, one row per kernel (`row` is the global task)."""
    import pandas as pd

    rows, _ = database.columns(("TASK_PMU_INFO",), names.COUNTER, job=job)
    if len(rows) < len(names.COUNTER):
        return
    kernels, row = np.unique(rows["id"].values, return_inverse=True)
    counter = cells.texts_of(database, cells.known(rows["name"]))
    columns: dict[str, Any] = {"row": kernels}
    for number, text in enumerate(counter.texts):
        mine = (counter.codes == number) & rows["value"].known
        if text and mine.any():
            values = np.full(len(kernels), np.nan)
            values[row[mine]] = rows["value"].values[mine]
            unit = "us" if text.endswith("_time") else ""
            columns[counter_name(text, unit)] = pd.arrays.FloatingArray(values, np.isnan(values))
    yield pd.DataFrame(columns, copy=False)
