"""Filters of single columns, as one types them: "> 10", "5..20", "!= add", "/^aten/". No Qt."""

from __future__ import annotations

import re
from decimal import ROUND_FLOOR, Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

import numpy as np

from studio.i18n import tr
from studio.kernel.timelimit import TimeIsUpError, time_limit

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from studio.ui.columns import Values

_SECONDS = 5.0
_HIGHEST = 400
_COMPARED = re.compile(r"(<=|>=|!=|<|>|=)\s*(.+)", re.DOTALL)
_NUMBER = r"[-+]?(?:\d[\d_ ]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_RANGE = re.compile(rf"({_NUMBER})?\s*\.\.\s*({_NUMBER})?")
_COMPARE: dict[str, Callable[[NDArray[Any], float], NDArray[np.bool_]]] = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "=": np.equal,
    "!=": np.not_equal,
}


class FilterError(ValueError):
    """What was typed cannot be understood; the text says why."""


def column_mask(values: Values, text: str) -> NDArray[np.bool_]:
    """Which rows of a column a filter lets through; numbers are compared in the shown unit.

    "empty" and "not empty" ask for cells without a value, which no other filter lets through.
    Raises FilterError.
    """
    text = text.strip()
    present = ~(values.missing | values.inapplicable)
    if text.casefold() in ("empty", "not empty"):
        return present if text.casefold() == "not empty" else ~present
    mask = np.zeros(len(values.array), dtype=bool)
    rows = np.flatnonzero(present)
    mask[rows] = (
        _of_numbers(values, rows, text) if values.numeric else _of_texts(values, rows, text)
    )
    return mask


def _of_numbers(values: Values, rows: NDArray[np.int64], text: str) -> NDArray[np.bool_]:
    cells = values.array[rows]
    between = _RANGE.fullmatch(text)
    if between and (between[1] or between[2]):
        mask = np.ones(len(cells), dtype=bool)
        if between[1]:
            mask &= _compared(cells, ">=", _stored(values, between[1]))
        if between[2]:
            mask &= _compared(cells, "<=", _stored(values, between[2]))
        return mask
    compared = _COMPARED.fullmatch(text)
    if compared:
        return _compared(cells, compared[1], _stored(values, compared[2]))
    if re.fullmatch(_NUMBER, text):
        return _compared(cells, "=", _stored(values, text))
    raise FilterError(tr("Type a number such as 10, > 10, <= 2.5, 5..20 or != 0."))


def _stored(values: Values, text: str) -> Decimal:
    """A number in the shown unit as the column stores it, without losing a digit."""
    number = _number(text)
    if values.column.kind == "percent":
        return number / 100
    return number * int(values.divisor)


def _compared(cells: NDArray[Any], sign: str, wanted: Decimal) -> NDArray[np.bool_]:
    """Compare floats as floats, and integers exactly, whatever their size."""
    if cells.dtype.kind == "f" or not wanted.is_finite():
        return _COMPARE[sign](cells.astype(np.float64), float(wanted))
    whole = int(wanted.to_integral_value(ROUND_FLOOR))
    if whole != wanted:  # what is above a number between two integers is above the lower one
        if sign in ("=", "!="):
            return np.full(len(cells), sign == "!=", dtype=bool)
        sign = "<=" if sign.startswith("<") else ">"
    if cells.dtype != object and abs(whole) >= 2**63:
        held = {"<": whole > 0, "<=": whole > 0, ">": whole < 0, ">=": whole < 0}
        return np.full(len(cells), held.get(sign, sign == "!="), dtype=bool)
    return np.asarray(_COMPARE[sign](cells, whole), np.bool_)


def _of_texts(values: Values, rows: NDArray[np.int64], text: str) -> NDArray[np.bool_]:
    if values.texts is None:
        cells = [values.shown(int(row)) for row in rows]
        return _text_mask(cells, text)
    # Few texts stand in many cells: each is looked at once.
    found = _text_mask([str(cell) for cell in values.texts], text)
    return np.asarray(found[values.array[rows]], np.bool_)


def _text_mask(cells: list[str], text: str) -> NDArray[np.bool_]:
    compared = re.fullmatch(r"(!=|=|!)\s*(.*)", text, re.DOTALL)
    sign, wanted = (compared[1], compared[2]) if compared else ("", text)
    if len(wanted) > 1 and wanted.startswith("/") and wanted.endswith("/"):
        try:
            pattern = re.compile(wanted[1:-1], re.IGNORECASE)
        except re.error as error:
            raise FilterError(tr("Not a valid regular expression: {why}.", why=error)) from error
        try:
            with time_limit(_SECONDS):
                found = [pattern.search(cell) is not None for cell in cells]
        except TimeIsUpError as error:
            raise FilterError(tr("This expression takes too long.")) from error
    elif sign in ("=", "!="):
        found = [cell.casefold() == wanted.casefold() for cell in cells]
    else:
        found = [wanted.casefold() in cell.casefold() for cell in cells]
    mask = np.array(found, dtype=bool)
    return ~mask if sign in ("!", "!=") else mask


def _number(text: str) -> Decimal:
    try:
        number = Decimal(text.replace(" ", "").replace("_", "").replace("\u2009", ""))
        # What no column holds would be too long to be written out as an integer.
        beyond = bool(number) and number.adjusted() > _HIGHEST
        return Decimal("Infinity").copy_sign(number) if beyond else number
    except InvalidOperation as error:
        raise FilterError(tr("{text} is not a number.", text=text.strip())) from error
