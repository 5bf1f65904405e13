"""Both ways to move a project beside each other: what each changes, and what it leaves to do."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import unified_diff
from typing import TYPE_CHECKING

from plugins.migration.core.assessment.facts import Assessment, duration
from plugins.migration.core.edits import migrated_text
from plugins.migration.core.model import STRATEGIES
from plugins.migration.core.scan import context_of, scan_project
from studio.i18n import tr
from studio.kernel.text_table import draw_table
from studio.model.encoding import decode

if TYPE_CHECKING:
    from pathlib import Path

    from plugins.migration.core.report import MigrationReport
    from studio.kernel.job_context import JobContext


@dataclass(frozen=True, slots=True)
class Side:
    """One strategy: its counts, and the changes of each file as the hunks of a unified diff."""

    strategy: str
    counts: dict[str, int]
    hours: tuple[float, float]
    files: dict[str, str]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Rewriting and the shim of torch_npu, judged by the same torch and chip."""

    torch: str
    chip: str
    sides: tuple[Side, ...]

    def rows(self) -> list[dict[str, object]]:
        """One row per measure, one column per strategy."""
        titles = {
            "files": tr("files changed"),
            "changes": tr("changes"),
            "auto": tr("automatic"),
            "review": tr("to review"),
            "limited": tr("limited"),
            "manual": tr("by hand"),
            "unsupported": tr("unsupported"),
        }
        table: list[dict[str, object]] = [
            {"": title, **{side.strategy: side.counts[name] for side in self.sides}}
            for name, title in titles.items()
        ]
        left = {side.strategy: " – ".join(map(duration, side.hours)) for side in self.sides}
        return [*table, {"": tr("work left"), **left}]

    def to_json(self) -> object:
        """The counts of both, and the files that each changes."""
        return {
            "torch": self.torch,
            "chip": self.chip,
            "strategies": {
                side.strategy: {
                    "counts": side.counts,
                    "hours": list(side.hours),
                    "files": sorted(side.files),
                }
                for side in self.sides
            },
        }

    def to_text(self) -> str:
        """A table of both."""
        return draw_table(self.rows())


def compare_command(
    path: Path, torch: str = "", chip: str = "", job: JobContext | None = None
) -> Comparison:
    """Judge a file or project by each strategy."""
    contexts = [context_of(torch, chip, strategy) for strategy in STRATEGIES]
    sides = tuple(_side(scan_project(path, context, job), job) for context in contexts)
    return Comparison(contexts[0].torch, contexts[0].chip, sides)


def _side(report: MigrationReport, job: JobContext | None) -> Side:
    counts = report.summary()
    files: dict[str, str] = {}
    for result in report.results:
        if job is not None:
            job.check()
        needed = [f for f in result.findings if f.fix and f.facts["status"] != "info"]
        if not result.changes or not needed:
            continue
        before = decode(result.path.read_bytes()).text
        after = migrated_text(before, needed, result.findings)
        lines = unified_diff(before.splitlines(), after.splitlines(), lineterm="")
        files[report.relative(result.path)] = "\n".join([*lines][2:])
    names = ("changes", "auto", "review", "limited", "manual", "unsupported")
    numbers = {name: int(str(counts[name])) for name in names}
    return Side(
        report.context.strategy,
        {"files": len(files), **numbers},
        Assessment(report).hours(),
        files,
    )
