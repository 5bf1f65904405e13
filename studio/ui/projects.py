"""Opening and closing projects in a window: from dialogs, drops, the sample, the last run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtGui import QAction, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QFileDialog

from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.ui import session
from studio.ui.listening import Listening
from studio.ui.recent import recent_projects, remember_project
from studio.ui.text import literal
from studio.ui.warm import warm_up

if TYPE_CHECKING:
    from PySide6.QtWidgets import QMenu

    from studio.model.project import Project
    from studio.ui.shell import MainWindow


class Projects(QObject):
    """Takes the window from one project to another."""

    changed = Signal()

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._app = window.app
        self._project = Listening(self)
        self._warm = False
        self._soon = QTimer(self, singleShot=True, interval=50)
        self._soon.timeout.connect(self.changed)
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    # -- opening --------------------------------------------------------------------------------
    def open(self, path: Path) -> bool:
        """Open a folder as the project; a file is shown, in its folder's project if need be."""
        path = path.expanduser().absolute()
        if path.is_file():
            return self.open_file(path)
        if not self.close():
            return False
        try:
            project = self._app.open_project(path)
        except StudioError as error:
            self._window.notify("", "error", error.message)
            return False
        remember_project(project.root)
        return True

    def open_file(self, path: Path) -> bool:
        """Show a file; without a project, its folder becomes the project first."""
        if self._app.project is None and not self.open(path.parent):
            return False
        return self._window.open(path, "", {}) is not None

    def open_dialog(self) -> None:
        """Let the user choose a folder."""
        name = QFileDialog.getExistingDirectory(self._window, tr("Open project folder"))
        if name:
            self.open(Path(name))

    def open_file_dialog(self) -> None:
        """Let the user choose a file."""
        project = self._app.project
        start = str(project.root) if project is not None else ""
        name, _ = QFileDialog.getOpenFileName(self._window, tr("Open file"), start)
        if name:
            self.open(Path(name))

    def fill_menu(self, menu: QMenu) -> None:
        """Add the recent projects."""
        for path in recent_projects():
            action = QAction(literal(f"{path.name}  —  {path.parent}"), menu)
            action.triggered.connect(lambda _checked=False, p=path: self.open(p))
            menu.addAction(action)

    def open_sample(self) -> None:
        """Open the user's own copy of the sample project."""
        self._app.jobs.start(
            "studio:sample.sample_project",
            {},
            title=tr("Copying the sample project"),
            key="sample",
            done=self.open,
        )

    def close(self) -> bool:
        """Close the project; False when the user kept a tab."""
        if self._app.project is None:
            return True
        if not self._window.may_close():
            return False
        session.save_project(self._window)
        self.forget()
        self._app.close_project()
        return True

    # -- following the application ---------------------------------------------------------------
    def take(self, project: Project | None) -> None:
        """Show another project, whoever opened it."""
        self.forget()
        self._window.centre.close_all(ask=False)
        self._window.centre.closed.clear()
        session.restore_project(self._window)
        if project is not None:
            self._project.to(project.items_changed, self._found)
            self._project.to(project.findings.changed, lambda _: self._soon.start())
            self._project.to(project.context.changed, lambda _: self._soon.start())
            session.offer_unsaved(self._window)
        self.changed.emit()

    def _found(self, _items: object) -> None:
        self._soon.start()
        self._warm = self._warm or warm_up(self._app)

    def forget(self) -> None:
        """Stop following the project that was open."""
        self._project.stop()
        self._soon.stop()

    # -- drops ----------------------------------------------------------------------------------
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take folders and files that are dropped on the window."""
        if isinstance(event, QDropEvent) and watched is self._window:
            paths = [
                Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()
            ]
            if paths and isinstance(event, QDragEnterEvent):
                event.acceptProposedAction()
                return True
            if paths and event.type() == QEvent.Type.Drop:
                event.acceptProposedAction()
                self.drop(paths)
                return True
        return super().eventFilter(watched, event)

    def drop(self, paths: list[Path]) -> None:
        """Open what was dropped: a folder as the project, files in tabs."""
        folders = [path for path in paths if path.is_dir()]
        if folders:
            self.open(folders[0])
        for path in paths:
            if path.is_file():
                self.open_file(path)
            elif not path.exists():
                self._window.notify("", "warn", tr("{path} does not exist.", path=path))
