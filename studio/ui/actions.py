"""Commands as the window runs them: buttons and menu entries, arguments, results, context menus."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QAction
from shiboken6 import isValid

from studio.i18n import tr
from studio.kernel.errors import StudioError, report_error
from studio.ui.icons import has_icon, set_icon
from studio.ui.text import native_keys, with_keys

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PySide6.QtWidgets import QMenu

    from studio.api import Studio
    from studio.kernel.commands import Registered
    from studio.kernel.declarations import Argument
    from studio.ui.shell import MainWindow


class Actions(QObject):
    """Makes actions for commands and keeps them enabled or disabled as their conditions say."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._app = window.app
        self._made: list[tuple[QAction, Registered]] = []
        self._registered: dict[str, Registered] = {}
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self.refresh)
        self.reload()

    def reload(self) -> None:
        """Take the commands anew, after plugins came or went."""
        self._registered = {command.id: command for command in self._app.commands.all()}
        made = [(a, self._registered.get(r.id, r)) for a, r in self._made if isValid(a)]
        for action, registered in made:
            _name_keys(action, registered)
        self._made = made

    def all(self) -> list[Registered]:
        """Every command, in the order of the plugins."""
        return list(self._registered.values())

    def create(self, command: str, parent: QObject, *, in_menu: bool = False) -> QAction:
        """An action that runs a command; disabled while the command cannot run."""
        registered = self._registered.get(command)
        action = QAction(parent)
        if registered is None:
            action.setText(command)
            action.setEnabled(False)
            return action
        keys = registered.command.keys[0] if registered.command.keys else ""
        title = registered.title
        action.setText(f"{title}\t{native_keys(keys)}" if in_menu and keys else title)
        _name_keys(action, registered)
        if has_icon(registered.command.icon):
            set_icon(action, registered.command.icon)
        action.triggered.connect(lambda _checked=False: self.run(command))
        action.setEnabled(registered.command.when.holds(self._app.when_values()))
        self._made.append((action, registered))
        return action

    def enabled(self, registered: Registered, values: Mapping[str, object]) -> bool:
        """Whether a command's condition holds."""
        return registered.command.when.holds(values)

    def refresh_soon(self) -> None:
        """Refresh once, after what happens now is over."""
        self._soon.start()

    def refresh(self) -> None:
        """Look at all conditions anew."""
        values = self._app.when_values()
        self._made = [(action, command) for action, command in self._made if isValid(action)]
        for action, registered in self._made:
            action.setEnabled(registered.command.when.holds(values))
        self._window.keys.refresh(values)

    def run(self, command: str, arguments: Mapping[str, Any] | None = None) -> None:
        """Run a command as a user does: ask for arguments, tell of problems, show the result."""
        registered = self._registered.get(command)
        given = dict(arguments or {})
        if registered is not None and _missing(registered, given):
            reason = self._app.commands.reason(command)
            if reason:
                self._window.notify("", "warn", reason)
                return
            from studio.ui.arguments import ask_arguments

            asked = ask_arguments(self._window, registered, given)
            if asked is None:
                return
            given = asked
        try:
            self._app.commands.start(command, given, done=self._show_result(command))
        except StudioError as error:
            owner = registered.plugin if registered else ""
            self._window.notify(owner, "error", error.message, str(error.__cause__ or ""))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - reported, which names the plugin to blame
            report_error(error, registered.title if registered else command)

    def _show_result(self, command: str) -> Any:  # noqa: ANN401 - a callback, or None
        registered = self._registered.get(command)
        if registered is None or registered.reference.needs_window:
            return None

        def show(result: object) -> None:
            if result is not None:
                from studio.ui.results import show_result

                show_result(self._window, registered, result)

        return show


def command_action(studio: Studio, command: str, parent: QObject) -> QAction:
    """An action for a command, for the tool bar of a plugin's view."""
    window: MainWindow | None = studio.window.parent() if studio.window is not None else None
    if window is None:
        action = QAction(command, parent)
        action.setEnabled(False)
        return action
    return window.actions_.create(command, parent)


def fill_context_menu(
    studio: Studio, menu: QMenu, where: str, kind: str, available: Mapping[str, Any]
) -> None:
    """Add the commands that plugins contribute to the context menu of a place.

    `available` names what is under the pointer (path, item, finding, location, …). A command gets
    those of them that it declares as arguments; one with a single undeclared file, folder or path
    argument gets the path.
    """
    if studio.window is None:
        return
    window: MainWindow = studio.window.parent()
    entries = [
        declaration
        for _, declaration in window.app.plugins.contributions("context_menus")
        if declaration.where == where and (not declaration.kinds or kind in declaration.kinds)
    ]
    for entry in sorted(entries, key=lambda entry: entry.order):
        registered = next((c for c in window.actions_.all() if c.id == entry.command), None)
        if registered is None:
            continue
        action = QAction(registered.title, menu)
        if has_icon(registered.command.icon):
            set_icon(action, registered.command.icon)
        action.setEnabled(registered.command.when.holds(window.app.when_values()))
        arguments = arguments_from(registered.command.arguments, available)
        action.triggered.connect(
            lambda _checked=False, c=entry.command, a=arguments: window.actions_.run(c, a)
        )
        menu.addAction(action)


def arguments_from(declared: tuple[Argument, ...], available: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a command that can be taken from what is available."""
    given = {a.keyword: available[a.keyword] for a in declared if a.keyword in available}
    places = [a for a in declared if a.type in ("path", "file", "folder") and not a.is_option]
    if not given and len(places) == 1 and "path" in available:
        path = available["path"]
        given[places[0].keyword] = [path] if places[0].many else path
    return given


def _missing(registered: Registered, given: Mapping[str, Any]) -> bool:
    return any(
        argument.required and argument.keyword not in given
        for argument in registered.command.arguments
    )


def _name_keys(action: QAction, registered: Registered) -> None:
    keys = registered.command.keys[0] if registered.command.keys else ""
    action.setToolTip(with_keys(registered.title, keys))


def plain_title(title: str) -> str:
    """A command's title for lists: without mnemonic."""
    return title.replace("&", "") if title else tr("Untitled")
