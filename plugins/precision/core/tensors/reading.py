"""Read parts of large tensors by plain reads where whole runs of elements are wanted.

A file that shrinks meanwhile gives an error, where reading a memory map of it would end the
program; and reading ahead is faster than faulting pages in one by one.
"""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from studio.i18n import tr
from studio.tensors.tensor import TensorError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from studio.tensors.tensor import TensorFile

_LEAST_RUN = 1 << 10
_MOST_RUNS = 64


def read_part(tensor: TensorFile, part: Sequence[slice]) -> NDArray[Any] | None:
    """Return a part of a tensor as stored, one slice per axis; None when it lies too scattered.

    Raises TensorError when the file ends before.
    """
    if not tensor.streamed:
        return None
    shape, pieces = tensor.shape, list(part)
    if tensor.fortran_order:
        shape, pieces = shape[::-1], pieces[::-1]
    spans = [range(*piece.indices(length)) for piece, length in zip(pieces, shape, strict=True)]
    counts = [len(span) for span in spans]
    if 0 in counts:
        return None
    outer = _outer(shape, spans)
    size = tensor.type.stored.itemsize
    inner = prod(shape[outer + 1 :])
    first, last = (spans[outer][0], spans[outer][-1] + 1) if outer < len(shape) else (0, 1)
    run = (last - first) * inner
    runs = prod(counts[:outer])
    if runs > _MOST_RUNS and run * size < _LEAST_RUN:
        return None
    steps = [prod(shape[axis + 1 :]) for axis in range(len(shape))]
    found = np.empty((runs, prod(counts[outer:])), tensor.type.stored)
    with tensor.path.open("rb", buffering=0) as file:
        for place, index in enumerate(product(*spans[:outer])):
            start = sum(i * s for i, s in zip(index, steps, strict=False)) + first * inner
            file.seek(tensor.offset + start * size)
            data = file.read(run * size)
            if len(data) < run * size:
                raise TensorError(tr("became shorter while it was read"), path=tensor.path)
            row = np.frombuffer(data, tensor.type.stored)
            if outer < len(shape):
                row = row.reshape(last - first, inner)[:: spans[outer].step].reshape(-1)
            found[place] = row
    shaped = found.reshape(counts)
    return shaped.transpose() if tensor.fortran_order else shaped


def _outer(shape: tuple[int, ...], spans: list[range]) -> int:
    """The slowest axis whose part is read in one run: all axes after it are taken whole."""
    axis = len(shape) - 1
    while axis > 0 and spans[axis] == range(shape[axis]) and spans[axis - 1].step == 1:
        axis -= 1
    return max(axis, 0)
