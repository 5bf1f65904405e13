"""Cells of text tables as arrays; every cell is a value, blank, not applicable, or unreadable.

A blank cell says that nothing was recorded, "N/A" that the column makes no sense for the row. Both
are no value, but they are not the same, so that each array comes with one state per cell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from studio.formats import exact_time

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    States = NDArray[np.uint8]

VALUE: Final = 0
BLANK: Final = 1
NOT_APPLICABLE: Final = 2
UNREADABLE: Final = 3

_BLANK: Final = frozenset({"", "null", "none", "nan", "-"})
_NOT_APPLICABLE: Final = frozenset({"n/a", "na"})
_QUOTES: Final = ' \t\r\n"'
_BYTES: Final = {"b": 1, "byte": 1, "bytes": 1, "kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30}
_SMALLEST, _LARGEST = -(2**63), 2**63 - 1


def clean(cell: str) -> str:
    """The text of a cell without blanks, TABs and the quotes that Ascend puts around shapes."""
    return cell.strip(_QUOTES)


def state_of(cell: str) -> int:
    """`VALUE`, `BLANK` or `NOT_APPLICABLE`, from the text of a cell."""
    text = cell.strip(_QUOTES).casefold()
    if text in _BLANK:
        return BLANK
    return NOT_APPLICABLE if text in _NOT_APPLICABLE else VALUE


def whole_numbers(cells: Sequence[str]) -> tuple[NDArray[np.int64], States]:
    """Whole numbers; cells without one are 0 and have another state."""
    try:
        return np.fromiter(map(int, cells), np.int64, len(cells)), np.zeros(len(cells), np.uint8)
    except (ValueError, OverflowError):
        return _one_by_one(cells, _whole, np.int64)


def numbers(cells: Sequence[str]) -> tuple[NDArray[np.float64], States]:
    """Numbers with a fraction; cells without one are NaN and have another state."""
    try:
        values = np.fromiter(map(float, cells), np.float64, len(cells))
    except ValueError:
        return _one_by_one(cells, _number, np.float64)
    if not np.isfinite(values).all():  # "nan" is blank, "inf" is not readable
        return _one_by_one(cells, _number, np.float64)
    return values, np.zeros(len(cells), np.uint8)


def times(cells: Sequence[str], unit: str = "us") -> tuple[NDArray[np.int64], States]:
    """Times and durations in nanoseconds, exact; cells without one are 0 and have another state."""
    texts = [cell.strip(_QUOTES) for cell in cells]
    if unit == "ns":
        return whole_numbers(texts)
    if unit in ("ms", "s"):
        shift = "e3" if unit == "ms" else "e6"
        texts = [f"{text}{shift}" if text[-1:].isdecimal() else text for text in texts]
    values, found = exact_time.nanoseconds([text.encode("ascii", "replace") for text in texts])
    if not found.any():
        return values, np.zeros(len(cells), np.uint8)
    states = np.where(found == exact_time.OK, VALUE, UNREADABLE).astype(np.uint8)
    for place in np.flatnonzero(found != exact_time.OK).tolist():
        states[place] = state_of(texts[place]) or UNREADABLE
    return values, states


def sizes(cells: Sequence[str], unit: str) -> tuple[NDArray[np.int64], States]:
    """Sizes in bytes, from cells in B, KB, MB or GB (of 1024); negative ones stay negative."""
    values, states = numbers(cells)
    return in_bytes(values, states, unit), states


def in_bytes(values: NDArray[np.float64], states: States, unit: str) -> NDArray[np.int64]:
    """Numbers of a unit as whole bytes; 0 where there is none."""
    factor = _BYTES.get(unit.casefold(), 1)
    known = np.where(states == VALUE, values, 0)
    found: NDArray[np.int64] = np.rint(known * factor).astype(np.int64)
    return found


def _one_by_one(
    cells: Sequence[str],
    convert: Callable[[str], tuple[float, int]],
    kind: type[np.generic],
) -> tuple[NDArray[Any], States]:
    known: dict[str, tuple[float, int]] = {}
    for cell in set(cells):
        known[cell] = convert(cell.strip(_QUOTES))
    pairs = [known[cell] for cell in cells]
    return np.array([value for value, _ in pairs], kind), np.array([s for _, s in pairs], np.uint8)


def _whole(text: str) -> tuple[int, int]:
    state = state_of(text)
    if state != VALUE:
        return 0, state
    try:
        value = int(text)
    except ValueError:
        number, state = _number(text)
        if state != VALUE or number != int(number):
            return 0, UNREADABLE
        value = int(number)
    return (value, VALUE) if _SMALLEST <= value <= _LARGEST else (0, UNREADABLE)


def _number(text: str) -> tuple[float, int]:
    state = state_of(text)
    if state != VALUE:
        return np.nan, state
    try:
        number = float(text)
    except ValueError:
        return np.nan, UNREADABLE
    return (number, VALUE) if np.isfinite(number) else (np.nan, UNREADABLE)
