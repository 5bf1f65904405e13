"""The context menu of files and items."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, QUrl
from PySide6.QtGui import QAction, QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QMenu

from studio.i18n import tr
from studio.model.encoding import shown
from studio.ui.actions import fill_context_menu
from studio.ui.icons import set_icon
from studio.ui.openers import openers_for
from studio.ui.text import with_keys

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from plugins.explorer.ui.panel import Explorer
    from studio.api import Studio
    from studio.model.items import Item
    from studio.ui.shell import MainWindow


def show_menu(
    panel: Explorer, studio: Studio, path: Path, item: Item | None, place: QPoint
) -> QMenu:
    """Offer all that can be done with a file, a folder or an item."""
    menu = QMenu(panel)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    project = studio.project
    if item is not None or not path.is_dir():
        _add(menu, "open-folder", tr("Open"), partial(panel.open_path, path))
        _add_open_with(menu, studio, path)
        menu.addSeparator()
    folder = path if path.is_dir() else path.parent
    inside = project is not None and path.is_relative_to(project.root)
    if inside:
        _add_changes(menu, panel, path, folder)
    available = {"path": path, "item": item}
    fill_context_menu(studio, menu, "explorer", item.kind if item else "", available)
    menu.addSeparator()
    clipboard = QGuiApplication.clipboard()
    _add(menu, "copy", tr("Copy path"), partial(clipboard.setText, shown(str(path))))
    if project is not None:
        relative = project.relative(path)
        _add(menu, "copy", tr("Copy relative path"), partial(clipboard.setText, shown(relative)))
    url = QUrl.fromLocalFile(str(folder))
    _add(menu, "goto", tr("Show in the file manager"), partial(QDesktopServices.openUrl, url))
    open_terminal = partial(panel.file_actions.open_terminal, folder)
    _add(menu, "shell", tr("Open a terminal here"), open_terminal)
    if item is not None:
        _add(menu, "eye", tr("Show in the tree"), partial(panel.reveal, path))
    if project is not None and path in project.linked:
        menu.addSeparator()
        _add(menu, "close", tr("Remove from the project"), partial(project.unlink, path))
    menu.popup(place)
    return menu


def _add_changes(menu: QMenu, panel: Explorer, path: Path, folder: Path) -> None:
    """What makes, renames, copies and deletes; the root itself stays as it is."""
    actions = panel.file_actions
    _add(menu, "add", tr("New file…"), partial(actions.new_file, folder))
    _add(menu, "folder", tr("New folder…"), partial(actions.new_folder, folder))
    project = panel.studio.project
    if project is not None and path != project.root:
        _add(menu, "edit", with_keys(tr("Rename…"), "F2"), partial(actions.rename, path))
        _add(menu, "copy", tr("Duplicate"), partial(actions.duplicate, path))
        _add(
            menu, "trash", with_keys(tr("Move to the trash"), "Del"), partial(actions.delete, path)
        )
    menu.addSeparator()


def _add_open_with(menu: QMenu, studio: Studio, path: Path) -> None:
    if studio.window is None:
        return
    window: MainWindow = studio.window.parent()
    found = openers_for(window.app, path)
    if len(found) < 2:
        return
    inner = menu.addMenu(tr("Open with"))
    for _, opener in found:
        run = partial(studio.open, path, opener=opener.id)
        _add(inner, opener.icon, tr(opener.title), run)


def _add(menu: QMenu, icon: str, title: str, run: Callable[[], object]) -> None:
    action = QAction(title, menu)
    set_icon(action, icon)
    action.triggered.connect(lambda _checked=False: run())
    menu.addAction(action)
