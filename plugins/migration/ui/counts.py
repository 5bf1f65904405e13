"""Counting what a scan found and what was decided, kept up file by file."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from plugins.migration.core.assessment.facts import HOURS
from plugins.migration.core.model import OFFERED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from studio.model.findings import Finding


class Aspects(NamedTuple):
    """What a finding is counted by."""

    status: str
    category: str
    severity: str
    effort: str
    rule: str


@dataclass(frozen=True, slots=True)
class Summary:
    """The counts of a scan: findings by what is to be done, changes by what was decided."""

    files: int = 0
    statuses: Mapping[str, int] = field(default_factory=dict)
    changes: int = 0
    accepted: int = 0
    rejected: int = 0
    safe: int = 0
    offers: int = 0
    """Findings that ask for something only to make the program faster."""

    @property
    def findings(self) -> int:
        """All findings that ask for something."""
        return sum(n for status, n in self.statuses.items() if status != "info")

    @property
    def open(self) -> int:
        """The changes that nothing was decided about."""
        return self.changes - self.accepted - self.rejected

    @property
    def readiness(self) -> float:
        """The share of what the move needs that is rewritten without a look or work by hand."""
        needed = self.findings - self.offers
        return self.statuses.get("auto", 0) / needed if needed else 1.0


class Counts:
    """The findings of every file by their aspects; the cost of a change is that of its file."""

    def __init__(self) -> None:
        self._files: dict[Path, Counter[Aspects]] = {}
        self._total: Counter[Aspects] = Counter()

    def put(self, path: Path, findings: Sequence[Finding]) -> None:
        """Count the findings of a file anew; none takes the file out."""
        if old := self._files.pop(path, None):
            self._total.subtract(old)
        if findings:
            new = Counter(map(aspects_of, findings))
            self._files[path] = new
            self._total.update(new)

    def clear(self) -> None:
        """Forget all files."""
        self._files.clear()
        self._total.clear()

    def statuses(self, path: Path | None = None) -> Counter[str]:
        """Every finding of a file, or of all, by what is to be done."""
        counts = self._total if path is None else self._files.get(path, Counter())
        return _by("status", counts, all_of=True)

    def by(self, aspect: str) -> Counter[str]:
        """The findings that ask for something, by one aspect."""
        return _by(aspect, self._total)

    def offers(self) -> int:
        """How many findings only make the program faster, and ask for something."""
        return self.by("category")[OFFERED]

    def by_hand(self) -> Counter[tuple[str, str]]:
        """The rules whose findings no rewriting settles, with their effort."""
        found: Counter[tuple[str, str]] = Counter()
        for aspects, number in self._total.items():
            if number and aspects.status in ("manual", "unsupported", "unreadable"):
                found[aspects.rule, aspects.effort] += number
        return found


def aspects_of(finding: Finding) -> Aspects:
    """What a finding is counted by."""
    facts = finding.facts
    return Aspects(
        str(facts.get("status", "info")),
        finding.category,
        finding.severity.value,
        str(facts.get("effort", "")),
        finding.rule,
    )


def hours_left(findings: Iterable[Finding]) -> tuple[float, float]:
    """How long the work takes that is left, at least and at most, as the report estimates it.

    What takes hours or days counts once, however often it occurs.
    """
    minutes = 0
    once: dict[tuple[str, str], str] = {}
    for finding in findings:
        facts = finding.facts
        if facts["status"] in ("auto", "info"):
            continue
        if facts["effort"] == "minutes":
            minutes += 1
        else:
            subject = str(facts.get("name") or facts.get("library") or facts["old"])
            once[finding.rule, subject] = str(facts["effort"])
    efforts = Counter(once.values()) + Counter(minutes=minutes)
    low, high = (
        sum(HOURS[effort][side] * n for effort, n in efforts.items() if effort in HOURS)
        for side in (0, 1)
    )
    return low, high


def _by(aspect: str, counts: Counter[Aspects], *, all_of: bool = False) -> Counter[str]:
    place = Aspects._fields.index(aspect)
    found: Counter[str] = Counter()
    for aspects, number in counts.items():
        if number and (all_of or aspects.status != "info"):
            found[aspects[place]] += number
    return found
