"""Bringing the window back as it was: place, panels, tabs, per project."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QByteArray

from studio.i18n import tr, trn
from studio.kernel.errors import StudioError, report_error
from studio.ui.recent import load_session, save_session

if TYPE_CHECKING:
    from studio.model.documents import Documents
    from studio.model.journal import Unsaved
    from studio.ui.shell import MainWindow

_STATE = "studio"


def save_window(window: MainWindow) -> None:
    """Keep the window's place and the open project for the next run."""
    values = load_session()
    geometry = bytes(window.saveGeometry().toBase64().data()).decode("ascii")
    project = window.app.project
    values.update(geometry=geometry, project=str(project.root) if project else "")
    save_session(values)
    save_project(window)


def restore_window(window: MainWindow) -> None:
    """Give the window the size and place it had, or a good part of the screen."""
    saved = load_session().get("geometry")
    values = saved.encode() if isinstance(saved, str) else b""
    if values and window.restoreGeometry(QByteArray.fromBase64(QByteArray(values))):
        return
    screen = window.screen().availableGeometry()
    window.resize(min(1440, round(screen.width() * 0.9)), min(900, round(screen.height() * 0.9)))
    window.move(screen.center() - window.rect().center())


def save_project(window: MainWindow) -> None:
    """Keep panels and tabs with the project's state."""
    project = window.app.project
    if project is None:
        return
    state = project.state(_STATE)
    state.update(
        layout=window.docks.save(), activity=window.docks.activity, tabs=window.centre.save()
    )
    try:
        project.save_state()
    except OSError as error:
        window.notify(
            "", "warn", tr("The state of the project cannot be saved: {error}", error=error)
        )


def restore_project(window: MainWindow) -> None:
    """Bring back panels and tabs of the open project, or the layout as declared."""
    project = window.app.project
    if project is None:
        window.docks.hide_all()
        return
    state: dict[str, Any] = project.state(_STATE)
    window.docks.activity = str(state.get("activity", "files"))
    layout = state.get("layout")
    if not (isinstance(layout, str) and window.docks.restore(layout)):
        window.docks.reset()
    window.activity.show_active(window.docks.activity)
    tabs = state.get("tabs")
    if isinstance(tabs, dict):
        try:
            window.centre.restore(tabs)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            report_error(error, "restoring the tabs")


def offer_unsaved(window: MainWindow) -> None:
    """Offer the unsaved texts of a run that did not end in order, once they are read.

    They stay where they are until the user decides: nothing is lost if the window closes first.
    """
    project = window.app.project
    if project is None or not project.documents.has_recoverable():
        return

    def read(unsaved: list[Unsaved]) -> None:
        if unsaved and window.app.project is project:
            _offer(window, project.documents, unsaved)

    window.app.jobs.start(
        "studio:model.documents.recoverable",
        {"documents": project.documents},
        title=tr("Unsaved texts of an earlier run"),
        key="unsaved",
        done=read,
    )


def _offer(window: MainWindow, documents: Documents, unsaved: list[Unsaved]) -> None:
    def recover() -> None:
        for text in unsaved:
            try:
                document = documents.recover(text)
            except StudioError as error:
                window.notify("", "error", error.message)
                continue
            window.open(document.path, "", {})

    def discard() -> None:
        for text in unsaved:
            documents.discard(text)

    window.notify(
        "",
        "warn",
        trn(
            "{n} file has unsaved changes from a run that ended unexpectedly.",
            "{n} files have unsaved changes from a run that ended unexpectedly.",
            len(unsaved),
        ),
        "\n".join(str(text.path) for text in unsaved),
        {tr("Recover"): recover, tr("Discard"): discard},
    )
