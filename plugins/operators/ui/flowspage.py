"""Queues of launches and copies of memory: two charts over the same time, each with its table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from studio.i18n import tr
from studio.ui.chart import Curve, LineChart
from studio.ui.chips import Chip, Chips
from studio.ui.parts import note, split
from studio.ui.table import Column, TableView
from studio.ui.text import format_number, thousands
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pandas as pd
    from PySide6.QtGui import QColor

    from plugins.operators.ui.extraloader import DrawnFlows
    from studio.ui.envelope import Envelope

_AXIS_WIDTH: Final = 64
_SHOWN_AT_FIRST: Final = 6
_CLOSE: Final = 40
"""A row of a table zooms to this part of the whole time."""


class FlowsPage(QWidget):
    """The charts show the same time; a stretch or a moment is the same in both."""

    chosen = Signal(object)
    timeline_wanted = Signal(object)

    def __init__(self, drawn: DrawnFlows, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.halves: list[Half] = []
        if drawn.queues:
            self.halves.append(queue_half(drawn.flows.queues, drawn.queues))
        if drawn.copies:
            self.halves.append(copy_half(drawn.flows.copies, drawn.copies))
        self._following = False
        self._lay_out()

    def idle(self) -> bool:
        """Whether all is drawn and sorted."""
        return all(half.chart.idle() and half.table.idle() for half in self.halves)

    def show_moment(self, start: int, end: int) -> None:
        """Mark a stretch of time that another view chose."""
        for half in self.halves:
            half.chart.set_range((start, max(end, start + 1)))

    def _lay_out(self) -> None:
        shown = split(Qt.Orientation.Vertical, [1] * len(self.halves), *self.halves)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(note(about()))
        column.addWidget(shown, 1)
        for half in self.halves:
            half.chart.view_changed.connect(lambda half=half: self._follow(half))
            half.chart.range_selected.connect(self._choose)
            half.chart.clicked.connect(lambda time: self._choose((time, time + 1)))
            half.row_wanted.connect(self._choose)
            half.opened.connect(self.timeline_wanted)
        self.setFocusProxy(self.halves[0].chart)

    def _follow(self, moved: Half) -> None:
        if not self._following:
            self._following = True
            for half in self.halves:
                if half is not moved:
                    half.chart.show_times(*moved.chart.shown_times())
            self._following = False

    def _choose(self, chosen: tuple[int, int] | None) -> None:
        for half in self.halves:
            half.chart.set_range(chosen)
        self.chosen.emit(chosen)


class Half(QWidget):
    """A chart with a curve for each row of the table beside it."""

    row_wanted = Signal(object)
    """The moment at which the curve of the selected row is highest."""
    opened = Signal(object)

    def __init__(
        self,
        title: str,
        write: Callable[[float], str],
        titles: list[str],
        envelopes: list[Envelope],
        rows: tuple[pd.DataFrame, list[Column]],
    ) -> None:
        super().__init__()
        self.titles = titles
        self._envelopes = envelopes
        self._peaks = rows[0]["max_at_ns"].tolist()
        self.chips = Chips()
        self.chart = LineChart(name=title, write=write)
        self.table = TableView()
        self.table.view.setAccessibleName(title)
        self.table.set_data(rows[0], rows[1])
        self.table.setMinimumWidth(220)
        self._lay_out(title)
        self.chips.toggled.connect(self.chart.set_shown)
        self._draw()
        self.table.selection_changed.connect(self._selected)
        self.table.row_activated.connect(lambda row: self.opened.emit(self._around(row)))

    def _draw(self) -> None:
        curves = [
            Curve(str(row), title, envelope, colour)
            for row, (title, envelope, colour) in enumerate(
                zip(self.titles, self._envelopes, self._colours(), strict=True)
            )
        ]
        self.chart.set_curves(curves, origin=int(self._envelopes[0].times[0]))
        self.chips.set_chips([Chip(each.key, each.title, each.colour) for each in curves])
        for each in curves[_SHOWN_AT_FIRST:]:
            self.chips.set_on(each.key, False)

    def _colours(self) -> list[QColor]:
        theme = current_theme()
        return [theme.category(row) for row in range(len(self.titles))]

    def _selected(self, rows: Sequence[int]) -> None:
        if rows:
            self.chips.set_on(str(rows[0]), True)
            start, end = self._around(rows[0])
            self.chart.show_times(start, end)
            self.row_wanted.emit((self._peaks[rows[0]], self._peaks[rows[0]] + 1))

    def _around(self, row: int) -> tuple[int, int]:
        start, end = self.chart.bounds()
        half = max((end - start) // (2 * _CLOSE), 1)
        return self._peaks[row] - half, self._peaks[row] + half

    def _lay_out(self, title: str) -> None:
        heading = QLabel(title)
        font = heading.font()
        font.setBold(True)
        heading.setFont(font)
        heading.setContentsMargins(12, 4, 0, 0)
        left = QWidget()
        inner = QVBoxLayout(left)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(0)
        for widget in (heading, self.chips):
            inner.addWidget(widget)
        inner.addWidget(self.chart, 1)
        self.chart.setMinimumHeight(100)
        axis: Any = self.chart.plot.getAxis("left")
        axis.setWidth(_AXIS_WIDTH)  # the times of both charts stand below each other
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(split(Qt.Orientation.Horizontal, (600, 440), left, self.table))

    def changeEvent(self, event: QEvent) -> None:
        """Take the colours of another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "titles"):
            colours = self._colours()
            self.chart.recolour({str(row): colour for row, colour in enumerate(colours)})
            self.chips.set_chips(
                [Chip(str(row), title, colours[row]) for row, title in enumerate(self.titles)]
            )


