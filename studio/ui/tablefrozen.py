"""The first columns of a table kept in sight while the others are scrolled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QAbstractItemView, QFrame

from studio.ui.tablecells import CellsView
from studio.ui.tableheader import TableHeader

if TYPE_CHECKING:
    from PySide6.QtGui import QWheelEvent

    from studio.ui.table import TableView


class FrozenColumns(QObject):
    """A second view over the left edge of the first, with the same rows, selection and order."""

    def __init__(self, table: TableView) -> None:
        super().__init__(table)
        self._table = table
        self.count = 0
        self._over: _Over | None = None

    def freeze(self, count: int) -> None:
        """Keep the first columns that are shown in sight; 0 keeps none."""
        self.count = count
        if count and self._over is None:
            self._over = _Over(self._table)
            self._table.view.installEventFilter(self)
            header = self._table.view.horizontalHeader()
            header.sectionResized.connect(lambda *_: self.place())
            header.sectionMoved.connect(lambda *_: self.place())
            header.geometriesChanged.connect(self.place)
        self.place()

    def view(self) -> CellsView | None:
        """The view of the columns that are kept in sight."""
        return self._over if self.count else None

    def place(self) -> None:
        """Lay the view over the columns it shows."""
        over, view = self._over, self._table.view
        if over is None:
            return
        header, own = view.horizontalHeader(), over.horizontalHeader()
        shown = [header.logicalIndex(n) for n in range(header.count())]
        shown = [section for section in shown if not header.isSectionHidden(section)]
        frozen = shown[: self.count]
        wide = sum(header.sectionSize(section) for section in frozen)
        over.setVisible(bool(frozen) and wide < view.viewport().width())
        if over.isHidden():
            return
        own.blockSignals(True)
        for section in range(header.count()):
            over.setColumnHidden(section, section not in frozen)
            if section in frozen:
                own.resizeSection(section, header.sectionSize(section))
        for place, section in enumerate(frozen):
            own.moveSection(own.visualIndex(section), place)
        own.setSortIndicator(header.sortIndicatorSection(), header.sortIndicatorOrder())
        own.blockSignals(False)
        frame = view.frameWidth()
        over.setGeometry(frame, frame, wide + 1, view.viewport().height() + header.height())
        over.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the size of the view."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Show):
            self.place()
        return False


class _Over(CellsView):
    """The columns that are kept in sight; the wheel and the keys go to the whole view."""

    def __init__(self, table: TableView) -> None:
        super().__init__(table.model, table.view)
        self._whole = table.view
        self.setSelectionModel(table.view.selectionModel())
        self.setHorizontalHeader(TableHeader(self))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusProxy(table.view)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setAccessibleName(table.view.accessibleName())
        bar, other = table.view.verticalScrollBar(), self.verticalScrollBar()
        bar.valueChanged.connect(other.setValue)
        other.valueChanged.connect(bar.setValue)
        self.customContextMenuRequested.connect(table.view.customContextMenuRequested)
        self.activated.connect(table.view.activated)
        self.clicked.connect(table.view.clicked)
        header, own = table.view.horizontalHeader(), self.horizontalHeader()
        header.sortIndicatorChanged.connect(own.setSortIndicator)
        own.sortIndicatorChanged.connect(header.setSortIndicator)
        own.sectionResized.connect(self._resized)
        own.setSectionsMovable(False)
        own.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        own.customContextMenuRequested.connect(header.customContextMenuRequested)

    def _resized(self, section: int, _before: int, size: int) -> None:
        # A column that is hidden here is told as one without any width.
        if size and not self.isColumnHidden(section):
            self._whole.horizontalHeader().resizeSection(section, size)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll the whole view."""
        self._whole.wheelEvent(event)
