"""Compare one run with several others: a line for each, and all their rows in one table."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugins.precision.core.csv_text import csv_text
from plugins.precision.core.diagnosis import diagnose_comparison
from plugins.precision.core.dump_result import DumpComparison
from plugins.precision.core.dumping import Options, compare_indexed
from studio.kernel.errors import StudioError
from studio.kernel.job_context import JobContext, Progress
from studio.kernel.text_table import draw_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plugins.precision.core.compat_compare import CompatComparison


@dataclass(frozen=True, slots=True)
class Summary:
    """What the comparison with one candidate says."""

    candidate: Path
    exit_code: int
    """0 when it agrees, 1 when it deviates, 3 when it cannot be read."""
    counts: tuple[tuple[str, int], ...] = ()
    """How many rows have each verdict."""
    deviating: int | None = None
    total: int | None = None
    error: float | None = None
    """The largest relative error of a value that deviates; infinite where it is not finite."""
    operator: str = ""
    """The first operator that deviates, with its module, reason and source line."""
    module: str = ""
    reason: str = ""
    source: str = ""
    problem: str = ""
    """Why it cannot be compared."""

    def to_json(self) -> object:
        """Return the summary with its counts by name."""
        values = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return values | {"candidate": str(self.candidate), "counts": dict(self.counts)}


@dataclass(frozen=True, slots=True)
class SeveralComparisons:
    """The comparisons of one base with several candidates, in the order they were given."""

    base: Path
    summaries: tuple[Summary, ...]
    tables: tuple[DumpComparison | CompatComparison | None, ...]
    """None for a candidate that cannot be compared."""

    @property
    def exit_code(self) -> int:
        """1 when any candidate deviates, 3 when none can be read, else 0."""
        codes = [summary.exit_code for summary in self.summaries]
        return 3 if min(codes) == 3 else int(any(codes))

    def to_json(self) -> object:
        """Return the summaries, each with its whole comparison."""
        return {
            "base": str(self.base),
            "candidates": [
                {"summary": summary, "comparison": table}
                for summary, table in zip(self.summaries, self.tables, strict=True)
            ],
        }

    def to_text(self) -> str:
        """Return a table of the summaries."""
        return draw_table([_line(summary) for summary in self.summaries])

    def to_csv(self) -> str:
        """Return all rows of all candidates, the candidate in the first column."""
        rows: list[dict[str, str]] = []
        for summary, table in zip(self.summaries, self.tables, strict=True):
            if table is not None:
                read = csv.DictReader(io.StringIO(table.to_csv()))
                rows += [{_CANDIDATE: str(summary.candidate)} | row for row in read]
        columns = list(dict.fromkeys(name for row in rows for name in row)) or [_CANDIDATE]
        return csv_text(columns, ([row.get(name) for name in columns] for row in rows))


def compare_several(
    base: Path, candidates: Sequence[Path], options: Options, job: JobContext | None = None
) -> SeveralComparisons:
    """Compare each candidate with the base; one that cannot be read does not keep the others.

    With a report, each has a folder of its own in it.
    """
    found = list(compared(base, candidates, options, job))
    summaries, tables = zip(*found, strict=True)
    return SeveralComparisons(base, summaries, tables)


def compared(
    base: Path, candidates: Sequence[Path], options: Options, job: JobContext | None = None
) -> Iterator[tuple[Summary, DumpComparison | CompatComparison | None]]:
    """Compare one candidate after the other, so that who needs only summaries keeps no more."""
    for place, candidate in enumerate(candidates):
        share = _share(job, place, len(candidates), candidate.name)
        own = options
        if options.report:
            folder = Path(options.report) / f"{place + 1:02d}_{candidate.name}"
            own = options.with_report(str(folder))
        try:
            table = compare_indexed(base, candidate, own, share)
        except StudioError as error:
            if not base.exists():
                raise
            yield Summary(candidate, 3, problem=error.message), None
        else:
            yield summary_of(candidate, table), table


def summary_of(candidate: Path, table: DumpComparison | CompatComparison) -> Summary:
    """Sum one comparison up."""
    counts = tuple((str(name), count) for name, count in table.counts().items())
    if not isinstance(table, DumpComparison):
        return Summary(candidate, table.exit_code, counts)
    if table.nothing_read:
        return Summary(candidate, 3, counts, problem=table.rows[0].reason)
    deviating = [row for row in table.dump_rows() if row.deviates]
    errors = [row.relative_error for row in deviating if row.relative_error is not None]
    part = diagnose_comparison(table).first
    first = part.first if part else None
    return Summary(
        candidate,
        table.exit_code,
        counts,
        deviating=len(deviating),
        total=len(table.rows),
        error=max((inf if error != error else error for error in errors), default=0.0),
        operator=first.operator if first else "",
        module=first.module if first else "",
        reason=first.reason if first else "",
        source=first.source if first else "",
    )


def _line(summary: Summary) -> dict[str, Any]:
    error = summary.error
    return {
        "candidate": str(summary.candidate),
        "deviating": summary.deviating,
        "of": summary.total,
        "error": None if error is None else f"{error:.3g}",
        "first": summary.operator or None,
        "module": summary.module or None,
        "reason": summary.problem or summary.reason or _counted(summary),
    }


def _counted(summary: Summary) -> str:
    return ", ".join(f"{name} {count}" for name, count in summary.counts)


def _share(job: JobContext | None, place: int, of: int, name: str) -> JobContext | None:
    """Let one of several comparisons report its part of the work."""
    if job is None:
        return None

    def tell(progress: Progress) -> None:
        fraction = progress.fraction
        job.report(None if fraction is None else (place + fraction) / of, name)

    return JobContext(tell, lambda: job.cancelled)


_CANDIDATE = "candidate_run"
