"""The sheet of keys, made from the commands' declarations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from studio.i18n import tr
from studio.ui.field import search_field
from studio.ui.fonts import mono_font
from studio.ui.lines import RowDelegate
from studio.ui.text import native_keys
from studio.ui.toolbar import ToolBar

if TYPE_CHECKING:
    from pathlib import Path

    from studio.api import Studio
    from studio.ui.shell import MainWindow


class KeyPage(QWidget):
    """Every command with a key, grouped by plugin, with a search box."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__()
        self.tree = QTreeWidget()
        self.tree.setHeaderLabels([tr("Command"), tr("Keys")])
        self.tree.setUniformRowHeights(True)
        self.tree.setItemDelegate(RowDelegate(self.tree))
        self.tree.setAccessibleName(tr("Keys"))
        self.tree.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.search = search_field(tr("Search keys"), widest=280)
        self.search.textChanged.connect(self._filter)
        bar = ToolBar(tr("Keys"), self)
        bar.add("search", tr("Search keys"), self._find, keys="Ctrl+F")
        bar.add_stretch()
        bar.addWidget(self.search)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(bar)
        column.addWidget(self.tree)
        self._items: dict[str, QTreeWidgetItem] = {}
        self._groups: dict[str, list[QTreeWidgetItem]] = {}
        for command in window.actions_.all():
            if not command.command.keys:
                continue
            plugin = window.app.plugins.get(command.plugin)
            owner = plugin.title if plugin is not None else tr("General")
            if owner not in self._items:
                self._items[owner] = QTreeWidgetItem([owner])
                self._groups[owner] = []
                self.tree.addTopLevelItem(self._items[owner])
            keys = "   ".join(map(native_keys, command.command.keys))
            item = QTreeWidgetItem([command.title.replace("&", ""), keys])
            item.setFont(1, mono_font())
            self._items[owner].addChild(item)
            self._groups[owner].append(item)
        self.tree.expandAll()
        self.tree.header().resizeSection(1, 260)

    def title(self) -> str:
        """The text of the tab."""
        return tr("Keys")

    def _filter(self, text: str) -> None:
        words = text.casefold().split()
        for group, children in self._groups.items():
            for child in children:
                line = f"{child.text(0)} {child.text(1)}".casefold()
                child.setHidden(not all(word in line for word in words))
            self._items[group].setHidden(all(child.isHidden() for child in children))

    def _find(self) -> None:
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)


def make_view(studio: Studio, path: Path) -> KeyPage:
    """The page, as the host's manifest declares it."""
    assert studio.window is not None
    return KeyPage(studio.window.parent())
