"""Slices of tensors as CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugins.precision.core.csv_text import csv_text
from plugins.precision.core.tensors.planes import (
    Slice,
    cut,
    relative_difference,
    signed_difference,
)
from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.kernel.files import write_atomic

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from plugins.precision.core.tensors.opened import OpenedPair
    from plugins.precision.core.tensors.planes import Window
    from studio.kernel.job_context import JobContext

MOST_ROWS = 1 << 20
"""Elements that a table for a spreadsheet can have."""


def slice_csv(pair: OpenedPair, where: Slice, window: Window, job: JobContext | None = None) -> str:
    """Return the elements of a part of a slice: index, base, candidate, difference, relative error.

    Raises StudioError when there are more than a spreadsheet takes.
    """
    count = (window.bottom - window.top) * (window.right - window.left)
    if count > MOST_ROWS:
        raise StudioError(
            tr(
                "The part that is shown has {n} elements; a table takes {most}. Zoom in first.",
                n=count,
                most=MOST_ROWS,
            )
        )
    names = [f"axis {axis}" for axis in range(len(pair.shape))]
    columns = [*names, "base", "candidate", "difference", "relative_error"]
    if not pair.comparable:
        columns = [*names, "value"]
    return csv_text(columns, _rows(pair, where, window, job), lists=set())


def write_slice(
    pair: OpenedPair, where: Slice, window: Window, target: Path, job: JobContext | None = None
) -> Path:
    """Write the elements of a part of a slice to a CSV file that spreadsheets also read."""
    write_atomic(target, slice_csv(pair, where, window, job).encode("utf-8-sig"))
    return target


def _rows(
    pair: OpenedPair, where: Slice, window: Window, job: JobContext | None
) -> Iterator[tuple[Any, ...]]:
    across = slice(window.left, window.right)
    shown = pair.candidate or pair.base
    assert shown is not None
    for row in range(window.top, window.bottom):
        if job is not None:
            job.check()
        down = slice(row, row + 1)
        values = cut(shown, where, down, across)[0]
        indices = [where.element(row, column) for column in range(window.left, window.right)]
        if not pair.comparable or pair.base is None:
            yield from ((*i, v) for i, v in zip(indices, values.tolist(), strict=True))
            continue
        base = cut(pair.base, where, down, across)[0]
        size = signed_difference(base, values)
        apart = relative_difference(base, size)
        cells = zip(
            indices, base.tolist(), values.tolist(), size.tolist(), apart.tolist(), strict=True
        )
        yield from ((*index, *rest) for index, *rest in cells)
