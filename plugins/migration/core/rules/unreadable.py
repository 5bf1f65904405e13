"""Files that cannot be analysed: one finding each."""

from __future__ import annotations

from plugins.migration.core.model import Rule
from studio.model.findings import Severity

UNREADABLE = Rule(
    "unreadable",
    "This file was skipped",
    "It was left as it is.",
    "file",
    "unreadable",
    Severity.ERROR,
    "minutes",
)
ASIDE = Rule(
    "unreadable-aside",
    "This file cannot be read as Python",
    "It says nothing of torch or CUDA, so the migration can go on without it.",
    "file",
    "info",
    Severity.HINT,
)
RULES = (UNREADABLE, ASIDE)
