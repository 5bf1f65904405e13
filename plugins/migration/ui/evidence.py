"""The row of a support table behind a finding: what it says per torch version, and where it is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from plugins.migration.core import support, tables
from plugins.migration.core.model import TORCH_VERSIONS
from studio.i18n import tr
from studio.paths import resource

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from studio.model.findings import Finding


@dataclass(frozen=True, slots=True)
class Evidence:
    """A row of a table: the verdict for each torch version, or a sentence; and its source."""

    name: str
    table: str
    verdicts: Mapping[str, str]
    remarks: tuple[str, ...] = ()
    source: str = ""
    per_chip: bool = False

    def place(self) -> tuple[Path, int]:
        """The table and the line that the row begins in."""
        path = resource("rules", self.table)
        return path, _lines(self.table).get(self.name, 1)


def evidence_of(finding: Finding, torch: str, chip: str) -> Evidence | None:
    """The row that a finding was judged by, None when it rests on no table."""
    facts = finding.facts
    names = [str(facts[key]) for key in ("name", "library", "old") if facts.get(key)]
    names.append(finding.title.split(" ")[0])
    for name in names:
        if known := tables.api_names().get(name):
            remarks = (tr(known.note),) if known.note else ()
            return Evidence(name, "cuda_names.csv", known.support, remarks, known.source)
        if library := tables.libraries().get(name):
            remarks = (tr(library.advice),) if library.advice else ()
            return Evidence(name, "libraries.csv", {}, remarks, library.source)
        if variable := tables.variables().get(name):
            remarks = (tr(variable.advice),) if variable.advice else ()
            return Evidence(name, "environment.csv", {}, remarks, variable.source)
        listed = support.canonical(name)
        if listed in support.listing():
            return _listed(listed, torch, chip)
    return None


def verdict_title(verdict: str) -> str:
    """What a table says about an API, as the user reads it."""
    return {
        "supported": tr("supported"),
        "limited": tr("with limits"),
        "fallback": tr("may fall back to the CPU"),
        "unsupported": tr("not supported"),
        "unverified": tr("not verified"),
        "unlisted": tr("not verified"),
        "absent": tr("does not exist"),
        "not stated": tr("not stated"),
    }.get(verdict, verdict)


VERDICT_LOOKS = {
    "supported": ("✓", "ok"),
    "limited": ("≈", "info"),
    "fallback": ("≈", "warn"),
    "unsupported": ("✗", "error"),
    "absent": ("✗", "error"),
    "unverified": ("?", "muted"),
    "unlisted": ("?", "muted"),
    "not stated": ("–", "muted"),
}
"""A sign and a colour token for each verdict; the word stands beside the chosen version."""


def _listed(name: str, torch: str, chip: str) -> Evidence:
    found = {version: support.judged(name, version, chip) for version in TORCH_VERSIONS}
    chosen = found.get(torch)
    remarks: list[str] = []
    source = ""
    if chosen is not None:
        source = chosen.source
        remarks += [tr(note) for note in chosen.notes]
        if chosen.dtypes:
            remarks.append(tr("element types: {names}", names=", ".join(sorted(chosen.dtypes))))
        if chosen.without:
            remarks.append(tr("but not {names}", names=", ".join(sorted(chosen.without))))
    verdicts = {version: judged.verdict for version, judged in found.items()}
    return Evidence(name, "torch_support.csv", verdicts, tuple(remarks), source, per_chip=True)


@lru_cache(maxsize=8)
def _lines(table: str) -> Mapping[str, int]:
    with resource("rules", table).open(encoding="utf-8", newline="") as stream:
        names = [line.partition(",")[0].strip() for line in stream]
    return {name: number for number, name in reversed(list(enumerate(names, 1)))}
