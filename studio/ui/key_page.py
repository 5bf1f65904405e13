"""The sheet of keys, made from the commands' declarations, where they can be changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QHeaderView,
    QMenu,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from studio.i18n import tr
from studio.kernel.keymap import KeyMap, clashes
from studio.ui.field import search_field
from studio.ui.fonts import mono_font
from studio.ui.icons import icon
from studio.ui.key_dialog import KeyDialog, say_clash
from studio.ui.lines import RowDelegate
from studio.ui.listening import listen
from studio.ui.text import native_keys
from studio.ui.toolbar import ToolBar

if TYPE_CHECKING:
    from pathlib import Path

    from studio.api import Studio
    from studio.kernel.commands import Registered
    from studio.ui.shell import MainWindow

_ID = Qt.ItemDataRole.UserRole


class KeyPage(QWidget):
    """Every command, grouped by plugin, with its keys, and what else runs by the same keys."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__()
        self._window = window
        self.tree = QTreeWidget()
        self.tree.setHeaderLabels([tr("Command"), tr("Keys"), tr("Note")])
        self.tree.setUniformRowHeights(True)
        self.tree.setItemDelegate(RowDelegate(self.tree))
        self.tree.setAccessibleName(tr("Keys"))
        self.tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.tree.customContextMenuRequested.connect(self._menu)
        self.tree.itemActivated.connect(lambda item, _column: self._change(item))
        self.search = search_field(tr("Search commands and keys"), widest=280)
        self.search.textChanged.connect(lambda _text: self._filter())
        bar = ToolBar(tr("Keys"), self)
        bar.add("edit", tr("Change the keys…"), self._change_current, keys="F2", text=True)
        bar.add("undo", tr("Back to the default"), self._reset_current)
        bar.add("search", tr("Search commands and keys"), self._find, keys="Ctrl+F")
        bar.add_stretch()
        self.changed = bar.add("filter", tr("Changed ones only"), self._filter, checkable=True)
        self.clashing = bar.add("warn", tr("Clashes only"), self._filter, checkable=True)
        self.without = bar.add("eye", tr("Also those without keys"), self._filter, checkable=True)
        bar.addWidget(self.search)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(bar)
        column.addWidget(self.tree)
        delete = QShortcut(QKeySequence(Qt.Key.Key_Delete), self.tree)
        delete.setContext(Qt.ShortcutContext.WidgetShortcut)
        delete.activated.connect(self._remove_current)
        self.items: dict[str, QTreeWidgetItem] = {}
        self._groups: dict[str, QTreeWidgetItem] = {}
        self._fill()
        header = self.tree.header()
        header.setStretchLastSection(True)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
        header.resizeSection(0, 420)
        header.resizeSection(1, 220)
        listen(self, window.app.settings.changed, self._setting_changed)

    def title(self) -> str:
        """The text of the tab."""
        return tr("Keys")

    def show_group_of(self, command: str) -> None:
        """Begin with the commands of the plugin that one belongs to."""
        item = self.items.get(command)
        group = item.parent() if item is not None else None
        if group is not None:
            self.search.clear()
            self.tree.setCurrentItem(group)
            self.tree.scrollToItem(group, QTreeWidget.ScrollHint.PositionAtTop)

    # -- content ----------------------------------------------------------------------------------
    def _fill(self) -> None:
        for command in self._window.actions_.all():
            plugin = self._window.app.plugins.get(command.plugin)
            owner = plugin.title if plugin is not None else tr("General")
            if owner not in self._groups:
                self._groups[owner] = QTreeWidgetItem([owner])
                self.tree.addTopLevelItem(self._groups[owner])
            item = QTreeWidgetItem([command.title.replace("&", "")])
            item.setFont(1, mono_font())
            item.setData(0, _ID, command.id)
            self._groups[owner].addChild(item)
            self.items[command.id] = item
        self.tree.expandAll()
        self._renew()

    def _renew(self) -> None:
        """Show the keys and notes as they are now."""
        commands = self._window.actions_.all()
        for command in commands:
            item = self.items.get(command.id)
            if item is None:
                continue
            item.setText(1, "   ".join(map(native_keys, command.command.keys)))
            notes = [tr("changed")] if self._map().is_changed(command.id) else []
            found = [
                (native_keys(keys), clash)
                for keys in command.command.keys
                for clash in clashes(command, keys, commands)
            ]
            certain = [clash for _, clash in found if clash.certain]
            notes += [
                tr("clashes with “{title}”", title=clash.other.title.replace("&", ""))
                for clash in certain
            ]
            item.setText(2, " · ".join(notes))
            item.setIcon(2, icon("warn", "warn") if certain else icon("", "text"))
            says = [say_clash(keys, clash.other.title, clash.certain) for keys, clash in found]
            item.setToolTip(1, "\n".join(says))
            item.setToolTip(2, "\n".join(says))
        self._filter()

    def _filter(self) -> None:
        words = self.search.text().casefold().split()
        for group in self._groups.values():
            shown = 0
            for child in filter(None, map(group.child, range(group.childCount()))):
                line = f"{child.text(0)} {child.text(1)} {child.data(0, _ID)}".casefold()
                wanted = all(word in line for word in words)
                wanted &= bool(child.text(1)) or self.without.isChecked() or bool(words)
                if self.changed.isChecked():
                    wanted &= self._map().is_changed(str(child.data(0, _ID)))
                if self.clashing.isChecked():
                    wanted &= not child.icon(2).isNull()
                child.setHidden(not wanted)
                shown += wanted
            group.setHidden(not shown)

    # -- doing ------------------------------------------------------------------------------------
    def change(self, command: str, keys: tuple[str, ...]) -> None:
        """Give a command other keys; those of its manifest count as no change."""
        keymap = self._map()
        keymap.reset(command)
        if keys != self._window.app.commands.get(command).command.keys:
            keymap.change(command, keys)

    def _change(self, item: QTreeWidgetItem | None) -> None:
        command = self._command(item)
        if command is None:
            return
        dialog = KeyDialog(self, command, self._window.actions_.all())
        if dialog.exec():
            self.change(command.id, dialog.keys())
        dialog.deleteLater()

    def _change_current(self) -> None:
        self._change(self.tree.currentItem())

    def _reset_current(self) -> None:
        command = self._command(self.tree.currentItem())
        if command is not None:
            self._map().reset(command.id)

    def _remove_current(self) -> None:
        command = self._command(self.tree.currentItem())
        if command is not None:
            self.change(command.id, ())

    def _command(self, item: QTreeWidgetItem | None) -> Registered | None:
        name = item.data(0, _ID) if item is not None else None
        return next((c for c in self._window.actions_.all() if c.id == name), None)

    def _menu(self, place: QPoint) -> None:
        item = self.tree.itemAt(place)
        if item is not None:
            self.tree.setCurrentItem(item)
        command = self._command(item)
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if command is not None:
            for sign, title, run in (
                ("edit", tr("Change the keys…"), self._change_current),
                ("trash", tr("Take the keys away"), self._remove_current),
                ("undo", tr("Back to the default"), self._reset_current),
            ):
                menu.addAction(icon(sign), title).triggered.connect(lambda _=False, r=run: r())
            menu.addSeparator()
        everything = menu.addAction(icon("undo"), tr("All keys back to the default"))
        everything.triggered.connect(lambda _=False: self._map().reset_all())
        menu.popup(self.tree.viewport().mapToGlobal(place))

    def _map(self) -> KeyMap:
        keymap = self._window.app.commands.keymap
        assert keymap is not None
        return keymap

    def _setting_changed(self, key: str) -> None:
        if key == "studio.keys":
            self._renew()

    def _find(self) -> None:
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)


def make_view(studio: Studio, path: Path) -> KeyPage:
    """The page, as the host's manifest declares it."""
    assert studio.window is not None
    return KeyPage(studio.window.parent())
