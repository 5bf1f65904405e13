"""The overview of a migration: how ready the project is, what there is to do, and where."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QSplitter,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from plugins.migration.core.assessment.facts import duration
from plugins.migration.ui.breakdown import Breakdown
from plugins.migration.ui.contextbar import ContextBar
from plugins.migration.ui.counts import hours_left
from plugins.migration.ui.empty import show_state
from plugins.migration.ui.heat import HeatList
from plugins.migration.ui.review import Review
from plugins.migration.ui.score import Score
from studio.i18n import tr, trn
from studio.ui.bar import NoticeBar
from studio.ui.parts import OneLine
from studio.ui.text import thousands
from studio.ui.toolbar import ToolBar
from studio.ui.view import EmptyState

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtGui import QResizeEvent

    from studio.api import Studio
    from studio.kernel.events import Connection


_NARROW = 860


class Overview(QWidget):
    """A page that follows the review and leads to the list, the files and the report."""

    title_changed = Signal()

    def __init__(self, studio: Studio) -> None:
        super().__init__()
        self._studio = studio
        self._review = studio.shared(Review)
        self.bar = ToolBar(tr("Migration"), self)
        self.context = ContextBar(studio, self._review, narrow=False, all_of=True)
        self.context_below = ContextBar(studio, self._review, narrow=True, all_of=True)
        self.counts = OneLine()
        self.counts.setProperty("role", "muted")
        self.counts.setContentsMargins(16, 4, 16, 4)
        self.problem = NoticeBar(self)
        self.score = Score(self)
        self.breakdown = Breakdown(self._review)
        self.files = HeatList(self._review, self)
        self.empty = EmptyState("migration", "")
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._refresh)
        self._fill_bar()
        self._arrange()
        self.score.stepped.connect(self._step)
        self.breakdown.chosen.connect(self._list)
        self.files.wanted.connect(self._show_file)
        listening: list[Connection[Any]] = [
            self._review.found.connect(lambda _paths: self._soon.start()),
            self._review.decided.connect(lambda _paths: self._on_decided()),
            studio.project_changed.connect(lambda _project: self._soon.start()),
            studio.setting_changed.connect(lambda _key: self._soon.start()),
        ]

        def leave() -> None:
            for connection in listening:
                connection.disconnect()

        self.destroyed.connect(leave)
        if self._review.was_scanned and not self._review.is_scanned:
            self._review.scan()
        self._refresh()

    # -- what the window asks for ---------------------------------------------------------------
    def title(self) -> str:
        """What the tab says."""
        return tr("Migration overview")

    def tool_tip(self) -> str:
        """The project."""
        project = self._studio.project
        return str(project.root) if project else ""

    def reopen(self) -> None:
        """Stay: there is one overview."""

    def save_state(self) -> dict[str, Any]:
        """Nothing but that it was open."""
        return {}

    def restore_state(self, state: dict[str, Any]) -> None:
        """Show the review as it is now."""

    def idle(self) -> bool:
        """Whether everything found is shown."""
        return not self._soon.isActive() and not self._review.is_scanning

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the drop-downs a line of their own where the tool bar has no room for them."""
        super().resizeEvent(event)
        below = self.width() < _NARROW
        self._context_action.setVisible(not below)
        self.context_below.setVisible(below)

    def changeEvent(self, event: QEvent) -> None:
        """Draw the bars in the colours of another theme."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and hasattr(self, "_soon"):
            self._soon.start()

    # -- content --------------------------------------------------------------------------------
    def _refresh(self) -> None:
        review, project = self._review, self._studio.project
        self.context.refresh()
        self.context_below.refresh()
        if review.problem:
            self.problem.tell("error", review.problem)
        else:
            self.problem.clear()
        is_empty = show_state(self.empty, self._studio, review)
        self._stack.setCurrentIndex(1 if is_empty else 0)
        self.counts.setVisible(not is_empty)
        self.files.files.root = project.root if project else None
        self.files.files.reload()
        self.breakdown.refresh()
        self.score.show_summary(review.summary(), review.strategy)
        self._show_counts()

    def _on_decided(self) -> None:
        self.score.show_summary(self._review.summary(), self._review.strategy)
        self.files.files.refresh()

    def _show_counts(self) -> None:
        review, summary = self._review, self._review.summary()
        lines = sum(result.lines for result in review.results.values())
        parts = [
            tr(
                "{n} of {total} files with findings",
                n=thousands(summary.files),
                total=thousands(len(review.results)),
            ),
            trn("{n} line", "{n} lines", lines).replace(str(lines), thousands(lines)),
            trn("{n} finding", "{n} findings", summary.findings),
        ]
        low, high = hours_left(f for result in review.results.values() for f in result.findings)
        if high:
            parts.append(tr("work left: {low} to {high}", low=duration(low), high=duration(high)))
        if review.is_scanning:
            parts.append(tr("scanning…"))
        elif review.is_watching:
            parts.append(tr("kept up to date as files change"))
        self.counts.setText(" · ".join(parts))

    # -- doing ----------------------------------------------------------------------------------
    def _step(self, action: str) -> None:
        if action == "accept_safe":
            self._studio.run("migration.accept_safe")
        elif action == "apply":
            self._studio.run("migration.apply_accepted")
        elif action == "review":
            self._studio.run("migration.review")
        elif action == "by_hand":
            self._list("status:manual status:unsupported")

    def _list(self, wanted: str) -> None:
        self._studio.run("migration.list", filter=wanted)

    def _show_file(self, path: Path) -> None:
        self._studio.run("migration.show_diff", path=path)

    # -- making ---------------------------------------------------------------------------------
    def _fill_bar(self) -> None:
        self.bar.add_command(self._studio, "migration.review", text=True)
        self.bar.add_command(self._studio, "migration.accept_safe")
        self.bar.add_command(self._studio, "migration.apply_accepted")
        self.bar.add_command(self._studio, "migration.undo")
        self.bar.add_command(self._studio, "migration.guide")
        self.bar.add_command(self._studio, "migration.compare")
        self.bar.addSeparator()
        self.bar.add_command(self._studio, "migration.export_report", text=True)
        self.bar.add_command(self._studio, "migration.export_patch")
        self.bar.add_stretch()
        self._context_action = self.bar.addWidget(self.context)
        self.bar.add_command(self._studio, "migration.find")

    def _arrange(self) -> None:
        bars = QScrollArea()
        bars.setWidgetResizable(True)
        bars.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        bars.setWidget(self.breakdown)
        bars.setMinimumWidth(240)
        for part in (bars.viewport(), self.breakdown):
            part.setAutoFillBackground(False)
        files = QWidget()
        column = QVBoxLayout(files)
        column.setContentsMargins(4, 12, 4, 0)
        column.setSpacing(4)
        head = QLabel(tr("Files by how much there is to do"))
        head.setProperty("role", "muted")
        head.setContentsMargins(12, 0, 12, 0)
        columns = QLabel(tr("findings · accepted"))
        columns.setProperty("role", "muted")
        columns.setContentsMargins(0, 0, 12, 0)
        row = QHBoxLayout()
        row.addWidget(head, 1)
        row.addWidget(columns)
        column.addLayout(row)
        column.addWidget(self.files, 1)
        self.split = QSplitter(Qt.Orientation.Horizontal)
        self.split.setHandleWidth(1)
        self.split.setChildrenCollapsible(False)
        self.split.addWidget(bars)
        self.split.addWidget(files)
        self.split.setStretchFactor(0, 5)
        self.split.setStretchFactor(1, 8)
        self.split.setSizes([400, 640])
        filled = QWidget()
        filled.setBackgroundRole(QPalette.ColorRole.Base)
        filled.setAutoFillBackground(True)
        column = QVBoxLayout(filled)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.score)
        column.addWidget(self.split, 1)
        holder = QWidget()
        self._stack = QStackedLayout(holder)
        self._stack.addWidget(filled)
        self._stack.addWidget(self.empty)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(self.bar)
        outer.addWidget(self.context_below)
        outer.addWidget(self.counts)
        outer.addWidget(self.problem)
        outer.addWidget(holder, 1)
        self.setFocusProxy(self.files)


def make_overview(studio: Studio, _path: Path) -> Overview:
    """Make the page for the open project."""
    return Overview(studio)
