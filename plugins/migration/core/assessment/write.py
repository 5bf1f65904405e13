"""Writing the assessment of a project to a folder."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from plugins.migration.core.assessment.facts import Assessment
from plugins.migration.core.assessment.markdown import markdown
from plugins.migration.core.assessment.page import page
from plugins.migration.core.assessment.sections import sections
from plugins.migration.core.assessment.vendor import tables
from plugins.migration.core.report import json_text
from plugins.migration.core.scan import context_of, scan_project
from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.kernel.files import write_atomic

if TYPE_CHECKING:
    from plugins.migration.core.assessment.sections import Section
    from plugins.migration.core.report import MigrationReport
    from studio.kernel.job_context import JobContext

NAME = "migration-report"


@dataclass(frozen=True, slots=True)
class Written:
    """Which files of an assessment were written where."""

    out: Path
    files: tuple[str, ...]
    readiness: float | None
    summary: dict[str, object]

    def to_json(self) -> object:
        """The files, the readiness and the counts."""
        return {
            "out": os.fspath(self.out),
            "files": list(self.files),
            "readiness": None if self.readiness is None else round(self.readiness, 3),
            "summary": self.summary,
        }

    def to_text(self) -> str:
        """Where the page is."""
        if self.readiness is None:
            place = self.out / f"{NAME}.html"
            return tr("There is nothing to judge. The assessment is in {path}.", path=place)
        percent = round(100 * self.readiness)
        return tr(
            "Readiness {percent} %. The assessment is in {path}.",
            percent=percent,
            path=self.out / f"{NAME}.html",
        )


def assess(
    path: Path, torch: str = "", chip: str = "", strategy: str = "", job: JobContext | None = None
) -> list[Section]:
    """The assessment of a file or project, section by section."""
    return sections(Assessment(scan_project(path, context_of(torch, chip, strategy), job)))


def report_command(
    path: Path,
    out: Path,
    torch: str = "",
    chip: str = "",
    strategy: str = "",
    job: JobContext | None = None,
) -> Written:
    """Assess a file or project and write everything about it to a folder."""
    source, target = Path(os.path.abspath(path)), Path(os.path.abspath(out))
    without = target if target != source and not source.is_relative_to(target) else None
    report = scan_project(source, context_of(torch, chip, strategy), job, without=without)
    return write_assessment(report, target)


def write_assessment(report: MigrationReport, out: Path) -> Written:
    """Write the page, the Markdown text, JSON, CSV and the vendor's lists."""
    assessment = Assessment(report)
    parts = sections(assessment)
    texts = {
        f"{NAME}.html": page(assessment, parts),
        f"{NAME}.md": markdown(assessment, parts),
        f"{NAME}.json": json_text(report),
        f"{NAME}.csv": "\ufeff" + report.to_csv(),
        **tables(assessment),
    }
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            write_atomic(out / name, text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        problem = error.strerror or str(error)
        text = tr("{path} cannot be written: {problem}.", path=out, problem=problem)
        raise StudioError(text, path=out) from error
    return Written(out, tuple(texts), assessment.readiness, report.summary())
