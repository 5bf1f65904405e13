"""Memory, from a database of the Ascend profilers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from studio.perf import db_cells as cells
from studio.perf import db_names as names
from studio.perf.frames import Coded, Recorded, coded, frame, stacked

if TYPE_CHECKING:
    from studio.formats.chrome_trace import Progress
    from studio.formats.database import Database, DbColumn


def read_allocations(database: Database, job: Progress | None = None) -> Recorded:
    """Blocks that operators allocated and released."""
    rows, count = database.columns(("OP_MEMORY",), names.ALLOCATIONS, job=job)
    columns: dict[str, Any] = {name: cells.known(rows[name]) for name in rows}
    columns["row"] = np.arange(count)
    if "name" in rows:
        columns["name"] = _names(cells.texts_of(database, columns["name"]), rows.get("stream"))
    columns["stream"] = cells.as_text(rows.get("stream"), "{}")
    columns["device"] = cells.as_text(rows.get("device"), "NPU:{}")
    return Recorded(frame("allocations", columns, count))


def read_memory(database: Database, job: Progress | None = None) -> Recorded:
    """Memory of PyTorch and the graph engine, and of the process (APP, from NPU_MEM)."""
    rows, count = database.columns(("MEMORY_RECORD",), names.MEMORY, order="time_ns", job=job)
    columns: dict[str, Any] = {name: cells.known(rows[name]) for name in rows}
    for name, shape in (("stream", "{}"), ("device", "NPU:{}")):
        columns[name] = cells.as_text(rows.get(name), shape)
    if "component" in columns:
        columns["component"] = cells.texts_of(database, columns["component"])
    made = frame("memory", columns, count)
    used, _ = database.columns(("NPU_MEM",), names.PROCESS_MEMORY, order="time_ns", job=job)
    if "kind" in used and "hbm" in used:
        kinds = cells.texts_of(database, cells.known(used["kind"]))
        is_app = np.array([text.casefold() == "app" for text in kinds.texts] + [False], np.bool_)
        kept = np.flatnonzero(is_app[kinds.codes])
        more = {
            "component": coded(["APP"] * len(kept)),
            "time_ns": used["time_ns"].values[kept],
            "reserved_bytes": used["hbm"].values[kept].astype(np.int64),
            "device": coded(f"NPU:{n}" for n in used["device"].values[kept].tolist()),
        }
        made = stacked([frame("memory", more, len(kept)), made])
    return Recorded(made)


def read_module_memory(database: Database, job: Progress | None = None) -> Recorded:
    """Memory that parts of CANN reserve, by time."""
    rows, count = database.columns(
        ("NPU_MODULE_MEM",), names.MODULE_MEMORY, order="time_ns", job=job
    )
    columns: dict[str, Any] = {name: cells.known(rows[name]) for name in rows}
    if "component" in rows:
        columns["component"] = cells.enumerated(database, "ENUM_MODULE", rows["component"])
    columns["device"] = cells.as_text(rows.get("device"), "NPU:{}")
    return Recorded(frame("module_memory", columns, count))


def _names(names: Coded, stream: DbColumn | None) -> Coded:
    """Names as the text form has them: blocks of the graph engine begin with cann::.

    Databases leave that out, but only blocks of PyTorch's pool have a stream there.
    """
    if stream is None or not stream.known.any():
        return names
    texts = list(names.texts)
    graph = [text if text.startswith("cann::") else f"cann::{text}" for text in texts]
    return coded(
        [
            None if code < 0 else texts[code] if has_stream else graph[code]
            for code, has_stream in zip(names.codes.tolist(), stream.known.tolist(), strict=True)
        ]
    )
