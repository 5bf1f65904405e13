"""Compare two dumps as msprobe does, with its columns and verdicts."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plugins.precision.core.compat.table import compare_part
from plugins.precision.core.csv_text import csv_text
from plugins.precision.core.dump_compare import pair_parts
from plugins.precision.core.parallel import Workers
from studio.kernel.files import write_atomic

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from plugins.precision.core.compat.rules import Row
    from plugins.precision.core.mapping import Mapping
    from studio.kernel.job_context import JobContext
    from studio.tensors.dumps.model import DumpIndex


@dataclass(frozen=True, slots=True)
class CompatPart:
    """The table of one rank in one step."""

    step: int | None
    rank: int | None
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class CompatComparison:
    """The tables of all ranks and steps."""

    base: Path
    candidate: Path
    parts: tuple[CompatPart, ...]

    @property
    def exit_code(self) -> int:
        """1 when any row has the verdict "error"."""
        return int(any(row["Result"] == "error" for part in self.parts for row in part.rows))

    def counts(self) -> dict[str, int]:
        """How many rows have each verdict."""
        results = [row["Result"] for part in self.parts for row in part.rows]
        return {name: results.count(name) for name in ("pass", "warning", "error")}

    def to_json(self) -> object:
        """Return what the command line prints."""
        return {
            "base": str(self.base),
            "candidate": str(self.candidate),
            "mode": "compatible",
            "counts": self.counts(),
            "rows": [dict(zip(self._columns(), row, strict=False)) for row in self._cells()],
        }

    def to_text(self) -> str:
        """Say the verdicts in a line each."""
        return "\n".join(f"{name}: {count}" for name, count in self.counts().items())

    def to_csv(self) -> str:
        """Return msprobe's table; with more than one part, step and rank come first."""
        return csv_text(self._columns(), self._cells())

    def write(self, folder: Path) -> list[Path]:
        """Write one file per part, named as msprobe names them."""
        stamp = time.strftime("%Y%m%d%H%M%S")
        folder.mkdir(parents=True, exist_ok=True)
        written = []
        for part in self.parts:
            rank = f"_rank{part.rank}" if part.rank is not None else ""
            several = len({p.step for p in self.parts}) > 1
            step = f"_step{part.step}" if several else ""
            path = folder / f"compare_result{step}{rank}_{stamp}.csv"
            write_atomic(path, _table(part).encode())
            written.append(path)
        return written

    def _columns(self) -> list[str]:
        rows = [part.rows[0] for part in self.parts if part.rows]
        columns = list(rows[0]) if rows else []
        return ["Step", "Rank", *columns] if len(self.parts) > 1 else columns

    def _cells(self) -> Iterator[list[Any]]:
        for part in self.parts:
            before = [part.step, part.rank] if len(self.parts) > 1 else []
            for row in part.rows:
                yield [*before, *row.values()]


def compare_compatibly(
    base: DumpIndex,
    candidate: DumpIndex,
    *,
    fuzzy: bool = False,
    mapping: Mapping | None = None,
    job: JobContext | None = None,
) -> CompatComparison:
    """Build msprobe's tables of two indexed dumps."""
    parts, _ = pair_parts(base, candidate)
    found = []
    with Workers(
        sum(bool(v.file) for _, two in parts for c in two.calls for v in c.values)
    ) as workers:
        for place, (one, two) in enumerate(parts):

            def check(fraction: float, place: int = place) -> None:
                if job is not None:
                    job.check()
                    job.report((place + fraction) / len(parts))

            names = mapping.value_names(one, two) if mapping else None
            rows = compare_part(
                candidate, two, base, one, fuzzy=fuzzy, names=names, check=check, workers=workers
            )
            found.append(CompatPart(one.step, one.rank, tuple(rows)))
    return CompatComparison(base.root, candidate.root, tuple(found))


def _table(part: CompatPart) -> str:
    rows = (list(row.values()) for row in part.rows)
    return csv_text(list(part.rows[0]) if part.rows else (), rows)
