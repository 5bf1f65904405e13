"""The panel of runs: what to run, the runs side by side as tabs, and their output."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QComboBox,
    QMenu,
    QStackedLayout,
    QTabBar,
    QTabWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from plugins.run.core.configuration import command_of
from plugins.run.core.links import Link, file_of
from plugins.run.ui.choosing import with_python
from plugins.run.ui.history import history_menu
from plugins.run.ui.kept import configurations, last, note_end, note_run
from plugins.run.ui.runtab import RunTab
from studio.i18n import tr, trn
from studio.kernel.errors import StudioError
from studio.model.locations import Location
from studio.ui.icons import icon, set_icon
from studio.ui.listening import listen
from studio.ui.tabs import name_scroll_buttons
from studio.ui.toolbar import ToolBar
from studio.ui.view import Action, EmptyState

if TYPE_CHECKING:
    from PySide6.QtGui import QCloseEvent

    from plugins.run.core.configuration import Configuration
    from studio.api import Studio
    from studio.kernel.job import Job
    from studio.model.project import Project


class RunPanel(QWidget):
    """Runs go on while their tabs are hidden; closing a tab ends its run."""

    def __init__(self, studio: Studio) -> None:
        super().__init__()
        self._studio = studio
        self._finding: Job | None = None
        self.choice = QComboBox()
        self.choice.setAccessibleName(tr("What to run"))
        self.choice.setToolTip(tr("What to run"))
        self.choice.setPlaceholderText(tr("No run configuration yet"))
        self.choice.setMinimumWidth(220)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.setMovable(True)
        name_scroll_buttons(self.tabs.tabBar())
        self.tabs.currentChanged.connect(lambda _at: self._show_state())
        self._lay_out()
        listen(self, studio.project_changed, self._take)
        self._take(studio.project)

    def idle(self) -> bool:
        """Whether every program ended; one that waits for input keeps the window busy."""
        return not any(tab.active for tab in self.runs())

    def can_close(self) -> bool:
        """Whether the project may close: asks when programs run, which would end with it."""
        count = sum(tab.active for tab in self.runs())
        if not count or self._studio.window is None:
            return True
        title = trn("{n} program is still running", "{n} programs are still running", count)
        end = tr("End them and close")
        return self._studio.window.ask(title, tr("They end when this closes."), [end], "") == end

    def runs(self) -> list[RunTab]:
        """Every run, in the order of the tabs."""
        pages = (self.tabs.widget(at) for at in range(self.tabs.count()))
        return [page for page in pages if isinstance(page, RunTab)]

    def current(self) -> RunTab | None:
        """The run in front."""
        page = self.tabs.currentWidget()
        return page if isinstance(page, RunTab) else None

    # -- running ----------------------------------------------------------------------------------
    def run(self, configuration: Configuration) -> None:
        """Save what is unsaved, and run; the tab of an ended run of the same name is used again."""
        project = self._studio.project
        if project is None:
            return
        if self._studio.setting("run.save_before") and self._studio.enabled("studio.save_all"):
            self._studio.run("studio.save_all", wait=True)
        if configuration.kind == "shell" or configuration.interpreter:
            self._start(project, configuration, "")
        else:
            start = partial(self._start, project, configuration)
            self._finding = with_python(self._studio, project, start)
            self._show_state()

    def _start(self, project: Project, configuration: Configuration, python: str) -> None:
        self._finding = None
        try:
            command = command_of(configuration, project.root, python)
            tab = self._free_tab(configuration)
            if tab is None:
                tab = RunTab(configuration, command)
                tab.output.set_wrap(self._wrap.isChecked())
                tab.output.link_opened.connect(self._open_link)
                tab.output.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
                tab.output.customContextMenuRequested.connect(self._menu)
                tab.state_changed.connect(partial(self._ended, tab))
                at = self.tabs.addTab(tab, icon("run", "ok"), configuration.name)
                side = QTabBar.ButtonPosition.RightSide
                self.tabs.tabBar().setTabButton(at, side, self._close_button(tab))
            else:
                tab.start(command)
        except StudioError as error:
            self._studio.notify(error.message, severity="error")
            return
        self.tabs.setCurrentWidget(tab)
        note_run(project, configuration)
        self.renew(configuration.name)
        self._show_state()

    def run_chosen(self) -> None:
        """Run what is chosen in the list, or open the dialog when there is nothing yet."""
        project = self._studio.project
        chosen = self.choice.currentData()
        if project is None or chosen is None:
            self._studio.run("run.edit")
            return
        self.run(chosen)

    def run_again(self) -> None:
        """Run what was run last."""
        project = self._studio.project
        configuration = last(project) if project is not None else None
        if configuration is None:
            self.run_chosen()
        else:
            self.run(configuration)

    def stop(self) -> None:
        """End the run in front, or else the only one that is active, or one that begins."""
        if self._finding is not None:
            self._finding.cancel()
            self._finding = None
            self._show_state()
            return
        tab = self.current()
        if tab is None or not tab.active:
            tab = next((one for one in self.runs() if one.active), None)
        if tab is not None:
            tab.stop()

    def clear(self) -> None:
        """Empty the output in front."""
        tab = self.current()
        if tab is not None:
            tab.output.clear_all()

    def renew(self, name: str = "") -> None:
        """Fill the list anew, with one of them chosen."""
        project = self._studio.project
        name = name or self.choice.currentText()
        self.choice.clear()
        for one in configurations(project) if project is not None else ():
            self.choice.addItem(icon("script"), one.name, one)
        self.choice.setCurrentIndex(
            max(self.choice.findText(name), 0) if self.choice.count() else -1
        )

    def shut(self) -> None:
        """End everything."""
        for tab in self.runs():
            tab.shut()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Leave nothing running behind when the window closes."""
        self.shut()
        super().closeEvent(event)

    # -- inside -----------------------------------------------------------------------------------
    def _take(self, project: Project | None) -> None:
        self._finding = None
        self.shut()
        while self.tabs.count():
            page = self.tabs.widget(0)
            self.tabs.removeTab(0)
            if page is not None:
                page.deleteLater()
        before = last(project) if project is not None else None
        self.renew(before.name if before else "")
        self._show_state()

    def _free_tab(self, configuration: Configuration) -> RunTab | None:
        same = (tab for tab in self.runs() if tab.configuration.name == configuration.name)
        return next((tab for tab in same if not tab.active), None)

    def _ended(self, tab: RunTab) -> None:
        project, running = self._studio.project, tab.running
        if project is not None and running is not None and running.exit_code is not None:
            note_end(project, tab.configuration, running.seconds, running.exit_code)
        self._show_state()

    def show_history(self) -> None:
        """Offer the runs that are over."""
        project = self._studio.project
        if project is not None:
            button = self._bar.widgetForAction(self._history)
            corner = button.mapToGlobal(button.rect().bottomLeft())
            history_menu(self, project, self.run).popup(corner)

    def _show_state(self) -> None:
        for at, tab in enumerate(self.runs()):
            code = tab.running.exit_code if tab.running else None
            token = "ok" if tab.active else ("muted" if code == 0 else "error")
            name = "run" if tab.active else ("ok" if code == 0 else "error")
            self.tabs.setTabIcon(at, icon(name, token))
            self.tabs.setTabToolTip(at, tab.command.line)
        begun = self._finding is not None
        self._stop.setEnabled(begun or any(tab.active for tab in self.runs()))
        self._clear.setEnabled(bool(self.runs()))
        self._stack.setCurrentIndex(1 if self.runs() else 0)

    def _close_button(self, tab: RunTab) -> QToolButton:
        button = QToolButton()
        button.setAutoRaise(True)
        button.setIconSize(QSize(14, 14))
        set_icon(button, "close")
        button.setToolTip(tr("Close; a run that is active ends"))
        button.setAccessibleName(tr("Close; a run that is active ends"))
        button.clicked.connect(lambda _=False: self._close(tab))
        return button

    def _close(self, tab: RunTab) -> None:
        self.tabs.removeTab(self.tabs.indexOf(tab))
        tab.shut()
        tab.deleteLater()
        self._show_state()

    def _open_link(self, link: Link) -> None:
        project, tab = self._studio.project, self.current()
        if project is None or tab is None:
            return
        path = file_of(link, (tab.command.folder, project.root))
        if path is None:
            self._studio.notify(
                tr("{file} is not on this machine.", file=link.file), severity="warn"
            )
            return
        self._studio.reveal(Location.source(path, link.line, link.column))

    def _menu(self, place: QPoint) -> None:
        tab = self.current()
        if tab is None:
            return
        output = tab.output
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        copy = menu.addAction(icon("copy"), tr("Copy"))
        copy.setEnabled(output.textCursor().hasSelection())
        copy.triggered.connect(lambda _=False: output.copy())
        everything = menu.addAction(icon("copy"), tr("Copy all"))
        everything.triggered.connect(
            lambda _=False: QGuiApplication.clipboard().setText(output.toPlainText())
        )
        command = menu.addAction(icon("command"), tr("Copy the command"))
        command.triggered.connect(
            lambda _=False: QGuiApplication.clipboard().setText(tab.command.line)
        )
        menu.addSeparator()
        menu.addAction(icon("trash"), tr("Clear")).triggered.connect(lambda _=False: self.clear())
        menu.popup(output.viewport().mapToGlobal(place))

    def _lay_out(self) -> None:
        self._bar = bar = ToolBar(tr("Run"), self)
        bar.addWidget(self.choice)
        bar.add("run", tr("Run"), self.run_chosen, text=True)
        self._stop = bar.add("stop", tr("Stop with all that it started"), self.stop)
        bar.add("refresh", tr("Run the last one again"), self.run_again)
        self._history = bar.add("history", tr("Runs that are over"), self.show_history)
        bar.add("edit", tr("Edit what can be run…"), lambda: self._studio.run("run.edit"))
        bar.add_stretch()
        self._wrap = bar.add("text", tr("Wrap long lines"), self._set_wrap, checkable=True)
        self._clear = bar.add("trash", tr("Clear"), self.clear)
        empty = EmptyState(
            "run",
            tr("Nothing was run yet"),
            tr(
                "Run a script, a module or a shell command; its output appears here, with links "
                "to the lines of sources that it names."
            ),
            [Action(tr("Run…"), self.run_chosen, "run")],
        )
        body = QWidget()
        self._stack = QStackedLayout(body)
        self._stack.addWidget(empty)
        self._stack.addWidget(self.tabs)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(bar)
        column.addWidget(body, 1)

    def _set_wrap(self) -> None:
        for tab in self.runs():
            tab.output.set_wrap(self._wrap.isChecked())
