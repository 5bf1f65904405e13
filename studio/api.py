"""The facade that a plugin gets: everything it may use of the host, and nothing else.

A plugin's functions named in its manifest are called with a `Studio`. What a plugin registers
through it carries the plugin's id, so that it can be unloaded, blamed and timed. Within one `api`
number this surface only ever grows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from studio.kernel.errors import report_error
from studio.kernel.manifest_checks import API
from studio.model.selection import Pointed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from studio.app import App
    from studio.kernel.events import Connection, Event
    from studio.kernel.job import Job
    from studio.model.findings import Finding
    from studio.model.locations import Location
    from studio.model.project import Project
    from studio.model.selection import Selection

__all__ = ["API", "Studio", "Window"]

T = TypeVar("T")

_WHEN = frozenset({"item", "step", "start_ns", "end_ns"})


class Window(Protocol):
    """What the host's window does for plugins; absent (None) on the command line."""

    def open(self, target: Path, opener: str, arguments: Mapping[str, Any]) -> object | None:
        """Show `target` in a centre tab and return the view, or None when nothing can show it."""

    def close(self, view: object) -> None:
        """Close the centre tab of a view (asks about unsaved work)."""

    def active_view(self) -> object | None:
        """The view in the current centre tab."""

    def active_opener(self) -> str:
        """The id of the opener that made the view in front, "" without one."""

    def views(self) -> Sequence[object]:
        """Every open centre view."""

    def show_panel(self, panel: str) -> object | None:
        """Bring a panel to the front by its id and return its widget."""

    def notify(
        self, plugin: str, severity: str, message: str, details: str, actions: Mapping[str, Any]
    ) -> None:
        """Show a notice."""

    def withdraw(self, message: str) -> None:
        """Take notices with this text away, whose actions mean nothing any more."""

    def ask(self, title: str, question: str, choices: Sequence[str], default: str) -> str:
        """Ask a question with named answers; returns the answer, "" when dismissed."""

    def parent(self) -> Any:  # noqa: ANN401 - a QWidget, whose type this module may not import
        """The QMainWindow, as parent for dialogs."""


class Studio:
    """The host as one plugin sees it."""

    def __init__(self, app: App, plugin: str) -> None:
        self._app = app
        self.plugin = plugin
        self._undo: list[Callable[[], object]] = []
        self._shared: dict[object, Any] = {}

    # -- what there is ------------------------------------------------------------------------
    @property
    def project(self) -> Project | None:
        """The open project, or None."""
        return self._app.project

    @property
    def project_changed(self) -> Event[Project | None]:
        """Emitted after another project was opened, or the project was closed."""
        return self._app.project_changed

    @property
    def window(self) -> Window | None:
        """The window; None on the command line."""
        return self._app.window

    @property
    def selection(self) -> Selection:
        """What the user looks at."""
        return self._app.selection.value

    @property
    def selection_changed(self) -> Event[Selection]:
        """Emitted when the shared selection changes."""
        return self._app.selection.changed

    def select(self, **changes: Any) -> None:  # noqa: ANN401 - fields of Selection
        """Change parts of the shared selection; this plugin becomes its origin.

        Another item, step or time without `ranges` ends those of the one before.
        """
        if _WHEN & changes.keys():
            changes.setdefault("ranges", None)
        self._app.selection.set(replace(self.selection, origin=self.plugin, **changes))

    def point(self, item: Path, time_ns: int | None) -> None:
        """Tell the views of an item which time the pointer is at; None when it has left."""
        self._app.selection.pointed.emit(Pointed(self.plugin, item, time_ns))

    @property
    def pointed(self) -> Event[Pointed]:
        """Emitted when the pointer is at another time in a view."""
        return self._app.selection.pointed

    # -- findings -----------------------------------------------------------------------------
    def publish(self, per_file: Mapping[Path, Sequence[Finding]]) -> None:
        """Replace this plugin's findings for these files."""
        if self.project is not None:
            self.project.findings.replace(self.plugin, per_file)

    # -- doing things -------------------------------------------------------------------------
    def run(self, command: str, /, **arguments: Any) -> Any:  # noqa: ANN401 - the command's own
        """Run a command by id and return its result."""
        return self._app.commands.run(command, arguments)

    def enabled(self, command: str) -> bool:
        """Whether a command can run now."""
        return self._app.commands.enabled(command)

    def open(self, target: Path, *, opener: str = "", **arguments: Any) -> object | None:  # noqa: ANN401
        """Open a file or folder in a view (of a given opener, or the best one for it)."""
        window = self.window
        return None if window is None else window.open(target, opener, arguments)

    def reveal(self, location: Location) -> bool:
        """Jump to a place, in whatever plugin shows its kind; False when none does."""
        return self._app.reveal(location)

    def start_job(
        self,
        function: str,
        arguments: Mapping[str, Any],
        *,
        title: str,
        key: str = "",
        item: Path | None = None,
        process: bool = False,
        done: Callable[[Any], object] | None = None,
        failed: Callable[[BaseException], object] | None = None,
    ) -> Job:
        """Start background work named "plugin:module.function" or "studio:module.function".

        `done(result)` or `failed(error)` is called later on the main thread; neither is called once
        the job was cancelled, replaced by a newer one of the same `key`, or its project closed.
        """
        return self._app.jobs.start(
            function,
            arguments,
            title=title,
            key=f"{self.plugin}/{key}" if key else "",
            item=item,
            process=process,
            done=done,
            failed=failed,
            owner=self.plugin,
        )

    # -- settings, texts, files ---------------------------------------------------------------
    def setting(self, key: str) -> Any:  # noqa: ANN401 - the declared type
        """The value of a setting, by its full key ("editor.tab_width")."""
        return self._app.settings.get(key)

    def set_setting(self, key: str, value: object) -> None:
        """Change a setting; raises StudioError when the value is not allowed."""
        self._app.settings.set(key, value)

    @property
    def setting_changed(self) -> Event[str]:
        """Emitted with the key of a changed setting."""
        return self._app.settings.changed

    # -- telling the user ---------------------------------------------------------------------
    def notify(
        self,
        message: str,
        *,
        severity: str = "info",
        details: str = "",
        actions: Mapping[str, Callable[[], object]] | None = None,
    ) -> None:
        """Show a notice ("info", "ok", "warn", "error"); on the command line it goes to stderr."""
        self._app.notify(self.plugin, severity, message, details, actions or {})

    def shared(self, make: Callable[[Studio], T]) -> T:
        """Return the one object that views of this plugin share, made at first use."""
        if make not in self._shared:
            self._shared[make] = make(self)
        found: T = self._shared[make]
        return found

    # -- lifetime -----------------------------------------------------------------------------
    def connect(self, event: Event[T], listener: Callable[[T], object]) -> Connection[T]:
        """Listen to an event until the plugin is unloaded."""
        connection = event.connect(listener)
        self._undo.append(connection.disconnect)
        return connection

    def on_unload(self, action: Callable[[], object]) -> None:
        """Run `action` when the plugin is unloaded or the program ends."""
        self._undo.append(action)

    def unload(self) -> None:
        """Undo all registrations, newest first (called by the host)."""
        while self._undo:
            try:
                self._undo.pop()()
            except Exception as error:  # noqa: BLE001 - one failing action must not keep the rest
                report_error(error, f"unloading {self.plugin}")
        self._shared.clear()
