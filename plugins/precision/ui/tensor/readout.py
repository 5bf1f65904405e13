"""One element of both tensors in a line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from plugins.precision.core.tensors.planes import relative_difference, signed_difference
from studio.i18n import tr
from studio.tensors.tensor import TensorError

if TYPE_CHECKING:
    from plugins.precision.core.tensors.opened import OpenedPair


def readout(pair: OpenedPair, index: tuple[int, ...] | None) -> str:
    """Return index, values and difference of an element; what to do when there is none."""
    if index is None:
        return tr("Point at a cell to read its element; wheel zooms, drag moves, click marks.")
    place = f"[{', '.join(map(str, index))}]"
    shown = pair.candidate or pair.base
    if shown is None or not all(0 <= i < n for i, n in zip(index, shown.shape, strict=True)):
        return ""
    try:
        value = shown.element(index)
        if not pair.comparable or pair.base is None:
            return f"{place}   {written(value)}"
        base = pair.base.element(index)
    except (TensorError, OSError) as error:
        return str(getattr(error, "message", error))
    one, two = np.array([base]), np.array([value])
    size = signed_difference(one, two)
    relative = relative_difference(one, size)
    return "   ".join(
        (
            place,
            tr("base {value}", value=written(base)),
            tr("candidate {value}", value=written(value)),
            tr("difference {value}", value=written(float(size[0]))),
            tr("relative error {value}", value=written(float(relative[0]))),
        )
    )


def written(value: Any) -> str:  # noqa: ANN401 - any number of Python
    """Return a number with its digits: nine for floating-point numbers."""
    if isinstance(value, bool | int):
        return str(value)
    return str(value).strip("()") if isinstance(value, complex) else f"{value:.9g}"
