"""A list of names and values in sections; values can be copied, some are links."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QMenu,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from studio.i18n import tr
from studio.ui.fonts import mono_font
from studio.ui.icons import set_icon
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QFont, QKeyEvent

    from plugins.timeline.ui.facts import Fact

Section = tuple[str, "Sequence[Fact]"]
"""A heading and its lines."""

_FACT = Qt.ItemDataRole.UserRole


class Pairs(QTreeWidget):
    """Shows facts; Enter, a click on a link, or a double click follow what a line stands for."""

    followed = Signal(object)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setColumnCount(2)
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setIndentation(12)
        self.setUniformRowHeights(True)
        self.setStyleSheet("QTreeWidget::item { padding: 2px 4px; }")
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setMouseTracking(True)
        header = self.header()
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
        header.setStretchLastSection(True)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._menu)
        self.itemClicked.connect(self._clicked)
        self.itemDoubleClicked.connect(lambda item: self._follow(item))
        self.itemEntered.connect(self._entered)
        self._copy = QAction(tr("Copy"), self, shortcut=QKeySequence(QKeySequence.StandardKey.Copy))
        self._copy.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        self._copy.triggered.connect(lambda: self.copy())
        set_icon(self._copy, "copy")
        self.addAction(self._copy)
        self._sections: Sequence[Section] = ()

    def show_sections(self, sections: Sequence[Section]) -> None:
        """Show other facts; sections without any are left out."""
        self._sections = sections
        self.clear()
        mono, theme = mono_font(), current_theme()
        for heading, facts in sections:
            if not facts:
                continue
            top = QTreeWidgetItem([heading])
            top.setFirstColumnSpanned(True)
            top.setFlags(Qt.ItemFlag.ItemIsEnabled)
            top.setForeground(0, theme.colour("muted"))
            bold = self.font()
            bold.setBold(True)
            top.setFont(0, bold)
            self.addTopLevelItem(top)
            for fact in facts:
                top.addChild(self._line(fact, mono))
            top.setExpanded(True)
            top.setFirstColumnSpanned(True)
        self.resizeColumnToContents(0)
        self.setColumnWidth(0, min(max(self.columnWidth(0) + 8, 90), 240))

    def facts(self) -> list[Fact]:
        """All lines, in order."""
        return [fact for _, facts in self._sections for fact in facts]

    def copy(self) -> str:
        """Put the selected lines (or all) on the clipboard, tab-separated, with all digits."""
        chosen = [item.data(0, _FACT) for item in self.selectedItems()]
        facts: list[Fact] = [fact for fact in chosen if fact is not None] or self.facts()
        text = "\n".join(f"{fact.name}\t{fact.copied or fact.value}" for fact in facts)
        QGuiApplication.clipboard().setText(text)
        return text

    def copy_value(self, fact: Fact) -> None:
        """Put one value on the clipboard."""
        QGuiApplication.clipboard().setText(fact.copied or fact.value)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Follow the current line with Enter."""
        item = self.currentItem()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and item is not None:
            self._follow(item)
            return
        super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Take the colours of another theme."""
        super().changeEvent(event)
        if event.type() == event.Type.PaletteChange and hasattr(self, "_sections"):
            self.show_sections(self._sections)

    def _line(self, fact: Fact, mono: QFont) -> QTreeWidgetItem:
        item = QTreeWidgetItem([fact.name, fact.value.replace("\r", "").replace("\n", "  ")])
        item.setData(0, _FACT, fact)
        item.setToolTip(0, fact.tip or fact.name)
        item.setToolTip(1, fact.tip or fact.value)
        item.setFont(1, mono)
        if fact.frame is not None or fact.slice >= 0:
            item.setForeground(1, current_theme().colour("accent"))
        return item

    def _clicked(self, item: QTreeWidgetItem, column: int) -> None:
        plain = QGuiApplication.keyboardModifiers() == Qt.KeyboardModifier.NoModifier
        if column == 1 and plain:
            self._follow(item)

    def _follow(self, item: QTreeWidgetItem) -> None:
        fact = item.data(0, _FACT)
        if fact is not None and (fact.frame is not None or fact.slice >= 0):
            self.followed.emit(fact)

    def _entered(self, item: QTreeWidgetItem, column: int) -> None:
        fact = item.data(0, _FACT)
        link = column == 1 and fact is not None and (fact.frame is not None or fact.slice >= 0)
        self.viewport().setCursor(
            Qt.CursorShape.PointingHandCursor if link else Qt.CursorShape.ArrowCursor
        )

    def _menu(self, place: QPoint) -> None:
        item = self.itemAt(place)
        fact = item.data(0, _FACT) if item is not None else None
        menu = QMenu(self)
        if fact is not None:
            if fact.frame is not None:
                menu.addAction(tr("Go to source line"), lambda: self.followed.emit(fact))
            elif fact.slice >= 0:
                menu.addAction(tr("Go to slice"), lambda: self.followed.emit(fact))
            menu.addAction(tr("Copy value"), lambda: self.copy_value(fact))
        menu.addAction(self._copy)
        menu.exec(self.viewport().mapToGlobal(place))
        menu.deleteLater()
