"""The statistics of a stretch of time, by name of the slices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from studio.i18n import tr
from studio.ui.table import Column, TableView
from studio.ui.timeaxis import UNITS, exact

if TYPE_CHECKING:
    from plugins.timeline.ui.view import TimelineView

_WAIT = 80


class RangePage(QWidget):
    """The page of the details panel for a stretch of time."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view: TimelineView | None = None
        self._wanted: tuple[int, int] | None = None
        self._shown: tuple[int, int] | None = None
        self._names: list[str] = []
        self._fresh = True
        self.heading = QLabel()
        self.table = TableView()
        self._soon = QTimer(self, singleShot=True, interval=_WAIT)
        self._soon.timeout.connect(self._ask)
        self.heading.setContentsMargins(10, 6, 10, 0)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.heading)
        column.addWidget(self.table, 1)
        self.table.row_activated.connect(self._chosen)
        self.table.view.clicked.connect(
            lambda index: self._chosen(self.table.model.source_row(index))
        )

    def show_range(self, view: TimelineView, start: int, end: int) -> None:
        """Show what happens in `[start, end)` of a timeline."""
        if view is self._view and self._wanted == (start, end):
            return
        self._view, self._wanted = view, (start, end)
        origin = view.scene.start
        self.heading.setText(
            tr(
                "{length} from {start} to {end}. Slices are cut at the edges; self is without the "
                "slices inside, covered counts overlapping time once.",
                length=exact(end - start),
                start=exact(start - origin),
                end=exact(end - origin),
            )
        )
        self._soon.start()

    def clear(self) -> None:
        """Forget the timeline."""
        self._view = self._wanted = self._shown = None
        self._soon.stop()

    def idle(self) -> bool:
        """Whether the statistics are those of the stretch that is wanted."""
        return self._wanted == self._shown and self.table.idle()

    def _ask(self) -> None:
        if self._view is not None and self._wanted is not None:
            self._view.read_statistics(*self._wanted, self._show)

    def _show(self, start: int, end: int, frame: Any) -> None:  # noqa: ANN401 - a DataFrame
        if (start, end) != self._wanted:
            return
        self._shown = self._wanted
        frame = frame.assign(avg_ns=frame["avg_ns"].round().astype("Int64"))
        self._names = [str(name) for name in frame["name"]]
        longest = int(frame["total_ns"].max()) if len(frame) else 0
        self.table.set_data(frame, _columns(longest))
        if self._fresh:
            self._fresh = False
            self.table.sort_by("total_ns", descending=True)

    def _chosen(self, row: int) -> None:
        if self._view is not None and 0 <= row < len(self._names):
            self._view.search_name(self._names[row])


def _columns(longest: int) -> list[Column]:
    unit = next(name for name, size in reversed(UNITS) if longest >= size or size == 1)
    small = "µs" if unit in ("ms", "s") else unit
    return [
        Column("name", tr("Name"), width=360),
        Column("count", tr("Count"), kind="int"),
        Column(
            "total_ns",
            tr("Total"),
            unit,
            kind="ns",
            heat=True,
            tip=tr("Sum of the durations within the stretch"),
        ),
        Column(
            "self_ns",
            tr("Self"),
            unit,
            kind="ns",
            tip=tr("Sum without the slices inside each slice"),
        ),
        Column(
            "covered_ns",
            tr("Covered"),
            unit,
            kind="ns",
            tip=tr("Time in which at least one of them runs; never counted twice"),
        ),
        Column("avg_ns", tr("Average"), small, kind="ns"),
        Column("min_ns", tr("Shortest"), small, kind="ns"),
        Column("max_ns", tr("Longest"), small, kind="ns"),
        Column(
            "unfinished",
            tr("Without end"),
            kind="int",
            tip=tr("Slices whose end is not in the file; they are in no sum"),
        ),
    ]
