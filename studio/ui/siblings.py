"""A chooser between items of one kind that lie side by side, such as the profiles of all ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QWidget

from studio.i18n import tr

if TYPE_CHECKING:
    from pathlib import Path

    from studio.api import Studio
    from studio.model.items import Item


class RankBox(QComboBox):
    """Lists the ranks whose profiles lie beside the one that is shown; hidden for one alone."""

    chosen = Signal(object)
    listed = Signal(int)

    def __init__(
        self, studio: Studio, kind: str = "profile", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._studio = studio
        self._kind = kind
        self._path: Path | None = None
        self.setAccessibleName(tr("Rank"))
        self.setToolTip(tr("The rank whose profile is shown"))
        self.activated.connect(lambda row: self.chosen.emit(self.itemData(row)))
        if studio.project is not None:
            connection = studio.project.items_changed.connect(lambda _: self._again())
            self.destroyed.connect(connection.disconnect)

    def show_path(self, path: Path) -> None:
        """List what lies beside a path, with it chosen; `listed` tells how many there are."""
        self._path = path
        found = sorted(self._beside(path), key=_rank)
        with QSignalBlocker(self):
            self.clear()
            for item in found:
                self.addItem(_title(item), item.path)
            self.setCurrentIndex(next((n for n, i in enumerate(found) if i.path == path), -1))
        self.listed.emit(len(found))

    def _again(self) -> None:
        if self._path is not None:
            self.show_path(self._path)

    def _beside(self, path: Path) -> list[Item]:
        project = self._studio.project
        items = project.items_of(self._kind) if project is not None else []
        if not any(item.path == path for item in items):
            return []
        return [item for item in items if item.path.parent == path.parent]


def _rank(item: Item) -> tuple[int, str]:
    rank = item.facts.get("rank")
    return (rank if isinstance(rank, int) else 1 << 30, item.path.name)


def _title(item: Item) -> str:
    rank = item.facts.get("rank")
    return item.path.name if rank is None else tr("rank {rank}", rank=rank)
