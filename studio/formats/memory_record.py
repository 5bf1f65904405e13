"""Ascend's memory_record.csv, as the table of `memory_table`.

"MB" in the files of the Ascend profilers is 1024 * 1024 bytes (PTA reserves in blocks of 2 MiB,
which are whole numbers of it), "KB" is 1024 bytes.
"""

from __future__ import annotations

import csv
import io
from itertools import compress, islice
from typing import TYPE_CHECKING, Final

import numpy as np

from studio.formats import exact_time
from studio.formats.csv_dialect import Dialect, sniff
from studio.formats.faults import FaultLog
from studio.formats.kineto_memory import read_kineto_memory
from studio.formats.memory_table import SIZES, MemoryRecord, memory_frame
from studio.i18n import tr
from studio.kernel.errors import StudioError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    import pandas as pd
    from numpy.typing import NDArray

    from studio.formats.chrome_trace import Progress
    from studio.formats.memory_table import Places, Sizes

__all__ = ["ALIASES", "MemoryRecord", "read_kineto_memory", "read_memory_record"]

ALIASES: Final = {
    "component": ("component",),
    "time": ("timestamp", "time stamp", "time"),
    "allocated": ("total allocated", "total allocate memory", "allocated"),
    "reserved": ("total reserved", "total reserve memory", "reserved"),
    "active": ("total active", "total activated", "active"),
    "stream": ("stream ptr", "stream"),
    "device": ("device type", "device", "device id"),
}
"""The names that a column has had, without unit and in small letters."""

_BYTES: Final = {"": 1 << 20, "b": 1, "kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30}
_BLANK: Final = frozenset({"", "n/a", "na", "nan", "null", "none", "-"})
_ROWS: Final = 4096


def read_memory_record(path: Path, *, job: Progress | None = None) -> MemoryRecord:
    """Read a memory_record.csv; raises StudioError when it is no such table.

    Rows without a readable time are counted as faults; their place is the number of the row.
    """
    try:
        dialect = sniff(path)
        columns = dialect.columns(ALIASES)
        if "time" not in columns or not columns.keys() & set(SIZES):
            raise _no_table(path)
        return _read(path, dialect, columns, job)
    except OSError as error:
        raise StudioError(
            tr("Cannot read {file}: {reason}.", file=path, reason=error.strerror or error),
            path=path,
        ) from error


def _no_table(path: Path) -> StudioError:
    return StudioError(
        tr(
            "{name} is no memory record: expected columns such as Component, Timestamp(us), "
            "Total Allocated(MB), Total Reserved(MB).",
            name=path.name,
        ),
        path=path,
    )


def _read(
    path: Path, dialect: Dialect, columns: dict[str, int], job: Progress | None
) -> MemoryRecord:
    import pandas as pd

    faults = FaultLog()
    size = max(path.stat().st_size, 1)
    parts: list[pd.DataFrame] = []
    with path.open("rb") as file:
        text = io.TextIOWrapper(file, dialect.encoding, errors="replace", newline="")
        rows = _rows(text, dialect.delimiter, faults)
        next(rows, None)
        first = 2
        while chunk := list(islice(rows, _ROWS)):
            numbers = np.arange(first, first + len(chunk))
            first += len(chunk)
            parts.append(_part(*_proper(chunk, numbers, dialect, faults), dialect, columns, faults))
            if job is not None:
                job.check()
                job.report(file.tell() / size, tr("{n} records", n=first - 2))
    frame = pd.concat(parts, ignore_index=True) if parts else memory_frame()
    return MemoryRecord(frame, faults.faults())


def _rows(text: Iterable[str], delimiter: str, faults: FaultLog) -> Iterator[list[str]]:
    reader = csv.reader(text, delimiter=delimiter)
    while True:
        try:
            yield from reader
        except csv.Error:
            faults.add("unreadable row", reader.line_num)
        else:
            return


def _proper(
    rows: list[list[str]], numbers: Places, dialect: Dialect, faults: FaultLog
) -> tuple[list[list[str]], Places]:
    """The rows as wide as the header, and their numbers; others are counted and left out."""
    width = len(dialect.headings)
    if set(map(len, rows)) == {width}:
        return rows, numbers
    fitting = [len(row) == width for row in rows]
    for number, row, fits in zip(numbers.tolist(), rows, fitting, strict=True):
        if not fits and any(row):
            faults.add("row of another width", number)
    return list(compress(rows, fitting)), numbers[np.array(fitting, np.bool_)]


def _part(
    rows: list[list[str]],
    numbers: Places,
    dialect: Dialect,
    columns: dict[str, int],
    faults: FaultLog,
) -> pd.DataFrame:
    by_column = list(zip(*rows, strict=True)) or [()] * len(dialect.headings)
    cells = {
        column: [cell.strip() for cell in by_column[number]] for column, number in columns.items()
    }
    units = {column: dialect.headings[number].unit.casefold() for column, number in columns.items()}
    time, good = _times(cells["time"], numbers, units["time"], faults)
    sizes: dict[str, Sizes] = {}
    for column in SIZES:
        if column in columns:
            if dialect.delimiter != ",":
                cells[column] = [cell.replace(",", ".") for cell in cells[column]]
            unit = _BYTES.get(units[column], 1 << 20)
            sizes[column] = _sizes(cells[column], numbers, unit, faults)
    blank = [""] * len(rows)
    frame = memory_frame(
        component=cells.get("component", blank),
        time=time,
        sizes=sizes,
        stream=cells.get("stream", blank),
        device=cells.get("device", blank),
    )
    return frame if good.all() else frame[good]


def _times(
    cells: list[str], numbers: Places, unit: str, faults: FaultLog
) -> tuple[Places, NDArray[np.bool_]]:
    if unit == "ns":
        cells = [f"{cell}e-3" if cell else cell for cell in cells]
    times, states = exact_time.nanoseconds([cell.encode("ascii", "replace") for cell in cells])
    good = states == exact_time.OK
    faults.add_all("row without time", numbers[~good].tolist())
    for number, cell in zip(numbers.tolist(), cells, strict=True):
        if "E+" in cell:
            faults.add("time rounded by a spreadsheet", number)
    return times, good


def _sizes(cells: list[str], numbers: Places, unit: int, faults: FaultLog) -> Sizes:
    """Sizes in bytes, and where there are any."""
    try:
        values = np.array([float(cell) if cell else np.nan for cell in cells], np.float64)
    except ValueError:
        values = np.array([_number(cell) for cell in cells], np.float64)
    faults.add_all("size is not a number", numbers[np.isinf(values)].tolist())
    known = np.isfinite(values)
    return np.rint(np.where(known, values, 0) * unit).astype(np.int64), known


def _number(cell: str) -> float:
    """The number in a cell; NaN when it is blank, infinity when it is no number."""
    if cell.casefold() in _BLANK:
        return np.nan
    try:
        return float(cell)
    except ValueError:
        return np.inf
