"""Choosing the Python of a project: an item of the status bar and its menu."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QMenu, QToolButton, QWidget

from plugins.run.core.interpreters import (
    Interpreter,
    default_program,
    preferred,
)
from studio.i18n import tr
from studio.ui.icons import icon
from studio.ui.listening import Listening, listen

if TYPE_CHECKING:
    from collections.abc import Callable

    from studio.api import Studio
    from studio.kernel.job import Job
    from studio.model.project import Project


def with_python(studio: Studio, project: Project, run: Callable[[str], object]) -> Job | None:
    """Call `run` with a project's Python: the chosen one, or the best that the returned job finds.

    When the job is cancelled nothing is run.
    """
    chosen = project.context.values.interpreter
    if chosen:
        run(chosen)
        return None

    def take(found: list[Interpreter]) -> None:
        best = preferred(found, "")
        run(str(best.path) if best is not None else default_program())

    return studio.start_job(
        "run:core.interpreters.find_interpreters",
        {"root": project.root},
        title=tr("Looking for Pythons"),
        done=take,
    )


class PythonItem(QWidget):
    """Names the project's Python; a click offers the others."""

    def __init__(self, studio: Studio) -> None:
        super().__init__()
        self._studio = studio
        self._project = Listening(self)
        self._found: list[Interpreter] = []
        self.button = QToolButton()
        self.button.setAutoRaise(True)
        self.button.setToolTip(tr("The Python that scripts are run with"))
        self.button.setAccessibleName(tr("The Python that scripts are run with"))
        self.button.clicked.connect(lambda _=False: self.choose())
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.button)
        listen(self, studio.project_changed, self._take)
        self._take(studio.project)

    def choose(self) -> None:
        """Offer the Pythons of this machine."""
        project = self._studio.project
        if project is None:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        current = project.context.values.interpreter
        first = QAction(tr("The best that is there"), menu, checkable=True, checked=not current)
        first.triggered.connect(lambda _=False: project.context.set(interpreter=""))
        menu.addAction(first)
        menu.addSeparator()
        for one in self._found:
            path = str(one.path)
            action = QAction(one.title, menu, checkable=True, checked=path == current)
            action.setToolTip(path)
            action.triggered.connect(lambda _=False, p=path: project.context.set(interpreter=p))
            menu.addAction(action)
        menu.setToolTipsVisible(True)
        menu.addSeparator()
        other = menu.addAction(icon("open-folder"), tr("Another one…"))
        other.triggered.connect(lambda _=False: self._browse(project))
        menu.popup(self.button.mapToGlobal(QPoint(0, -menu.sizeHint().height())))

    def _browse(self, project: Project) -> None:
        name, _ = QFileDialog.getOpenFileName(self, tr("Choose a Python"))
        if name:
            project.context.set(interpreter=name)

    def _take(self, project: Project | None) -> None:
        self._project.stop()
        self._found = []
        # The button, not this: what has no parent yet would become a window of its own.
        self.button.setVisible(project is not None)
        if project is not None:
            self._project.to(project.context.changed, lambda _: self._show())
            self._studio.start_job(
                "run:core.interpreters.find_interpreters",
                {"root": project.root},
                title=tr("Looking for Pythons"),
                key="interpreters",
                done=self._take_found,
            )
        self._show()

    def _take_found(self, found: list[Interpreter]) -> None:
        self._found = found
        self._show()

    def _show(self) -> None:
        project = self._studio.project
        if project is None:
            return
        one = preferred(self._found, project.context.values.interpreter)
        self.button.setText(one.short if one is not None else "Python")
        said = tr("The Python that scripts are run with")
        self.button.setToolTip(f"{said}\n{one.path}" if one is not None else said)
