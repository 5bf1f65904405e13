"""The marks of a timeline as a list, with the time between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QLabel, QMenu, QVBoxLayout, QWidget

from plugins.timeline.ui.markmenu import fill_mark_menu
from studio.i18n import tr, trn
from studio.ui.table import Column, TableView

if TYPE_CHECKING:
    from plugins.timeline.ui.marks import Mark
    from plugins.timeline.ui.view import TimelineView


class MarksPage(QWidget):
    """The page of the details panel for the marks."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view: TimelineView | None = None
        self._marks: tuple[Mark, ...] = ()
        self.heading = QLabel()
        self.heading.setContentsMargins(10, 6, 10, 0)
        self.table = TableView()
        self.table.menu_hook = self._menu
        self.table.row_activated.connect(self._go)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.heading)
        column.addWidget(self.table, 1)

    def show_marks(self, view: TimelineView) -> None:
        """List the marks of a timeline."""
        marks = view.pane_now().state.marks.all
        if view is self._view and marks == self._marks:
            return
        self._view, self._marks = view, marks
        self.heading.setText(
            trn(
                "{n} mark. Double click goes there; right click names, colours and removes it.",
                "{n} marks. Double click goes there; right click names, colours and removes one.",
                len(marks),
            )
        )
        rows = []
        for number, mark in enumerate(marks):
            before = marks[number - 1] if number else None
            rows.append(
                {
                    "name": mark.name or (tr("Flag") if mark.is_flag else tr("Stretch")),
                    "start": mark.start - view.scene.start,
                    "length": None if mark.is_flag else mark.end - mark.start,
                    "gap": None if before is None else mark.start - before.end,
                    "delta": None if before is None else mark.start - before.start,
                }
            )
        self.table.set_data(rows, _columns())

    def clear(self) -> None:
        """Forget the timeline."""
        self._view, self._marks = None, ()

    def idle(self) -> bool:
        """Whether all is shown."""
        return self.table.idle()

    def _go(self, row: int) -> None:
        if self._view is None or not 0 <= row < len(self._marks):
            return
        state, mark = self._view.pane_now().state, self._marks[row]
        if mark.is_flag:
            half = (state.shown()[1] - state.shown()[0]) // 2
            state.go(state.around(mark.start - half, mark.start + half, 0.0))
        else:
            state.go(state.around(mark.start, mark.end, 0.04))

    def _menu(self, menu: QMenu, rows: list[int]) -> None:
        if self._view is None or not rows:
            return
        pane, mark = self._view.pane_now(), self._marks[rows[0]]
        fill_mark_menu(menu, pane.state, mark, lambda: pane.ruler.rename(mark))


def _columns() -> list[Column]:
    return [
        Column("name", tr("Name"), width=260),
        Column("start", tr("Start"), "ms", kind="ns", digits=9, total="least"),
        Column("length", tr("Length"), "ms", kind="ns", digits=9),
        Column(
            "gap",
            tr("From the end before"),
            "ms",
            kind="ns",
            digits=9,
            tip=tr("From the end of the mark before to the start of this one"),
        ),
        Column(
            "delta",
            tr("From the start before"),
            "ms",
            kind="ns",
            digits=9,
            tip=tr("From the start of the mark before to the start of this one"),
        ),
    ]
