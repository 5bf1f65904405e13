"""Percentiles of the lengths of slices by name, by kernels: exact, and fast in any window."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from studio.trace.halves import at_once, parts_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from studio.trace.store import Trace

    Times = NDArray[np.int64]

PERCENTILES: Final = (50, 99)
_SAMPLE = 1 << 18


def places(count: Times, percent: int) -> Times:
    """Where in sorted lengths a percentile stands."""
    return np.maximum(-(-count * percent // 100) - 1, 0)


def percentiles_of_names(trace: Trace) -> tuple[Times, ...]:
    """The percentiles of all whole slices of each name."""
    everything = np.zeros(1, np.int64), np.full(1, len(trace), np.int64)
    return percentiles_in(trace, *everything, -(2**63), 2**63 - 1)


def percentiles_in(trace: Trace, first: Times, last: Times, t0: int, t1: int) -> tuple[Times, ...]:
    """The percentiles of each name in a window; the slices of each row that touch it are given."""
    from studio.trace.kernels import percentiles as kernels
    from studio.trace.kernels.sums import smallest

    edges, steps = trace.length_steps
    columns = trace.start, trace.duration, trace.name, steps, edges
    parts = parts_of(first, last)
    counted = [np.zeros(len(edges) * kernels.STEPS, np.int32) for _ in parts]
    at_once(
        [
            partial(kernels.count_steps, *columns, *part, t0, t1, into)
            for part, into in zip(parts, counted, strict=True)
        ]
    )
    counts = np.sum(counted, axis=0).reshape(-1, kernels.STEPS)
    up_to = np.cumsum(counts, axis=1, dtype=np.int64)
    names = np.arange(len(edges))
    wanted = np.zeros(counts.shape, np.bool_)
    found = []
    for percent in PERCENTILES:
        place = places(up_to[:, -1], percent)
        step = np.minimum((up_to <= place[:, None]).sum(axis=1), kernels.STEPS - 1)
        wanted[names, step] = up_to[:, -1] > 0
        found.append((step, place - up_to[names, step] + counts[names, step]))
    sizes = np.where(wanted, counts, 0).ravel()
    bounds = np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))
    begins = np.where(wanted.ravel(), bounds[:-1], -1)
    lengths = np.empty(int(bounds[-1]), np.int64)
    writers = []
    for part, more in zip(parts, counted, strict=True):
        room = begins.copy(), np.empty(len(edges), np.uint32)
        writers.append(partial(kernels.lengths_of_steps, *columns, *part, t0, t1, *room, lengths))
        begins = np.where(begins >= 0, begins + more, -1)
    at_once(writers)
    results = []
    for step, place in found:
        inner = np.zeros(counts.shape, np.int64)
        inner[names, step] = np.where(wanted[names, step], place, 0)
        values = np.zeros(inner.size, np.int64)
        smallest(lengths, bounds, inner.ravel(), values)
        results.append(values.reshape(counts.shape)[names, step])
    return tuple(results)


def length_steps(trace: Trace) -> tuple[Times, NDArray[np.uint8]]:
    """Edges that divide the lengths of each name into steps of like size, and each slice's step.

    The edges come from a sample: they tell how fast percentiles are found, not which.
    """
    from studio.trace.kernels import percentiles as kernels

    sample = np.arange(0, len(trace), max(len(trace) // _SAMPLE, 1) | 1)
    name, length = trace.name[sample], trace.duration[sample]
    order = np.lexsort((length, name))
    length = length[order]
    bounds = np.searchsorted(name[order], np.arange(len(trace.names) + 1))
    size = np.diff(bounds)
    edges = np.full((len(trace.names), kernels.STEPS - 1), np.iinfo(np.int64).max)
    some = size > 0
    for step in range(1, kernels.STEPS):
        edges[some, step - 1] = length[bounds[:-1][some] + size[some] * step // kernels.STEPS]
    steps = np.empty(len(trace), np.uint8)
    columns = trace.duration, trace.name, trace.open_ended
    kernels.steps_of(*columns, edges, steps)
    return edges, steps
