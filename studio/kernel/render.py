"""Print the results of commands: as a table to read, as JSON or CSV for other programs."""

from __future__ import annotations

import dataclasses
import io
import json
import math
import os
import sys
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any

from studio.i18n import tr
from studio.kernel.csv_rows import RowWriter
from studio.kernel.text_table import draw_record, draw_table


def to_json(result: object) -> str:
    """Return a result as JSON text; numbers are exact, what was not recorded is null."""
    return json.dumps(plain(result), ensure_ascii=False, indent=2, allow_nan=False)


def to_csv(result: object) -> str:
    """Return a result as CSV text: one line per row, or one line of a single record.

    Of a record that holds one list of records (such as the items of a scan) the list is printed;
    a result with `to_csv()` says it itself.
    """
    own = getattr(result, "to_csv", None)
    if callable(own) and not _is_pandas(result, "DataFrame") and not _is_pandas(result, "Series"):
        return str(own())
    rows = _rows(plain(result))
    columns = list(dict.fromkeys(name for row in rows for name in row)) or _columns(result)
    stream = io.StringIO()
    writer = RowWriter(stream)
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_cell(row.get(name)) for name in columns])
    return stream.getvalue()


def to_table(result: object) -> str:
    """Return a result as text to read in a terminal; one with `to_text()` says it itself."""
    own = getattr(result, "to_text", None)
    if callable(own):
        return str(own())
    value = plain(result)
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return draw_record(value)
    if isinstance(value, list):
        if not value and _is_pandas(result, "DataFrame"):
            return tr("There is nothing to list.")
        return draw_table(_rows(value))
    return _cell(value)


def plain(value: object) -> Any:  # noqa: ANN401 - what JSON knows
    """Reduce a result to what JSON knows; NaN and missing values become None."""
    custom = getattr(value, "to_json", None)
    if _is_pandas(value, "DataFrame"):
        return _frame_rows(value)
    if _is_pandas(value, "Series"):
        return [plain(entry) for entry in value.tolist()]  # type: ignore[attr-defined]
    if callable(custom) and not isinstance(value, type):
        return plain(custom())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    match value:
        case None | bool() | str() | Enum() | os.PathLike():
            return _simple(value)
        case int():
            return int(value)
        case float():
            return _number(value)
        case Mapping():
            return {str(_simple(key)): plain(entry) for key, entry in value.items()}
    return _foreign(value)


def _simple(value: object) -> Any:  # noqa: ANN401 - a text, a truth value or None
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return value


def _number(value: float) -> float | str | None:
    if math.isnan(value):
        return None
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return float(value)


def _foreign(value: object) -> Any:  # noqa: ANN401 - see plain
    """Reduce what numpy, pandas and others make: scalars, arrays, times."""
    pandas = sys.modules.get("pandas")
    if pandas is not None and value is getattr(pandas, "NA", None):
        return None
    to_list = getattr(value, "tolist", None)
    if callable(to_list):
        return plain(to_list())
    to_text = getattr(value, "isoformat", None)
    if callable(to_text):
        return None if str(value) == "NaT" else to_text()
    if isinstance(value, Iterable):
        entries = sorted(value, key=repr) if isinstance(value, (set, frozenset)) else value
        return [plain(entry) for entry in entries]
    return str(value)


def _is_pandas(value: object, name: str) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(value, getattr(pandas, name))


def _frame_rows(frame: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - a DataFrame, imported late
    named = frame.reset_index() if any(name is not None for name in frame.index.names) else frame
    columns = [[plain(entry) for entry in named.iloc[:, i].tolist()] for i in range(named.shape[1])]
    names = [str(name) for name in named.columns]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def _columns(result: object) -> list[str]:
    return [str(name) for name in result.columns] if _is_pandas(result, "DataFrame") else []  # type: ignore[attr-defined]


def _rows(value: object) -> list[dict[str, Any]]:
    if isinstance(value, dict):
        lists = [entry for entry in value.values() if isinstance(entry, list)]
        tables = [entry for entry in lists if all(isinstance(row, dict) for row in entry)]
        return tables[0] if len(tables) == 1 and tables[0] else [value]
    entries = value if isinstance(value, list) else [value]
    return [entry if isinstance(entry, dict) else {"value": entry} for entry in entries]


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False)
    return str(value)
