"""The roofline of a chip, and where its operators lie under it.

An operator that does `flops` on `moved_bytes` has the intensity flops / moved_bytes. It can run at
most at the chip's peak, and at most as fast as its bytes come:

    roof = min(peak of its data type, intensity · bandwidth)

The bytes are the least an operator has to move (every input once, every output once), so that one
that reads its inputs again lies lower than it should, never higher. (Williams, Waterman, Patterson:
Roofline, Communications of the ACM 52, 2009.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from studio.perf.chips import Chip
    from studio.perf.operators import Operators


@dataclass(frozen=True)
class Roofline:
    """Operators as points under the roofs of a chip.

    Columns of `points`: place (row of the table of operators), name (text of its first column),
    intensity (flops per byte), flops_per_s, roof_flops_per_s and roof_share (missing without a
    chip), limit ("bandwidth" left of the ridge, "compute" right of it), total_ns, share.
    `peaks` are operations per second at most by data type; `bandwidth` is bytes per second. Both
    are empty or None without a chip.
    """

    points: pd.DataFrame
    chip: Chip | None
    peaks: dict[str, float]
    bandwidth: float | None

    def ridge(self, data_type: str = "fp16") -> float | None:
        """The intensity at which the two roofs meet; None when one of them is unknown."""
        peak = self.peaks.get(data_type)
        return None if peak is None or not self.bandwidth else peak / self.bandwidth

    def to_json(self) -> object:
        """The points as plain values."""
        return self.points


def roofline(operators: Operators) -> Roofline:
    """Place the operators whose operations and bytes are known under the roofs of their chip."""
    import pandas as pd

    table, chip = operators.table, operators.chip
    peaks = {}
    if chip is not None:
        rates = {"fp16": chip.fp16, "fp32": chip.fp32, "int8": chip.int8}
        peaks = {name: rate for name, rate in rates.items() if rate}
    bandwidth = chip.bandwidth if chip is not None else None
    known = table["intensity"].notna() if "intensity" in table else pd.Series(False, table.index)
    place = np.flatnonzero(known.to_numpy(np.bool_))
    rows = table.iloc[place]
    if not len(rows):
        return Roofline(pd.DataFrame(_no_points()), chip, peaks, bandwidth)
    seconds = rows["total_ns"].to_numpy(np.float64) / 1e9
    intensity = rows["intensity"].to_numpy(np.float64)
    rate = rows["flops"].to_numpy(np.float64) / np.where(seconds > 0, seconds, np.nan)
    # what the chip could do in the data types of the operators: done in the time / share of peak
    share = rows["flops_share"].to_numpy(np.float64, na_value=np.nan)
    peak = np.rint(rate / np.where(share > 0, share, np.nan))
    roof = peak if bandwidth is None else np.fmin(peak, intensity * bandwidth)
    columns: dict[str, Any] = {
        "place": place,
        "name": rows[table.columns[0]].astype("str").array,
        "intensity": intensity,
        "flops_per_s": rate,
        "roof_flops_per_s": pd.array(roof, dtype="Float64"),
        "roof_share": pd.array(rate / roof, dtype="Float64"),
        "limit": pd.array(_limits(peak, intensity, bandwidth), dtype="str"),
        "total_ns": rows["total_ns"].to_numpy(np.int64),
        "share": rows["share"].to_numpy(np.float64),
    }
    return Roofline(pd.DataFrame(columns), chip, peaks, bandwidth)


def _limits(
    peak: NDArray[np.float64], intensity: NDArray[np.float64], bandwidth: float | None
) -> list[str | None]:
    if bandwidth is None:
        return [None] * len(peak)
    below = (intensity * bandwidth < peak).tolist()
    known = (~np.isnan(peak)).tolist()
    return [
        ("bandwidth" if is_below else "compute") if is_known else None
        for is_below, is_known in zip(below, known, strict=True)
    ]


def _no_points() -> dict[str, Any]:
    import pandas as pd

    nothing = np.zeros(0, np.float64)
    return {
        "place": np.zeros(0, np.int64),
        "name": pd.array([], dtype="str"),
        "intensity": nothing,
        "flops_per_s": nothing,
        "roof_flops_per_s": pd.array([], dtype="Float64"),
        "roof_share": pd.array([], dtype="Float64"),
        "limit": pd.array([], dtype="str"),
        "total_ns": np.zeros(0, np.int64),
        "share": nothing,
    }
