"""Handing the migration on: a report, a patch, or a changed copy of the project."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog

from plugins.migration.ui.patch import unified_patch
from plugins.migration.ui.review import Review
from studio.i18n import tr, trn
from studio.kernel.errors import StudioError
from studio.kernel.files import write_atomic
from studio.model.changes import FileChange, plan_changes

if TYPE_CHECKING:
    from studio.api import Studio
    from studio.model.project import Project


def export_report(studio: Studio, out: str | Path = "") -> None:
    """Write the assessment report to a folder the user chooses."""
    project = studio.project
    folder = out or _ask_folder(studio, tr("Folder for the report"))
    if project is None or not folder:
        return
    values = project.context.values
    review = studio.shared(Review)
    studio.start_job(
        "migration:core.assessment.write.report_command",
        {
            "path": project.root,
            "out": Path(folder),
            "torch": values.torch_version,
            "chip": values.chip,
            "strategy": review.strategy,
        },
        title=tr("Writing the report on {name}", name=project.name),
        key="report",
        done=lambda _written: _tell_report(studio, Path(folder)),
        failed=lambda error: studio.notify(str(error), severity="error"),
    )


def export_patch(studio: Studio, out: str | Path = "") -> None:
    """Write the accepted changes as a unified diff; nothing in the project changes."""
    project, changes = _accepted(studio)
    if project is None or not changes:
        return
    if not out:
        assert studio.window is not None
        usual = str(project.root.parent / f"{project.name}-npu.patch")
        kinds = tr("Patches (*.patch *.diff)")
        out, _ = QFileDialog.getSaveFileName(
            studio.window.parent(), tr("Export a patch"), usual, kinds
        )
        if not out:
            return
    target = Path(out)
    try:
        write_atomic(target, unified_patch(project.root, changes))
    except OSError as error:
        problem = tr("{path} cannot be written: {error}", path=target, error=error.strerror)
        studio.notify(problem, severity="error")
        return
    files = trn("{n} file", "{n} files", len(changes))
    text = tr("The patch for {files} is in {path}. Try it with: git apply --check", files=files,
              path=target)  # fmt: skip
    studio.notify(text, severity="ok", actions={tr("Open"): lambda: studio.open(target)})


def write_copy(studio: Studio, out: str | Path = "") -> None:
    """Copy the project to a new or empty folder and make the accepted changes there."""
    project, changes = _accepted(studio)
    if project is None or not changes:
        return
    folder = out or _ask_folder(studio, tr("New or empty folder for the copy"))
    if not folder:
        return
    changed = {str(c.path.relative_to(project.root)): c.bytes_after() for c in changes}
    studio.start_job(
        "migration:ui.jobs.copy_project",
        {"root": project.root, "out": Path(folder), "changed": changed},
        title=tr("Copying {name}", name=project.name),
        key="copy",
        done=lambda left: _tell_copy(studio, Path(folder), len(changed), left),
        failed=lambda error: studio.notify(str(error), severity="error"),
    )


def _accepted(studio: Studio) -> tuple[Project | None, list[FileChange]]:
    """What accepting made of the files, as they are in the project now; nothing is written."""
    project = studio.project
    if project is None:
        return None, []
    edits = [edit for edits in studio.shared(Review).edits().values() for edit in edits]
    if not edits:
        studio.notify(tr("Accept some changes first: nothing is accepted yet."))
        return project, []
    try:
        return project, list(plan_changes(project.documents, edits))
    except StudioError as error:
        studio.notify(error.message, severity="error")
        return project, []


def _ask_folder(studio: Studio, title: str) -> str:
    if studio.window is None:
        return ""
    return QFileDialog.getExistingDirectory(studio.window.parent(), title)


def _tell_report(studio: Studio, folder: Path) -> None:
    page = next(iter(sorted(folder.glob("*.html"))), None)
    actions: dict[str, Any] = {}
    if page is not None:
        actions[tr("Open in the browser")] = lambda: _browse(page)
    actions[tr("Open the folder")] = lambda: _browse(folder)
    text = tr("The report is in {path}.", path=folder)
    studio.notify(text, severity="ok", actions=actions)


def _tell_copy(studio: Studio, folder: Path, files: int, left: list[str]) -> None:
    changed = trn("{n} file", "{n} files", files)
    text = tr("The migrated copy is in {path}: {files} changed.", path=folder, files=changed)
    details = tr("Could not be read: {files}", files=", ".join(left)) if left else ""
    severity = "warn" if left else "ok"
    studio.notify(
        text, severity=severity, details=details,
        actions={tr("Open the folder"): lambda: _browse(folder)},
    )  # fmt: skip


def _browse(path: Path) -> None:
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))
