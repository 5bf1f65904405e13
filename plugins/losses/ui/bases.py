"""Choosing the log to compare with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QComboBox, QFileDialog

from studio.i18n import tr

if TYPE_CHECKING:
    from studio.api import Studio

_OTHER = "other"


class BaseBox(QComboBox):
    """The training logs of the project, none, or any other file."""

    chosen = Signal()

    def __init__(self, studio: Studio, path: Path) -> None:
        super().__init__()
        self._studio, self._path = studio, path
        self._base: Path | None = None
        self.setAccessibleName(tr("Log to compare with"))
        self.setToolTip(tr("Log to compare with"))
        self.setMinimumContentsLength(18)
        self.setSizeAdjustPolicy(self.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.activated.connect(self._activated)
        self.refresh()

    @property
    def base(self) -> Path | None:
        """The log that is chosen."""
        return self._base

    def set_base(self, base: Path | None) -> None:
        """Choose a log without telling."""
        self._base = base
        self.refresh()

    def refresh(self) -> None:
        """List the logs of the project anew."""
        project = self._studio.project
        paths = [item.path for item in project.items_of("training_log")] if project else []
        paths = [path for path in paths if path != self._path]
        if self._base is not None and self._base not in paths:
            paths.insert(0, self._base)
        with QSignalBlocker(self):
            self.clear()
            self.addItem(tr("No comparison"), None)
            for path in paths:
                inside = project is not None and path.is_relative_to(project.root)
                name = path.name
                if project is not None and inside:
                    name = path.relative_to(project.root).as_posix()
                self.addItem(name, path)
                self.setItemData(self.count() - 1, str(path), Qt.ItemDataRole.ToolTipRole)
            self.addItem(tr("Other file…"), _OTHER)
            self.setCurrentIndex(1 + paths.index(self._base) if self._base in paths else 0)

    def _activated(self, index: int) -> None:
        found = self.itemData(index)
        if found == _OTHER:
            name, _ = QFileDialog.getOpenFileName(
                self, tr("Log to compare with"), str(self._path.parent)
            )
            found = Path(name) if name else self._base
        changed = found != self._base
        self.set_base(found)
        if changed:
            self.chosen.emit()
