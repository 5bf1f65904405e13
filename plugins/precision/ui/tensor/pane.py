"""A tensor or a pair that was opened: slices as pictures, and what all elements say."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QFileDialog, QLabel, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from plugins.precision.core.tensors.planes import Slice, Window
from plugins.precision.ui.tensor.details import Details
from plugins.precision.ui.tensor.maps import Maps
from plugins.precision.ui.tensor.readout import readout
from plugins.precision.ui.tensor.slicebar import SliceBar
from plugins.precision.ui.tensor.zoom import around, within
from studio.i18n import tr
from studio.ui.loading import LoadingPage

if TYPE_CHECKING:
    from plugins.precision.core.tensors.figures import Figures
    from plugins.precision.core.tensors.opened import OpenedPair
    from plugins.precision.core.tensors.planes import Planes
    from studio.api import Studio
    from studio.kernel.job import Job

_CELLS = (256, 512)
_SOON = 40


class TensorPane(QWidget):
    """Everything seen of a pair; its pictures and figures are made in jobs."""

    def __init__(self, studio: Studio, pair: OpenedPair, title: str = "") -> None:
        super().__init__()
        self._studio = studio
        self.pair = pair
        self.bar, self.maps, self.details = SliceBar(), Maps(), Details()
        self.reading = QLabel(textFormat=Qt.TextFormat.PlainText)
        self.window_shown: Window | None = None
        self._picture: Job | None = None
        self._figures: Job | None = None
        self._soon = QTimer(self, singleShot=True, interval=_SOON)
        self._soon.timeout.connect(self._read_slice)
        self._loading = LoadingPage(tr("all elements"), self._stop)
        self._lower = QStackedWidget()
        self._marked: tuple[int, int] | None = None
        self._all_wanted = False
        self._lay_out()
        self._connect()
        self.bar.set_shape(pair.shape)
        self.maps.set_pair(pair, title)
        self._lower.setCurrentWidget(self._loading)
        self._read_slice()

    # -- what the view asks -------------------------------------------------------------------
    def idle(self) -> bool:
        """Whether everything is read and shown."""
        waiting = self._picture is not None or self._soon.isActive()
        return not waiting and self._figures is None and self.details.idle()

    def save_state(self) -> dict[str, Any]:
        """The slice and how it is shown."""
        where = self.bar.slice()
        return {
            "rows": where.rows,
            "columns": where.columns,
            "index": list(where.index),
            "logarithmic": self.maps.logarithmic,
            "relative": self.maps.relative,
            "tab": self.details.currentIndex(),
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Return to a saved slice, as far as it fits this tensor."""
        self.maps.logarithmic = bool(state.get("logarithmic"))
        self.maps.relative = bool(state.get("relative"))
        axes = len(self.pair.shape)
        index = tuple(int(i) for i in state.get("index", ()))
        rows, columns = state.get("rows"), state.get("columns")
        inside = len(index) == axes and all(
            0 <= i < max(n, 1) for i, n in zip(index, self.pair.shape, strict=True)
        )
        if inside and {rows, columns} <= {*range(axes), None} and axes > 1 and rows != columns:
            self.bar.set_shape(self.pair.shape, Slice(rows, columns, index))
        if isinstance(state.get("tab"), int):
            self.details.setCurrentIndex(state["tab"])
        self._change_slice()

    def show_whole(self) -> None:
        """Show the whole slice."""
        self._zoom(None)

    def set_logarithmic(self, on: bool) -> None:
        """Colour values by their logarithm."""
        self.maps.logarithmic = on
        self.maps.redraw()

    def set_relative(self, on: bool) -> None:
        """Show the relative error in place of the difference."""
        self.maps.relative = on
        self.maps.redraw()

    def go_to(self, index: tuple[int, ...]) -> None:
        """Show an element: its slice, and the place in it."""
        other = self.bar.go_to(index)
        where = self.bar.slice()
        row = 0 if where.rows is None else index[where.rows]
        column = 0 if where.columns is None else index[where.columns]
        self._mark((row, column))
        window = self.window_shown
        if window is not None:
            window = within(around(window, (row, column)), *where.lengths(self.pair.shape))
        if other or window != self.window_shown:
            self.window_shown = window
            self._soon.start()

    def save_picture(self, target: Path | None = None) -> bool:
        """Save the heat maps as a picture; asks where when not told."""
        if target is None:
            name, _ = QFileDialog.getSaveFileName(
                self, tr("Save picture"), "tensor.png", "PNG (*.png)"
            )
            if not name:
                return False
            target = Path(name)
        return self.maps.grab().save(str(target), "PNG")

    def export_csv(self, target: Path | None = None) -> bool:
        """Write the elements in view to a CSV file, in a job; asks where when not told."""
        if self.window_shown is None:
            return False
        if target is None:
            name, _ = QFileDialog.getSaveFileName(
                self, tr("Export as CSV"), "tensor.csv", "CSV (*.csv)"
            )
            if not name:
                return False
            target = Path(name)
        self._studio.start_job(
            "precision:core.tensors.export.write_slice",
            {
                "pair": self.pair,
                "where": self.bar.slice(),
                "window": self.window_shown,
                "target": target,
            },
            title=tr("Exporting {name}", name=target.name),
            done=self._exported,
            failed=self._tell,
        )
        return True

    # -- inside -------------------------------------------------------------------------------
    def _change_slice(self) -> None:
        self.window_shown = None
        self._mark(None)
        self._soon.start()

    def _zoom(self, window: Window | None) -> None:
        where = self.bar.slice()
        rows, columns = where.lengths(self.pair.shape)
        self.window_shown = window or Window(0, 0, rows, columns)
        self.maps.show_window(self.window_shown)
        self._soon.start()

    def _read_slice(self) -> None:
        self._soon.stop()
        where = self.bar.slice()
        rows, columns = where.lengths(self.pair.shape)
        self.window_shown = self.window_shown or Window(0, 0, rows, columns)
        if not rows * columns:
            self._read_all()
            return
        fits = self.maps.first().cells_that_fit()
        cells = tuple(min(max(fit, _CELLS[0]), _CELLS[1]) for fit in fits)
        self._picture = self._studio.start_job(
            "precision:core.tensors.loading.planes",
            {"pair": self.pair, "where": where, "window": self.window_shown, "cells": cells},
            title=tr("Reading a slice"),
            key=f"slice {id(self)}",
            done=self._show_slice,
            failed=self._slice_failed,
        )

    def _show_slice(self, planes: Planes) -> None:
        self._picture = None
        self._read_all()
        if self._soon.isActive():
            return
        self.maps.show_planes(planes, self.bar.slice().lengths(self.pair.shape))
        down, across = planes.step
        if down * across > 1:
            self.reading.setText(
                tr(
                    "One in {rows} rows and one in {columns} columns was read; zoom in to see all.",
                    rows=down,
                    columns=across,
                )
            )
        elif self._marked is None:
            self._read_out(None)

    def _read_all(self) -> None:
        """Go through all elements, once the first picture is there."""
        if self._all_wanted:
            return
        self._all_wanted = True
        self._figures = self._studio.start_job(
            "precision:core.tensors.figures.figures_of",
            {"pair": self.pair},
            title=tr("Going through all elements"),
            key=f"figures {id(self)}",
            done=self._show_figures,
            failed=self._figures_failed,
        )
        self._loading.follow(self._figures)

    def _show_figures(self, figures: Figures) -> None:
        self._stop()
        self.details.show_figures(figures)
        self._lower.setCurrentWidget(self.details)

    def _figures_failed(self, error: BaseException) -> None:
        self._stop()
        self._tell(error)

    def _slice_failed(self, error: BaseException) -> None:
        self._picture = None
        self._stop()
        self._tell(error)

    def _tell(self, error: BaseException) -> None:
        text = str(getattr(error, "message", error))
        sides = self.pair.sides()
        name = sides[-1].place.path.name if sides else ""
        self._studio.notify(tr("{name} {problem}", name=name, problem=text), severity="error")

    def _exported(self, target: Path) -> None:
        self._studio.notify(tr("Exported to {name}.", name=target.name), severity="ok")

    def _stop(self) -> None:
        """Give up going through all elements, or end it; the pictures remain."""
        if self._figures is not None:
            self._figures.cancel()
            self._figures = None
        self._loading.finish()
        self._lower.setVisible(True)
        self._lower.setCurrentWidget(self.details)

    def _mark(self, place: tuple[int, int] | None) -> None:
        self._marked = place
        self.maps.mark(place)
        self._read_out(place)

    def _read_out(self, place: tuple[int, int] | None) -> None:
        place = place or self._marked
        index = None if place is None else self.bar.slice().element(*place)
        self.reading.setText(readout(self.pair, index))

    def _along(self, axis: int, place: int) -> None:
        """Show a place of an axis: its slice, or its row or column."""
        where = self.bar.slice()
        index = list(where.index)
        index[axis] = place
        self.go_to(tuple(index))

    def _connect(self) -> None:
        self.bar.changed.connect(self._change_slice)
        self.maps.cursor_moved.connect(self._read_out)
        self.maps.chosen.connect(self._mark)
        self.maps.window_wanted.connect(self._zoom)
        self.details.element_chosen.connect(self.go_to)
        self.details.place_chosen.connect(self._along)

    def _lay_out(self) -> None:
        self.reading.setContentsMargins(10, 4, 10, 4)
        self.reading.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._lower.addWidget(self._loading)
        self._lower.addWidget(self.details)
        halves = QSplitter(Qt.Orientation.Vertical)
        halves.setChildrenCollapsible(False)
        upper = QWidget()
        column = QVBoxLayout(upper)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.bar)
        column.addWidget(self.maps, 1)
        column.addWidget(self.reading)
        halves.addWidget(upper)
        halves.addWidget(self._lower)
        halves.setSizes([460, 300])
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(halves)
        self.setFocusProxy(self.maps.first())
