"""The host's own commands on the window, as `resources/host.toml` declares them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from studio import paths
from studio.i18n import tr
from studio.ui.recent import forget_project, recent_projects
from studio.ui.theme import THEMES

if TYPE_CHECKING:
    from studio.api import Studio
    from studio.ui.shell import MainWindow


def _window(studio: Studio) -> MainWindow:
    if studio.window is None:
        raise RuntimeError("a command of the window ran without a window")
    window: MainWindow = studio.window.parent()
    return window


# -- File -----------------------------------------------------------------------------------------
def open_folder(studio: Studio) -> None:
    """Let the user choose a project folder."""
    _window(studio).projects.open_dialog()


def open_file(studio: Studio) -> None:
    """Let the user choose a file."""
    _window(studio).projects.open_file_dialog()


def open_sample(studio: Studio) -> None:
    """Open the sample project."""
    _window(studio).projects.open_sample()


def link_folder(studio: Studio) -> None:
    """Let the user choose a folder to add to the project, to be read only."""
    window = _window(studio)
    project = studio.project
    name = QFileDialog.getExistingDirectory(window, tr("Link a folder to the project"))
    if name and project is not None:
        project.link(Path(name))


def forget_recent(studio: Studio) -> None:
    """Empty the list of recent projects."""
    for path in recent_projects():
        forget_project(path)


def close_project(studio: Studio) -> None:
    """Close the project."""
    _window(studio).projects.close()


def save(studio: Studio) -> None:
    """Save the view in front, if it can be saved."""
    page = _window(studio).centre.active()
    own = getattr(page.view, "save", None) if page is not None else None
    if callable(own):
        own()


def save_all(studio: Studio, wait: bool = False) -> None:
    """Save every view with unsaved work, and wait until that is done where it is wanted."""
    pages = [page for page in _window(studio).centre.pages() if page.dirty()]
    for name in ("save", "save_now") if wait else ("save",):
        for page in pages:
            own = getattr(page.view, name, None)
            if page.dirty() and callable(own):
                own()


def close_tab(studio: Studio) -> None:
    """Close the tab in front."""
    centre = _window(studio).centre
    page = centre.active()
    if page is not None:
        centre.close_page(page)


def close_tabs(studio: Studio) -> None:
    """Close all tabs."""
    _window(studio).centre.close_all()


def reopen_tab(studio: Studio) -> None:
    """Open the tab that was closed last."""
    _window(studio).centre.reopen()


def leave(studio: Studio) -> None:
    """End the program."""
    _window(studio).close()


# -- View -----------------------------------------------------------------------------------------
def palette(studio: Studio) -> None:
    """Open the command palette."""
    _window(studio).palette_.open(">")


def quick_open(studio: Studio) -> None:
    """Open a file by its name."""
    _window(studio).palette_.open("", tr("Name of a file; > for commands"))


def go_to_line(studio: Studio) -> None:
    """Ask for a line of the file in front."""
    _window(studio).palette_.open(":")


def show_activity(studio: Studio, activity: str) -> None:
    """Turn to one of the activities."""
    _window(studio).show_activity(activity)


def show_files(studio: Studio) -> None:
    """Turn to the files."""
    show_activity(studio, "files")


def show_migration(studio: Studio) -> None:
    """Turn to migration."""
    show_activity(studio, "migration")


def show_performance(studio: Studio) -> None:
    """Turn to performance."""
    show_activity(studio, "performance")


def show_precision(studio: Studio) -> None:
    """Turn to precision."""
    show_activity(studio, "precision")


def show_training(studio: Studio) -> None:
    """Turn to training."""
    show_activity(studio, "training")


def toggle_left(studio: Studio) -> None:
    """Show or hide the left panel."""
    _window(studio).docks.toggle("left")


def toggle_bottom(studio: Studio) -> None:
    """Show or hide the bottom panels."""
    _window(studio).docks.toggle("bottom")


def toggle_right(studio: Studio) -> None:
    """Show or hide the right panels."""
    _window(studio).docks.toggle("right")


def reset_layout(studio: Studio) -> None:
    """Put every panel where it belongs."""
    window = _window(studio)
    window.docks.activity = "files"
    window.docks.reset()
    window.activity.show_active("files")


def split(studio: Studio) -> None:
    """Show the item in front a second time, beside it."""
    _window(studio).centre.split()


def move_tab(studio: Studio) -> None:
    """Move the tab in front to the other side."""
    _window(studio).centre.move_to_other_side()


def next_tab(studio: Studio) -> None:
    """Go to the next tab."""
    _window(studio).centre.step(1)


def previous_tab(studio: Studio) -> None:
    """Go to the previous tab."""
    _window(studio).centre.step(-1)


def next_theme(studio: Studio) -> None:
    """Change to the next theme."""
    now = studio.setting("studio.theme")
    at = THEMES.index(now) if now in THEMES else 0
    studio.set_setting("studio.theme", THEMES[(at + 1) % len(THEMES)])


def switch_language(studio: Studio) -> None:
    """Change between English and Chinese."""
    from studio.i18n import language

    studio.set_setting("studio.language", "en" if language() == "zh_CN" else "zh_CN")


def full_screen(studio: Studio) -> None:
    """Use the whole screen, or return from it."""
    window = _window(studio)
    window.setWindowState(window.windowState() ^ Qt.WindowState.WindowFullScreen)


def next_part(studio: Studio) -> None:
    """Move the focus between panels and centre."""
    window = _window(studio)
    page = window.centre.active()
    places = [
        w
        for w in (page.view if page else window.welcome, *window.panel_widgets())
        if w is not None and w.isVisible()
    ]
    focused = QApplication.focusWidget()
    inside = [
        n
        for n, w in enumerate(places)
        if focused is not None and (w is focused or w.isAncestorOf(focused))
    ]
    first = inside[0] + 1 if inside else 0
    entries = map(_entry, (*places[first:], *places[:first]))
    following = next((entry for entry in entries if entry is not None), None)
    if following is not None:
        QWidget.setFocus(following, Qt.FocusReason.ShortcutFocusReason)


def _entry(place: QWidget) -> QWidget | None:
    """What takes the focus in a part of the window: what had it last, or the first that can."""
    named = place
    while proxy := named.focusProxy():
        named = proxy
    order = [place.focusWidget(), named]
    following = place.nextInFocusChain()
    while following is not None and following is not place:
        order.append(following)
        following = following.nextInFocusChain()
    inside = (one for one in order if one is place or (one and place.isAncestorOf(one)))
    return next((one for one in inside if one and _takes_keys(one)), None)


def _takes_keys(widget: QWidget) -> bool:
    tab = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
    return tab and widget.isVisible() and widget.isEnabled()


# -- Tools, Help ----------------------------------------------------------------------------------
def settings(studio: Studio) -> None:
    """Show the settings."""
    _window(studio).open(paths.config_dir() / "settings.toml", "studio.settings_page", {})


def plugins(studio: Studio) -> None:
    """Show the plugins."""
    _window(studio).open(paths.user_plugins_dir(), "studio.plugin_page", {})


def shortcuts(studio: Studio, command: str = "") -> None:
    """Show all keys, from those of the plugin on that a command belongs to."""
    from studio.ui.key_page import KeyPage

    page = _window(studio).open(Path("keys"), "studio.key_page", {})
    if isinstance(page, KeyPage):
        page.show_group_of(command)


def go_back(studio: Studio) -> None:
    """Go to the place before this one."""
    _window(studio).trail.back()


def go_forward(studio: Studio) -> None:
    """Go to the place one came back from."""
    _window(studio).trail.forward()


def show_log(studio: Studio) -> None:
    """Show what the program wrote down about this run and earlier ones."""
    _window(studio).open(Path("log"), "studio.log_page", {})


def open_log(studio: Studio) -> None:
    """Show the folder of the log."""
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(paths.log_dir())))


def about(studio: Studio) -> None:
    """Show version and licences."""
    from studio.ui.about import show_about

    show_about(_window(studio))
