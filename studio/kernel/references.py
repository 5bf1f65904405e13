"""References: functions named in texts, so that they load late and are found in other processes.

A manifest writes "module:function" relative to its plugin; a job "plugin:module.function". The
plugin id "studio" names the host's own package.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from studio.paths import app_root

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path
    from types import ModuleType

HOST = "studio"
"""The id under which the host declares its own commands and settings."""

_NAME = r"[A-Za-z_]\w*"
_DOTTED = rf"{_NAME}(?:\.{_NAME})*"
_IN_MANIFEST = re.compile(rf"{_DOTTED}:{_NAME}")
_IN_JOB = re.compile(rf"(?P<plugin>{_NAME}):(?P<module>{_DOTTED})\.(?P<name>{_NAME})")


@dataclass(frozen=True, slots=True)
class Reference:
    """One function (or class) of one plugin."""

    plugin: str
    module: str
    name: str

    @classmethod
    def of_manifest(cls, plugin: str, text: str) -> Reference:
        """Read "module:name" as a manifest of `plugin` writes it."""
        if not _IN_MANIFEST.fullmatch(text):
            raise ValueError(f"{text!r} is not of the form module:name")
        module, _, name = text.partition(":")
        return cls(plugin, module, name)

    @classmethod
    def of_job(cls, text: str) -> Reference:
        """Read "plugin:module.name" as a job writes it."""
        match = _IN_JOB.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} is not of the form plugin:module.name")
        return cls(match["plugin"], match["module"], match["name"])

    @property
    def module_name(self) -> str:
        """The full name to import."""
        package = HOST if self.plugin == HOST else f"plugins.{self.plugin}"
        return f"{package}.{self.module}"

    @property
    def imported(self) -> bool:
        """Whether its module is in memory."""
        return self.module_name in sys.modules

    @property
    def needs_window(self) -> bool:
        """Whether the function belongs to the window's side (its module is `ui` or inside it)."""
        return self.module.split(".")[0] == "ui"

    def load(self) -> object:
        """Import the module and return what the reference names."""
        return getattr(importlib.import_module(self.module_name), self.name)

    def __str__(self) -> str:
        return f"{self.plugin}:{self.module}.{self.name}"


def import_module_of(reference: Reference) -> None:
    """Import the module of a reference; in a job, so that its import holds up nobody."""
    importlib.import_module(reference.module_name)


def is_reference(text: str) -> bool:
    """Whether a text has the form "module:name"."""
    return _IN_MANIFEST.fullmatch(text) is not None


def open_plugin_folders(folders: Iterable[Path]) -> None:
    """Make `plugins.<id>` importable from the program's plugin folder and from these."""
    package = plugins_package()
    for folder in folders:
        if str(folder) not in package.__path__:
            package.__path__.append(str(folder))


def close_plugin_folders(folders: Iterable[Path]) -> None:
    """Undo `open_plugin_folders`, except for the program's own folder."""
    package = plugins_package()
    for folder in folders:
        if folder != app_root() / "plugins" and str(folder) in package.__path__:
            package.__path__.remove(str(folder))


def forget_modules(plugin: str) -> None:
    """Drop the imported modules of a plugin, so that the next use imports them anew."""
    prefix = f"plugins.{plugin}"
    for name in [n for n in sys.modules if n == prefix or n.startswith(f"{prefix}.")]:
        del sys.modules[name]
    vars(plugins_package()).pop(plugin, None)
    importlib.invalidate_caches()


def plugins_package() -> ModuleType:
    """Return the package `plugins` of the program, whatever else of that name is importable.

    A user may start the program in a folder that has its own `plugins/`; importing by name would
    find that one.
    """
    folder = app_root() / "plugins"
    known = sys.modules.get("plugins")
    if known is not None and str(folder) in map(str, known.__path__):
        return known
    spec = importlib.util.spec_from_file_location(
        "plugins", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"no plugin package in {folder}")
    package = importlib.util.module_from_spec(spec)
    sys.modules["plugins"] = package
    spec.loader.exec_module(package)
    return package


def parameters(function: Callable[..., Any]) -> frozenset[str]:
    """Return the names of a function's parameters; none when they cannot be found out."""
    try:
        return frozenset(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return frozenset()
