"""What the host did, from a database of the Ascend profilers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from studio.perf import db_cells as cells
from studio.perf import db_names as names
from studio.perf.frames import Coded, Known, Recorded, coded, frame

if TYPE_CHECKING:
    from studio.formats.chrome_trace import Progress
    from studio.formats.database import Database, DbColumn
    from studio.perf.db_cells import Columns


def read_api(database: Database, job: Progress | None = None) -> Recorded:
    """Calls of CANN, by start."""
    rows, count = database.columns(("CANN_API",), names.API, order="start_ns", job=job)
    columns: dict[str, Any] = cells.interval(rows, np.arange(count))
    if "level" in rows:
        columns["level"] = cells.enumerated(database, "ENUM_API_TYPE", rows["level"])
    columns["thread"] = cells.threads(rows)
    if "name" in rows:
        columns["name"] = cells.texts_of(database, cells.known(rows["name"]))
    if "connection" in rows:
        columns["connection"] = cells.known(rows["connection"])
    return Recorded(frame("api", columns, count))


def read_host_ops(database: Database, job: Progress | None = None) -> Recorded:
    """Operators of PyTorch, by start."""
    rows, count = _framework(database, names.OPERATORS, job)
    columns: dict[str, Any] = cells.interval(rows, np.arange(count))
    columns["thread"] = cells.threads(rows)
    if "name" in rows:
        columns["name"] = cells.texts_of(database, cells.known(rows["name"]))
    columns |= _inputs(database, rows)
    for name in ("sequence", "forward_thread"):
        if name in rows:
            columns[name] = cells.known(rows[name])
    if "connection" in rows:
        columns["key"] = cells.known(rows["connection"])
    if "chain" in rows:
        columns["stack"] = _stacks(database, rows["chain"])
    return Recorded(frame("host_ops", columns, count))


def read_queue(database: Database, job: Progress | None = None) -> Recorded:
    """PyTorch's own queue, by start."""
    rows, count = _framework(database, names.QUEUE, job)
    columns: dict[str, Any] = cells.interval(rows, np.arange(count))
    columns["thread"] = cells.threads(rows)
    texts = (
        cells.texts_of(database, cells.known(rows["name"]))
        if "name" in rows
        else coded([""] * count)
    )
    columns["name"] = texts
    kinds = [text.partition("@")[0].casefold() for text in texts.texts]
    columns["kind"] = coded([kinds[code] if code >= 0 else "" for code in texts.codes.tolist()])
    if "connection" in rows:
        links = dict(reversed(database.pairs("CONNECTION_IDS")))
        found = [links.get(key, key) for key in rows["connection"].values.tolist()]
        columns["correlation"] = Known(np.array(found, np.int64), rows["connection"].known)
    return Recorded(frame("queue", columns, count))


def _framework(database: Database, kind: int, job: Progress | None) -> tuple[Columns, int]:
    table = ("PYTORCH_API",)
    has_kind = "type" in {column.casefold() for column in database.tables[database.find(*table)]}
    where = f"type = {kind}" if has_kind else ""
    if not where and kind != names.OPERATORS:
        return {}, 0
    return database.columns(table, names.FRAMEWORK, where=where, order="start_ns", job=job)


def _inputs(database: Database, rows: Columns) -> dict[str, Coded]:
    """Shapes and types of the inputs; torch_npu 2.1 has written each in the column of the other."""
    found: dict[str, Coded] = {
        name: _on_one_line(cells.texts_of(database, cells.known(rows[name])))
        for name in ("input_shapes", "input_types")
        if name in rows
    }
    if len(found) < 2 or _shapes(found["input_types"]) <= _shapes(found["input_shapes"]):
        return found
    return {"input_shapes": found["input_types"], "input_types": found["input_shapes"]}


def _on_one_line(texts: Coded) -> Coded:
    """Texts as a timeline has them: without the line breaks between inputs."""
    joined = coded(text.replace("\r", "").replace("\n", "").strip() for text in texts.texts)
    table = np.append(joined.codes, np.int32(-1))
    return Coded(table[texts.codes], joined.texts)


def _shapes(texts: Coded) -> int:
    """How many texts hold numbers and no words."""
    return sum(any(map(str.isdigit, t)) and not any(map(str.isalpha, t)) for t in texts.texts)


def _stacks(database: Database, chain: DbColumn) -> Coded:
    strings = database.strings
    frames: dict[int, list[tuple[int, str]]] = {}
    for number, text, depth, *_ in database.pairs("PYTORCH_CALLCHAINS"):
        frames.setdefault(number, []).append((depth, strings.get(text, "")))
    stacks = {n: "\n".join(text for _, text in sorted(lines)) for n, lines in frames.items()}
    pairs = zip(chain.values.tolist(), chain.known.tolist(), strict=True)
    return coded([stacks.get(number, "") if known else "" for number, known in pairs])


def read_collections(database: Database, job: Progress | None = None) -> Recorded:
    """Garbage collections of Python, by start."""
    rows, count = database.columns(("GC_RECORD",), names.COLLECTION, order="start_ns", job=job)
    columns = {"thread": cells.threads(rows), **cells.interval(rows, np.arange(count))}
    return Recorded(frame("gc", columns, count))


def read_host_steps(database: Database, job: Progress | None = None) -> Recorded:
    """Training iterations, by start."""
    rows, count = database.columns(("STEP_TIME",), names.STEP, order="start_ns", job=job)
    columns = {name: cells.known(rows[name]) for name in rows}
    return Recorded(frame("host_steps", columns, count))
