"""Icon, colour and word of each severity."""

from __future__ import annotations

from studio.i18n import tr, trn
from studio.model.findings import Severity

ICONS = {
    Severity.ERROR: ("error", "error"),
    Severity.WARNING: ("warn", "warn"),
    Severity.INFO: ("info", "info"),
    Severity.HINT: ("hint", "muted"),
}
"""Icon and colour token, worst first."""


def severity_word(severity: Severity) -> str:
    """One finding's severity in a word."""
    return {
        Severity.ERROR: tr("Error"),
        Severity.WARNING: tr("Warning"),
        Severity.INFO: tr("Info"),
        Severity.HINT: tr("Hint"),
    }[severity]


def severity_count(severity: Severity, count: int) -> str:
    """How many findings of a severity there are, in words."""
    return {
        Severity.ERROR: trn("{n} error", "{n} errors", count),
        Severity.WARNING: trn("{n} warning", "{n} warnings", count),
        Severity.INFO: trn("{n} info", "{n} infos", count),
        Severity.HINT: trn("{n} hint", "{n} hints", count),
    }[severity]
