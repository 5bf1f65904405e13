"""Converts scanned cells into a part of a table, as the portable reader does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from studio.formats import cells as states_of_cells
from studio.formats.ascend_csv import Part, Texts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from studio.formats.ascend_csv import CsvTable
    from studio.formats.cells import States
    from studio.formats.csv_scan import Cells


def scanned_part(table: CsvTable, cells: Cells, first: int, chosen: dict[str, int]) -> Part:
    """Convert the chosen columns (by the number each has in the file)."""
    values: dict[str, NDArray[Any]] = {}
    states: dict[str, States] = {}
    for column, number in chosen.items():
        values[column], states[column] = _column(table, cells, column, number)
        bad = np.flatnonzero(states[column] == states_of_cells.UNREADABLE)
        table.faults.add_all("cell is not a number", cells.lines[bad].tolist())
    return Part(first, cells.rows, values, states)


def _column(table: CsvTable, cells: Cells, column: str, number: int) -> tuple[NDArray[Any], States]:
    spec, unit = table.layout[column], table.unit(column)
    match spec.kind:
        case "text":
            known = table.texts.setdefault(column, Texts())
            codes, texts = cells.texts(number)
            numbers = np.array([known[text] for text in texts] or [0], np.int32)
            found = numbers[codes]
            return np.maximum(found, -1), np.maximum(-found, 0).astype(np.uint8)
        case "whole":
            return spec.without_none(*cells.whole_numbers(number))
        case "time":
            times, states, slow = cells.times(number, unit)
            rounded = [int(cells.lines[row]) for row, text in slow if "E+" in text]
            table.faults.add_all("time rounded by a spreadsheet", rounded)
            return times, states
        case "size":
            return cells.sizes(number, unit)
    plain, states = cells.numbers(number)
    return spec.scaled(plain, unit), states
