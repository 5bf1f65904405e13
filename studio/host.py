"""The host's own commands that need no window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from studio.i18n import tr
from studio.kernel.plugin import State
from studio.paths import user_plugins_dir

if TYPE_CHECKING:
    from studio.app import HostStudio


@dataclass(frozen=True, slots=True)
class PluginRow:
    """One plugin as `studio plugins` lists it."""

    id: str
    title: str
    version: str
    state: str
    problems: tuple[str, ...]
    folder: str
    load_ms: float


@dataclass(frozen=True, slots=True)
class PluginList:
    """All plugins; the answer is "no" when any of them failed."""

    plugins: tuple[PluginRow, ...]

    @property
    def exit_code(self) -> int:
        """1 when a plugin failed, as the command line documents."""
        return int(any(row.problems for row in self.plugins))

    def to_json(self) -> object:
        """Return the rows."""
        return list(self.plugins)


def list_plugins(studio: HostStudio, check: bool = False) -> PluginList:
    """List every plugin with its state; `check` imports all that their manifests refer to."""
    plugins = studio.app.plugins
    studio.notify(tr("Your own plugins go to {folder}", folder=user_plugins_dir()))
    rows = []
    for plugin in plugins.all():
        problems = plugins.check(plugin) if check else []
        if not problems and plugin.state is State.FAILED:
            problems = plugin.reason.splitlines()
        rows.append(
            PluginRow(
                id=plugin.id,
                title=plugin.title,
                version=plugin.manifest.version if plugin.manifest else "",
                state=plugin.state.value,
                problems=tuple(problems),
                folder=str(plugin.folder),
                load_ms=round(plugin.load_seconds * 1000, 1),
            )
        )
    return PluginList(tuple(rows))
