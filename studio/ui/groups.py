"""A tree of two levels, groups and their rows, for lists of any length."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QAbstractItemView, QTreeView, QWidget

from studio.ui.icons import icon
from studio.ui.lines import BADGE_ROLE, DETAIL_ROLE, LineDelegate

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

Index = QModelIndex | QPersistentModelIndex
T = TypeVar("T")


@dataclass(frozen=True)
class Line:
    """How one row is shown."""

    text: str
    icon: str = ""
    token: str = "text"
    detail: str = ""
    badge: tuple[str, str] | None = None
    tip: str = ""


@dataclass(frozen=True)
class Group(Generic[T]):
    """A heading and its rows; `key` keeps it open or closed over updates.

    Of very many groups the headings may be functions, called for those in sight.
    """

    key: Hashable
    line: Line | Callable[[], Line]
    rows: Sequence[T] = field(default_factory=tuple)


class GroupModel(QStandardItemModel, Generic[T]):
    """Groups at the first level, rows at the second; `present` says how a row looks.

    Qt keeps the number of rows, an item for each group and none for the rows: a view asks for each
    row as it lays them out, which a model in Python would answer fifty times slower.
    """

    def __init__(self, present: Callable[[T], Line], key: Callable[[T], Hashable]) -> None:
        super().__init__()
        self.groups: Sequence[Group[T]] = ()
        self._present = present
        self.key = key

    def set_groups(self, groups: Sequence[Group[T]]) -> None:
        """Show other groups."""
        self.beginResetModel()
        self.blockSignals(True)
        self.groups = ()
        self.setRowCount(0)
        self.setColumnCount(1)
        items = [QStandardItem(len(group.rows), 1) for group in groups]
        self.invisibleRootItem().appendRows(items)
        self.groups = groups
        self.blockSignals(False)
        self.endResetModel()

    def row_at(self, index: Index) -> T | None:
        """The row of an index; None for a heading."""
        if not index.isValid():
            return None
        heading = index.parent()
        return self.groups[heading.row()].rows[index.row()] if heading.isValid() else None

    def group_at(self, index: Index) -> Group[T] | None:
        """The group whose heading an index is."""
        if not index.isValid() or index.parent().isValid():
            return None
        return self.groups[index.row()]

    def find(self, key: Hashable) -> QModelIndex:
        """The index of a row by its key."""
        for number, group in enumerate(self.groups):
            for at, row in enumerate(group.rows):
                if self.key(row) == key:
                    return self.index(at, 0, self.index(number, 0))
        return QModelIndex()

    def following(self, index: Index, by: int) -> QModelIndex:
        """The index `by` rows after a row, or before it, round the end; from no row, the first.

        Invalid only if there is no row.
        """
        starts = [0, *accumulate(len(group.rows) for group in self.groups)]
        if not starts[-1]:
            return QModelIndex()
        heading = index.parent() if index.isValid() else QModelIndex()
        at = starts[heading.row()] + index.row() if heading.isValid() else (-1 if by > 0 else 0)
        at = (at + by) % starts[-1]
        group = bisect_right(starts, at) - 1
        return self.index(at - starts[group], 0, self.index(group, 0))

    # -- as Qt wants it -------------------------------------------------------------------------
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:  # noqa: ANN401 - as Qt has it
        """One line for one role."""
        group = self.group_at(index)
        row = self.row_at(index)
        if group is not None:
            line = group.line() if callable(group.line) else group.line
        elif row is not None:
            line = self._present(row)
        else:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return line.text
            case Qt.ItemDataRole.DecorationRole:
                return icon(line.icon, line.token) if line.icon else None
            case Qt.ItemDataRole.ToolTipRole:
                return line.tip or f"{line.text} {line.detail}".strip()
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{line.text} {line.detail}".strip()
            case _ if role == DETAIL_ROLE:
                return line.detail
            case _ if role == BADGE_ROLE:
                return line.badge
        return None


class GroupView(QTreeView):
    """Shows a `GroupModel` and keeps what is open and selected over updates."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setHeaderHidden(True)
        self.setUniformRowHeights(True)
        self.setItemDelegate(LineDelegate(self))
        self.setIndentation(14)
        self.setExpandsOnDoubleClick(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self._closed: set[Hashable] = set()
        self._open: set[Hashable] = set()
        self.open_by_default = True
        self.expanded.connect(lambda index: self._note(index, self._open, self._closed))
        self.collapsed.connect(lambda index: self._note(index, self._closed, self._open))

    def show_groups(self, model: GroupModel[Any], groups: Sequence[Group[Any]]) -> None:
        """Show other groups of the same model."""
        row = model.row_at(self.currentIndex())
        scroll = self.verticalScrollBar().value()
        model.set_groups(groups)
        for number, group in enumerate(groups):
            known = group.key in self._open or group.key in self._closed
            if group.key in self._open if known else self.open_by_default:
                self.setExpanded(model.index(number, 0), True)
        if row is not None:
            index = model.find(model.key(row))
            if index.isValid():
                self.setCurrentIndex(index)
        self.verticalScrollBar().setValue(scroll)

    def toggle(self, index: Index) -> None:
        """Open or close a group."""
        plain = self.model().index(index.row(), 0, QModelIndex())
        self.setExpanded(plain, not self.isExpanded(plain))

    def _note(self, index: QModelIndex, now: set[Hashable], before: set[Hashable]) -> None:
        model = index.model()
        group = model.group_at(index) if isinstance(model, GroupModel) else None
        if group is not None:
            now.add(group.key)
            before.discard(group.key)
