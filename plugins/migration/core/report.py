"""What a scan found, counted and written down."""

from __future__ import annotations

import csv
import io
import json
import os
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugins.migration.core.support import VERDICTS, judged_in
from studio.i18n import tr, trn

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from plugins.migration.core.model import FileResult, ScanContext
    from studio.model.findings import Finding

COLUMNS = (
    "file", "line", "column", "end_line", "end_column", "rule", "severity", "category", "status",
    "effort", "title", "why", "old", "new", "safe", "evidence",
)  # fmt: skip
_USES = frozenset(["custom-operator-use", "custom-operator-call"])
_OWN_FACTS = frozenset(["status", "effort", "old", "new"])


@dataclass(frozen=True, slots=True)
class MigrationReport:
    """The result of scanning a file or a project."""

    root: Path
    results: tuple[FileResult, ...]
    context: ScanContext
    seconds: float = 0.0

    @property
    def findings(self) -> list[Finding]:
        """Every finding, by file and place."""
        return [finding for result in self.results for finding in result.findings]

    @property
    def exit_code(self) -> int:
        """1 when something remains that does not run on NPUs, else 0."""
        return int(any(f.facts["status"] == "unsupported" for f in self.findings))

    def apis(self) -> Counter[str]:
        """How often each name of torch is used, by the name under which the list knows it."""
        total: Counter[str] = Counter()
        for result in self.results:
            total.update(result.apis)
        return total

    def verdicts(self) -> dict[str, int]:
        """How many of the names of torch in use have which verdict."""
        judgements = (judged_in(self.context, name) for name in self.apis())
        counts = Counter(one.verdict for one in judgements)
        return {verdict: counts[verdict] for verdict in VERDICTS}

    def summary(self) -> dict[str, object]:
        """The counts: files by what became of them, findings by what is to be done."""
        files = Counter(result.status for result in self.results)
        todo = Counter(str(finding.facts["status"]) for finding in self.findings)
        effort = Counter(
            str(f.facts["effort"])
            for f in self.findings
            if f.facts["status"] not in ("auto", "info")
        )
        return {
            "files": len(self.results),
            "migrated": files["migrated"],
            "skipped": files["skipped"],
            "empty": files["empty"],
            "aware": files["aware"],
            "changes": sum(result.changes for result in self.results),
            "offers": sum(result.offers for result in self.results),
            "auto": todo["auto"],
            "review": todo["review"],
            "manual": todo["manual"],
            "unsupported": todo["unsupported"],
            "limited": todo["limited"],
            "info": todo["info"],
            "effort": {size: effort[size] for size in ("minutes", "hours", "days")},
            "apis": self.verdicts(),
        }

    def custom_operators(self) -> list[dict[str, object]]:
        """The extensions that the project builds, with the places that call their operators."""
        calls: dict[str, list[str]] = {}
        for finding in self.findings:
            if finding.rule in _USES:
                place = f"{self.relative(finding.location.path)}:{finding.location.line}"
                calls.setdefault(str(finding.facts.get("extension", "")), []).append(place)
        return [
            {
                "name": one.name,
                "built": one.place,
                "sources": list(one.sources),
                "kernels": list(one.kernels),
                "operators": list(one.operators),
                "calls": calls.get(one.name or one.place, []),
                "status": "manual",
                "effort": "days",
                "way": way_forward(one.kernels),
            }
            for one in self.context.extensions
        ]

    def rows(self) -> list[dict[str, object]]:
        """The findings as plain values, paths relative to the root."""
        return [self._row(finding) for finding in self.findings]

    def to_json(self) -> object:
        """All of it as plain values."""
        return {
            "root": os.fspath(self.root),
            "torch": self.context.torch,
            "chip": self.context.chip,
            "strategy": self.context.strategy,
            "files": len(self.results),
            "lines": sum(result.lines for result in self.results),
            "seconds": round(self.seconds, 3),
            "summary": self.summary(),
            "results": {
                self.relative(result.path): {
                    "status": result.status,
                    "changes": result.changes,
                    "reason": result.reason,
                }
                for result in self.results
            },
            "custom_operators": self.custom_operators(),
            "findings": self.rows(),
        }

    def to_csv(self) -> str:
        """The findings as CSV text."""
        stream = io.StringIO()
        writer = csv.DictWriter(stream, COLUMNS, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows())
        return stream.getvalue()

    def to_text(self) -> str:
        """The findings in lines that editors and terminals can follow, and a summary."""
        lines = [
            f"{row['file']}:{row['line']}:{row['column']}: {status_name(str(row['status']))}: "
            f"{row['title']}"
            for row in self.rows()
        ]
        return "\n".join([*lines, "", *self._summary_lines()]).lstrip("\n")

    def relative(self, path: Path) -> str:
        """A path below the root, with slashes; of a single file its name."""
        if path == self.root:
            return path.name
        return path.relative_to(self.root).as_posix()

    def _summary_lines(self) -> list[str]:
        counts: Mapping[str, object] = self.summary()
        files = trn("{n} file", "{n} files", len(self.results))
        lines = sum(result.lines for result in self.results)
        places = trn("{n} change proposed", "{n} changes proposed", _number(counts["changes"]))
        parts = [
            f"{counts[name]} {status_name(name)}"
            for name in ("auto", "review", "manual", "unsupported", "limited", "info")
            if counts[name]
        ]
        skipped = trn("{n} file skipped", "{n} files skipped", _number(counts["skipped"]))
        first = tr("{files}, {lines} lines: {places}", files=files, lines=lines, places=places)
        return [f"{first} ({', '.join(parts)})" if parts else first, skipped]

    def _row(self, finding: Finding) -> dict[str, object]:
        place = finding.location
        return {
            "file": self.relative(place.path),
            "line": place.line,
            "column": place.column,
            "end_line": place.end_line if place.end_line is not None else place.line,
            "end_column": place.end_column if place.end_column is not None else place.column,
            "rule": finding.rule,
            "severity": finding.severity.value,
            "category": finding.category,
            "status": finding.facts["status"],
            "effort": finding.facts["effort"],
            "message": finding.title,
            "title": finding.title,
            "why": finding.why,
            "old": finding.facts["old"],
            "new": finding.facts["new"],
            "before": finding.facts["old"],
            "after": finding.facts["new"],
            "safe": finding.fix.safe if finding.fix else None,
            "evidence": finding.evidence,
            "facts": {k: v for k, v in finding.facts.items() if k not in _OWN_FACTS},
        }


def way_forward(kernels: Sequence[str]) -> str:
    """What can be done about an extension, in the words of the user."""
    if kernels:
        return tr(
            "Compose it of torch operators, write its kernels in Ascend C or for triton-ascend, "
            "and build it with NpuExtension."
        )
    return tr("Build it with NpuExtension; its code has no kernels of its own.")


def json_text(report: MigrationReport) -> str:
    """The report as JSON text."""
    return json.dumps(report.to_json(), ensure_ascii=False, indent=1) + "\n"


def status_name(status: str) -> str:
    """A status in the words of the user."""
    return {
        "auto": tr("automatic"),
        "review": tr("to review"),
        "manual": tr("by hand"),
        "unsupported": tr("unsupported"),
        "limited": tr("limited"),
        "info": tr("for information"),
        "unreadable": tr("skipped"),
    }.get(status, status)


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def effort_name(effort: str) -> str:
    """An effort in the words of the user."""
    return {
        "none": "–",
        "minutes": tr("minutes"),
        "hours": tr("hours"),
        "days": tr("days"),
    }.get(effort, effort)
