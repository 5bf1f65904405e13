"""The outline panel: the symbols of the file in front."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget
from shiboken6 import isValid

from plugins.editor.ui.looks import icon_of
from studio.i18n import tr
from studio.ui.field import search_field
from studio.ui.icons import icon
from studio.ui.lines import RowDelegate
from studio.ui.view import EmptyState

if TYPE_CHECKING:
    from plugins.editor.core.symbols import Symbol
    from plugins.editor.ui.view import EditorView
    from studio.api import Studio

_LINE = Qt.ItemDataRole.UserRole
_TITLE = Qt.ItemDataRole.UserRole + 1


class Outline(QWidget):
    """Follows the editor in front and its cursor; a click jumps."""

    def __init__(self, studio: Studio) -> None:
        super().__init__()
        self._studio = studio
        self._view: EditorView | None = None
        self._items: list[QTreeWidgetItem] = []
        self.filter = search_field(tr("Filter symbols"))
        self.tree = QTreeWidget(self)
        self.tree.setHeaderHidden(True)
        self.tree.setItemDelegate(RowDelegate(self.tree))
        self.tree.setUniformRowHeights(True)
        self.tree.setIndentation(14)
        self.setMinimumWidth(220)
        self.tree.setAccessibleName(tr("Outline"))
        self.empty = EmptyState(
            "text",
            tr("No outline"),
            tr("Classes, functions, headings and keys of the file in front are listed here."),
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 4, 8, 8)
        column.setSpacing(4)
        column.addWidget(self.filter)
        column.addWidget(self.tree, 1)
        column.addWidget(self.empty, 1)
        self.setFocusProxy(self.filter)
        self.filter.textChanged.connect(self._filter)
        self.filter.returnPressed.connect(self._jump_to_first)
        self.tree.itemClicked.connect(self._jump)
        self.tree.itemActivated.connect(self._jump)
        window = studio.window.parent() if studio.window else None
        if window is not None:
            window.centre.active_changed.connect(self.follow)
        self.follow()

    def follow(self) -> None:
        """Turn to the view that is in front now."""
        front = self._studio.window.active_view() if self._studio.window else None
        view = front if hasattr(front, "symbols") else None
        if view is self._view and view is not None:
            return
        old = self._view
        if old is not None and isValid(old):
            old.symbols.changed.disconnect(self.show_symbols)
            old.status_changed.disconnect(self._follow_cursor)
        self._view = view  # type: ignore[assignment] # known by what it offers
        if self._view is not None:
            self._view.symbols.want()
            self._view.symbols.changed.connect(self.show_symbols)
            self._view.status_changed.connect(self._follow_cursor)
        self.show_symbols()

    def show_symbols(self) -> None:
        """Show the symbols of the followed editor."""
        symbols = self._view.symbols.all if self._view is not None else []
        parents = (item for item in self._items if item.childCount())
        folded = {item.data(0, _TITLE) for item in parents if not item.isExpanded()}
        self.tree.clear()
        self._items = []
        above: list[tuple[int, QTreeWidgetItem]] = []
        roots: list[QTreeWidgetItem] = []
        for symbol in symbols:
            item = _item(symbol)
            while above and above[-1][0] >= symbol.depth:
                above.pop()
            if above:
                above[-1][1].addChild(item)
            else:
                roots.append(item)
            above.append((symbol.depth, item))
            self._items.append(item)
        self.tree.addTopLevelItems(roots)
        for item in self._items:
            item.setExpanded(item.data(0, _TITLE) not in folded)
        self.tree.setVisible(bool(symbols))
        self.empty.setVisible(not symbols)
        self._filter()

    def _filter(self) -> None:
        words = self.filter.text().casefold().split()
        for item in reversed(self._items):
            fits = all(word in item.text(0).casefold() for word in words)
            children = (item.child(n) for n in range(item.childCount()))
            inside = any(child is not None and not child.isHidden() for child in children)
            item.setHidden(not (fits or (inside and bool(words))))
        self._follow_cursor()

    def _follow_cursor(self) -> None:
        view = self._view
        if view is None or not isValid(view):
            return
        around = view.symbols.around(view.edit.cursor_place()[0])
        line = around[-1].line if around else -1
        current = next((item for item in self._items if item.data(0, _LINE) == line), None)
        if current is None:
            self.tree.clearSelection()
        elif current is not self.tree.currentItem() and not self.tree.hasFocus():
            self.tree.setCurrentItem(current)

    def _jump_to_first(self) -> None:
        shown = (item for item in self._items if not item.isHidden())
        words = self.filter.text().casefold().split()
        for item in shown:
            if all(word in item.text(0).casefold() for word in words):
                self._jump(item)
                return

    def _jump(self, item: QTreeWidgetItem, _column: int = 0) -> None:
        if self._view is not None and isValid(self._view):
            self._view.edit.go_to(int(item.data(0, _LINE)), flash=True)
            self._view.edit.setFocus(Qt.FocusReason.OtherFocusReason)


def make_outline(studio: Studio) -> Outline:
    """Make the panel."""
    return Outline(studio)


def _item(symbol: Symbol) -> QTreeWidgetItem:
    item = QTreeWidgetItem([symbol.name])
    item.setIcon(0, icon(icon_of(symbol.kind)))
    item.setData(0, _LINE, symbol.line)
    item.setData(0, _TITLE, symbol.title)
    item.setToolTip(0, tr("{name}, line {line}", name=symbol.title, line=symbol.line))
    return item
