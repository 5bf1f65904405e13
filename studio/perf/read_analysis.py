"""Reads what the profilers publish on steps and communication (analysis.db, communication.json)."""

from __future__ import annotations

import json
import re
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.perf.db_names import ANALYSIS_STEPS, ANALYSIS_TIMES
from studio.perf.frames import Known, Recorded, coded, frame

if TYPE_CHECKING:
    from pathlib import Path

    from studio.formats.database import Database
    from studio.perf.profile import Reader

_NUMBER: Final = re.compile(r"\d+")
_JSON_TIMES: Final = {
    "start_ns": ("Start Timestamp(us)", 1_000),
    "elapse_ns": ("Elapse Time(ms)", 1_000_000),
    "transit_ns": ("Transit Time(ms)", 1_000_000),
    "wait_ns": ("Wait Time(ms)", 1_000_000),
    "synchronisation_ns": ("Synchronization Time(ms)", 1_000_000),
    "idle_ns": ("Idle Time(ms)", 1_000_000),
}
TOTAL: Final = "Total Op Info"
"""The entry of communication.json that sums up the others."""


def analysis_readers(database: Database) -> dict[str, Reader]:
    """How to read the tables that analysis.db has."""
    readers: dict[str, Reader] = {}
    if database.find("StepTraceTime"):
        readers["published_steps"] = lambda job: {"published_steps": _steps(database)}
    if database.find("CommAnalyzerTime"):
        readers["communication_times"] = lambda job: {"communication_times": _times(database)}
    return readers


def read_communication_json(path: Path) -> Recorded:
    """Read communication.json: one row per operation, without the totals."""
    try:
        steps = json.loads(path.read_bytes(), parse_float=Decimal)
    except OSError as error:
        raise StudioError(
            tr("Cannot read {file}: {reason}.", file=path, reason=error.strerror or error),
            path=path,
        ) from error
    except (ValueError, RecursionError) as error:
        raise StudioError(
            tr("{name} is damaged: {reason}.", name=path.name, reason=error), path=path
        ) from error
    rows: list[dict[str, Any]] = []
    for step, kinds in _items(steps):
        for kind, operations in _items(kinds):
            for operation, about in _items(operations):
                if operation != TOTAL and isinstance(about, dict):
                    name, _, group = operation.partition("@")
                    times = about.get("Communication Time Info", {})
                    found = {
                        column: _scaled(times.get(key), factor)
                        for column, (key, factor) in _JSON_TIMES.items()
                    }
                    rows.append(
                        {"step": _step(step), "kind": kind, "name": name, "group": group, **found}
                    )
    return _made("communication_times", rows)


def _steps(database: Database) -> Recorded:
    rows = []
    for row in _dictionaries(database, "StepTraceTime"):
        found = {column: _scaled(row.get(key), 1_000) for column, key in ANALYSIS_STEPS.items()}
        rows.append(
            {"step": _step(str(row.get("step"))), "device": _whole(row.get("deviceid")), **found}
        )
    return _made("published_steps", rows)


def _times(database: Database) -> Recorded:
    rows = []
    for row in _dictionaries(database, "CommAnalyzerTime"):
        if row.get("hccl_op_name") == TOTAL:
            continue
        found = {c: _scaled(row.get(key), factor) for c, (key, factor) in ANALYSIS_TIMES.items()}
        names = {"kind": row.get("type"), "name": row.get("hccl_op_name")}
        rows.append(
            {"step": _step(str(row.get("step"))), **names, "group": row.get("group_name"), **found}
        )
    return _made("communication_times", rows)


def _dictionaries(database: Database, table: str) -> list[dict[str, Any]]:
    columns = [name.casefold() for name in database.tables[database.find(table)]]
    return [dict(zip(columns, row, strict=True)) for row in database.pairs(table)]


def _made(table: str, rows: list[dict[str, Any]]) -> Recorded:
    from studio.perf.schema import TABLES, TEXT

    columns: dict[str, Any] = {}
    for column in TABLES[table].columns:
        cells = [row.get(column.name) for row in rows]
        if column.dtype == TEXT:
            columns[column.name] = coded(cells)
        else:
            known = np.array([cell is not None for cell in cells], np.bool_)
            columns[column.name] = Known(np.array([c or 0 for c in cells], np.int64), known)
    return Recorded(frame(table, columns, len(rows)))


def _scaled(value: object, factor: int) -> int | None:
    """A number of microseconds or milliseconds in whole nanoseconds."""
    try:
        number = Decimal(str(value)) * factor
    except InvalidOperation:
        return None
    if not number.is_finite():
        return None
    return int(number.quantize(Decimal(1), ROUND_HALF_UP))


def _step(text: str) -> int | None:
    match = _NUMBER.search(text)
    return int(match.group()) if match else None


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _items(value: object) -> list[tuple[str, Any]]:
    return list(value.items()) if isinstance(value, dict) else []
