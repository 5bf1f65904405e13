"""Everything that takes all elements of a pair, in one pass: histograms, worst elements, axes."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from plugins.precision.core.tensors.axes import AxisFigures, AxisSums
from plugins.precision.core.tensors.histogram import Histogram, HistogramSums
from plugins.precision.core.tensors.planes import real, relative_difference, signed_difference
from plugins.precision.core.tensors.walk import blocks
from plugins.precision.core.tensors.worst import Element, WorstSums

if TYPE_CHECKING:
    from plugins.precision.core.tensors.opened import OpenedPair
    from studio.kernel.job_context import JobContext


@dataclass(frozen=True, slots=True)
class Figures:
    """What all elements of a pair say; None where a side is missing or the shapes differ."""

    base: Histogram | None
    candidate: Histogram | None
    relative: Histogram | None
    """Of the relative errors; equal elements are its zeros."""
    by_difference: tuple[Element, ...]
    by_relative: tuple[Element, ...]
    axes: tuple[AxisFigures, ...]


def figures_of(pair: OpenedPair, job: JobContext | None = None) -> Figures:
    """Walk both tensors once, block by block; raises TensorError when a file cannot be read."""
    base, candidate, relative = HistogramSums(), HistogramSums(), HistogramSums()
    worst, axes = WorstSums(), AxisSums(pair.shape)
    total, done = prod(pair.shape), 0
    for block in blocks(pair):
        if job is not None:
            job.check()
            job.report(done / total)
        done += block.count
        one = None if block.base is None else real(block.base)
        two = None if block.candidate is None else real(block.candidate)
        size = None
        if one is not None:
            base.add(one)
        if two is not None:
            candidate.add(two)
        if block.base is not None and block.candidate is not None:
            size = signed_difference(block.base, block.candidate)
            apart = relative_difference(block.base, size)
            relative.add(apart)
            worst.add(block.start, block.base, block.candidate, size, apart)
        axes.add(block.start, one, two, size)
    return Figures(
        base.result() if pair.base and (pair.comparable or not pair.candidate) else None,
        candidate.result() if pair.candidate else None,
        relative.result() if pair.comparable else None,
        worst.by_difference(),
        worst.by_relative(),
        axes.result(),
    )
