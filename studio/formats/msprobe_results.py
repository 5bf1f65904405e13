"""Tables that msprobe wrote: comparisons, checks of single operators, its monitor, its databases.

The CSV and XLSX files come with or without a byte order mark, with English or Chinese headers, and
with words where numbers are missing ("N/A", "unsupported", " inf", "0.5%").
"""

from __future__ import annotations

import csv
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from studio.formats.database import is_database
from studio.i18n import tr
from studio.kernel.errors import StudioError

if TYPE_CHECKING:
    from pathlib import Path

Cell = str | float | int | bool | None

COMPARE: Final = "compare"
CHECK_DETAILS: Final = "check details"
CHECK_RESULT: Final = "check result"
MONITOR: Final = "monitor"
FREE_BENCHMARK: Final = "free benchmark"
GRADIENTS: Final = "gradients"

_CHINESE: Final = {
    "余弦相似度": "Cosine",
    "最大绝对误差": "MaxAbsErr",
    "双百指标": "One Hundredth Err Ratio",
    "双千指标": "One Thousandth Err Ratio",
    "双万指标": "One Ten-thousandth Err Ratio",
    "二进制一致错误率": "Binary Err Ratio",
    "误差均衡性": "Error Balance",
    "均方根误差": "RMSE",
    "小值域错误占比": "Small Value Err Ratio",
    "相对误差最大值": "MaxRelativeErr",
    "相对误差平均值": "MeanRelativeErr",
    "inf/nan错误率": "Inf/NaN Err Ratio",
    "相对误差错误率": "Relative Err Ratio",
    "绝对误差错误率": "Absolute Err Ratio",
    "ULP误差最大值": "Max ULP Err",
    "ULP误差平均值": "Mean ULP Err",
    "ULP误差大于阈值占比": "ULP Err Ratio",
    "比对结果": "Compare Result",
    "比对算法": "Compare Algorithm",
}
_MISSING: Final = frozenset(("", "n/a", "none", "unsupported", "no real data", "no data"))
_WORDS: Final = frozenset(("true", "false"))
_HEADER: Final = 1 << 16
_SIZE_LIMIT: Final = 512 << 20
_ZIP: Final = b"PK\x03\x04"


@dataclass(frozen=True, slots=True)
class ResultTable:
    """One table: its columns in English, and rows of numbers, words and None."""

    path: Path
    kind: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    sheet: str = ""
    """The sheet of a workbook that it stood in."""

    def column(self, name: str) -> list[Cell]:
        """Return all cells of a column."""
        place = self.columns.index(name)
        return [row[place] for row in self.rows]


def read_results(path: Path) -> ResultTable:
    """Read a table of msprobe from a CSV file, a workbook or a database.

    Raises StudioError when it is none, is damaged, or would take too much memory.
    """
    if is_database(path):
        from studio.formats.msprobe_databases import read_database

        kind, names, found = read_database(path)
        return ResultTable(path, kind, tuple(names), tuple(map(_cells, found)))
    sheets = _read_sheets(path) if _is_zip(path) else {"": _read_csv(path)}
    for sheet, rows in sheets.items():
        header = [name.strip() for name in rows[0]] if rows else []
        if kind := table_kind(header):
            return _table(path, kind, header, rows, sheet)
    raise StudioError(tr("{file} is no table of msprobe", file=path.name), path=path)


def _table(
    path: Path, kind: str, header: list[str], rows: list[list[str]], sheet: str
) -> ResultTable:
    columns = tuple(_CHINESE.get(name, name) for name in header)
    width = len(columns)
    cells = tuple(
        tuple(cell(text) for text in [*row, *[""] * (width - len(row))][:width]) for row in rows[1:]
    )
    return ResultTable(path, kind, columns, cells, sheet)


def _cells(row: list[Cell]) -> tuple[Cell, ...]:
    return tuple(cell(entry) if isinstance(entry, str) else entry for entry in row)


def _is_zip(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(_ZIP)) == _ZIP
    except OSError:
        return False


def _read_sheets(path: Path) -> dict[str, list[list[str]]]:
    from studio.formats.xlsx import read_sheets

    return read_sheets(path)


def _read_csv(path: Path) -> list[list[str]]:
    limit = csv.field_size_limit()
    try:
        csv.field_size_limit(min(sys.maxsize, 1 << 30))
        if path.stat().st_size > _SIZE_LIMIT:
            raise StudioError(tr("{file} is too large to read", file=path.name), path=path)
        with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
            return list(csv.reader(file))
    except OSError as error:
        text = tr("{file}: {reason}", file=path.name, reason=error.strerror or str(error))
        raise StudioError(text, path=path) from error
    except csv.Error as error:
        text = tr("{file} is no table of msprobe: {reason}", file=path.name, reason=error)
        raise StudioError(text, path=path) from error
    finally:
        csv.field_size_limit(limit)


def table_kind(header: list[str]) -> str:
    """Return what a header is of, "" when it is not msprobe's."""
    names = set(header)
    if {"NPU Name", "Bench Name"} <= names:
        return COMPARE
    if {"vpp_stage", "step"} <= names and names & {"name", "module_name"}:
        return MONITOR
    if {"pert_mode", "api_name", "max_rel"} <= names:
        return FREE_BENCHMARK
    if {"param_name", "norm", "shape"} <= names:
        return GRADIENTS
    lower = {name.casefold() for name in names}
    if "api name" not in lower:
        return ""
    if "forward test success" in lower:
        return CHECK_RESULT
    return CHECK_DETAILS if names & set(_CHINESE) else ""


def cell(text: str) -> Cell:
    """Return a cell as a number where it is one; a percentage as its share, None when missing."""
    plain = text.strip()
    low = plain.casefold()
    if low in _MISSING:
        return None
    if low in _WORDS:
        return low == "true"
    if "_" in plain:  # which Python takes for a part of a number
        return text
    try:
        if plain.endswith("%"):
            return float(plain[:-1]) / 100
        return int(plain) if plain.lstrip("+-").isdigit() else float(plain)
    except ValueError:
        return text


def result_kind(path: Path) -> str:
    """Return what table a file has, from its beginning; "" when it is none of msprobe's.

    A workbook is read in full, and one that cannot be read counts as none.
    """
    try:
        if is_database(path):
            from studio.formats.msprobe_databases import database_kind

            return database_kind(path)
        if _is_zip(path):
            sheets = _read_sheets(path) if path.suffix.casefold() == ".xlsx" else {}
            headers = [[name.strip() for name in rows[0]] for rows in sheets.values() if rows]
            return next(filter(None, map(table_kind, headers)), "")
        with path.open("rb") as file:
            line = file.readline(_HEADER).decode("utf-8-sig", "replace")
        return table_kind([name.strip() for name in next(csv.reader([line]), [])])
    except (OSError, StudioError, csv.Error):
        return ""
