"""What can be done with any line chart: notes, a logarithmic axis, and files of what it shows."""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import pyqtgraph  # noqa: TID253 - this module is imported only when a chart is shown
from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtWidgets import QInputDialog, QMenu

from studio.i18n import tr
from studio.kernel.csv_rows import RowWriter
from studio.ui.chartpens import plot_pen
from studio.ui.exporting import start_export, write_content
from studio.ui.icons import icon
from studio.ui.pictures import ask_target, save_picture
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from studio.kernel.job_context import JobContext
    from studio.ui.chart import LineChart

_AT_ONCE = 100_000


@dataclass(frozen=True)
class Points:
    """The recorded points of a curve within a stretch of time."""

    title: str
    times: NDArray[np.int64]
    values: NDArray[np.float64] | NDArray[np.int64]


class ChartExtras(QObject):
    """The menu of a chart, and the notes that the user put on it."""

    notes_changed = Signal()

    def __init__(self, chart: LineChart) -> None:
        super().__init__(chart)
        self._chart = chart
        self._notes: dict[int, str] = {}
        self._drawn: list[pyqtgraph.InfiniteLine] = []
        chart.plot.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        chart.plot.customContextMenuRequested.connect(self.open_menu)

    # -- notes ----------------------------------------------------------------------------------
    def notes(self) -> dict[int, str]:
        """The notes by their times."""
        return dict(self._notes)

    def set_note(self, time: int, text: str) -> None:
        """Write a note at a time; "" takes it away."""
        if text.strip():
            self._notes[time] = text.strip()
        else:
            self._notes.pop(time, None)
        self.draw()
        self.notes_changed.emit()

    def saved(self) -> dict[str, Any]:
        """The notes and the kind of the axis, as a view keeps them."""
        notes = {str(time): text for time, text in self._notes.items()}
        return {"notes": notes, "logarithmic": self._chart.logarithmic}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Return to what was kept; anything else in it is passed over."""
        notes = state.get("notes")
        if isinstance(notes, dict):
            known = {time: text for time, text in notes.items() if time.lstrip("-").isdecimal()}
            self._notes = {int(time): str(text) for time, text in known.items()}
            self.draw()
        if state.get("logarithmic") in (True, False):
            self._chart.set_logarithmic(state["logarithmic"])

    def draw(self) -> None:
        """Draw the notes anew, in the colours of the theme."""
        for line in self._drawn:
            self._chart.plot.removeItem(line)
        theme = current_theme()
        self._drawn = []
        for time, text in sorted(self._notes.items()):
            line = pyqtgraph.InfiniteLine(
                time - self._chart.origin,
                pen=plot_pen(theme.colour("warn"), self._chart.plot),
                label=text.replace("{", "{{").replace("}", "}}"),
                labelOpts={
                    "color": theme.colour("text"),
                    "fill": theme.colour("raised"),
                    "position": 0.92,
                    "anchors": [(0, 0.5), (0, 0.5)],
                },
            )
            self._chart.plot.addItem(line, ignoreBounds=True)
            self._drawn.append(line)

    def ask_note(self, time: int) -> None:
        """Ask for the text of a note at a time."""
        text, agreed = QInputDialog.getText(
            self._chart,
            tr("Note"),
            tr("Note at {time}", time=self._chart.exact_time(time)),
            text=self._notes.get(time, ""),
        )
        if agreed:
            self.set_note(time, text)

    def note_near(self, time: int) -> int | None:
        """The time of the note that lies within a few pixels of a time."""
        reach = self._chart.time_of_pixels(6)
        near = [known for known in self._notes if abs(known - time) <= reach]
        return min(near, key=lambda known: abs(known - time), default=None)

    # -- the menu -------------------------------------------------------------------------------
    def open_menu(self, place: QPoint) -> QMenu:
        """Open the menu at a place of the plot."""
        menu, chart = QMenu(self._chart), self._chart
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        time = chart.time_at(place.x())
        near = self.note_near(time)
        if near is None:
            self._add(menu, "edit", tr("Write a note here…"), partial(self.ask_note, time))
        else:
            self._add(menu, "edit", tr("Change the note…"), partial(self.ask_note, near))
            self._add(menu, "trash", tr("Remove the note"), partial(self.set_note, near, ""))
        menu.addSeparator()
        logarithmic = menu.addAction(tr("Logarithmic values"))
        logarithmic.setCheckable(True)
        logarithmic.setChecked(chart.logarithmic)
        logarithmic.triggered.connect(chart.set_logarithmic)
        self._add(menu, "fit", tr("Show all"), chart.show_all)
        menu.addSeparator()
        self._add(menu, "picture", tr("Save as picture or table…"), self.ask_and_save)
        menu.popup(chart.plot.mapToGlobal(place))
        return menu

    def _add(self, menu: QMenu, sign: str, text: str, act: Callable[[], object]) -> None:
        menu.addAction(icon(sign), text).triggered.connect(lambda _=False: act())

    # -- files ----------------------------------------------------------------------------------
    def ask_and_save(self) -> None:
        """Ask for a file and save the chart as a picture, or the values in view as a table."""
        path = ask_target(self._chart)
        if path is not None:
            self.save(path)

    def save(self, path: Path) -> None:
        """Save as PNG, SVG or CSV, by the name of the file."""
        chart = self._chart
        match path.suffix.lower():
            case ".csv":
                curves, heading = chart.points_in_view(), chart.time_heading
                start_export(chart, path, write_points, curves=curves, heading=heading)
            case _:
                save_picture(chart, path)


def write_points(
    path: Path, curves: Sequence[Points], heading: str, job: JobContext | None = None
) -> Path:
    """Write recorded points as CSV: curve, time (integer), value with all its digits.

    Raises StudioError where the file cannot be written.
    """
    buffer = io.StringIO()
    writer = RowWriter(buffer)
    writer.writerow(["curve", heading, "value"])
    total = sum(len(curve.times) for curve in curves)
    done = 0
    for curve in curves:
        for start in range(0, len(curve.times), _AT_ONCE):
            times = curve.times[start : start + _AT_ONCE].tolist()
            values = curve.values[start : start + _AT_ONCE].tolist()
            writer.writerows(
                (curve.title, time, "" if value != value else repr(value))
                for time, value in zip(times, values, strict=True)
            )
            done += len(times)
            if job is not None:
                job.check()
                job.report(done / total)
    write_content(path, buffer.getvalue().encode("utf-8-sig"))
    return path
