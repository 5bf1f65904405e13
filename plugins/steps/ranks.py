"""The steps of several ranks side by side. Knows no Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from studio.perf.frames import with_rank
from studio.perf.opened import open_profile
from studio.perf.steps import step_breakdown

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pandas as pd
    from numpy.typing import NDArray

    from studio.formats.chrome_trace import Progress


@dataclass(frozen=True)
class RankSteps:
    """The breakdowns of all ranks below each other (columns: `studio.perf.steps`).

    `owner` is the place in `paths` that every row is of.
    """

    paths: tuple[Path, ...]
    titles: tuple[str, ...]
    table: pd.DataFrame
    owner: NDArray[np.int64]

    def steps(self) -> list[str]:
        """The steps of all ranks in order, in words; "–" for one without a number."""
        known = sorted({int(step) for step in self.table["step"].dropna().tolist()})
        unnamed = ["–"] if self.table["step"].isna().any() else []
        return [*map(str, known), *unnamed]

    def step_of(self, row: int) -> str:
        """The step of a row in words."""
        step = self.table["step"].iloc[row]
        return "–" if str(step) == "<NA>" else str(int(step))

    def rows_of(self, step: str) -> list[int]:
        """The rows of a step, one per rank that has it, by rank."""
        return [row for row in range(len(self.table)) if self.step_of(row) == step]

    def grid(self, column: str) -> NDArray[np.float64]:
        """A column as one line per rank and one cell per step; NaN where it is not recorded."""
        place = {step: number for number, step in enumerate(self.steps())}
        found = np.full((len(self.paths), len(place)), np.nan)
        values = self.table[column].to_numpy(np.float64, na_value=np.nan)
        for row, value in enumerate(values.tolist()):
            found[self.owner[row], place[self.step_of(row)]] = value
        return found


def steps_of_ranks(
    paths: Sequence[Path], titles: Sequence[str], job: Progress | None = None
) -> RankSteps:
    """Break the steps of the profiles of several ranks down, without causes of idle time."""
    import pandas as pd

    tables, owner = [], []
    for number, path in enumerate(paths):
        profile = open_profile(path, job)
        table = step_breakdown(profile, job, causes=False).table
        table = table if "rank" in table else with_rank(table, profile.info.rank)
        tables.append(table)
        owner += [number] * len(table)
    full = [table for table in tables if len(table)]
    joined = pd.concat(full, ignore_index=True) if full else tables[0]
    return RankSteps(tuple(paths), tuple(titles), joined, np.array(owner, np.int64))
