"""What single operators do: operations, bytes, and how much the chip could do in their time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from studio.perf.flops import flops
from studio.perf.grouping import group_rows
from studio.perf.shapes import moved_bytes, types

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from studio.perf.chips import Chip

COLUMNS = (
    "type",
    "input_shapes",
    "input_types",
    "input_formats",
    "output_shapes",
    "output_types",
)


@dataclass(frozen=True)
class Workload:
    """Operations and least bytes of every operator, 0 where unknown.

    `possible` is what the chip can do per second in the data type of the operator, NaN where that
    is unknown or no operations are counted.
    """

    flops: NDArray[np.int64]
    moved: NDArray[np.int64]
    possible: NDArray[np.float64]


def workload(rows: pd.DataFrame, chip: Chip | None = None) -> Workload:
    """Work out the operations of operators from their types and shapes, once per combination."""
    if not len(rows) or not set(COLUMNS) <= set(rows.columns):
        nothing = np.zeros(len(rows), np.int64)
        return Workload(nothing, nothing, np.full(len(rows), np.nan))
    group, first = group_rows(rows, COLUMNS)
    texts = [rows[column].iloc[first].astype("str").fillna("").tolist() for column in COLUMNS]
    done, moved, possible = [], [], []
    for operator, shapes, kinds, formats, out_shapes, out_kinds in zip(*texts, strict=True):
        count = flops(operator, shapes, out_shapes, formats)
        done.append(count or 0)
        moved.append(moved_bytes(shapes, kinds, out_shapes, out_kinds) or 0)
        peak = chip.peak(_data_type(kinds)) if chip is not None and count else None
        possible.append(np.nan if peak is None else peak)
    return Workload(
        np.array(done, np.int64)[group],
        np.array(moved, np.int64)[group],
        np.array(possible, np.float64)[group],
    )


def _data_type(text: str) -> str:
    """The type of the first input that is no index."""
    return next((kind for kind in types(text) if not kind.startswith(("INT32", "INT64"))), "")
