"""Performance counters of kernels, summed up per group of operators, and what limits each group.

Times, cycles and bytes add up; ratios and rates are averages weighted by the time of the core they
belong to (`aic_` cube cores, `aiv_` vector cores), where that was recorded, else by the duration.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from studio.formats.chrome_trace import Progress
    from studio.perf.profile import Profile

    Numbers = NDArray[np.int64]
    Values = NDArray[np.float64]

BOUND_RATIO: Final = 0.8
"""From this share of its core's time on a unit limits an operator (the threshold of the vendor's
advisor for "no bound")."""

UNITS: Final = {
    "cube": ("aic_mac_ratio", "aic_cube_ratio"),
    "vector": ("aiv_vec_ratio",),
    "scalar": ("aic_scalar_ratio", "aiv_scalar_ratio"),
    "mte1": ("aic_mte1_ratio",),
    "mte2": ("aic_mte2_ratio", "aiv_mte2_ratio"),
    "mte3": ("aic_mte3_ratio", "aiv_mte3_ratio"),
    "fixpipe": ("aic_fixpipe_ratio",),
}
"""The counters that say how busy each unit of a core was."""


def counters_of_groups(
    profile: Profile,
    row: Numbers,
    group: Numbers,
    duration: Numbers,
    count: int,
    job: Progress | None = None,
) -> dict[str, Values]:
    """Sum up the counters of kernels (by their `row`) per group; NaN where none was recorded."""
    known_rows, groups, durations = row, group, duration
    if (row[1:] < row[:-1]).any():
        order = np.argsort(row, kind="stable")
        known_rows, groups, durations = row[order], group[order], duration[order]
    found: dict[str, _Sum] = {}
    for part in profile.counters(job):
        place = np.searchsorted(known_rows, part["row"].to_numpy(np.int64))
        place = np.minimum(place, max(len(known_rows) - 1, 0))
        mine = (
            known_rows[place] == part["row"].to_numpy(np.int64)
            if len(known_rows)
            else np.zeros(len(part), np.bool_)
        )
        part, place = part[mine], place[mine]
        for column in part.columns[1:]:
            values = part[column].to_numpy(np.float64, na_value=np.nan)
            weight = _weight(part, str(column), durations[place].astype(np.float64))
            found.setdefault(str(column), _Sum(count)).add(groups[place], values, weight)
    return {column: total.value() for column, total in found.items()}


def bound_of(counters: dict[str, Values], count: int) -> tuple[list[str], Values]:
    """What limits each group: a unit at or above `BOUND_RATIO`, "none" below, "" when unknown.

    Returns the names, and the largest ratio of any unit.
    """
    ratios = np.full((len(UNITS), count), np.nan)
    for place, columns in enumerate(UNITS.values()):
        for column in columns:
            if column in counters:
                ratios[place] = np.fmax(ratios[place], counters[column])
    known = ~np.isnan(ratios).all(axis=0)
    largest = np.where(known, np.nanmax(np.where(known, ratios, 0.0), axis=0), np.nan)
    unit = np.argmax(np.where(np.isnan(ratios), -1.0, ratios), axis=0)
    names = list(UNITS)
    texts = [
        "" if not has else names[place] if ratio >= BOUND_RATIO else "none"
        for has, place, ratio in zip(known.tolist(), unit.tolist(), largest.tolist(), strict=True)
    ]
    return texts, largest


class _Sum:
    """The sum of one counter per group, or its weighted average."""

    def __init__(self, groups: int) -> None:
        self._total = np.zeros(groups)
        self._weight = np.zeros(groups)
        self._averaged = False

    def add(self, group: Numbers, values: Values, weight: Values | None) -> None:
        known = ~np.isnan(values)
        self._averaged = weight is not None
        weights = np.ones(len(values)) if weight is None else weight
        np.add.at(self._total, group[known], (values * weights)[known])
        np.add.at(self._weight, group[known], weights[known])

    def value(self) -> Values:
        empty = self._weight == 0
        divided = self._total / np.where(empty, 1, self._weight)
        return np.where(empty, np.nan, divided if self._averaged else self._total)


def _weight(part: pd.DataFrame, column: str, duration: Values) -> Values | None:
    """What a counter is averaged with; None for one that adds up."""
    if column.endswith(("_ns", "_cycles", "_bytes")):
        return None
    core = f"{column.partition('_')[0]}_total_ns"
    if core in part.columns:
        return part[core].to_numpy(np.float64, na_value=0.0)
    return duration
