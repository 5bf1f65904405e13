"""What a view shows while its file is read: the progress, and a way to stop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from studio.i18n import tr
from studio.ui.jobbar import JobBar

if TYPE_CHECKING:
    from collections.abc import Callable

    from studio.kernel.jobs import Job

_LOOK = 80


class LoadingPage(QWidget):
    """Follows a job."""

    def __init__(
        self, name: str, cancel: Callable[[], object], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._job: Job | None = None
        self.heading = QLabel(tr("Reading {name}", name=name), textFormat=Qt.TextFormat.PlainText)
        self.message = QLabel(textFormat=Qt.TextFormat.PlainText)
        self.message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.bar = JobBar(320)
        self.stop = QPushButton(tr("Cancel"))
        self.stop.clicked.connect(lambda: cancel())
        self._timer = QTimer(self, interval=_LOOK)
        self._timer.timeout.connect(self._look)
        self.message.setProperty("role", "muted")
        column = QVBoxLayout(self)
        column.addStretch(2)
        for widget in (self.heading, self.bar, self.message, self.stop):
            row = QHBoxLayout()
            row.addStretch()
            row.addWidget(widget, alignment=Qt.AlignmentFlag.AlignHCenter)
            row.addStretch()
            column.addLayout(row)
            column.addSpacing(8)
        column.addStretch(3)

    def follow(self, job: Job) -> None:
        """Show how far a job is."""
        self._job = job
        self._timer.start()
        self._look()

    def finish(self) -> None:
        """The job is over."""
        self._job = None
        self._timer.stop()

    def _look(self) -> None:
        if self._job is None:
            return
        self.bar.show_progress(self._job.progress)
        self._tell(self._job.message)

    def _tell(self, message: str) -> None:
        """Show a message in the room there is, which only grows.

        A label without a fixed size lets the whole window be laid out anew for every text.
        """
        self.message.setText(message)
        wanted = self.message.sizeHint()
        if wanted.width() > self.message.width() or wanted.height() > self.message.height():
            self.message.setFixedSize(wanted.expandedTo(self.message.minimumSize()))
