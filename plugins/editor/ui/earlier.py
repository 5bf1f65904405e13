"""Earlier versions of a file: listed, compared with the text as it is, and brought back."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu
from shiboken6 import isValid

from plugins.editor.core.history import History, Version, to_keep
from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.ui.icons import icon
from studio.ui.parts import head_menu
from studio.ui.text import format_bytes

if TYPE_CHECKING:
    from pathlib import Path

    from plugins.editor.ui.view import EditorView
    from studio.model.project import Project

_SHOWN = 20


def history_of(project: Project) -> History:
    """The history of a project's files, in the user's folder."""
    return History(project.store.folder / "history")


def keep_before_saving(view: EditorView) -> None:
    """Keep what a save overwrites; reading and writing it is left to a job."""
    project, path = view.studio.project, view.document.path
    before = to_keep(path)
    if project is not None and before is not None:
        folder = project.store.folder / "history"
        view.studio.start_job(
            "editor:core.history.keep_version",
            {"folder": folder, "path": path, "before": before},
            title=tr("Keeping the version before"),
        )


def show_earlier(view: EditorView) -> None:
    """Offer the versions that saves have overwritten, newest first."""
    project = view.studio.project
    if project is None:
        return
    versions = history_of(project).versions(view.document.path)
    if not versions:
        view.studio.notify(tr("This file was not saved here before."), severity="info")
        return
    menu = QMenu(view)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    head_menu(menu, tr("Versions until"))
    for version in versions[:_SHOWN]:
        inner = menu.addMenu(icon("history"), f"{_when(version)}   {format_bytes(version.size)}")
        for sign, title, run in (
            ("compare", tr("Compare"), partial(compare_version, view, version)),
            ("undo", tr("Bring it back"), partial(bring_back, view, version)),
        ):
            inner.addAction(icon(sign), title).triggered.connect(lambda _=False, r=run: r())
    rect = view.edit.cursor_rect()
    menu.popup(view.edit.mapToGlobal(QPoint(rect.left(), rect.bottom())))


def compare_version(view: EditorView, version: Version) -> None:
    """Compare a version with the text as it is."""
    _compare(view, version.path, tr("{name} until {time}", name=_name(view), time=_when(version)))


def bring_back(view: EditorView, version: Version) -> None:
    """Put a version into the editor as one step that can be undone; nothing is saved."""
    if view.document.read_only:
        view.studio.notify(view.document.notice, severity="error")
        return
    view.studio.start_job(
        "editor:core.reading.read_text",
        {"path": version.path, "encoding": view.document.encoding},
        title=tr("Reading {name}", name=_name(view)),
        key=f"bring back {view.document.path}",
        done=partial(_put, view),
        failed=lambda error: _tell(view, error),
    )


def _put(view: EditorView, text: str) -> None:
    if isValid(view) and not view.document.read_only:
        with view.edit.step():
            view.edit.replace_text(text)


def show_committed(view: EditorView) -> None:
    """Compare the last committed version with the text as it is."""
    project = view.studio.project
    if project is None:
        return
    name = tr("{name} as committed", name=_name(view))
    view.studio.start_job(
        "editor:core.history.committed",
        {"path": view.document.path, "keep_in": project.store.folder / "committed"},
        title=tr("Asking git"),
        key=f"committed {view.document.path}",
        done=lambda path: _compare(view, path, name),
        failed=lambda error: _tell(view, error),
    )


def _compare(view: EditorView, before: Path, name: str) -> None:
    view.binding.flush()
    view.studio.open(before, opener="editor.compare", other=str(view.document.path), name=name)


def _tell(view: EditorView, error: BaseException) -> None:
    message = error.message if isinstance(error, StudioError) else str(error)
    view.studio.notify(message, severity="warn")


def _name(view: EditorView) -> str:
    return view.document.path.name


def _when(version: Version) -> str:
    return f"{datetime.fromtimestamp(version.until):%Y-%m-%d %H:%M:%S}"
