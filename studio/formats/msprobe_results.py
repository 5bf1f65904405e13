"""Tables that msprobe wrote: of comparisons, and of its checks of single operators.

The CSV files come with or without a byte order mark, with English or Chinese headers, and with
words where numbers are missing ("N/A", "unsupported", " inf", "0.5%").
"""

from __future__ import annotations

import csv
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from studio.i18n import tr
from studio.kernel.errors import StudioError

if TYPE_CHECKING:
    from pathlib import Path

Cell = str | float | int | bool | None

COMPARE: Final = "compare"
CHECK_DETAILS: Final = "check details"
CHECK_RESULT: Final = "check result"

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


@dataclass(frozen=True, slots=True)
class ResultTable:
    """One table: its columns in English, and rows of numbers, words and None."""

    path: Path
    kind: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def column(self, name: str) -> list[Cell]:
        """Return all cells of a column."""
        place = self.columns.index(name)
        return [row[place] for row in self.rows]


def read_results(path: Path) -> ResultTable:
    """Read a table of msprobe; raises StudioError when it is none."""
    limit = csv.field_size_limit()
    try:
        csv.field_size_limit(min(sys.maxsize, 1 << 30))
        with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
            rows = list(csv.reader(file))
    except OSError as error:
        text = tr("{file}: {reason}", file=path.name, reason=error.strerror or str(error))
        raise StudioError(text, path=path) from error
    finally:
        csv.field_size_limit(limit)
    header = [name.strip() for name in rows[0]] if rows else []
    kind = table_kind(header)
    if not kind:
        raise StudioError(tr("{file} is no table of msprobe", file=path.name), path=path)
    columns = tuple(_CHINESE.get(name, name) for name in header)
    width = len(columns)
    cells = tuple(
        tuple(cell(text) for text in [*row, *[""] * (width - len(row))][:width]) for row in rows[1:]
    )
    return ResultTable(path, kind, columns, cells)


def table_kind(header: list[str]) -> str:
    """Return what a header is of, "" when it is not msprobe's."""
    names = set(header)
    if {"NPU Name", "Bench Name"} <= names:
        return COMPARE
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
    try:
        if plain.endswith("%"):
            return float(plain[:-1]) / 100
        return int(plain) if plain.lstrip("+-").isdigit() else float(plain)
    except ValueError:
        return text
