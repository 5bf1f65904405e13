"""Operators of the framework on the host, and the kernels that each launched. Knows no Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from studio.perf.grouping import group_rows, sums
from studio.perf.host_kernels import host_kernels
from studio.perf.host_operators import GROUPINGS, host_operators, outer_operators

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from studio.formats.chrome_trace import Progress
    from studio.perf.profile import Profile

    Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class HostSide:
    """The table of `studio.perf.host_operators`, and what was launched from where.

    `launched` are the rows of `studio.perf.host_kernels`, `outer` is the operator around each
    operator of `host_ops`.
    """

    table: pd.DataFrame
    by: str
    host_ops: pd.DataFrame
    outer: Numbers
    launched: pd.DataFrame

    def singles(self, row: int) -> Numbers:
        """The positions of the operators of one row of the table."""
        wanted = np.ones(len(self.host_ops), np.bool_)
        for column in GROUPINGS[self.by]:
            cells, value = self.host_ops[column], self.table[column].iloc[row]
            same = cells == value if isinstance(value, str) else cells.isna()
            wanted &= same.fillna(value=False).to_numpy(np.bool_)
        return np.flatnonzero(wanted)

    def launched_by(self, row: int) -> pd.DataFrame:
        """The single kernels that a row of the table launched, also from operators inside."""
        inside = np.zeros(len(self.host_ops) + 1, np.bool_)
        inside[self.singles(row)] = True
        at = self.launched["host_op"].to_numpy(np.int64, na_value=-1)
        found = inside[at]
        while (at >= 0).any():
            at = np.where(at >= 0, self.outer[np.maximum(at, 0)], -1)
            found |= inside[at]
        chosen: pd.DataFrame = self.launched[found].reset_index(drop=True)
        return chosen

    def kernels_of(self, row: int) -> pd.DataFrame:
        """What a row launched by type and name: count, total_ns, the longest first."""
        import pandas as pd

        rows = self.launched_by(row)
        group, first = group_rows(rows, ["type", "name"])
        count = len(first)
        made = {column: rows[column].iloc[first].array for column in ("type", "name")}
        made["count"] = np.bincount(group, minlength=count)
        made["total_ns"] = sums(group, rows["duration_ns"].to_numpy(np.int64), count)
        found = pd.DataFrame(made)
        return found.sort_values("total_ns", ascending=False, ignore_index=True)


def host_side(profile: Profile, by: str = "name", job: Progress | None = None) -> HostSide:
    """The operators on the host with what they launched."""
    host_ops = profile.table("host_ops", job)
    table = host_operators(profile, by, job)
    launched = host_kernels(profile, job=job)
    return HostSide(table, by, host_ops, outer_operators(host_ops), launched)
