"""The view of the tree of files: what is typed leads to a name."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication, QTreeView, QWidget

if TYPE_CHECKING:
    from plugins.explorer.ui.foldertree import FolderTree


class FolderView(QTreeView):
    """Goes to the next entry in sight whose name begins with what is typed.

    Qt's own way asks the model for the text of row after row, which takes a second for a folder of
    50,000 files.
    """

    def __init__(self, tree: FolderTree, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tree = tree
        self._typed, self._last = "", 0.0
        self.setModel(tree)

    def keyboardSearch(self, search: str) -> None:
        """Take one more character; the same one over and over leads from match to match."""
        now = monotonic()
        if now - self._last > QApplication.keyboardInputInterval() / 1000:
            self._typed = ""
        self._last = now
        self._typed += search.casefold()
        wanted = self._typed
        again = len(set(wanted)) == 1
        index = self._tree.starting_with(
            wanted[:1] if again else wanted, self.currentIndex(), self.isExpanded, beyond=again
        )
        if index.isValid():
            self.setCurrentIndex(index)
            self.scrollTo(index)
