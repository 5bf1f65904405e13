"""The tree of modules: the worst verdict of all below shows on each, a click filters the table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QTreeWidget, QTreeWidgetItem, QWidget

from plugins.precision.core.words import word
from plugins.precision.ui.rows import look
from studio.i18n import tr, trn
from studio.ui.icons import icon
from studio.ui.text import thousands

if TYPE_CHECKING:
    from PySide6.QtGui import QIcon

    from plugins.precision.core.network import Module
    from plugins.precision.core.result import Status

_PATH = Qt.ItemDataRole.UserRole
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class ModuleTree(QTreeWidget):
    """All modules of the network below one root that stands for the whole."""

    module_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._root: Module | None = None
        self._icons: dict[Status, QIcon] = {}
        self.setColumnCount(2)
        self.setHeaderLabels([tr("Module"), tr("Deviating")])
        self.setUniformRowHeights(True)
        self.setIndentation(14)
        self.setAccessibleName(tr("Modules of the network"))
        self.setMinimumWidth(160)
        self.header().setStretchLastSection(False)
        self.header().setSectionResizeMode(0, self.header().ResizeMode.Stretch)
        self.header().setSectionResizeMode(1, self.header().ResizeMode.ResizeToContents)
        self.currentItemChanged.connect(self._changed)

    def show_modules(self, root: Module) -> None:
        """Show another network; modules that deviate are open."""
        self._root = root
        self._icons = {}
        self.blockSignals(True)
        self.clear()
        top = self._add(None, root, tr("Whole network"))
        self.setCurrentItem(top)
        self.blockSignals(False)

    def chosen(self) -> str:
        """The path of the chosen module, "" for the whole network."""
        item = self.currentItem()
        return str(item.data(0, _PATH)) if item is not None else ""

    def choose_all(self) -> None:
        """Choose the whole network."""
        if self.topLevelItemCount():
            self.setCurrentIndex(self.model().index(0, 0))

    def changeEvent(self, event: QEvent) -> None:
        """Renew the icons in another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and getattr(self, "_root", None) is not None:
            self._renew(self.topLevelItem(0))

    def _add(self, parent: QTreeWidgetItem | None, module: Module, name: str) -> QTreeWidgetItem:
        item = QTreeWidgetItem([name, thousands(module.deviating) if module.deviating else ""])
        if parent is None:
            self.addTopLevelItem(item)
        else:
            parent.addChild(item)
        item.setData(0, _PATH, module.path)
        item.setData(1, _PATH, module.status)
        if module.status not in self._icons:
            self._icons[module.status] = icon(*look(module.status))
        item.setIcon(0, self._icons[module.status])
        item.setTextAlignment(1, _RIGHT)
        tip = trn(
            "{verdict}: {deviating} of {count} value deviates",
            "{verdict}: {deviating} of {count} values deviate",
            module.total,
            verdict=word(module.status),
            deviating=thousands(module.deviating),
            count=thousands(module.total),
        )
        item.setToolTip(0, f"{module.path or name}\n{tip}")
        item.setData(0, Qt.ItemDataRole.AccessibleTextRole, f"{name}, {tip}")
        for child in module.children.values():
            self._add(item, child, child.name)
        item.setExpanded(parent is None or (module.deviating > 0 and module.path.count(".") < 1))
        return item

    def _renew(self, item: QTreeWidgetItem | None) -> None:
        if item is None:
            return
        item.setIcon(0, icon(*look(item.data(1, _PATH))))
        for number in range(item.childCount()):
            self._renew(item.child(number))

    def _changed(self, item: QTreeWidgetItem | None) -> None:
        if item is not None:
            self.module_chosen.emit(str(item.data(0, _PATH)))
