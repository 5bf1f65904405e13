"""How many decimals the numbers of a column have in common, so that their points stand in a line.

No Qt.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MORE = 3
"""So many digits more than asked for may the largest number get for the sake of the smallest."""
_LARGEST = 1e12
_FIRST = 1_000


def common_decimals(numbers: NDArray[Any], digits: int) -> int | None:
    """The decimals that show the largest number with `digits` digits, and each with one at least.

    The smallest gets three (two below 1) where the largest then has no more than three more than
    asked for.
    Zeros at the end that all numbers would have are left out. None where the numbers are too far
    apart for that, or none is finite: then each is written by itself.
    """
    finite = np.abs(numbers[np.isfinite(numbers)]).astype(np.float64)
    above = finite[finite > 0]
    if not len(above):
        return 0 if len(finite) else None
    largest, least = float(above.max()), float(above.min())
    if largest >= _LARGEST:
        return None
    high, low = (math.floor(math.log10(number)) for number in (largest, least))
    room = digits + _MORE - max(high, 0) - 1
    if -low > room:
        return None
    wanted = 2 - low if low >= 0 else 1 - low
    decimals = max(digits - 1 - high, min(wanted, room), 0)
    while decimals and _all_zeros(above, decimals):
        decimals -= 1
    return decimals


def _all_zeros(numbers: NDArray[np.float64], decimals: int) -> bool:
    """Whether the last decimal is 0 in every number; few of them mostly tell."""
    for part in (numbers[:_FIRST], numbers[_FIRST:]):
        if (np.rint(part * 10**decimals) % 10 != 0).any():
            return False
    return True
