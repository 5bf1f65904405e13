"""Changes made where the files are, with a backup; or only shown, as a patch."""

from __future__ import annotations

import difflib
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugins.migration.core import registry
from plugins.migration.core.edits import IMPORT_RULE, edits_for, migrated_text
from plugins.migration.core.model import OFFERED
from plugins.migration.core.parsing import parses
from plugins.migration.core.recognise import kind_of
from studio.i18n import tr, trn
from studio.kernel.errors import StudioError
from studio.model.encoding import Decoded, decode
from studio.model.project import Project

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from plugins.migration.core.model import FileResult
    from plugins.migration.core.report import MigrationReport
    from studio.model.findings import Finding


@dataclass(frozen=True, slots=True)
class Patch:
    """What would be changed, as a unified diff that `git apply` takes."""

    text: str
    files: int

    def to_json(self) -> object:
        """The patch and how many files it touches."""
        return {"files": self.files, "patch": self.text}

    def to_text(self) -> str:
        """The patch."""
        return self.text


@dataclass(frozen=True, slots=True)
class AppliedInPlace:
    """Which files were changed, and where their former state is kept."""

    report: MigrationReport
    changed: tuple[Path, ...]
    failed: tuple[Path, ...]
    backup: Path | None

    def to_json(self) -> object:
        """The changed files, the backup and the summary of the scan."""
        return {
            "root": os.fspath(self.report.root),
            "changed": [self.report.relative(path) for path in self.changed],
            "failed": [self.report.relative(path) for path in self.failed],
            "backup": os.fspath(self.backup) if self.backup else None,
            "summary": self.report.summary(),
        }

    def to_text(self) -> str:
        """What was done, in a few sentences."""
        lines = [trn("{n} file changed", "{n} files changed", len(self.changed)) + "."]
        if self.backup:
            lines[0] += " " + tr("The former files are kept in {path}.", path=self.backup)
        if self.failed:
            left = ", ".join(map(self.report.relative, self.failed))
            lines.append(tr("Left as they are: {files}", files=left))
        return "\n".join(lines)


def choice(
    only: Sequence[str] = (), *, safe_only: bool = False, fused: bool = False
) -> Callable[[Finding], bool]:
    """Which findings are to be applied: all with a change, those of some rules, the safe ones.

    What only makes a program faster is applied if `fused` is set or its rule is named.
    """
    unknown = [name for name in only if name not in registry.rules()]
    if unknown:
        text = tr("There is no rule called {name}; see “studio migration rules”.", name=unknown[0])
        raise StudioError(text, exit_code=2)

    def wanted(finding: Finding) -> bool:
        if finding.fix is None or (safe_only and not finding.fix.safe):
            return False
        if finding.category == OFFERED:
            return fused or finding.rule in only
        return not only or finding.rule in only or finding.rule == IMPORT_RULE

    return wanted


def new_text(result: FileResult, chosen: list[Finding]) -> tuple[Decoded, str] | None:
    """The text of a file and what becomes of it; None if that would be no valid Python."""
    decoded = decode(result.path.read_bytes())
    text = migrated_text(decoded.text, chosen, result.findings)
    if kind_of(result.path) == "script" and not parses(text):
        return None
    return decoded, text


def show_patch(report: MigrationReport, wanted: Callable[[Finding], bool]) -> Patch:
    """Show what would be changed."""
    parts: list[str] = []
    files = 0
    for result, chosen in _chosen(report, wanted):
        new = new_text(result, chosen)
        if new is not None and new[0].text != new[1]:
            files += 1
            parts += _diff(report.relative(result.path), new[0].text, new[1])
    return Patch("".join(parts), files)


def apply_in_place(report: MigrationReport, wanted: Callable[[Finding], bool]) -> AppliedInPlace:
    """Change the files where they are: all or none, with a backup in the user's folder."""
    changed: list[Path] = []
    failed: list[Path] = []
    edits = []
    for result, chosen in _chosen(report, wanted):
        if result.path.is_symlink() or new_text(result, chosen) is None:
            failed.append(result.path)
            continue
        made = edits_for(chosen, result.findings)
        if made:
            changed.append(result.path)
            edits += made
    root = report.root if report.root.is_dir() else report.root.parent
    project = Project(root)
    try:
        undo = project.apply(edits, tr("Migration"))
        backup = undo.backup
    finally:
        project.close()
    return AppliedInPlace(report, tuple(changed), tuple(failed), backup)


def _chosen(
    report: MigrationReport, wanted: Callable[[Finding], bool]
) -> Iterator[tuple[FileResult, list[Finding]]]:
    for result in report.results:
        chosen = [finding for finding in result.findings if wanted(finding)]
        if any(finding.rule != IMPORT_RULE for finding in chosen):
            yield result, chosen


def _diff(name: str, before: str, after: str) -> Iterator[str]:
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    for line in difflib.unified_diff(old, new, f"a/{name}", f"b/{name}"):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
