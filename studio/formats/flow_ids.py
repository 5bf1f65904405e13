"""Ids of flow arrows as exact integers: 4294967296 and "4294967296" are the same id."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from studio.formats.chrome_columns import Interner

_LARGEST = 2**63


def flow_ids(ids: Sequence[object], texts: Interner) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return an integer per id, and whether it is the number of an interned text.

    Ids written as whole numbers below 2**63 stand for themselves.
    """
    numbers = [
        value if type(value) is int and 0 <= value < _LARGEST else _number(value) for value in ids
    ]
    interned = np.fromiter((number is None for number in numbers), np.bool_, len(numbers))
    for index in np.flatnonzero(interned).tolist():
        value = ids[index]
        numbers[index] = texts[value if isinstance(value, str) else str(value)]
    return np.array(numbers, np.int64), interned


def _number(value: object) -> int | None:
    if isinstance(value, str) and value.isdecimal() and value.isascii():
        number = int(value) if len(value) < 20 else _LARGEST
        if number < _LARGEST and (value[0] != "0" or value == "0"):
            return number
    return None
