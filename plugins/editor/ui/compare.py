"""Two texts side by side: the unsaved text and its file, or two files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QVBoxLayout, QWidget
from shiboken6 import isValid

from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.ui.codelanguages import language_of
from studio.ui.diff import DiffView

if TYPE_CHECKING:
    from studio.api import Studio
    from studio.ui.diffsheets import Comparison

_WAIT_MS = 250


class CompareView(QWidget):
    """Compares in the background, and again when one of the texts changes."""

    def __init__(self, studio: Studio, path: Path, other: Path | None, name: str = "") -> None:
        super().__init__()
        self._studio = studio
        self._path = path
        self._other = other
        self._name = name
        self._working = False
        self._state: dict[str, Any] = {}
        self.diff = DiffView(self)
        self.diff.add_switch(
            "word",
            tr("Ignore spaces and line ends"),
            self._ignore_space,
            keys="W",
            on=bool(studio.setting("editor.compare_ignore_space")),
        )
        self.diff.set_inline(bool(studio.setting("editor.compare_inline")))
        self.diff.inline_changed.connect(lambda on: studio.set_setting("editor.compare_inline", on))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.diff)
        self.setFocusProxy(self.diff.left)
        self._again = QTimer(self, singleShot=True, interval=_WAIT_MS)
        self._again.timeout.connect(self.compare)
        project = studio.project
        if project is not None:
            changed = project.documents.changed.connect(lambda _document: self._again.start())
            files = project.files_changed.connect(lambda _paths: self._again.start())
            self.destroyed.connect(lambda: changed.disconnect())
            self.destroyed.connect(lambda: files.disconnect())
        self.compare()

    def title(self) -> str:
        """Both names."""
        if self._other is None:
            return tr("{name}: saved ↔ edited", name=self._path.name)
        names = self._name or self._path.name, self._other.name
        if names[0] != names[1]:
            return " ↔ ".join(names)
        apart = zip(self._path.parts, self._other.parts, strict=False)
        folders = next(((a, b) for a, b in apart if a != b), names)
        return f"{names[0]}: {' ↔ '.join(folders)}"

    def idle(self) -> bool:
        """Whether the comparison is shown."""
        return not self._working and not self._again.isActive()

    def save_state(self) -> dict[str, Any]:
        """Where one is."""
        return self.diff.save_state()

    def restore_state(self, state: dict[str, Any]) -> None:
        """Return there, once the comparison is done."""
        self._state = state

    def compare(self) -> None:
        """Compare the texts as they are now; files are read in the background."""
        self._working = True
        self._studio.start_job(
            "editor:core.reading.read_to_compare",
            {"sources": self._sources()},
            title=tr("Reading {name}", name=self._name or self._path.name),
            key=self._key(),
            done=self._align,
            failed=self._failed,
        )

    def _align(self, texts: list[str]) -> None:
        if not isValid(self):  # the tab was closed meanwhile
            return
        self._studio.start_job(
            "studio:ui.diffsheets.compare",
            {
                "left": texts[0],
                "right": texts[1],
                "ignore_space": bool(self._studio.setting("editor.compare_ignore_space")),
            },
            title=tr("Comparing {name}", name=self._name or self._path.name),
            key=self._key(),
            done=self._show,
            failed=self._failed,
        )

    def _key(self) -> str:
        return f"compare {self._path} {self._other}"

    def _ignore_space(self, on: bool) -> None:
        self._studio.set_setting("editor.compare_ignore_space", on)
        self.compare()

    def _sources(self) -> list[str | Path]:
        """The texts that are open, and the files to read."""
        if self._other is None:
            return [self._path, self._now(self._path)]
        return [self._now(self._path), self._now(self._other)]

    def _now(self, path: Path) -> str | Path:
        project = self._studio.project
        document = project.documents.get(path) if project else None
        return document.shown_text if document else path

    def _show(self, found: Comparison) -> None:
        if not isValid(self):
            return
        self._working = False
        state = self._state or self.diff.save_state()
        self._state = {}
        if self._other is None:
            titles = (tr("On disk"), tr("Your text"))
        else:
            titles = (self._name or self._called(self._path), self._called(self._other))
        self.diff.show_alignment(
            found.alignment,
            language=language_of(self._path),
            titles=titles,
            sheets=(found.beside, found.below),
        )
        if state["current"] >= 0 or state["first"] > 1:
            self.diff.restore_state(state)
        else:
            self.diff.go_to(0)

    def _called(self, path: Path) -> str:
        project = self._studio.project
        return project.relative(path) if project and project.contains(path) else str(path)

    def _failed(self, error: BaseException) -> None:
        self._working = False
        self._studio.notify(
            tr("{name} could not be compared.", name=self._path.name),
            severity="error",
            details=error.message if isinstance(error, StudioError) else str(error),
        )


def make_compare(studio: Studio, path: Path, other: str = "", name: str = "") -> CompareView:
    """Compare a file with another one, or its unsaved text with what is on disk.

    `name` is shown instead of the path, for a file that stands for an earlier version.
    """
    return CompareView(studio, path, Path(other) if other else None, name)
