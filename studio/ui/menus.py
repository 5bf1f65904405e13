"""The menu bar, made from the commands' declarations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMenu

from studio.i18n import tr
from studio.kernel.declarations import MENUS

if TYPE_CHECKING:
    from collections.abc import Callable

    from studio.kernel.commands import Registered
    from studio.ui.shell import MainWindow

_TITLES: dict[str, str] = {
    "File": "&File",
    "Edit": "&Edit",
    "View": "&View",
    "Go": "&Go",
    "Run": "&Run",
    "Tools": "&Tools",
    "Help": "&Help",
}


class Menus(QObject):
    """Builds each menu when it is about to be shown, so that it is always up to date."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.fillers: dict[tuple[str, str], Callable[[QMenu], object]] = {}
        self.menus: dict[str, QMenu] = {}
        for name in MENUS:
            menu = window.menuBar().addMenu(tr(_TITLES[name]))
            menu.setObjectName(f"menu.{name}")
            menu.setToolTipsVisible(True)
            menu.aboutToShow.connect(lambda name=name: self.fill(name))
            self.menus[name] = menu

    def reload(self) -> None:
        """Show only menus that hold something."""
        used = {r.command.menu.split("/")[0] for r in self._window.actions_.all()}
        for name, menu in self.menus.items():
            menu.menuAction().setVisible(name in used)

    def fill(self, name: str) -> None:
        """Fill one menu with the commands that name it, sorted, in groups of ten."""
        menu = self.menus[name]
        menu.clear()
        for child in menu.findChildren(QMenu):
            child.deleteLater()
        self._fill(menu, name, self._commands(name), depth=1)

    def _commands(self, name: str) -> list[tuple[list[str], Registered]]:
        found = [
            (registered.command.menu.split("/"), registered)
            for registered in self._window.actions_.all()
            if registered.command.menu.startswith(f"{name}/")
        ]
        return sorted(found, key=lambda entry: int(entry[0][-1]))

    def _fill(
        self, menu: QMenu, name: str, commands: list[tuple[list[str], Registered]], depth: int
    ) -> None:
        group: int | None = None
        submenus: dict[str, QMenu] = {}
        for place, registered in commands:
            order = int(place[-1])
            parent = menu
            if len(place) > depth + 1 and place[depth] in submenus:
                parent = submenus[place[depth]]
            else:
                if group is not None and order // 10 != group:
                    menu.addSeparator()
                group = order // 10
                if len(place) > depth + 1:
                    parent = submenus[place[depth]] = menu.addMenu(tr(place[depth]))
                    filler = self.fillers.get((name, place[depth]))
                    if filler is not None:
                        filler(parent)
            parent.addAction(self._window.actions_.create(registered.id, parent, in_menu=True))
