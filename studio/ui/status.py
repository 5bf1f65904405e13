"""The status bar: project and context at the left, plugins' items, jobs at the right."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QSize, Qt, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QMenu,
    QStatusBar,
    QToolButton,
    QWidget,
)
from shiboken6 import isValid

from studio.i18n import tr, trn
from studio.kernel.errors import report_error
from studio.kernel.plugins import PluginError
from studio.model.context import CHIPS, TORCH_VERSIONS
from studio.ui.icons import set_icon
from studio.ui.jobbar import JobBar
from studio.ui.parts import head_menu
from studio.ui.text import literal

if TYPE_CHECKING:
    from collections.abc import Callable

    from studio.kernel.job import Job
    from studio.ui.shell import MainWindow

_QUIET_MS = 400


class StatusBar(QStatusBar):
    """Plugins add their own items; the host's are project, context, jobs and notices."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._items: dict[str, QWidget] = {}
        self.setSizeGripEnabled(False)
        self.setContentsMargins(4, 0, 4, 0)
        self.project = self._button("folder", tr("Project folder"), self._open_menu)
        self.context = self._button("kernel", tr("What verdicts are made for"), self._context_menu)
        self.addWidget(self.project)
        self.addWidget(self.context)
        self.jobs = JobProgress(window)
        self.addPermanentWidget(self.jobs)
        contributed = QWidget()
        self._row = QHBoxLayout(contributed)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(4)
        self.addPermanentWidget(contributed)
        self.show_project()

    def add_items(self) -> None:
        """Make the items of plugins that are not there yet, in their order."""
        declared = self._window.app.plugins.contributions("status_items")
        wanted = {item.id for _, item in declared}
        for gone in [name for name in self._items if name not in wanted]:
            widget = self._items.pop(gone)
            if isValid(widget):
                self._row.removeWidget(widget)
                widget.deleteLater()
        for plugin, item in sorted(declared, key=lambda entry: entry[1].order):
            if item.id in self._items:
                continue
            app = self._window.app
            try:
                widget = app.plugins.resolve(plugin, item.make)(app.studio(plugin))
            except PluginError:
                continue
            except (Exception, SystemExit) as error:  # noqa: BLE001 - reported; the bar goes on without the item
                report_error(error, f"status item {item.id}")
                continue
            if not isinstance(widget, QWidget):
                found = f"{item.make} returned {type(widget).__name__}, not a widget"
                report_error(PluginError(plugin, found), f"status item {item.id}")
                continue
            self._items[item.id] = widget
            self._row.addWidget(widget)

    def show_project(self) -> None:
        """Name the project and its context as they are now."""
        project = self._window.app.project
        self.project.setText(literal(project.name) if project else tr("No project"))
        self.project.setToolTip(str(project.root) if project else tr("Open a project folder"))
        self.context.setVisible(project is not None)
        if project is not None:
            values = project.context.values
            self.context.setText(f"torch {values.torch_version} · {values.chip}")

    def _open_menu(self) -> None:
        self._window.projects.open_dialog()

    def _context_menu(self) -> None:
        project = self._window.app.project
        if project is None:
            return
        values = project.context.values
        menu = QMenu(self)
        head_menu(menu, tr("PyTorch version"))
        for version in TORCH_VERSIONS:
            self._choice(
                menu,
                f"torch {version}",
                version == values.torch_version,
                partial(project.context.set, torch_version=version),
            )
        head_menu(menu, tr("Ascend chip"))
        for chip in CHIPS:
            self._choice(menu, chip, chip == values.chip, partial(project.context.set, chip=chip))
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.context.mapToGlobal(QPoint(0, -menu.sizeHint().height())))

    def _choice(self, menu: QMenu, title: str, checked: bool, choose: Callable[[], object]) -> None:
        action = QAction(title, menu, checkable=True, checked=checked)
        action.triggered.connect(lambda _checked=False: choose())
        menu.addAction(action)

    def _button(self, icon: str, tip: str, run: Callable[[], object]) -> QToolButton:
        return status_button(icon, "", tip, run)


class JobProgress(QWidget):
    """The oldest running job: what it does, how far it is, and a button that cancels it."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__()
        self._window = window
        self.label = QLabel(textFormat=Qt.TextFormat.PlainText)
        self.bar = JobBar(110)
        self.cancel = QToolButton()
        set_icon(self.cancel, "cancel")
        self.cancel.setToolTip(tr("Cancel this job"))
        self.cancel.setAccessibleName(tr("Cancel this job"))
        self.cancel.clicked.connect(self._cancel)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.label)
        row.addWidget(self.bar)
        row.addWidget(self.cancel)
        self._late = QTimer(self, singleShot=True, interval=_QUIET_MS)
        self._late.timeout.connect(self.show_jobs)
        self._job: Job | None = None
        self.hide()

    def show_jobs(self) -> None:
        """Show the oldest job that has run for a moment; short ones never flicker by."""
        active = self._window.app.jobs.active()
        slow = [job for job in active if job.seconds * 1000 >= _QUIET_MS]
        if active and not slow:
            self._late.start()
        self._job = slow[0] if slow else None
        self.setVisible(self._job is not None)
        if self._job is None:
            return
        more = trn("{n} more", "{n} more", len(active) - 1) if len(active) > 1 else ""
        text = self._job.title + (f" (+{more})" if more else "")
        self.label.setText(self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, 360))
        self.label.setToolTip(self._job.message or self._job.title)
        self.bar.show_progress(self._job.progress)

    def _cancel(self) -> None:
        if self._job is not None:
            self._job.cancel()
            self.show_jobs()


class _StatusButton(QToolButton):
    """Takes the room that its text needs at once, not after the next pictures."""

    def setText(self, text: str) -> None:
        """Show a text, never the cut form of it."""
        if text == self.text():
            return
        super().setText(text)
        holder = self.parentWidget()
        while holder is not None:
            layout = holder.layout()
            if layout is not None:
                layout.activate()
            holder = None if isinstance(holder, QStatusBar) else holder.parentWidget()


def status_button(icon: str, text: str, tip: str, run: Callable[[], object]) -> QToolButton:
    """A flat button with icon and text, for the status bar."""
    button = _StatusButton()
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    button.setIconSize(QSize(14, 14))
    set_icon(button, icon, "muted")
    button.setText(text)
    button.setToolTip(tip)
    button.setAccessibleName(tip)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    button.clicked.connect(lambda _checked=False: run())
    return button
