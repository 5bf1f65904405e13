"""What the welcome page offers for an activity: commands and items of the plugins that serve it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.i18n import tr
from studio.kernel.references import HOST

if TYPE_CHECKING:
    from studio.app import App
    from studio.kernel.commands import Registered
    from studio.model.items import Item


def activity_plugins(app: App, activity: str) -> set[str]:
    """The plugins with a panel for an activity; the host itself for "files"."""
    if activity == "files":
        return {HOST}
    return {
        plugin
        for plugin, panel in app.plugins.contributions("panels")
        if panel.activity == activity
    }


def activity_commands(app: App, activity: str) -> list[Registered]:
    """Commands that can run now and are meant for tool bars, of the plugins of an activity."""
    plugins, values = activity_plugins(app, activity), app.when_values()
    return [
        command
        for command in app.commands.all()
        if command.plugin in plugins
        and command.command.toolbar
        and command.command.when.holds(values)
    ]


def activity_items(app: App, activity: str) -> list[tuple[Item, str, str]]:
    """Items that plugins of an activity recognise and can show: item, kind's title, icon."""
    if app.project is None:
        return []
    plugins = activity_plugins(app, activity)
    kinds = {
        scanner.kind: (tr(scanner.title), scanner.icon or "file")
        for plugin, scanner in app.plugins.contributions("scanners")
        if plugin in plugins
    }
    shown = {
        kind
        for plugin, opener in app.plugins.contributions("openers")
        if plugin in plugins
        for kind in opener.kinds
    }
    return [
        (item, *kinds[item.kind])
        for item in app.project.items
        if item.kind in kinds and item.kind in shown
    ]
