"""The heat maps side by side: one cursor, one zoom, one scale for both tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from plugins.precision.core.tensors.planes import Planes, Window
from plugins.precision.ui.tensor.heatmap import HeatMap
from plugins.precision.ui.tensor.scale import scale_of
from plugins.precision.ui.tensor.zoom import within
from studio.i18n import tr

if TYPE_CHECKING:
    from plugins.precision.core.tensors.opened import OpenedPair


class Maps(QWidget):
    """Shows base, candidate and their difference; only one of the first two when alone."""

    cursor_moved = Signal(object)
    chosen = Signal(object)
    window_wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.base = HeatMap(tr("Base"))
        self.candidate = HeatMap(tr("Candidate"))
        self.difference = HeatMap(tr("Difference"))
        self.all = (self.base, self.candidate, self.difference)
        self.logarithmic, self.relative = False, False
        self._planes: Planes | None = None
        self._size = (1, 1)
        halves = QSplitter(Qt.Orientation.Horizontal)
        halves.setChildrenCollapsible(False)
        for picture in self.all:
            halves.addWidget(picture)
            picture.hovered.connect(self._hovered)
            picture.chosen.connect(self.chosen.emit)
            picture.window_wanted.connect(self._wanted)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(halves)

    def set_pair(self, pair: OpenedPair, title: str = "") -> None:
        """Show the sides that a pair has; `title` is what a single one is called."""
        self.base.setVisible(pair.base is not None and (pair.comparable or not pair.candidate))
        self.candidate.setVisible(pair.candidate is not None)
        self.difference.setVisible(pair.comparable)
        if pair.base is None or pair.candidate is None:
            self.base.title = self.candidate.title = title or tr("Values")
        else:
            self.base.title, self.candidate.title = tr("Base"), tr("Candidate")
        for picture, side in ((self.base, pair.base), (self.candidate, pair.candidate)):
            if side is not None:
                shape = "×".join(map(str, side.shape)) or tr("scalar")
                picture.note = f"{side.tensor.type.name} · {shape}"

    def show_planes(self, planes: Planes, size: tuple[int, int]) -> None:
        """Show the pictures of a slice of so many rows and columns."""
        self._planes, self._size = planes, size
        self.redraw()

    def redraw(self) -> None:
        """Show the same pictures, perhaps on other scales."""
        planes = self._planes
        if planes is None:
            return
        values = scale_of(
            (planes.base, planes.candidate), signed=True, logarithmic=self.logarithmic
        )
        self.base.show_cells(planes, planes.base, values)
        self.candidate.show_cells(planes, planes.candidate, values)
        if self.relative:
            cells, self.difference.title = planes.relative, tr("Relative error")
            scale = scale_of((cells,), signed=False, logarithmic=True)
        else:
            cells, self.difference.title = planes.difference, tr("Difference")
            scale = scale_of((cells,), signed=True, logarithmic=self.logarithmic)
        self.difference.note = tr("|c − b| / |b|") if self.relative else tr("candidate − base")
        self.difference.show_cells(planes, cells, scale)

    def show_window(self, window: Window) -> None:
        """Show another part at once; the sharp picture follows."""
        for picture in self.all:
            picture.show_window(window)

    def mark(self, place: tuple[int, int] | None) -> None:
        """Mark an element in all pictures."""
        for picture in self.all:
            picture.mark(place)

    def first(self) -> HeatMap:
        """The first picture that is shown."""
        return next((p for p in self.all if not p.isHidden()), self.candidate)

    def _hovered(self, place: tuple[int, int] | None) -> None:
        for picture in self.all:
            picture.set_cursor(place)
        self.cursor_moved.emit(place)

    def _wanted(self, window: Window | None) -> None:
        rows, columns = self._size
        whole = Window(0, 0, rows, columns)
        self.window_wanted.emit(whole if window is None else within(window, rows, columns))
