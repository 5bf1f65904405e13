"""Reads the CSV form of the Ascend profilers into the tables of `schema`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from studio.formats import ascend_layouts as layouts
from studio.formats.ascend_csv import open_table
from studio.formats.cells import VALUE
from studio.formats.faults import FaultLog
from studio.perf.communication import is_communication_core, is_communication_name, operation_of
from studio.perf.frames import Recorded
from studio.perf.gather import Gather

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    import pandas as pd
    from numpy.typing import NDArray

    from studio.formats.ascend_csv import Field, Part, Texts
    from studio.formats.chrome_trace import Progress
    from studio.perf.profile import Reader
    from studio.perf.sources import Sources

    Mask = NDArray[np.bool_]

_LAYOUTS: Mapping[str, tuple[Mapping[str, Field], tuple[str, ...]]] = {
    "published_steps": (layouts.STEPS, ("computing_ns",)),
    "operator_statistic": (layouts.OPERATOR_STATISTIC, ("type", "count")),
    "api_statistic": (layouts.API_STATISTIC, ("name", "count")),
    "operator_details": (layouts.OPERATOR_DETAILS, ("name",)),
    "allocations": (layouts.ALLOCATIONS, ("name", "bytes")),
    "memory": (layouts.MEMORY, ("time_ns",)),
    "module_memory": (layouts.MODULE_MEMORY, ("component", "time_ns")),
    "static_memory": (layouts.STATIC_MEMORY, ("name", "bytes")),
    "cache": (layouts.CACHE, ("stream", "task")),
}
_TIMED = ("start_ns", "duration_ns")


def text_readers(sources: Sources) -> dict[str, Reader]:
    """How to read each table that the text form of a profile has."""
    readers: dict[str, Reader] = {}
    for table, (layout, required) in _LAYOUTS.items():
        if files := sources.get(table):
            readers[table] = _reader(table, files, layout, required)
    if files := sources.get("kernels"):
        kernels = files

        def read(job: Progress | None) -> dict[str, Recorded]:
            return read_kernels(kernels, job)

        readers["kernels"] = readers["communication"] = read
    return readers


def read_kernels(files: Sequence[Path], job: Progress | None = None) -> dict[str, Recorded]:
    """Read kernel tables; rows of communication are separated from those of operators."""
    faults = FaultLog()
    texts: dict[str, Texts] = {}
    kernels, communication = Gather("kernels"), Gather("communication")
    by_core, by_name = Marker(is_communication_core), Marker(is_communication_name)
    for part in _parts(files, layouts.KERNELS, ("name", *_TIMED), faults, texts, job):
        good = _complete(part, _TIMED, faults)
        sent = by_name.mark(texts["name"].texts, part.values["name"])
        if "core" in part.values:
            sent |= by_core.mark(texts["core"].texts, part.values["core"])
        kernels.add(part, good & ~sent)
        communication.add(part, good & sent)
    found = {column: table.texts for column, table in texts.items()}
    operators = kernels.finish(found, faults.faults())
    operations = communication.finish(found)
    return {"kernels": operators, "communication": _with_types(operations)}


def counter_parts(files: Sequence[Path], job: Progress | None = None) -> Iterator[pd.DataFrame]:
    """Read the performance counters of kernel tables in parts: `row`, then one column each."""
    import pandas as pd

    first = last = 0
    for path in files:
        faults = FaultLog()
        table = open_table(path, layouts.KERNELS, faults)
        table = open_table(path, layouts.counters(table.dialect), faults)
        for part in table.parts(job=job):
            last = first + part.first + part.rows
            rows = np.arange(last - part.rows, last)
            columns: dict[str, Any] = {"row": rows}
            for name, values in part.values.items():
                columns[name] = pd.arrays.FloatingArray(values, part.states[name] != VALUE)
            yield pd.DataFrame(columns, copy=False)
        first = last


def has_counters(files: Sequence[Path]) -> bool:
    """Whether kernel tables have performance counters at all."""
    return any(
        layouts.counters(open_table(path, layouts.KERNELS, FaultLog()).dialect) for path in files
    )


class Marker:
    """Marks rows whose text fits a rule, asking once for every distinct text."""

    def __init__(self, rule: Callable[[str], bool]) -> None:
        self._rule = rule
        self._fits = np.zeros(0, np.bool_)

    def mark(self, texts: Sequence[str], codes: NDArray[np.int32]) -> Mask:
        """Which rows fit; `texts` may have grown since the last call."""
        if len(texts) > len(self._fits):
            more = [self._rule(text) for text in texts[len(self._fits) :]]
            self._fits = np.concatenate((self._fits, np.array(more, np.bool_)))
        known = codes >= 0
        return known & self._fits[np.where(known, codes, 0)] if len(self._fits) else known


def _reader(
    table: str, files: Sequence[Path], layout: Mapping[str, Field], required: tuple[str, ...]
) -> Reader:
    def read(job: Progress | None) -> dict[str, Recorded]:
        faults = FaultLog()
        texts: dict[str, Texts] = {}
        rows = Gather(table)
        needed = [column for column in (*_TIMED, "time_ns") if column in required]
        for part in _parts(files, layout, required, faults, texts, job):
            rows.add(part, _complete(part, needed, faults) if needed else None)
        return {table: rows.finish({c: t.texts for c, t in texts.items()}, faults.faults())}

    return read


def _parts(
    files: Sequence[Path],
    layout: Mapping[str, Field],
    required: Sequence[str],
    faults: FaultLog,
    texts: dict[str, Texts],
    job: Progress | None,
) -> Iterator[Part]:
    first = 0
    for path in files:
        table = open_table(path, layout, faults, required=required)
        table.texts = texts
        last = first
        for part in table.parts(job=job):
            last = first + part.first + part.rows
            part.values["row"] = np.arange(last - part.rows, last)
            part.states["row"] = np.zeros(part.rows, np.uint8)
            yield part
        first = last


def _complete(part: Part, columns: Sequence[str], faults: FaultLog) -> Mask:
    good = np.ones(part.rows, np.bool_)
    for column in columns:
        good &= part.states[column] == VALUE
    if bad := int((~good).sum()):
        faults.add("row without time", None, bad)
    return good


def _with_types(recorded: Recorded) -> Recorded:
    """Fill in the kind of operation from the name where the file has none (level 0)."""
    frame = recorded.frame
    missing = frame["type"].isna().to_numpy()
    if not missing.any():
        return recorded
    names = frame["name"].astype("str").fillna("")
    types = frame["type"].astype("str").where(~missing, names.map(operation_of))
    return Recorded(frame.assign(type=types.astype("category")), recorded.not_applicable)
