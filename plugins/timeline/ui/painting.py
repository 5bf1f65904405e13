"""Many rows of slices to pixels: by kernels where they are loaded, else row by row in numpy.

Both paint the same picture, but for dense rows, where kernels sum up cells instead of slices: the
busy share of a pixel is then right to a few hundredths.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from plugins.timeline.ui import raster
from plugins.timeline.ui.raster import SHARES, WIDE
from plugins.timeline.ui.viewport import Viewport

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from plugins.timeline.ui.raster import Grid
    from plugins.timeline.ui.rows import Rows


@dataclass(frozen=True)
class Picture:
    """Rows as pixels: colour slot and busy share of every column, and the wide slices.

    `row` tells for each wide slice which of the painted rows it is in.
    """

    slots: NDArray[np.uint8]
    shares: NDArray[np.float32]
    wide: NDArray[np.int64]
    row: NDArray[np.int64]


def paint(rows: Rows, numbers: Sequence[int], columns: Grid, edges: Sequence[bool]) -> Picture:
    """Paint some rows; where `edges` says so, wide slices begin with a darker column."""
    shape = (len(numbers), columns.width)
    slots, shares = np.zeros(shape, np.uint8), np.zeros(shape, np.float32)
    if rows.cells is not None:
        wide, found = _paint_compiled(rows, numbers, columns, slots, shares)
    else:
        wide, found = _paint_plain(rows, numbers, columns, slots, shares)
    row = np.repeat(np.arange(len(numbers)), found)
    marked = np.array(edges, np.bool_)[row]
    raster.mark_edges(shares, row[marked], wide[marked], rows, columns)
    return Picture(slots, shares, wide, row)


def shade(picture: Picture, table: NDArray[np.uint32], *, compiled: bool) -> NDArray[np.uint32]:
    """Turn slots and shares into colours; `table` holds `SHARES` colours per slot."""
    if compiled:
        from plugins.timeline.ui import kernels

        colours = np.empty(picture.slots.shape, np.uint32)
        kernels.shaded(picture.slots, picture.shares, table, SHARES, colours)
        return colours
    return raster.shade(picture.slots, picture.shares, table)


def prepare(rows: Rows) -> None:
    """Let the kernels be compiled or taken from their cache now, not at the first frame."""
    if rows.cells is not None:
        columns = raster.grid(Viewport(0, 0.0, 1.0), 8)
        picture = paint(rows, range(min(rows.first.size, 1)), columns, [False])
        shade(picture, np.zeros(256 * SHARES, np.uint32), compiled=True)


def _paint_plain(
    rows: Rows,
    numbers: Sequence[int],
    columns: Grid,
    slots: NDArray[np.uint8],
    shares: NDArray[np.float32],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    wide = [np.zeros(0, np.int64)] * len(numbers)
    for number, row in enumerate(numbers):
        drawn = raster.raster_row(rows, row, columns)
        if drawn is not None:
            slots[number], shares[number], wide[number] = drawn.slot, drawn.share, drawn.wide
    found = np.array([indices.size for indices in wide], np.int64)
    return np.concatenate(wide) if wide else np.zeros(0, np.int64), found


def _paint_compiled(
    rows: Rows,
    numbers: Sequence[int],
    columns: Grid,
    slots: NDArray[np.uint8],
    shares: NDArray[np.float32],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    from plugins.timeline.ui import kernels

    cells = rows.cells
    wide = np.empty(len(numbers) * (int(columns.width / WIDE) + 2), np.int64)
    found = np.zeros(len(numbers), np.int64)
    if cells is None:
        return wide[:0], found
    kernels.paint_rows(
        (
            rows.start,
            rows.duration,
            rows.slot,
            rows.first,
            rows.last,
            cells.shift,
            cells.offset,
            cells.busy,
            cells.colour,
        ),
        np.array(numbers, np.int64),
        columns.times,
        columns.offsets,
        columns.start,
        columns.scale,
        slots,
        shares,
        wide,
        found,
        np.empty(columns.width, np.float64),
    )
    return wide[: int(found.sum())], found