def queue_half(queues: pd.DataFrame, envelopes: list[Envelope]) -> Half:
    """The queues of streams."""
    titles = [stream_title(queues, row) for row in range(len(queues))]
    return Half(
        tr("Launches outstanding on each stream"),
        lambda value: thousands(round(value)),
        titles,
        envelopes,
        (queues.assign(title=titles), queue_columns()),
    )


def copy_half(copies: pd.DataFrame, envelopes: list[Envelope]) -> Half:
    """The bandwidth of each kind of copy."""
    return Half(
        tr("Bandwidth of copies, GB/s"),
        lambda value: f"{format_number(value)} GB/s",
        [str(kind) for kind in copies["kind"]],
        envelopes,
        (copies, copy_columns()),
    )


def about() -> str:
    """What the two charts show, and what to make of them."""
    return tr(
        "A launch is outstanding from its call on the host to its begin on the device. A queue "
        "that is empty for long says that the host is late; a long one hides the host's work. "
        "Copies move their bytes evenly while they last."
    )


def stream_title(queues: pd.DataFrame, row: int) -> str:
    """The name of a stream, with its device where there are several."""
    device, stream = queues["device"].iloc[row], queues["stream"].iloc[row]
    name = tr("Communication") if str(stream) == "<NA>" else tr("Stream {n}", n=stream)
    several = queues["device"].nunique() > 1 and str(device) != "<NA>"
    return tr("{name} of device {device}", name=name, device=device) if several else name


def queue_columns() -> list[Column]:
    """The columns of the queues."""
    return [
        Column("title", tr("Stream"), width=84),
        Column("launches", tr("Launches"), kind="int", heat=True, width=72),
        Column("average", tr("Average"), kind="float", total="mean", width=66),
        Column("max_length", tr("Longest"), kind="int", total="largest", width=66),
        Column(
            "empty_share",
            tr("Empty"),
            kind="percent",
            width=70,
            tip=tr("Share of the time from the first to the last launch: the host was late"),
        ),
        Column(
            "wait_ns",
            tr("In the queue"),
            "µs",
            kind="ns",
            total="mean",
            tip=tr("Average time from the call on the host to the begin on the device"),
        ),
    ]


def copy_columns() -> list[Column]:
    """The columns of the copies."""
    busy = tr("While at least one such copy ran")
    return [
        Column("kind", tr("Kind"), width=130),
        Column("copies", tr("Count"), kind="int", width=56),
        Column("bytes", tr("Bytes"), "MB", kind="bytes", heat=True),
        Column("busy_ns", tr("Time"), "ms", kind="ns", tip=busy),
        Column("bytes_per_ns", tr("Average"), "GB/s", kind="float", total="mean", tip=busy),
        Column("max_bytes_per_ns", tr("Highest"), "GB/s", kind="float", total="largest"),
    ]
