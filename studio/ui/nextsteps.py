"""What the welcome page offers for an activity: commands and items of the plugins that serve it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.i18n import tr
from studio.kernel.references import HOST

if TYPE_CHECKING:
    from studio.app import App
    from studio.kernel.commands import Registered
    from studio.model.items import Item
    from studio.ui.activity import Activity


def activity_commands(app: App, activity: Activity) -> list[Registered]:
    """Commands that need no view and can run now, of the plugins that serve an activity."""
    values = app.when_values()
    if activity.id == "files":
        return [
            c
            for c in app.commands.all()
            if c.plugin == HOST and c.command.toolbar and c.command.when.holds(values)
        ]
    plugins = _plugins(app, activity)
    return [
        c
        for c in app.commands.all()
        if c.plugin in plugins
        and c.command.palette
        and c.command.icon
        and "view" not in c.command.when.text
        and c.command.when.holds(values)
        and not any(a.required for a in c.command.arguments)
    ]


def activity_items(app: App, activity: Activity) -> list[tuple[Item, str, str]]:
    """Items that an activity works on and that some view shows: item, kind's title, icon."""
    if app.project is None:
        return []
    openers = app.plugins.contributions("openers")
    shown = {kind for _, opener in openers for kind in opener.kinds}
    looks = {
        scanner.kind: (tr(scanner.title), scanner.icon or "file")
        for _, scanner in app.plugins.contributions("scanners")
    }
    items = app.project.items_of(*(kind for kind in activity.kinds if kind in shown & looks.keys()))
    order = {kind: number for number, kind in enumerate(activity.kinds)}
    return [(item, *looks[item.kind]) for item in sorted(items, key=lambda i: order[i.kind])]


def _plugins(app: App, activity: Activity) -> set[str]:
    panels, openers = app.plugins.contributions("panels"), app.plugins.contributions("openers")
    by_panel = {plugin for plugin, panel in panels if panel.activity == activity.id}
    wanted = set(activity.kinds)
    return by_panel | {plugin for plugin, opener in openers if wanted & set(opener.kinds)}
