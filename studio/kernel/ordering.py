"""Put plugins into an order in which each comes after what it requires."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.i18n import tr
from studio.kernel.plugin import State

if TYPE_CHECKING:
    from collections.abc import Sequence

    from studio.kernel.plugin import Plugin


def refuse_twins(plugins: Sequence[Plugin]) -> None:
    """Mark the second of two plugins with the same id as failed."""
    first: dict[str, Plugin] = {}
    for plugin in plugins:
        twin = first.setdefault(plugin.id, plugin)
        if twin is not plugin:
            plugin.state = State.FAILED
            plugin.reason = tr(
                "the id {id} is already taken by {folder}", id=plugin.id, folder=twin.folder
            )


def arrange(plugins: Sequence[Plugin]) -> list[Plugin]:
    """Return the plugins that can be used, required ones first, and mark the others as failed."""
    by_id: dict[str, Plugin] = {}
    for plugin in plugins:
        by_id.setdefault(plugin.id, plugin)
    for chain in _cycles(by_id):
        text = " → ".join(chain)
        for name in chain:
            by_id[name].state = State.FAILED
            by_id[name].reason = tr("requires itself: {chain}", chain=text)
    order: list[Plugin] = []
    for plugin in sorted(by_id.values(), key=lambda p: p.id):
        _visit(plugin, by_id, order)
    return order


def _visit(plugin: Plugin, by_id: dict[str, Plugin], order: list[Plugin]) -> None:
    if plugin in order or plugin.manifest is None or plugin.state is State.DISABLED:
        return
    if plugin.state is State.FAILED and not plugin.failures:
        return
    for name in plugin.manifest.requires:
        needed = by_id.get(name)
        if needed is not None:
            _visit(needed, by_id, order)
        problem = _problem(name, needed)
        if problem:
            plugin.state, plugin.reason = State.FAILED, problem
            return
    if plugin.state is State.FOUND:
        plugin.state = State.READY
    order.append(plugin)


def _problem(name: str, needed: Plugin | None) -> str:
    if needed is None:
        return tr("requires the plugin {name}, which is not installed", name=name)
    if needed.state is State.DISABLED:
        return tr("requires the plugin {name}, which is switched off", name=name)
    if needed.state is State.FAILED and not needed.failures:
        return tr("requires the plugin {name}, which failed", name=name)
    return ""


def _cycles(by_id: dict[str, Plugin]) -> list[list[str]]:
    """Return every cycle once, as a chain that ends where it begins."""
    done: set[str] = set()
    found: list[list[str]] = []

    def walk(name: str, path: list[str]) -> None:
        if name in path:
            found.append([*path[path.index(name) :], name])
            return
        plugin = by_id.get(name)
        if name in done or plugin is None or plugin.manifest is None:
            return
        for needed in plugin.manifest.requires:
            walk(needed, [*path, name])
        done.add(name)

    for name in sorted(by_id):
        walk(name, [])
    return found
