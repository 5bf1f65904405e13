"""Plugins: found by their manifests, ordered by what they require, imported at first use.

A plugin that fails is marked with its reason and the rest goes on.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any

from studio.i18n import add_catalogues, tr
from studio.kernel import ordering
from studio.kernel.causes import explain
from studio.kernel.events import Event
from studio.kernel.manifest import FILE_NAME, ManifestError, read_manifest
from studio.kernel.plugin import Plugin, PluginError, State
from studio.kernel.references import (
    HOST,
    Reference,
    close_plugin_folders,
    forget_modules,
    open_plugin_folders,
)
from studio.paths import app_root

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from studio.kernel.manifest import Manifest


__all__ = ["Plugin", "PluginError", "Plugins", "State"]


class Plugins:
    """All plugins of a run of the program."""

    def __init__(
        self,
        folders: Sequence[Path],
        *,
        disabled: Iterable[str] = (),
        safe: bool = False,
        host: Manifest | None = None,
        facade: Callable[[str], Any] | None = None,
        post: Callable[[Callable[[], object]], object] | None = None,
    ) -> None:
        self.changed: Event[Plugin] = Event("plugins.changed")
        self.disabled = set(disabled)
        own = app_root() / "plugins"
        self.folders = [folder for folder in folders if not safe or folder == own]
        self._host = host
        self._facade = facade
        self._post = post or (lambda action: action())
        self._plugins: list[Plugin] = []
        self._order: list[Plugin] = []

    # -- finding ------------------------------------------------------------------------------
    def discover(self) -> None:
        """Read the manifests of all folders; imports no plugin."""
        open_plugin_folders(self.folders)
        self._plugins = [
            plugin for folder in self.folders for plugin in _found(folder, app_root() / "plugins")
        ]
        ordering.refuse_twins(self._plugins)
        self._arrange()
        add_catalogues(self.folders)

    def add(self, folder: Path) -> Plugin:
        """Take in a plugin that was installed meanwhile; one of the same id gives way to it."""
        old = self.get(folder.name)
        if old is not None and old.folder == folder:
            self.unload(old.id)
            self._plugins.remove(old)
        plugin = Plugin(folder.name, folder, builtin=False)
        _read(plugin)
        self._plugins.append(plugin)
        self._rearrange()
        add_catalogues(self.folders)
        self.changed.emit(plugin)
        return plugin

    def _arrange(self) -> None:
        for plugin in self._plugins:
            if plugin.state is not State.FAILED and plugin.id in self.disabled:
                plugin.state, plugin.reason = State.DISABLED, tr("switched off in the settings")
        self._order = ordering.arrange(self._plugins)

    # -- looking up ---------------------------------------------------------------------------
    def all(self) -> list[Plugin]:
        """Return every plugin, also those that failed, in order of their ids."""
        return sorted(self._plugins, key=lambda plugin: plugin.id)

    def get(self, plugin_id: str) -> Plugin | None:
        """Return a plugin by its id (of twins, the first)."""
        return next((plugin for plugin in self._plugins if plugin.id == plugin_id), None)

    def manifests(self) -> list[Manifest]:
        """Return the host's manifest and those of usable plugins, in dependency order."""
        own = [self._host] if self._host else []
        return own + [p.manifest for p in self._order if p.manifest is not None and p.usable]

    def contributions(self, section: str) -> list[tuple[str, Any]]:
        """Return (plugin id, declaration) of one section of all manifests, in dependency order."""
        return [
            (manifest.id, declaration)
            for manifest in self.manifests()
            for declaration in getattr(manifest, section)
        ]

    # -- using --------------------------------------------------------------------------------
    def resolve(self, plugin_id: str, reference: str) -> Any:  # noqa: ANN401 - whatever it names
        """Return what "module:name" of a plugin names, importing it at first use.

        Raises PluginError with the cause; the plugin is then marked as failed, and the same
        reference is not tried again before `retry`.
        """
        return self.load(Reference.of_manifest(plugin_id, reference))

    def load(self, reference: Reference) -> Any:  # noqa: ANN401 - whatever it names
        """Like `resolve`, for a reference that was read already."""
        if reference.plugin == HOST:
            return reference.load()
        plugin = self.get(reference.plugin)
        if plugin is None:
            raise PluginError(reference.plugin, tr("there is no such plugin"))
        if not plugin.usable:
            raise PluginError(plugin.id, plugin.reason, path=plugin.folder / FILE_NAME)
        with plugin.lock:
            if reference in plugin.failures:
                raise plugin.failures[reference].again()
            self._activate(plugin)
            return self._import(plugin, reference)

    def _activate(self, plugin: Plugin) -> None:
        assert plugin.manifest is not None
        hook_text = plugin.manifest.activate
        hook = Reference.of_manifest(plugin.id, hook_text) if hook_text else None
        if hook is not None and hook in plugin.failures:
            raise plugin.failures[hook].again()
        if plugin.state is not State.READY:
            return
        plugin.state = State.ACTIVE
        if hook is not None:
            function = self._import(plugin, hook)
            try:
                function(self._facade(plugin.id) if self._facade else None)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                raise self._failed(plugin, hook, error, tr("raised when activated")) from error
        self._tell(plugin)

    def _import(self, plugin: Plugin, reference: Reference) -> Any:  # noqa: ANN401 - see load
        start = time.perf_counter()
        try:
            return reference.load()
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise self._failed(plugin, reference, error) from error
        finally:
            plugin.load_seconds += time.perf_counter() - start

    def _failed(
        self, plugin: Plugin, reference: Reference, error: BaseException, during: str = ""
    ) -> PluginError:
        reason = explain(error, reference, plugin.folder)
        if during:
            reason = f"{during}: {reason}"
        failure = PluginError(plugin.id, reason, path=plugin.folder)
        failure.__cause__ = error
        plugin.failures[reference] = failure
        plugin.state, plugin.reason = State.FAILED, reason
        logging.getLogger(__name__).error("plugin %s: %s", plugin.id, reason, exc_info=error)
        self._tell(plugin)
        return failure

    def _tell(self, plugin: Plugin) -> None:
        self._post(lambda: self.changed.emit(plugin))

    def check(self, plugin: Plugin) -> list[str]:
        """Try every reference of a plugin's manifest and return what is wrong."""
        if plugin.manifest is None or not plugin.usable:
            return plugin.reason.splitlines() if plugin.state is State.FAILED else []
        problems: dict[str, None] = {}
        for where, reference in plugin.manifest.references():
            try:
                found = self.resolve(plugin.id, reference)
            except PluginError as error:
                problems[error.reason] = None
            else:
                if not callable(found):
                    text = tr("{where}: {name} is not callable", where=where, name=reference)
                    problems[text] = None
        return list(problems)

    # -- changing -----------------------------------------------------------------------------
    def retry(self, plugin_id: str) -> None:
        """Forget the failures of a plugin, so that its next use imports it anew."""
        plugin = self.get(plugin_id)
        if plugin is None:
            return
        self.unload(plugin_id)
        if plugin.manifest is None:
            _read(plugin)
        self._rearrange()
        self.changed.emit(plugin)

    def unload(self, plugin_id: str, *, forget: bool = True) -> None:
        """Undo what a plugin registered, and drop its modules unless nothing can replace them."""
        plugin = self.get(plugin_id)
        if plugin is None:
            return
        if plugin.state is State.ACTIVE or plugin.failures:
            if self._facade is not None:
                self._facade(plugin_id).unload()
            if forget:
                forget_modules(plugin_id)
            plugin.state, plugin.reason = State.READY, ""
        plugin.failures.clear()

    def set_enabled(self, plugin_id: str, enabled: bool) -> None:
        """Switch a plugin on or off for this run; others that require it follow."""
        if enabled:
            self.disabled.discard(plugin_id)
        else:
            self.disabled.add(plugin_id)
            self.unload(plugin_id)
        self._rearrange()
        plugin = self.get(plugin_id)
        if plugin is not None:
            self.changed.emit(plugin)

    def _rearrange(self) -> None:
        for plugin in self._plugins:
            if (
                plugin.manifest is not None
                and not plugin.failures
                and plugin.state is not State.ACTIVE
            ):
                plugin.state, plugin.reason = State.FOUND, ""
        ordering.refuse_twins(self._plugins)
        self._arrange()

    def close(self) -> None:
        """Unload every plugin and take the folders out of the import path."""
        for plugin in reversed(self._order):
            self.unload(plugin.id, forget=not plugin.builtin)
        close_plugin_folders(self.folders)


def _found(folder: Path, own: Path) -> Iterator[Plugin]:
    try:
        candidates = sorted(folder.iterdir())
    except OSError:
        return
    for candidate in candidates:
        if candidate.name.startswith((".", "_")) or not (candidate / FILE_NAME).is_file():
            continue
        plugin = Plugin(candidate.name, candidate, builtin=folder == own)
        _read(plugin)
        yield plugin


def _read(plugin: Plugin) -> None:
    try:
        plugin.manifest = read_manifest(plugin.folder / FILE_NAME)
    except ManifestError as error:
        plugin.state, plugin.reason = State.FAILED, error.message
    else:
        plugin.state, plugin.reason = State.FOUND, ""
