"""Converts scanned cells into a part of a table, as the portable reader does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from studio.formats import cells as states_of_cells
from studio.formats.ascend_csv import Part, Texts
from studio.formats.csv_scan import DECIMALS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from studio.formats.ascend_csv import CsvTable
    from studio.formats.cells import States
    from studio.formats.csv_scan import Cells

    Read = tuple[NDArray[Any], States]


def scanned_part(table: CsvTable, cells: Cells, first: int, chosen: dict[str, int]) -> Part:
    """Convert the chosen columns (by the number each has in the file)."""
    values: dict[str, NDArray[Any]] = {}
    states: dict[str, States] = {}
    numbers = _numbers(table, cells, chosen)
    for column, number in chosen.items():
        if table.layout[column].kind == "text":
            values[column], states[column] = _texts(table, cells, column, number)
            continue
        values[column], states[column] = numbers[column]
        bad = np.flatnonzero(states[column] == states_of_cells.UNREADABLE)
        table.faults.add_all("cell is not a number", cells.lines[bad].tolist())
    return Part(first, cells.rows, values, states)


def _texts(table: CsvTable, cells: Cells, column: str, number: int) -> Read:
    known = table.texts.setdefault(column, Texts())
    codes, texts = cells.texts(number)
    numbers = np.array([known[text] for text in texts] or [0], np.int32)
    found = numbers[codes]
    return np.maximum(found, -1), np.maximum(-found, 0).astype(np.uint8)


def _numbers(table: CsvTable, cells: Cells, chosen: dict[str, int]) -> dict[str, Read]:
    """All columns of numbers, those of one kind at once."""
    columns: dict[str, list[str]] = {"whole": [], "time": [], "real": []}
    for column in chosen:
        kind = table.layout[column].kind
        if kind == "time" and table.unit(column) not in DECIMALS:
            kind = "whole time"
        if kind != "text":
            columns.setdefault(_READ_AS.get(kind, "real"), []).append(column)
    places = {kind: [chosen[column] for column in own] for kind, own in columns.items()}
    found: dict[str, Read] = {}
    if own := columns["whole"]:
        for column, whole in zip(own, cells.whole_numbers(places["whole"]), strict=True):
            spec = table.layout[column]
            found[column] = whole if spec.kind == "time" else spec.without_none(*whole)
    if own := columns["time"]:
        units = [table.unit(column) for column in own]
        read = cells.times(places["time"], units)
        for column, (times, states, slow) in zip(own, read, strict=True):
            rounded = [int(cells.lines[row]) for row, text in slow if "E+" in text]
            table.faults.add_all("time rounded by a spreadsheet", rounded)
            found[column] = times, states
    if own := columns["real"]:
        for column, (real, states) in zip(own, cells.numbers(places["real"]), strict=True):
            spec, unit = table.layout[column], table.unit(column)
            if spec.kind == "size":
                found[column] = states_of_cells.in_bytes(real, states, unit), states
            else:
                found[column] = spec.scaled(real, unit), states
    return found


_READ_AS: Final = {"whole": "whole", "whole time": "whole", "time": "time"}
"""How kinds of columns are read; all others are real numbers."""
