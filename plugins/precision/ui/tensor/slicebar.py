"""Choosing the slice: two axes that are shown, and a slider for each of the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QSlider, QSpinBox, QWidget

from plugins.precision.core.tensors.planes import Slice, first_slice
from studio.i18n import tr
from studio.ui.field import inset
from studio.ui.text import thousands

if TYPE_CHECKING:
    from collections.abc import Sequence


class SliceBar(QWidget):
    """Shows nothing for tensors of fewer than two axes, where there is nothing to choose."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shape: tuple[int, ...] = ()
        self._slice = first_slice(())
        self.rows, self.columns = QComboBox(), QComboBox()
        self.places: dict[int, QSpinBox] = {}
        self._line = QHBoxLayout(self)
        self._line.setContentsMargins(10, 4, 10, 4)
        self._line.setSpacing(6)
        for box, title in ((self.rows, tr("Rows")), (self.columns, tr("Columns"))):
            label = QLabel(title)
            label.setBuddy(box)
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
            box.setAccessibleName(title)
            box.setToolTip(tr("The axis that is shown as {title}", title=title.lower()))
            self._line.addWidget(label)
            self._line.addWidget(box)
            box.activated.connect(self._axes_chosen)
        self._others = QWidget()
        self._line.addWidget(self._others, 1)

    def set_shape(self, shape: Sequence[int], chosen: Slice | None = None) -> None:
        """Offer the axes of a tensor, at a slice that fits or the first one."""
        self._shape = tuple(shape)
        fits = chosen is not None and len(chosen.index) == len(self._shape)
        self._slice = chosen if fits and chosen is not None else first_slice(self._shape)
        self.setVisible(len(self._shape) > 1)
        for box in (self.rows, self.columns):
            with QSignalBlocker(box):
                box.clear()
                for axis, length in enumerate(self._shape):
                    box.addItem(tr("axis {n} ({length})", n=axis, length=thousands(length)), axis)
        self._show_axes()

    def slice(self) -> Slice:
        """The slice that is chosen."""
        return self._slice

    def go_to(self, index: tuple[int, ...]) -> bool:
        """Choose the slice that an element is in; tells whether it is another one."""
        hidden = [
            a for a in range(len(self._shape)) if a not in (self._slice.rows, self._slice.columns)
        ]
        if all(self._slice.index[axis] == index[axis] for axis in hidden):
            return False
        for axis in hidden:
            with QSignalBlocker(self.places[axis]):
                self.places[axis].setValue(index[axis])
        self._moved()
        return True

    def _axes_chosen(self) -> None:
        rows, columns = self.rows.currentData(), self.columns.currentData()
        if rows == columns:
            # The axis was taken from the other side: exchange them.
            if rows == self._slice.rows:
                rows = self._slice.columns
            else:
                columns = self._slice.rows
        self._slice = Slice(rows, columns, self._slice.index)
        self._show_axes()
        self.changed.emit()

    def _show_axes(self) -> None:
        for box, axis in ((self.rows, self._slice.rows), (self.columns, self._slice.columns)):
            with QSignalBlocker(box):
                box.setCurrentIndex(-1 if axis is None else axis)
        self.places = {}
        others = QWidget()
        line = QHBoxLayout(others)
        line.setContentsMargins(10, 0, 0, 0)
        line.setSpacing(6)
        for axis, length in enumerate(self._shape):
            if axis not in (self._slice.rows, self._slice.columns):
                self._add_place(line, axis, length)
        line.addStretch()
        self._line.replaceWidget(self._others, others)
        self._others.deleteLater()
        self._others = others

    def _add_place(self, line: QHBoxLayout, axis: int, length: int) -> None:
        title = tr("Axis {n}", n=axis)
        slider, box = QSlider(Qt.Orientation.Horizontal), QSpinBox()
        inset(box)
        for widget in (slider, box):
            widget.setRange(0, max(length - 1, 0))
            widget.setValue(self._slice.index[axis])
            widget.setAccessibleName(title)
            widget.setToolTip(tr("Place on axis {n}, 0 to {last}", n=axis, last=length - 1))
        slider.setMinimumWidth(60)
        slider.setMaximumWidth(220)
        slider.valueChanged.connect(box.setValue)
        box.valueChanged.connect(slider.setValue)
        box.valueChanged.connect(self._moved_by_user)
        self.places[axis] = box
        label = QLabel(title)
        label.setBuddy(box)
        line.addWidget(label)
        line.addWidget(slider, 1)
        line.addWidget(box)

    def _moved(self) -> None:
        index = list(self._slice.index)
        for axis, box in self.places.items():
            index[axis] = box.value()
        self._slice = Slice(self._slice.rows, self._slice.columns, tuple(index))

    def _moved_by_user(self) -> None:
        self._moved()
        self.changed.emit()
