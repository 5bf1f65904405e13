"""Write large tables as CSV text, faster than cell by cell through JSON."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def csv_text(columns: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return CSV text; None is an empty cell, a list is written as JSON."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return stream.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (tuple, list)):
        return json.dumps(value)
    return value
