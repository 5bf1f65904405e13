"""The sections of an assessment, which the page and the Markdown text both show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugins.migration.core.assessment.facts import category_name, duration
from plugins.migration.core.lookup import verdict_name
from plugins.migration.core.registrations import listed
from plugins.migration.core.report import effort_name, status_name
from studio.i18n import thousands, tr, trn

if TYPE_CHECKING:
    from plugins.migration.core.assessment.facts import Assessment, Group

_MOST = 300

Chart = tuple[tuple[str, int, str], ...]
"""Bars: what each is called, how long it is, and the colour it takes."""

COLOURS = {
    "auto": "ok", "review": "warn", "limited": "info", "manual": "hand", "unsupported": "error",
    "unreadable": "error", "info": "muted", "supported": "ok", "fallback": "warn",
    "unverified": "muted", "not stated": "muted",
}  # fmt: skip
"""What bars are painted in: tokens of the theme, and "hand" between a warning and an error."""


@dataclass(frozen=True)
class Section:
    """A heading, sentences, bars and a table; what is empty is left out."""

    title: str
    texts: tuple[str, ...] = ()
    chart: Chart = ()
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


def sections(assessment: Assessment) -> list[Section]:
    """Every section in order."""
    found = [
        _summary(assessment),
        _groups(tr("What is replaced"), assessment.replaced, tr("Nothing needs to be replaced.")),
        _groups(tr("What asks for a look"), assessment.looked_at, tr("Nothing stands out.")),
        _groups(
            tr("What cannot be replaced directly, and why"),
            assessment.by_hand,
            tr("Everything outside of libraries and custom operators can be replaced."),
        ),
        _groups(
            tr("Libraries"), assessment.of_category("library"), tr("No library for CUDA is in use.")
        ),
        _groups(
            tr("Custom operators"),
            assessment.of_category("custom_op"),
            tr("There are no operators written for CUDA."),
        ),
        *_extensions(assessment),
        _groups(tr("Precision"), assessment.of_category("precision"), tr("Nothing stands out.")),
        _groups(
            tr("Performance"), assessment.of_category("performance"), tr("Nothing stands out.")
        ),
        _effort(assessment),
        _apis(assessment),
        *_appendix(assessment),
    ]
    return found


def _summary(assessment: Assessment) -> Section:
    report, counts = assessment.report, assessment.summary
    context = report.context
    low, high = assessment.hours()
    files = trn("{n} file", "{n} files", len(report.results))
    lines = sum(result.lines for result in report.results)
    texts = (
        tr("{files}, {lines} lines.", files=files, lines=thousands(lines)),
        tr("Judged for torch {torch} on {chip}.", torch=context.torch, chip=context.chip),
        _share(assessment.readiness),
        tr("Work left: {low} to {high}.", low=duration(low), high=duration(high)),
        trn("{n} file was skipped.", "{n} files were skipped.", _number(counts["skipped"])),
        trn(
            "{n} file knows NPUs already and was left alone.",
            "{n} files know NPUs already and were left alone.",
            _number(counts["aware"]),
        ),
    )
    order = ("auto", "limited", "review", "manual", "unsupported", "unreadable", "info")
    chart = tuple(
        (status_name(name), assessment.statuses[name], COLOURS[name])
        for name in order
        if assessment.statuses[name]
    )
    return Section(tr("Summary"), texts, chart)


def _share(readiness: float | None) -> str:
    if readiness is None:
        return tr("There is nothing to judge: no file here uses torch or CUDA.")
    return tr(
        "{percent} % of what asks for something is rewritten without a look.",
        percent=round(100 * readiness),
    )


def _groups(title: str, groups: list[Group], empty: str) -> Section:
    columns = (tr("What"), tr("Status"), tr("Effort"), tr("Count"), tr("Where"), tr("Why"))
    rows = tuple(
        (
            group.title,
            status_name(group.status),
            effort_name(group.effort),
            str(len(group.rows)),
            group.places,
            group.why + (f" [{group.evidence}]" if group.evidence else ""),
        )
        for group in groups[:_MOST]
    )
    return Section(title, () if rows else (empty,), columns=columns if rows else (), rows=rows)


def _extensions(assessment: Assessment) -> list[Section]:
    """What the project builds in C++ or CUDA, from its sources to the places that call it."""
    found = assessment.report.custom_operators()
    if not found:
        return []
    columns = (
        tr("Extension"), tr("Built by"), tr("Sources"), tr("Operators"), tr("Called at"),
        tr("Effort"), tr("Way forward"),
    )  # fmt: skip
    rows = tuple(
        (
            str(one["name"]) or "torch.ops",
            str(one["built"]),
            listed(_texts(one["sources"])),
            listed(_texts(one["operators"]) or _texts(one["kernels"])),
            listed(_texts(one["calls"])),
            effort_name(str(one["effort"])),
            str(one["way"]),
        )
        for one in found[:_MOST]
    )
    text = tr("None can be replaced directly. What each is made of, and who uses it:")
    return [Section(tr("Extensions of the project"), (text,), (), columns, rows)]


def _texts(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []


def _effort(assessment: Assessment) -> Section:
    low, high = assessment.hours()
    texts = (
        tr("Work left: {low} to {high}.", low=duration(low), high=duration(high)),
        tr(
            "An estimate: something of minutes takes up to a quarter of an hour each time it "
            "occurs, of hours 1 to 4 hours, of days 1 to 5 working days; the latter two count once "
            "per subject."
        ),
    )
    by_category = assessment.counted("category")
    chart = tuple((category_name(name), n, "accent") for name, n in by_category.most_common())
    return Section(tr("Effort"), texts, chart)


def _apis(assessment: Assessment) -> Section:
    verdicts = assessment.report.verdicts()
    chart = tuple((verdict_name(name), n, COLOURS[name]) for name, n in verdicts.items() if n)
    rows = tuple(
        (
            one.name,
            verdict_name(one.verdict),
            str(count),
            " ".join(sorted(one.dtypes)),
            one.source,
        )
        for one, count in assessment.judgements
        if one.verdict != "supported"
    )
    texts = (
        tr(
            "What the support list says of every name of torch in use. Not verified does not mean "
            "unsupported: the list does not name it."
        ),
    )
    columns = (tr("API"), tr("Support"), tr("Count"), tr("Element types"), tr("Source"))
    return Section(tr("APIs of torch"), texts, chart, columns if rows else (), rows[:_MOST])


def _appendix(assessment: Assessment) -> list[Section]:
    found: dict[str, list[tuple[str, ...]]] = {}
    for row in assessment.rows:
        cells = (str(row.line), status_name(row.status), row.title, row.rule)
        found.setdefault(row.file, []).append(cells)
    columns = (tr("Line"), tr("Status"), tr("What"), tr("Rule"))
    heat = tuple((name, counts.total(), "accent") for name, counts in assessment.files[:40])
    first = Section(tr("Appendix: file by file"), (), heat)
    return [first, *(Section(f, (), (), columns, tuple(rows)) for f, rows in found.items())]


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0
