"""The status bar's word about files that are being saved, once that takes its time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QLabel

from studio.i18n import tr, trn
from studio.ui.listening import Listening, listen

if TYPE_CHECKING:
    from studio.api import Studio
    from studio.model.document import Document
    from studio.model.project import Project

_QUIET_MS = 400


class SavingStatus(QLabel):
    """Hidden unless a file has been written for a moment; short saves never flicker by."""

    def __init__(self, studio: Studio) -> None:
        super().__init__(textFormat=Qt.TextFormat.PlainText)
        self._project: Project | None = None
        self._saves = Listening(self)
        self._late = QTimer(self, singleShot=True, interval=_QUIET_MS)
        self._late.timeout.connect(self._show)
        listen(self, studio.project_changed, self._take)
        self._take(studio.project)
        self.hide()

    def _take(self, project: Project | None) -> None:
        self._project = project
        self._saves.stop()
        if project is not None:
            self._saves.to(project.documents.saves.changed, self._follow)

    def _follow(self, _document: Document) -> None:
        if self._saving():
            self._late.start()
        else:
            self._late.stop()
            self.hide()

    def _saving(self) -> list[Document]:
        return self._project.documents.saves.documents() if self._project is not None else []

    def _show(self) -> None:
        saving = self._saving()
        if len(saving) == 1:
            self.setText(tr("Saving {name}…", name=saving[0].path.name))
        else:
            self.setText(trn("Saving {n} file…", "Saving {n} files…", len(saving)))
        self.setVisible(bool(saving))


def make_saving_status(studio: Studio) -> SavingStatus:
    """Make the status item."""
    return SavingStatus(studio)
