"""The panels around the centre: docks that are made when first seen and keep their places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QObject, Qt, QTimer
from PySide6.QtWidgets import QDockWidget, QMenu, QTabBar, QWidget

from studio.i18n import tr
from studio.ui.paneldock import PanelDock
from studio.ui.tabs import name_scroll_buttons

if TYPE_CHECKING:
    from studio.kernel.declarations import Panel
    from studio.ui.shell import MainWindow

_AREAS = {
    "left": Qt.DockWidgetArea.LeftDockWidgetArea,
    "right": Qt.DockWidgetArea.RightDockWidgetArea,
    "bottom": Qt.DockWidgetArea.BottomDockWidgetArea,
}
_SIZES = {"left": 290, "right": 320, "bottom": 230}
_VERSION = 1


class Docks(QObject):
    """All panels of the window by their ids."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.docks: dict[str, PanelDock] = {}
        self.activity = "files"
        self._titles = QTimer(self, singleShot=True, interval=0)
        self._titles.timeout.connect(self._show_titles)
        window.setDockNestingEnabled(True)
        window.setCorner(Qt.Corner.BottomLeftCorner, _AREAS["left"])
        window.setCorner(Qt.Corner.BottomRightCorner, _AREAS["right"])
        for area in _AREAS.values():
            window.setTabPosition(area, window.tabPosition(area).North)
        self.reload()

    def reload(self) -> None:
        """Make docks for panels that have none, after plugins came or went."""
        declared = self._window.app.plugins.contributions("panels")
        for plugin, panel in sorted(declared, key=lambda entry: entry[1].order):
            if panel.id not in self.docks:
                self._add(plugin, panel)
        wanted = {panel.id for _, panel in declared}
        for gone in [name for name in self.docks if name not in wanted]:
            dock = self.docks.pop(gone)
            self._window.removeDockWidget(dock)
            dock.deleteLater()

    # -- showing --------------------------------------------------------------------------------
    def show(self, panel: str) -> QWidget | None:
        """Bring a panel to the front and return its widget."""
        dock = self.docks.get(panel)
        if dock is None:
            return None
        activity = dock.panel.activity
        if dock.panel.area == "left" and activity not in ("", self.activity):
            self.set_activity(activity)
        dock.show()
        dock.raise_()
        dock.ensure()
        return dock.content

    def widgets(self) -> list[QWidget]:
        """The panels that were made so far."""
        return [dock.content for dock in self.docks.values() if dock.content is not None]

    def hide_all(self) -> None:
        """Leave the whole window to the centre."""
        for dock in self.docks.values():
            dock.hide()

    def pending(self) -> bool:
        """Whether a panel is about to be made."""
        started = self._window.started
        return started and any(d.seen and not d.made for d in self.docks.values())

    def set_activity(self, activity: str) -> None:
        """Show the left panels of one activity instead of those of another."""
        self.activity = activity
        mine = self._of_activity(activity) or self._of_activity("files")
        for dock in self._left():
            dock.setVisible(dock in mine)
        for dock in reversed(mine):
            dock.raise_()

    def toggle(self, area: str) -> None:
        """Hide what is shown in an area, or show what belongs there."""
        shown = [dock for dock in self._in_area(area) if not dock.isHidden()]
        if shown:
            for dock in shown:
                dock.hide()
        elif area == "left":
            self.set_activity(self.activity)
        else:
            mine = self._in_area(area)
            for dock in mine:
                dock.setVisible(dock.panel.start or len(mine) == 1)
            if all(dock.isHidden() for dock in mine):
                for dock in mine:
                    dock.show()

    def shown(self, area: str) -> bool:
        """Whether something is shown in an area."""
        return any(not dock.isHidden() for dock in self._in_area(area))

    def fill_menu(self, menu: QMenu) -> None:
        """Add an entry for each panel, checked while it is shown."""
        for dock in self.docks.values():
            action = dock.toggleViewAction()
            action.setText(tr(dock.panel.title))
            menu.addAction(action)

    # -- layout ---------------------------------------------------------------------------------
    def reset(self) -> None:
        """Put every panel where it was declared."""
        for area in _AREAS:
            first: PanelDock | None = None
            for dock in self._declared(area):
                dock.setFloating(False)
                self._window.addDockWidget(_AREAS[area], dock)
                if first is not None:
                    self._window.tabifyDockWidget(first, dock)
                first = first or dock
                dock.setVisible(dock.panel.start and area != "left")
            if first is not None and first.panel.start:
                first.raise_()
        self.set_activity(self.activity)
        for area, orientation in (
            ("left", Qt.Orientation.Horizontal),
            ("right", Qt.Orientation.Horizontal),
            ("bottom", Qt.Orientation.Vertical),
        ):
            mine = [dock for dock in self._declared(area) if not dock.isHidden()]
            if mine:
                self._window.resizeDocks(mine[:1], [_SIZES[area]], orientation)

    def save(self) -> str:
        """The layout as text."""
        data = self._window.saveState(_VERSION).toBase64().data()
        return bytes(data).decode("ascii")

    def restore(self, saved: str) -> bool:
        """Return to a saved layout; False when it does not fit this version."""
        data = QByteArray.fromBase64(QByteArray(saved.encode("ascii", "ignore")))
        return self._window.restoreState(data, _VERSION)

    # -- inside ---------------------------------------------------------------------------------
    def _add(self, plugin: str, panel: Panel) -> None:
        dock = PanelDock(self._window, plugin, panel)
        self.docks[panel.id] = dock
        self._window.addDockWidget(_AREAS[panel.area], dock)
        others = [d for d in self._declared(panel.area) if d is not dock]
        if others:
            self._window.tabifyDockWidget(others[0], dock)
        dock.hide()
        for signal in (dock.dockLocationChanged, dock.topLevelChanged, dock.visibilityChanged):
            signal.connect(lambda *_: self._titles.start())

    def _declared(self, area: str) -> list[PanelDock]:
        return [dock for dock in self.docks.values() if dock.panel.area == area]

    def _in_area(self, area: str) -> list[PanelDock]:
        return [
            dock
            for dock in self.docks.values()
            if self._window.dockWidgetArea(dock) == _AREAS[area] and not dock.isFloating()
        ]

    def _left(self) -> list[PanelDock]:
        return [dock for dock in self._declared("left") if dock.panel.activity]

    def _of_activity(self, activity: str) -> list[PanelDock]:
        return [dock for dock in self._left() if dock.panel.activity == activity]

    def _show_titles(self) -> None:
        """Give a dock a title bar only where no tab names it already."""
        for dock in self.docks.values():
            siblings = self._window.tabifiedDockWidgets(dock)
            tabbed = any(not s.isHidden() for s in siblings if isinstance(s, QDockWidget))
            dock.show_title(not tabbed or dock.isFloating())
        direct = Qt.FindChildOption.FindDirectChildrenOnly
        for bar in self._window.findChildren(QTabBar, options=direct):
            name_scroll_buttons(bar)
