"""The guide on the command line: show the steps, show them as a patch, make them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from plugins.migration.core.guide.guiding import Guide, guide_file
from plugins.migration.core.guide.rules import NO_TRAINING
from plugins.migration.core.inplace import (
    AppliedInPlace,
    Patch,
    apply_in_place,
    choice,
    show_patch,
)
from plugins.migration.core.report import MigrationReport
from plugins.migration.core.scan import context_of, for_project, project_files
from studio.i18n import tr, trn
from studio.kernel.errors import StudioError
from studio.kernel.files import write_atomic

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugins.migration.core.model import ScanContext
    from studio.kernel.job_context import JobContext
    from studio.model.findings import Finding

_LARGEST = 2_000_000


@dataclass(frozen=True, slots=True)
class Guides:
    """What the guide says of each training script of a project; `made` once it was applied."""

    root: Path
    guides: tuple[Guide, ...]
    context: ScanContext
    made: AppliedInPlace | None = None

    @property
    def exit_code(self) -> int:
        """1 when no script could be guided, else 0."""
        return int(not any(guide.ready for guide in self.guides))

    def report(self) -> MigrationReport:
        """The scripts with steps, as a scan, so that they are applied like one."""
        results = tuple(guide.result for guide in self.guides if guide.ready)
        return MigrationReport(self.root, results, self.context)

    def to_json(self) -> object:
        """The steps or reasons of each script, and the launcher suggested for it."""
        return {
            "root": os.fspath(self.root),
            "scripts": {
                self._name(guide.path): {
                    "ready": guide.ready,
                    "launcher": self._name(guide.launcher.path) if guide.launcher else None,
                    "steps" if guide.ready else "reasons": [
                        {"line": f.location.line, "rule": f.rule, "title": f.title, "why": f.why}
                        for f in guide.findings
                    ],
                }
                for guide in self.guides
            },
            "made": self.made.to_json() if self.made else None,
        }

    def to_text(self) -> str:
        """The steps or reasons, line by line."""
        if self.made is not None:
            launchers = [self._name(g.launcher.path) for g in self.guides if g.launcher]
            start = tr("Start it with {files}.", files=", ".join(launchers))
            return f"{self.made.to_text()}\n{start}"
        return "\n".join(line for guide in self.guides for line in self._lines(guide))

    def _lines(self, guide: Guide) -> Iterator[str]:
        name = self._name(guide.path)
        for finding in guide.findings:
            yield f"{name}:{finding.location.line}: {finding.title}. {finding.why}"
        if guide.launcher is not None:
            count = trn("{n} step", "{n} steps", len(guide.findings))
            place = self._name(guide.launcher.path)
            yield tr("{name}: {steps}, and {file} to start it", name=name, steps=count, file=place)

    def _name(self, path: Path) -> str:
        base = self.root if self.root.is_dir() else self.root.parent
        return path.relative_to(base).as_posix()


def guide_command(
    path: Path,
    in_place: bool = False,
    dry_run: bool = False,
    torch: str = "",
    chip: str = "",
    job: JobContext | None = None,
) -> Guides | Patch:
    """Lead a script, or the training scripts of a project, from one card to several."""
    root = Path(os.path.abspath(path))
    context = for_project(context_of(torch, chip), root)
    found = Guides(root, tuple(guides_of(root, context, job)), context)
    if not found.guides:
        raise StudioError(tr("No script in {path} trains a model.", path=root), path=root)
    if dry_run:
        return with_launchers(found)
    if in_place:
        return make(found)
    return found


def guides_of(root: Path, context: ScanContext, job: JobContext | None = None) -> Iterator[Guide]:
    """The guide for each script that trains; of a single file always one."""
    files = [path for path in project_files(root) if path.suffix == ".py"]
    for number, path in enumerate(files):
        if job is not None:
            job.check()
            job.report(number / len(files), path.name)
        try:
            if path != root and not _may_train(path):
                continue
            guide = guide_file(path, context)
        except OSError as error:
            problem = error.strerror or str(error)
            text = tr("{path} cannot be read: {problem}.", path=path, problem=problem)
            raise StudioError(text, path=path) from error
        if path == root or not _says(guide.findings, NO_TRAINING.id):
            yield guide


def with_launchers(found: Guides) -> Patch:
    """All changes as one patch, the launchers as new files."""
    patch = show_patch(found.report(), choice())
    parts = [patch.text]
    for guide in found.guides:
        if guide.launcher is not None:
            name = guide.launcher.path.relative_to(_folder(found.root)).as_posix()
            rows = guide.launcher.text.splitlines(keepends=True)
            parts.append(f"diff --git a/{name} b/{name}\nnew file mode 100755\n")
            parts.append(f"--- /dev/null\n+++ b/{name}\n@@ -0,0 +1,{len(rows)} @@\n")
            parts += [f"+{row}" for row in rows]
    return Patch("".join(parts), patch.files + sum(guide.ready for guide in found.guides))


def make(found: Guides) -> Guides:
    """Change the scripts where they are, with a backup, and write the launchers."""
    applied = apply_in_place(found.report(), choice())
    for guide in found.guides:
        if guide.launcher is not None and guide.path in applied.changed:
            write_atomic(guide.launcher.path, guide.launcher.text.encode())
            guide.launcher.path.chmod(0o755)
    return Guides(found.root, found.guides, found.context, applied)


def _folder(root: Path) -> Path:
    return root if root.is_dir() else root.parent


def _may_train(path: Path) -> bool:
    return path.stat().st_size <= _LARGEST and b".backward(" in path.read_bytes()


def _says(findings: tuple[Finding, ...], rule: str) -> bool:
    return any(finding.rule == rule for finding in findings)
