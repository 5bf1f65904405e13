"""The program without its window: everything that a run holds, wired together."""

from __future__ import annotations

import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from studio import i18n, paths
from studio.api import Studio
from studio.i18n import tr
from studio.kernel.commands import Commands
from studio.kernel.errors import ErrorHub, StudioError, report_error
from studio.kernel.events import Event
from studio.kernel.jobs import Jobs
from studio.kernel.keymap import KeyMap
from studio.kernel.logs import Log
from studio.kernel.manifest import read_manifest
from studio.kernel.plugins import Plugins
from studio.kernel.references import HOST
from studio.kernel.settings import Settings
from studio.model.selection import Selection, SharedSelection

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from studio.api import Window
    from studio.kernel.job import Job
    from studio.kernel.manifest import Manifest
    from studio.kernel.references import Reference
    from studio.model.locations import Location
    from studio.model.project import Project
    from studio.model.scan import Scanner


class HostStudio(Studio):
    """The facade of the host's own commands, which may use the whole program."""

    @property
    def app(self) -> App:
        """The program."""
        return self._app

    def scanners(self) -> list[Scanner]:
        """What the plugins recognise in a project."""
        return self._app.scanners()


class App:
    """One run of the program; `close` ends it."""

    def __init__(
        self, *, settings: Settings, host: Manifest, folders: Sequence[Path], safe: bool, log: Log
    ) -> None:
        self.timings: dict[str, float] = {}
        self.project: Project | None = None
        self.project_changed: Event[Project | None] = Event("project_changed")
        self.jumping: Event[Location] = Event("jumping")
        self.window: Window | None = None
        self.selection = SharedSelection()
        self.safe = safe
        self.log = log
        self.settings = settings
        self.jobs = Jobs(load=self._load, plugin_folders=folders, on_error=self._job_failed)
        self.errors = ErrorHub(post=self.jobs.post)
        self._facades: dict[str, Studio] = {}
        self._main_thread = threading.get_ident()
        self.plugins = Plugins(
            folders,
            disabled=settings.get("studio.disabled_plugins"),
            host=host,
            facade=self.studio,
            post=self._soon,
        )
        keymap = KeyMap(settings)
        self.commands = Commands(
            self.plugins, self.jobs, self.studio, self.when_values, keymap=keymap
        )

    @classmethod
    def start(
        cls,
        *,
        safe: bool = False,
        plugin_folders: Sequence[Path] | None = None,
        language: str | None = None,
    ) -> App:
        """Read settings and manifests; imports no plugin.

        `safe` leaves out the user's plugins. `plugin_folders` takes the place of the program's and
        the user's plugin folders, `language` that of the setting.
        """
        begin = time.perf_counter()
        settings = Settings(paths.config_dir() / "settings.toml")
        host = read_manifest(paths.resource("host.toml"), plugin=HOST)
        settings.declare(host.settings)
        i18n.add_catalogues([])
        i18n.set_language(settings.get("studio.language") if language is None else language)
        folders = plugin_folders
        if folders is None:
            own = paths.app_root() / "plugins"
            folders = [own] if safe else [own, paths.user_plugins_dir()]
        app = cls(settings=settings, host=host, folders=folders, safe=safe, log=Log())
        app.timings["settings"] = time.perf_counter() - begin
        app.plugins.discover()
        for plugin in app.plugins.all():
            if plugin.manifest is not None and plugin is app.plugins.get(plugin.id):
                settings.declare(plugin.manifest.settings)
        app.timings["manifests"] = time.perf_counter() - begin - app.timings["settings"]
        return app

    # -- facades ------------------------------------------------------------------------------
    def studio(self, plugin: str) -> Studio:
        """Return the facade of a plugin, the same at each call."""
        if plugin not in self._facades:
            kind = HostStudio if plugin == HOST else Studio
            self._facades[plugin] = kind(self, plugin)
        return self._facades[plugin]

    # -- the project --------------------------------------------------------------------------
    def open_project(self, path: Path, *, live: bool = True) -> Project:
        """Open a folder as the project, in place of the one that is open.

        A live one is scanned in the background and watched for changes.
        """
        from studio.model.project import Project

        project = Project(path)
        self.close_project()
        self.project = project
        self.project_changed.emit(project)
        if live:
            project.go_live(self.jobs, self.scanners, self._warn)
        return project

    def _warn(self, message: str) -> None:
        self.notify(HOST, "warn", message, "", {})

    def close_project(self) -> None:
        """Close the project; jobs that work for it are cancelled."""
        project, self.project = self.project, None
        if project is None:
            return
        self.jobs.cancel_all()
        project.close()
        self.jobs.cancel_all()  # what was done at its very end may have started something
        self.selection.set(Selection())
        self.project_changed.emit(None)

    def scanners(self) -> list[Scanner]:
        """Return what the plugins recognise; their functions are imported at first use."""
        from studio.model.scan import Scanner

        return [
            Scanner(
                plugin=plugin,
                kind=declared.kind,
                patterns=declared.patterns,
                folders=declared.folders,
                priority=declared.priority,
                sniff=self.late(plugin, declared.sniff),
                facts=self.late(plugin, declared.facts),
            )
            for plugin, declared in self.plugins.contributions("scanners")
        ]

    def late(self, plugin: str, reference: str) -> Callable[..., Any] | None:
        """Return a function that imports what it stands for when first called; None for ""."""
        if not reference:
            return None
        return lambda *arguments: self.plugins.resolve(plugin, reference)(*arguments)

    # -- showing ------------------------------------------------------------------------------
    def reveal(self, location: Location) -> bool:
        """Let the first plugin that can show a location show it; False when none can."""
        self.jumping.emit(location)
        for plugin, declared in self.plugins.contributions("reveals"):
            if declared.kind != location.kind:
                continue
            try:
                if self.plugins.resolve(plugin, declared.run)(self.studio(plugin), location):
                    return True
            except StudioError as error:
                self.notify(plugin, "error", error.message, "", {})
            except (Exception, SystemExit) as error:  # noqa: BLE001 - reported; another plugin may show it
                report_error(error, f"revealing a {location.kind}")
        return False

    def notify(
        self,
        plugin: str,
        severity: str,
        message: str,
        details: str,
        actions: Mapping[str, Callable[[], object]],
    ) -> None:
        """Show a notice in the window, or on the standard error stream without one."""
        if self.window is not None:
            self.window.notify(plugin, severity, message, details, actions)
        else:
            sys.stderr.write(f"{message}\n")

    def when_values(self) -> dict[str, object]:
        """Return the values that conditions of commands are checked against."""
        selection = self.selection.value
        project = self.project
        item = project.item_at(selection.item) if project and selection.item else None
        return {
            "project": project is not None,
            "item": item.kind if item else "",
            "view": self.window.active_opener() if self.window else "",
            "findings": len(project.findings) if project else 0,
            "selection": selection.start_ns is not None,
            "gui": self.window is not None,
        }

    # -- main thread --------------------------------------------------------------------------
    def post(self, action: Callable[[], object]) -> None:
        """Run `action` on the main thread, soon; may be called from any thread."""
        self.jobs.post(action)

    def _soon(self, action: Callable[[], object]) -> None:
        if threading.get_ident() == self._main_thread:
            action()
        else:
            self.jobs.post(action)

    def _load(self, reference: Reference) -> Any:  # noqa: ANN401 - whatever it names
        return self.plugins.load(reference)

    # -- plugins ------------------------------------------------------------------------------
    def set_plugin_enabled(self, plugin: str, enabled: bool) -> None:
        """Switch a plugin on or off, now and for later runs."""
        if not enabled:
            self.jobs.cancel_all(owner=plugin)
            if self.project is not None:
                self.project.findings.clear(plugin)
        self.plugins.set_enabled(plugin, enabled)
        self.settings.set("studio.disabled_plugins", sorted(self.plugins.disabled))

    def _job_failed(self, job: Job, error: BaseException) -> None:
        if isinstance(error, StudioError):
            self.notify(job.owner, "error", error.message, job.details, {})
        else:
            report_error(error, tr("Job “{title}”", title=job.title))

    def close(self) -> bool:
        """Close the project, end all work, unload the plugins; False when a job would not end."""
        self.close_project()
        ended = self.jobs.shutdown()
        self.plugins.close()
        for facade in self._facades.values():
            facade.unload()
        self.errors.close()
        self.log.close()
        return ended
