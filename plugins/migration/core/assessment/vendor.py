"""The lists of the vendor's migration tool, under its names and with its columns.

People's scripts read them; see msfmktransplt of Ascend-mstt.
"""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from plugins.migration.core.edits import IMPORT_RULE
from studio.i18n import tr

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from plugins.migration.core.assessment.facts import Assessment, Row
    from studio.model.findings import Finding

_PLACE = ("File", "Start Line", "End Line")
_ADVICE = (*_PLACE, "OP", "Tips")


def tables(assessment: Assessment) -> Mapping[str, str]:
    """Every list as CSV text by its file name."""
    report, rows = assessment.report, assessment.rows
    by_finding = list(zip(report.findings, rows, strict=True))
    changes = [
        (*_place(row), "INSERT" if row.rule == IMPORT_RULE else "MODIFY", row.title)
        for finding, row in by_finding
        if finding.fix is not None
    ]
    changes += [(*_place(r), "UNSUPPORTED", r.title) for r in rows if r.status == "unsupported"]
    unknown = [
        (report.relative(result.path), use.start, use.end, use.name, tr("Nobody has verified it."))
        for result in report.results
        for use in result.unverified
    ]
    affinity = [
        (*_place(row), finding.facts["kind"], row.subject, finding.facts["affinity"])
        for finding, row in by_finding
        if "affinity" in finding.facts
    ]
    operators = [
        (row.file, name)
        for finding, row in by_finding
        if row.category == "custom_op"
        for name in _operators(finding, row)
    ]
    return {
        "change_list.csv": _csv((*_PLACE, "Operation Type", "Message"), changes),
        "unsupported_api.csv": _csv(_ADVICE, _advice(rows, "unsupported", "status")),
        "unknown_api.csv": _csv(_ADVICE, unknown),
        "cuda_op_list.csv": _csv(("File", "Api"), dict.fromkeys(operators)),
        "affinity_api_call.csv": _csv(
            (*_PLACE, "Api Type", "Api Call Name", "Affinity Api Name"), affinity
        ),
        "api_precision_advice.csv": _csv(_ADVICE, _advice(rows, "precision", "category")),
        "api_performance_advice.csv": _csv(_ADVICE, _advice(rows, "performance", "category")),
    }


def _operators(finding: Finding, row: Row) -> list[str]:
    """The names of the operators or kernels that a finding is about."""
    told = finding.facts.get("operators") or finding.facts.get("kernels") or row.subject
    return [name for name in str(told).split(", ") if name not in ("–", "…")]


def _place(row: Row) -> tuple[str, int, int]:
    return row.file, row.line, row.last


def _advice(rows: Iterable[Row], wanted: str, aspect: str) -> list[tuple[object, ...]]:
    return [
        (*_place(row), row.subject, f"{row.title}. {row.why}")
        for row in rows
        if getattr(row, aspect) == wanted
    ]


def _csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return stream.getvalue()
