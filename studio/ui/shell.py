"""The main window: a frame in which everything is contributed by manifests."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtWidgets import QApplication, QMainWindow, QToolButton, QWidget
from shiboken6 import isValid

from studio.i18n import tr
from studio.kernel.errors import report_error
from studio.kernel.garbage import Collector
from studio.ui import session
from studio.ui.actions import Actions
from studio.ui.activity import ActivityBar
from studio.ui.centre import Centre
from studio.ui.docks import Docks
from studio.ui.faults import Faults
from studio.ui.hostwindow import HostWindow
from studio.ui.icons import retint, set_icon
from studio.ui.keys import Keys
from studio.ui.menus import Menus
from studio.ui.notices import Notices
from studio.ui.openers import find_opener, is_special, openers_for
from studio.ui.palette import Palette
from studio.ui.projects import Projects
from studio.ui.quickopen import QuickOpen
from studio.ui.settingswatch import SettingsWatch
from studio.ui.status import StatusBar
from studio.ui.text import native_keys, with_keys
from studio.ui.trail import Trail
from studio.ui.welcome import Welcome

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from PySide6.QtGui import QCloseEvent, QKeyEvent, QMouseEvent
    from PySide6.QtWidgets import QMenu

    from studio.app import App
    from studio.kernel.declarations import Opener
    from studio.ui.page import Page

_BUSY_MS, _CALM_MS = 15, 120
_AUTOSAVE_MS = 30_000
_FOR_PROJECTS = (
    "studio.kernel.job_pools",
    "studio.model.changes",
    "studio.model.project",
    "studio.model.watch",
)


class MainWindow(QMainWindow):
    """Holds the parts together; each part is a small class of its own."""

    def __init__(self, app: App) -> None:
        super().__init__()
        self.app = app
        self.started = False
        self.restarting = False
        self._undo: list[Callable[[], object]] = []
        self.setWindowTitle("Ascent Studio")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        app.window = HostWindow(self)
        self.keys = Keys(self)
        self.actions_ = Actions(self)
        self.menus = Menus(self)
        self.menus.fillers["File", "Recent projects"] = lambda menu: self.projects.fill_menu(menu)
        self.menus.fillers["View", "Panels"] = lambda menu: self.docks.fill_menu(menu)
        self.activity = ActivityBar(self)
        self.addToolBar(Qt.ToolBarArea.LeftToolBarArea, self.activity)
        self.docks = Docks(self)
        self.welcome = Welcome(self)
        self.centre = Centre(self, self.welcome)
        self.setCentralWidget(self.centre)
        self.trail = Trail(self)
        self.status = StatusBar(self)
        self.setStatusBar(self.status)
        self.projects = Projects(self)
        self.notices = Notices(self)
        self.faults = Faults(self)
        self.palette_ = Palette(self, QuickOpen(self).entries)
        self._garbage = Collector()
        self._pump_timer = QTimer(self, interval=_CALM_MS)
        self._pump_timer.timeout.connect(self.pump)
        self._autosave = QTimer(self, interval=_AUTOSAVE_MS)
        self._autosave.timeout.connect(lambda: session.save_project(self))
        self._connect()
        self._add_corner()
        self.reload()
        session.restore_window(self)
        self.projects.take(app.project)

    # -- life -----------------------------------------------------------------------------------
    def start(self) -> None:
        """Make what was left out before the first picture: panels, status items, the project."""
        if self.started:
            return
        self.started = True
        self._pump_timer.start()
        self._autosave.start()
        for dock in self.docks.docks.values():
            if dock.seen:
                dock.ensure()
        # What opening a project needs is imported while the user reads the welcome page.
        for module in _FOR_PROJECTS:
            QTimer.singleShot(0, self, partial(import_module, module))
        self.status.add_items()
        self.settings_watch = SettingsWatch(self)
        QWidget.setFocus(self.welcome)
        if self.app.safe:
            self.notify("", "info", tr("Safe mode: your own plugins are left out."))
        for problem in self.app.settings.problems:
            self.notify("", "warn", problem)
        self.faults.tell_unusable()

    def pump(self) -> None:
        """Deliver what jobs and other threads have for the main thread."""
        self.app.jobs.pump()
        busy = not self.app.jobs.idle()
        self._garbage.collect(calm=not busy)
        self._pump_timer.setInterval(_BUSY_MS if busy else _CALM_MS)

    def reload(self) -> None:
        """Take all contributions anew, after plugins came or went."""
        self.actions_.reload()
        self.keys.reload()
        self.menus.reload()
        self.docks.reload()
        if self.started:
            self.status.add_items()
            self.welcome.renew()
        self.actions_.refresh()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask about unsaved work, keep the session, and let go of everything."""
        if not self.may_close():
            event.ignore()
            self.restarting = False
            return
        self.shut()
        event.accept()

    def may_close(self) -> bool:
        """Whether every tab, and every panel that asks, lets the project close."""
        asked = [*self.centre.pages(), *self.panel_widgets()]
        return all(_may_close(part) for part in asked)

    def shut(self) -> None:
        """Keep the session and stop listening; the window is not usable afterwards."""
        if self.app.window is None:
            return
        session.save_window(self)
        self._pump_timer.stop()
        self._garbage.stop()
        self._autosave.stop()
        self.projects.forget()
        while self._undo:
            self._undo.pop()()
        self.centre.close_all(ask=False)
        for panel in self.panel_widgets():
            if isValid(panel):
                panel.close()  # another window may follow, where the project stays open
        self.app.window = None

    # -- views and panels -----------------------------------------------------------------------
    def open(self, target: Path, opener: str, arguments: Mapping[str, Any]) -> QWidget | None:
        """Show a file in the view of an opener, or in the best one for it."""
        target = target.absolute() if target.exists() else target
        if is_special(target):
            self.notify(
                "",
                "warn",
                tr("{name} is a pipe, a socket or a device, and no file.", name=target.name),
            )
            return None
        found = find_opener(self.app, opener) if opener else None
        if found is None and not opener:
            found = next(iter(openers_for(self.app, target)), None)
        if found is None:
            self.notify("", "info", tr("Nothing here can show {name}.", name=target.name))
            return None
        return self.centre.open(*found, target, arguments).view

    def opener(self, opener: str) -> tuple[str, Opener] | None:
        """An opener and its plugin, by id."""
        return find_opener(self.app, opener)

    def views(self) -> list[QWidget]:
        """Every view that is open and made."""
        return [page.view for page in self.centre.pages() if page.view is not None]

    def panel_widgets(self) -> list[QWidget]:
        """Every panel that is made."""
        return self.docks.widgets()

    def show_panel(self, panel: str) -> QWidget | None:
        """Bring a panel to the front and return its widget."""
        widget = self.docks.show(panel)
        self.activity.show_active(self.docks.activity)
        return widget

    def show_activity(self, activity: str) -> None:
        """Turn to one of the jobs; the one that is on hides its panel, or shows it again."""
        if self.app.project is None:
            self.docks.activity = activity
        elif activity == self.docks.activity and self.started:
            self.docks.toggle("left")
        else:
            self.docks.set_activity(activity)
        self.activity.show_active(activity)
        self.welcome.renew()

    def fill_tab_menu(self, menu: QMenu, page: Page) -> None:
        """Add what concerns the window to the menu of a tab."""
        menu.addSeparator()
        self.centre.activate(page)
        for command in ("studio.split", "studio.move_tab"):
            menu.addAction(self.actions_.create(command, menu, in_menu=True))

    # -- telling and asking ---------------------------------------------------------------------
    def notify(
        self,
        plugin: str,
        severity: str,
        message: str,
        details: str = "",
        actions: Mapping[str, Callable[[], object]] | None = None,
    ) -> None:
        """Show a notice."""
        found = self.app.plugins.get(plugin)
        self.notices.show(
            severity,
            message,
            source=found.title if found is not None else "",
            details=details,
            actions=actions,
        )

    # -- following ------------------------------------------------------------------------------
    def _connect(self) -> None:
        app = self.app
        app.errors.listen(self.faults.take)
        self._undo = [
            app.project_changed.connect(self.projects.take).disconnect,
            app.selection.changed.connect(lambda _: self.actions_.refresh_soon()).disconnect,
            app.jobs.changed.connect(self._jobs_changed).disconnect,
            app.settings.changed.connect(self._setting_changed).disconnect,
        ]
        self.projects.changed.connect(self._refresh)
        self.centre.active_changed.connect(self._refresh_front)
        self.activity.chosen.connect(self.show_activity)
        QApplication.styleHints().colorSchemeChanged.connect(self._desktop_changed)
        QApplication.instance().focusChanged.connect(self._focus_changed)  # type: ignore[union-attr]

    def _refresh(self) -> None:
        self.status.show_project()
        if not self.centre.pages():
            self.welcome.renew()
        self._refresh_front()

    def _refresh_front(self) -> None:
        page = self.centre.active()
        project = self.app.project
        front = page.title() + (" ●" if page.dirty() else "") if page is not None else ""
        name = tr("Ascent Studio (safe mode)") if self.app.safe else "Ascent Studio"
        parts = [front, project.name if project is not None else "", name]
        self.setWindowTitle(" — ".join(filter(None, parts)))
        self.actions_.refresh_soon()

    def _focus_changed(self) -> None:
        self.actions_.refresh_soon()

    def _jobs_changed(self, _job: object) -> None:
        self.status.jobs.show_jobs()
        if not self.app.jobs.idle():
            self._pump_timer.setInterval(_BUSY_MS)

    def _setting_changed(self, key: str) -> None:
        if key == "studio.theme":
            self._dress()
        elif key == "studio.keys":
            self.app.commands.forget()
            self.reload()
        elif key == "studio.language":
            # Not from within the widget that the user just used: it is about to be deleted.
            self.restarting = True
            QTimer.singleShot(0, self, self.close)

    def _dress(self) -> None:
        from studio.ui.main import dress

        dress(self.app)
        retint()

    def _desktop_changed(self) -> None:
        if self.app.settings.get("studio.theme") == "system":
            self._dress()

    def _add_corner(self) -> None:
        find = QToolButton(self)
        find.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        set_icon(find, "search", "muted")
        find.setText(native_keys("Ctrl+Shift+P"))
        find.setToolTip(with_keys(tr("Find a command"), "Ctrl+Shift+P"))
        find.setAccessibleName(tr("Find a command"))
        find.clicked.connect(lambda _=False: self.palette_.open(">"))
        self.menuBar().setCornerWidget(find)
        more = self.menuBar().findChild(QToolButton, "qt_menubar_ext_button")
        if isinstance(more, QToolButton):
            more.setToolTip(tr("More"))
            more.setAccessibleName(tr("More"))
        settings = self.actions_.create("studio.settings", self)
        self.activity.add_bottom(settings)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Step back on Esc: the newest notice goes, then the focus returns to the centre."""
        if event.key() == Qt.Key.Key_Escape:
            page = self.centre.active()
            if not self.notices.dismiss() and page is not None and page.view is not None:
                QWidget.setFocus(page.view)
            return
        super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go back and forward by the buttons that mice have for it."""
        if not self.trail.pressed(event.button()):
            super().mousePressEvent(event)

    def paintEvent(self, event: QEvent) -> None:
        """Begin the rest of the start once the first picture is out."""
        super().paintEvent(event)  # type: ignore[arg-type]
        if not self.started:
            QTimer.singleShot(0, self, self.start)


def _may_close(part: object) -> bool:
    """Ask a tab or a panel; one that fails at it cannot keep the window open."""
    can_close = getattr(part, "can_close", None)
    try:
        return can_close is None or bool(can_close())
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a plugin's; Qt would end the program
        report_error(error, "closing")
        return True
