"""Reads the old layout of MindSpore's profiler (MindInsight) into the tables of `schema`.

`step_trace_raw_N_detail_time.csv` has one row per iteration with times in ticks of 10 ns and, for
each communication, columns `stream_S_…_start_point` and `…_end_point`; the row "-" is the average.
`output_timeline_data_N.txt` has one row per operator with times in milliseconds.
"""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from studio.formats.ascend_csv import Field, open_table
from studio.formats.cells import VALUE
from studio.formats.faults import FaultLog
from studio.perf.frames import Known, Recorded, coded, frame
from studio.perf.read_hccl import read_hccl

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from studio.formats.chrome_trace import Progress
    from studio.perf.profile import Reader
    from studio.perf.sources import Sources

TICK_NS: Final = 10
_BEGIN, _END = "_start_point", "_end_point"
_OPERATORS: Final[Mapping[str, Field]] = {
    "name": Field(("op name",)),
    "stream": Field(("stream id",), "whole"),
    "start_ns": Field(("start time",), "time", "ms"),
    "duration_ns": Field(("duration",), "time", "ms"),
}


def mindinsight_readers(sources: Sources) -> dict[str, Reader]:
    """How to read each table that the old layout has."""
    readers: dict[str, Reader] = {}
    if steps := sources.first("step_trace_raw"):
        path = steps
        readers["host_steps"] = lambda job: {"host_steps": read_steps(path)}
        readers["communication"] = lambda job: {"communication": read_communication(path)}
    if operators := sources.first("output_timeline"):
        timeline, about = operators, sources.first("framework")
        readers["kernels"] = lambda job: {"kernels": read_kernels(timeline, about, job)}
    if sent := sources.first("hccl"):
        costs = sent
        readers["communication_times"] = lambda job: {"communication_times": read_hccl(costs)}
    return readers


def read_steps(path: Path) -> Recorded:
    """Iterations: from the end of the one before to their own end."""
    rows = _iterations(path)
    columns = {
        "step": np.array([step for step, _ in rows], np.int64),
        "start_ns": np.array([_ticks(row.get("start_point")) for _, row in rows], np.int64),
        "end_ns": np.array([_ticks(row.get("end_point")) for _, row in rows], np.int64),
    }
    return Recorded(frame("host_steps", columns, len(rows)))


def read_communication(path: Path) -> Recorded:
    """Communication operators of every iteration, by start."""
    found: list[tuple[int, int, int, str, int]] = []
    for step, row in _iterations(path):
        for column, cell in row.items():
            name = column.removesuffix(_BEGIN)
            if name == column or not name.startswith("stream_") or not _is_number(cell):
                continue
            begin, end = _ticks(cell), _ticks(row.get(name + _END))
            stream, _, operation = name.removeprefix("stream_").partition("_")
            if end > begin and stream.isdecimal():
                found.append((begin, end, step, operation, int(stream)))
    found.sort()
    columns = {
        "row": np.arange(len(found)),
        "step": np.array([step for _, _, step, _, _ in found], np.int64),
        "stream": np.array([stream for *_, stream in found], np.int64),
        "name": coded([name for _, _, _, name, _ in found]),
        "type": coded([_kind(name) for _, _, _, name, _ in found]),
        "start_ns": np.array([begin for begin, *_ in found], np.int64),
        "duration_ns": np.array([end - begin for begin, end, *_ in found], np.int64),
    }
    return Recorded(frame("communication", columns, len(found)))


def read_kernels(path: Path, framework: Path | None, job: Progress | None = None) -> Recorded:
    """Operators by start, with type and shapes where framework_raw_N.csv describes them."""
    faults = FaultLog()
    table = open_table(path, _OPERATORS, faults, required=("name", "start_ns", "duration_ns"))
    parts = list(table.parts(job=job))
    values = {
        name: np.concatenate([part.values[name] for part in parts])
        for name in (table.columns if parts else ())
    }
    good = np.concatenate([_timed(part.states) for part in parts]) if parts else np.zeros(0, bool)
    order = np.flatnonzero(good)
    order = order[np.argsort(values["start_ns"][order], kind="stable")] if parts else order
    texts = table.texts["name"].texts if parts else []
    full = [texts[code] for code in values["name"][order].tolist()] if parts else []
    about = _framework(framework)
    columns: dict[str, Any] = {
        "row": order,
        "name": coded([name.rpartition("/")[2] for name in full]),
        "type": coded([about.get(name, {}).get("type") or _type(name) for name in full]),
        "blocks": _numbers([about.get(name, {}).get("blocks", "") for name in full]),
    }
    for column in ("input_shapes", "input_types", "input_formats"):
        columns[column] = coded([about.get(name, {}).get(column, "") for name in full])
    for column in ("start_ns", "duration_ns", "stream"):
        if column in values:
            columns[column] = values[column][order]
    return Recorded(frame("kernels", columns, len(order)), {}, faults.faults())


def _iterations(path: Path) -> list[tuple[int, dict[str, str]]]:
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        rows = list(csv.DictReader(file))
    return [(int(row["step_num"]), row) for row in rows if (row.get("step_num") or "").isdecimal()]


def _framework(path: Path | None) -> dict[str, dict[str, str]]:
    if path is None:
        return {}
    found: dict[str, dict[str, str]] = {}
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        for row in csv.DictReader(file):
            name = row.get("full_kernel_name") or row.get("full_op_name") or ""
            if name and name not in found:
                found[name] = {
                    "type": row.get("kernel_type") or row.get("op_type") or "",
                    "blocks": row.get("block_dim") or "",
                    **_inputs(row.get("op_info") or ""),
                }
    return found


def _inputs(text: str) -> dict[str, str]:
    try:
        about = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    inputs = [value for key, value in about.items() if key.startswith("input_")]
    return {
        column: ";".join(_plain(entry.get(key)) for entry in inputs)
        for column, key in (
            ("input_shapes", "shape"),
            ("input_types", "data_type"),
            ("input_formats", "format"),
        )
    }


def _plain(value: object) -> str:
    if isinstance(value, list):
        return ",".join(map(str, value))
    return "" if value is None else str(value)


def _kind(operation: str) -> str:
    """AllReduce of "0_AllReduce-op4542"; older files say only "parallel_0"."""
    return operation.rpartition("-")[0].rpartition("_")[2] or operation.rpartition("_")[0]


def _type(name: str) -> str:
    return name.rpartition("/")[2].rpartition("-op")[0]


def _numbers(texts: list[str]) -> Known:
    known = np.array([text.isdecimal() for text in texts], np.bool_)
    values = np.array([int(t) if t.isdecimal() else 0 for t in texts], np.int64)
    return Known(values, known)


def _timed(states: Mapping[str, Any]) -> Any:  # noqa: ANN401 - a mask
    return (states["start_ns"] == VALUE) & (states["duration_ns"] == VALUE)


def _is_number(cell: str | None) -> bool:
    return bool(cell) and str(cell).replace(".", "", 1).isdecimal()


def _ticks(cell: str | None) -> int:
    """Ticks of 10 ns as nanoseconds, exact also with a fraction."""
    if cell is None or not _is_number(cell):
        return 0
    whole, _, rest = cell.partition(".")
    return int(whole) * TICK_NS + int((rest + "0")[:1])
