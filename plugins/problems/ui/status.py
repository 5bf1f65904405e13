"""The count of problems in the status bar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QHBoxLayout, QWidget

from plugins.problems.core import counts
from plugins.problems.ui.looks import ICONS, severity_count
from studio.i18n import tr
from studio.model.findings import Severity
from studio.ui.icons import set_icon
from studio.ui.listening import Listening, listen
from studio.ui.status import status_button

if TYPE_CHECKING:
    from studio.api import Studio
    from studio.model.project import Project


class ProblemCount(QWidget):
    """Errors and warnings; a click shows the list."""

    def __init__(self, studio: Studio) -> None:
        super().__init__()
        self._studio = studio
        self._project = Listening(self)
        self._soon = QTimer(self, singleShot=True, interval=50)
        self._soon.timeout.connect(self.renew)
        self.button = status_button("problems", "", tr("Show the problems"), self._show)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.button)
        listen(self, studio.project_changed, self._take)
        self._take(studio.project)

    def renew(self) -> None:
        """Count anew."""
        project = self._studio.project
        self.setVisible(project is not None)
        found = counts(project.findings.all() if project is not None else ())
        shown = [s for s in (Severity.ERROR, Severity.WARNING) if found[s]]
        worst = next((s for s in Severity if found[s]), None)
        name, token = ICONS[worst] if worst is not None else ("ok", "muted")
        set_icon(self.button, name, token)
        total = sum(found.values())
        text = " · ".join(severity_count(s, found[s]) for s in shown)
        if worst is not None and not shown:
            text = severity_count(worst, found[worst])
        self.button.setText(text or tr("No problems"))
        words = ", ".join(severity_count(s, n) for s, n in found.items() if n)
        tip = tr("Show the problems (Ctrl+Shift+M)")
        self.button.setToolTip(f"{words}\n{tip}" if total else tip)

    def _take(self, project: Project | None) -> None:
        self._project.stop()
        if project is not None:
            self._project.to(project.findings.changed, lambda _: self._soon.start())
        self.renew()

    def _show(self) -> None:
        self._studio.run("problems.show")
