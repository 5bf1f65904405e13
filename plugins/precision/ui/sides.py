"""Choosing the two runs that are compared."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QFileDialog, QHBoxLayout, QLabel, QWidget

from studio.i18n import tr

if TYPE_CHECKING:
    from studio.api import Studio

_BASE_WORDS = ("base", "bench", "golden", "reference", "gpu", "cpu")


def dumps_of(studio: Studio) -> list[Path]:
    """Return the dumps of the open project."""
    return [item.path for item in studio.project.items_of("dump")] if studio.project else []


def guess_other(path: Path, others: list[Path]) -> tuple[Path | None, Path | None]:
    """Return (base, candidate) for a dump, if there is one other that it can be compared with.

    A sibling is preferred; among several, one whose name speaks of a base. The side whose name
    speaks of a base is the base; else `path` is the candidate.
    """
    others = [other for other in others if other != path]
    siblings = [other for other in others if other.parent == path.parent]
    choice = siblings if len(siblings) == 1 else others
    if len(siblings) > 1:
        # Several runs side by side: the one that is called a base.
        choice = [] if _is_base(path) else [other for other in siblings if _is_base(other)]
    if len(choice) != 1:
        return None, path
    other = choice[0]
    return (path, other) if _is_base(path) else (other, path)


def _is_base(path: Path) -> bool:
    return any(word in path.name.casefold() for word in _BASE_WORDS)


def named(path: Path) -> str:
    """Return a folder's name with that of the folder above it."""
    return os.path.join(path.parent.name, path.name)


class Side(QWidget):
    """A label and a list of the project's dumps, with any other folder at the end."""

    chosen = Signal()

    def __init__(self, title: str, studio: Studio) -> None:
        super().__init__()
        self._studio = studio
        self._box = QComboBox()
        self._box.setMinimumContentsLength(14)
        self._box.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self._box.setAccessibleName(title)
        self._box.activated.connect(self._activated)
        self._path: Path | None = None
        label = QLabel(title)
        label.setBuddy(self._box)
        line = QHBoxLayout(self)
        line.setContentsMargins(6, 0, 6, 0)
        line.setSpacing(6)
        line.addWidget(label)
        line.addWidget(self._box)
        self.refresh()

    @property
    def path(self) -> Path | None:
        """The folder that is chosen."""
        return self._path

    def set_path(self, path: Path | None) -> None:
        """Choose a folder without telling."""
        self._path = path
        self.refresh()

    def refresh(self) -> None:
        """List the dumps of the project anew."""
        paths = dumps_of(self._studio)
        if self._path is not None and self._path not in paths:
            paths.insert(0, self._path)
        self._box.clear()
        for path in paths:
            self._box.addItem(self._label(path), path)
            self._box.setItemData(self._box.count() - 1, str(path), 3)  # 3: ToolTipRole
        self._box.addItem(tr("Other folder…"))
        self._box.setPlaceholderText(tr("choose a dump"))
        self._box.setCurrentIndex(paths.index(self._path) if self._path in paths else -1)
        self._box.setToolTip(str(self._path or ""))

    def _label(self, path: Path) -> str:
        project = self._studio.project
        if project is not None and path.is_relative_to(project.root):
            return path.relative_to(project.root).as_posix()
        return named(path)

    def _activated(self, index: int) -> None:
        path = self._box.itemData(index)
        if path is None:
            start = str(self._path or (self._studio.project.root if self._studio.project else ""))
            name = QFileDialog.getExistingDirectory(self, tr("Folder with .npy files"), start)
            path = Path(name) if name else self._path
        changed = path != self._path
        self.set_path(path)
        if changed:
            self.chosen.emit()
