"""Grouping, filtering and writing out findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.model.findings import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

GROUPINGS = ("file", "rule", "severity")
"""What findings can be grouped by."""

_RANK = {severity: rank for rank, severity in enumerate(Severity)}


def wanted(
    findings: Iterable[Finding],
    severities: frozenset[Severity],
    text: str,
    name: Callable[[Path], str],
) -> list[Finding]:
    """The findings of these severities in which each word of the text occurs."""
    words = text.casefold().split()
    return [
        finding
        for finding in findings
        if finding.severity in severities and all(word in _words(finding, name) for word in words)
    ]


def grouped(findings: Iterable[Finding], by: str) -> Mapping[object, list[Finding]]:
    """The findings by file, rule or severity; the worst and the fullest groups come first."""
    groups: dict[object, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(_key(finding, by), []).append(finding)
    for found in groups.values():
        found.sort(key=lambda f: (_RANK[f.severity], str(f.location.path), f.location.line or 0))
        if by == "file":
            found.sort(key=lambda f: (f.location.line or 0, f.location.column or 0))
    order = sorted(groups, key=lambda key: (_worst(groups[key]), -len(groups[key]), str(key)))
    return {key: groups[key] for key in order}


def counts(findings: Iterable[Finding]) -> dict[Severity, int]:
    """How many findings there are of each severity."""
    found = dict.fromkeys(Severity, 0)
    for finding in findings:
        found[finding.severity] += 1
    return found


def as_text(findings: Iterable[Finding], name: Callable[[Path], str]) -> str:
    """One line per finding, as compilers write them."""
    return "\n".join(
        f"{name(f.location.path)}:{f.location.line or 1}:{f.location.column or 1}: "
        f"{f.severity.value}: {f.title} [{f.rule}]"
        for f in findings
    )


def _key(finding: Finding, by: str) -> object:
    if by == "rule":
        return finding.rule
    return finding.severity if by == "severity" else finding.location.path


def _worst(findings: list[Finding]) -> int:
    return min(_RANK[finding.severity] for finding in findings)


def _words(finding: Finding, name: Callable[[Path], str]) -> str:
    place = name(finding.location.path)
    return f"{finding.title} {finding.rule} {finding.category} {place}".casefold()
