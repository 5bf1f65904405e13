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
    from studio.model.selection import Selection


class RankBox(QComboBox):
    """Lists the ranks whose profiles lie beside the one that is shown; hidden for one alone.

    A rank chosen in one view is chosen in all views of its siblings.
    """

    chosen = Signal(object)
    listed = Signal(int)

    def __init__(
        self, studio: Studio, kind: str = "profile", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._studio = studio
        self._kind = kind
        self._path: Path | None = None
        self._ranks: dict[Path, int] = {}
        self.setAccessibleName(tr("Rank"))
        self.setToolTip(tr("The rank whose profile is shown"))
        self.activated.connect(self._activated)
        followed = studio.selection_changed.connect(self._follow)
        self.destroyed.connect(followed.disconnect)
        if studio.project is not None:
            connection = studio.project.items_changed.connect(lambda _: self._again())
            self.destroyed.connect(connection.disconnect)

    def show_path(self, path: Path) -> None:
        """List what lies beside a path, with it chosen; `listed` tells how many there are."""
        self._path = path
        found = sorted(self._beside(path), key=_rank)
        ranks = ((item.path, item.facts.get("rank")) for item in found)
        self._ranks = {place: rank for place, rank in ranks if isinstance(rank, int)}
        with QSignalBlocker(self):
            self.clear()
            for item in found:
                self.addItem(_title(item), item.path)
            self.setCurrentIndex(next((n for n, i in enumerate(found) if i.path == path), -1))
        self.listed.emit(len(found))

    def paths(self) -> list[Path]:
        """What is listed, by rank."""
        return [self.itemData(row) for row in range(self.count())]

    def _activated(self, row: int) -> None:
        path: Path = self.itemData(row)
        self.chosen.emit(path)
        rank = self._ranks.get(path)
        if rank is not None:
            self._studio.select(item=path, ranks=frozenset({rank}), start_ns=None, end_ns=None)

    def _follow(self, selection: Selection) -> None:
        """Show the rank that another view of a sibling chose."""
        path = selection.item
        if path is None or path == self._path or self._ranks.get(path) not in selection.ranks:
            return
        self.chosen.emit(path)

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
