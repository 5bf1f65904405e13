"""What an assessment says, drawn from a scan: counts, shares, lists."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from plugins.migration.core.model import OFFERED
from plugins.migration.core.support import judged_in
from studio.i18n import tr

if TYPE_CHECKING:
    from collections.abc import Iterable

    from plugins.migration.core.report import MigrationReport
    from plugins.migration.core.support import Judgement
    from studio.model.findings import Finding

HOURS = {"minutes": (0.05, 0.25), "hours": (1.0, 4.0), "days": (8.0, 40.0)}
"""How long one thing of an effort takes, at least and at most, in working hours."""

_APART = ("library", "custom_op", "precision", "performance")
_BY_HAND = ("manual", "unsupported", "unreadable")


@dataclass(frozen=True)
class Row:
    """One finding as lists show it."""

    file: str
    line: int
    last: int
    rule: str
    category: str
    status: str
    effort: str
    title: str
    why: str
    evidence: str
    subject: str
    changes: bool


@dataclass(frozen=True)
class Group:
    """The findings that say the same thing of the same subject."""

    title: str
    why: str
    effort: str
    status: str
    evidence: str
    rows: tuple[Row, ...]

    @property
    def places(self) -> str:
        """Where they are, the first few of them."""
        shown = ", ".join(f"{row.file}:{row.line}" for row in self.rows[:4])
        return shown + (", …" if len(self.rows) > 4 else "")


class Assessment:
    """A scan seen as an assessment."""

    def __init__(self, report: MigrationReport) -> None:
        self.report = report
        self.rows = [_row(report, finding) for finding in report.findings]
        self.summary = report.summary()

    @cached_property
    def statuses(self) -> Counter[str]:
        """The findings by what is to be done."""
        return Counter(row.status for row in self.rows)

    @property
    def readiness(self) -> float | None:
        """The share of what asks for something that is rewritten without a look.

        None where there is nothing to judge: no file uses torch, and nothing was found.
        """
        asking = [r for r in self.rows if r.status != "info" and r.category != OFFERED]
        if not asking:
            found = any(row.category != "file" for row in self.rows)
            return 1.0 if found or self.report.apis() else None
        return sum(r.status == "auto" for r in asking) / len(asking)

    def counted(self, aspect: str) -> Counter[str]:
        """What asks for something, by category or effort."""
        return Counter(getattr(row, aspect) for row in self.rows if row.status != "info")

    @cached_property
    def replaced(self) -> list[Group]:
        """What is rewritten, the most frequent first."""
        return _grouped(
            r for r in self.rows if r.changes and r.status in ("auto", "review", "limited")
        )

    @cached_property
    def looked_at(self) -> list[Group]:
        """What no change is proposed for, and nobody but the user can tell whether it matters."""
        return _grouped(
            r
            for r in self.rows
            if not r.changes and r.status in ("review", "limited") and r.category not in _APART
        )

    @cached_property
    def by_hand(self) -> list[Group]:
        """What cannot be replaced directly; libraries and operators of the project stand apart."""
        apart = ("library", "custom_op")
        return _grouped(r for r in self.rows if r.status in _BY_HAND and r.category not in apart)

    def of_category(self, category: str) -> list[Group]:
        """The findings of a category."""
        return _grouped(row for row in self.rows if row.category == category)

    @cached_property
    def files(self) -> list[tuple[str, Counter[str]]]:
        """The findings of each file by status, the fullest file first."""
        found: dict[str, Counter[str]] = {}
        for row in self.rows:
            found.setdefault(row.file, Counter())[row.status] += 1
        return sorted(found.items(), key=lambda one: (-one[1].total(), one[0]))

    @cached_property
    def judgements(self) -> list[tuple[Judgement, int]]:
        """The names of torch in use with their verdicts, those with trouble first."""
        context = self.report.context
        found = [(judged_in(context, name), count) for name, count in self.report.apis().items()]
        order = ("unsupported", "fallback", "limited", "unverified", "not stated", "supported")
        return sorted(found, key=lambda one: (order.index(one[0].verdict), one[0].name))

    def hours(self) -> tuple[float, float]:
        """How long the work that is left takes: one thing counts once, however often it occurs."""
        todo = [row for row in self.rows if row.status not in ("auto", "info")]
        once = {(row.rule, row.subject): row.effort for row in todo if row.effort != "minutes"}
        minutes = sum(row.effort == "minutes" for row in todo)
        efforts = Counter(once.values()) + Counter(minutes=minutes)
        low = sum(HOURS[effort][0] * n for effort, n in efforts.items() if effort in HOURS)
        high = sum(HOURS[effort][1] * n for effort, n in efforts.items() if effort in HOURS)
        return low, high


def duration(hours: float) -> str:
    """A length of time in hours or working days."""
    if hours < 16:
        return tr("{n} h", n=round(hours, 1) if hours < 2 else round(hours))
    return tr("{n} days", n=round(hours / 8))


def category_name(category: str) -> str:
    """A category in the words of the user."""
    return {
        "api": tr("API"),
        "device": tr("Devices"),
        "distributed": tr("Distributed training"),
        "import": tr("Imports"),
        "library": tr("Libraries"),
        "custom_op": tr("Custom operators"),
        "environment": tr("Environment"),
        "config": tr("Configuration"),
        "precision": tr("Precision"),
        "performance": tr("Performance"),
        "launch": tr("Launching"),
        "file": tr("Files"),
    }.get(category, category)


def _row(report: MigrationReport, finding: Finding) -> Row:
    place, facts = finding.location, finding.facts
    subject = facts.get("name") or facts.get("library") or facts["old"]
    return Row(
        report.relative(place.path),
        place.line or 1,
        place.end_line or place.line or 1,
        finding.rule,
        finding.category,
        str(facts["status"]),
        str(facts["effort"]),
        finding.title,
        finding.why,
        finding.evidence,
        str(subject),
        finding.fix is not None,
    )


def _grouped(rows: Iterable[Row]) -> list[Group]:
    found: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        found.setdefault((row.rule, row.title), []).append(row)
    groups = [
        Group(r[0].title, r[0].why, r[0].effort, r[0].status, r[0].evidence, tuple(r))
        for r in found.values()
    ]
    return sorted(groups, key=lambda group: (-len(group.rows), group.title))
