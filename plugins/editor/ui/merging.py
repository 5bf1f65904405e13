"""Merging unsaved work with what another program wrote into the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QVBoxLayout, QWidget

from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.ui.codelanguages import language_of
from studio.ui.mergeview import MergeView

if TYPE_CHECKING:
    from pathlib import Path

    from studio.api import Studio
    from studio.model.merge import DiskMerge
    from studio.ui.mergesheet import MergeSheet


class MergeTab(QWidget):
    """The merge of one file, made in the background, and anew when the file changes again."""

    def __init__(self, studio: Studio, path: Path) -> None:
        super().__init__()
        self._studio = studio
        self._path = path
        self._working = False
        self._found: DiskMerge | None = None
        self._mine = ""
        self.merge = MergeView(self)
        self.merge.finished.connect(self._take)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.merge)
        self.setFocusProxy(self.merge)
        project = studio.project
        if project is not None:
            files = project.files_changed.connect(self._on_files)
            self.destroyed.connect(lambda: files.disconnect())
        self.start()

    def title(self) -> str:
        """The name of the file."""
        return tr("{name}: merge", name=self._path.name)

    def idle(self) -> bool:
        """Whether the merge is shown."""
        return not self._working

    def start(self) -> None:
        """Merge the texts as they are now."""
        project = self._studio.project
        if project is None:
            return
        document = project.documents.open(self._path)
        self._working = True
        self._mine = document.text
        self._studio.start_job(
            "studio:ui.mergesheet.merge_and_lay_out",
            {
                "path": self._path,
                "base": document.saved_text,
                "mine": document.text,
                "encoding": document.encoding_asked,
            },
            title=tr("Merging {name}", name=self._path.name),
            key=f"merge {self._path}",
            done=lambda found: self._show(*found),
            failed=self._failed,
        )

    def _show(self, found: DiskMerge, sheet: MergeSheet) -> None:
        self._working = False
        self._found = found
        titles = tr("Your text"), tr("Result"), tr("On disk")
        language = language_of(self._path)
        self.merge.show_merge(found.merge, language=language, titles=titles, sheet=sheet)

    def _take(self, text: str) -> None:
        project = self._studio.project
        document = project.documents.get(self._path) if project else None
        if document is None or self._found is None:
            return
        if document.text != self._mine:
            self._studio.notify(
                tr("{name} was edited meanwhile: it is merged anew.", name=self._path.name)
            )
            self.start()
            return
        try:
            document.merged(text, self._found.theirs, self._found.found)
        except StudioError as error:
            self._studio.notify(error.message, severity="error")
            return
        self._studio.open(self._path, opener="editor.text")
        if self._studio.window is not None:
            self._studio.window.close(self)

    def _on_files(self, paths: frozenset[Path]) -> None:
        if self._path in paths:
            self.start()

    def _failed(self, error: BaseException) -> None:
        self._working = False
        self._studio.notify(
            tr("{name} could not be merged.", name=self._path.name),
            severity="error",
            details=str(error),
        )


def make_merge(studio: Studio, path: Path) -> MergeTab:
    """Merge the unsaved text of a file with what is on disk."""
    return MergeTab(studio, path)
