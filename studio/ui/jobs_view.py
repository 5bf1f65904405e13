"""The jobs panel: what runs and what ran, with progress, cancel and log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QHeaderView,
    QPlainTextEdit,
    QSplitter,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from studio.i18n import tr
from studio.kernel.job import JobState
from studio.ui.fonts import mono_font
from studio.ui.icons import icon
from studio.ui.lines import RowDelegate
from studio.ui.listening import listen
from studio.ui.theme import current_theme
from studio.ui.toolbar import ToolBar

if TYPE_CHECKING:
    from studio.api import Studio
    from studio.kernel.job import Job
    from studio.ui.shell import MainWindow

_ICONS = {
    JobState.QUEUED: ("jobs", "muted"),
    JobState.RUNNING: ("run", "accent"),
    JobState.DONE: ("ok", "ok"),
    JobState.FAILED: ("error", "error"),
    JobState.CANCELLED: ("cancel", "muted"),
}

_NARROW = 84
"""The width of state, progress and time, so that the names of jobs have the rest."""


class JobsView(QWidget):
    """A list of jobs, newest first, and the log of the selected one."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__()
        self._jobs = window.app.jobs
        self._items: dict[int, QTreeWidgetItem] = {}
        self.tree = QTreeWidget()
        self.tree.setRootIsDecorated(False)
        self.tree.setUniformRowHeights(True)
        self.tree.setItemDelegate(RowDelegate(self.tree))
        self.tree.setHeaderLabels([tr("Job"), tr("State"), tr("Progress"), tr("Time")])
        self.tree.setAccessibleName(tr("Jobs"))
        header = self.tree.header()
        header.setStretchLastSection(False)
        for section in (1, 2, 3):
            header.resizeSection(section, _NARROW)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.tree.currentItemChanged.connect(lambda *_: self._show_log())
        self.log = QPlainTextEdit(readOnly=True)
        self.log.setFont(mono_font())
        self.log.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.log.setAccessibleName(tr("Log of the job"))
        self.log.setPlaceholderText(tr("Select a job to see its log."))
        bar = ToolBar(tr("Jobs"), self)
        self._cancel = bar.add(
            "cancel", tr("Cancel job"), self._cancel_selected, keys="Del", text=True
        )
        halves = QSplitter(Qt.Orientation.Horizontal)
        halves.setHandleWidth(1)
        halves.addWidget(self.tree)
        halves.addWidget(self.log)
        halves.setSizes([600, 400])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(bar)
        column.addWidget(halves)
        listen(self, self._jobs.changed, self._changed)
        self._clock = QTimer(self, interval=500)
        self._clock.timeout.connect(self._tick)
        for job in self._jobs.history:
            self._changed(job)

    def changeEvent(self, event: QEvent) -> None:
        """Take the colours of another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            for job in self._jobs.history:
                if job.id in self._items:
                    self._fill(self._items[job.id], job)

    def _changed(self, job: Job) -> None:
        item = self._items.get(job.id)
        if item is None:
            item = QTreeWidgetItem([job.title])
            item.setData(0, Qt.ItemDataRole.UserRole, job)
            self._items[job.id] = item
            self.tree.insertTopLevelItem(0, item)
        self._fill(item, job)
        if item is self.tree.currentItem():
            self._show_log()
        if job.active and not self._clock.isActive():
            self._clock.start()

    def _fill(self, item: QTreeWidgetItem, job: Job) -> None:
        name, token = _ICONS[job.state]
        item.setIcon(0, icon(name, token))
        item.setText(1, _state_word(job.state))
        known = job.active and job.progress is not None
        item.setText(2, f"{job.progress:.0%}" if known else job.message if job.active else "")
        item.setText(3, f"{job.seconds:.1f} s")
        item.setTextAlignment(3, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if job.state is JobState.FAILED:
            item.setForeground(1, QColor(current_theme().colour("error")))

    def _tick(self) -> None:
        active = self._jobs.active()
        for job in active:
            if job.id in self._items:
                self._fill(self._items[job.id], job)
        if not active:
            self._clock.stop()

    def _selected(self) -> Job | None:
        item = self.tree.currentItem()
        job: Job | None = item.data(0, Qt.ItemDataRole.UserRole) if item is not None else None
        return job

    def _show_log(self) -> None:
        job = self._selected()
        self._cancel.setEnabled(job is not None and job.active)
        lines = list(job.log) if job is not None else []
        if job is not None and job.error is not None:
            lines += [f"{type(job.error).__name__}: {job.error}", job.details]
        self.log.setPlainText("\n".join(lines))

    def _cancel_selected(self) -> None:
        job = self._selected()
        if job is not None:
            job.cancel()


def make_panel(studio: Studio) -> JobsView:
    """The panel, as the host's manifest declares it."""
    assert studio.window is not None
    return JobsView(studio.window.parent())


def _state_word(state: JobState) -> str:
    return {
        JobState.QUEUED: tr("waiting"),
        JobState.RUNNING: tr("running"),
        JobState.DONE: tr("done"),
        JobState.FAILED: tr("failed"),
        JobState.CANCELLED: tr("cancelled"),
    }[state]
