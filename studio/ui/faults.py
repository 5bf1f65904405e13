"""Plugins that fail: told as a notice that names the plugin, switched off and on."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.kernel.references import HOST

if TYPE_CHECKING:
    from collections.abc import Callable

    from studio.kernel.errors import Report
    from studio.ui.shell import MainWindow


class Faults:
    """What the window does about errors and the plugins they come from."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self._app = window.app
        self.errors: dict[str, str] = {}

    def take(self, report: Report) -> None:
        """Tell of an unexpected error; called on whatever thread it happened."""
        self._app.post(partial(self._tell, report))

    def tell_unusable(self) -> None:
        """Tell of plugins whose manifests cannot be used."""
        for plugin in self._app.plugins.all():
            if plugin.manifest is None and plugin.reason:
                text = tr("The plugin {id} cannot be used.", id=plugin.id)
                actions = self._actions(plugin.id)
                self._window.notify("", "warn", text, plugin.reason, actions)

    def can_disable(self, plugin: str) -> bool:
        """Whether a plugin can be switched off."""
        return plugin != HOST and self._app.plugins.get(plugin) is not None

    def disable(self, plugin: str) -> None:
        """Switch a plugin off, take its views away, and say so."""
        centre = self._window.centre
        for page in [page for page in centre.pages() if page.plugin == plugin]:
            if not centre.close_page(page):
                return
        self._app.set_plugin_enabled(plugin, False)
        self._window.reload()
        found = self._app.plugins.get(plugin)
        title = found.title if found is not None else plugin
        text = tr("The plugin {title} is switched off.", title=title)
        again = {tr("Enable again"): partial(self.enable, plugin)}
        self._window.notify("", "ok", text, "", again)

    def enable(self, plugin: str) -> None:
        """Switch a plugin on."""
        self._app.set_plugin_enabled(plugin, True)
        self._window.reload()

    def _tell(self, report: Report) -> None:
        if report.plugin:
            self.errors[report.plugin] = report.summary
        if isinstance(report.error, StudioError):
            text = report.error.message
        else:
            text = tr("Something went wrong: {error}", error=report.summary)
        details = f"{report.where}\n\n{report.details}"
        self._window.notify(report.plugin, "error", text, details, self._actions(report.plugin))

    def _actions(self, plugin: str) -> dict[str, Callable[[], object]]:
        if not self.can_disable(plugin):
            return {}
        return {tr("Disable plugin"): partial(self.disable, plugin)}
