"""Which view shows a file: by the kind of item it is, by its name, and by its content."""

from __future__ import annotations

import os
import stat
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from studio.kernel.errors import report_error

if TYPE_CHECKING:
    from pathlib import Path

    from studio.app import App
    from studio.kernel.declarations import Opener


def find_opener(app: App, opener: str) -> tuple[str, Opener] | None:
    """An opener and its plugin, by id."""
    for plugin, declared in app.plugins.contributions("openers"):
        if declared.id == opener:
            return plugin, declared
    return None


def openers_for(app: App, path: Path) -> list[tuple[str, Opener]]:
    """Every opener that can show a file or folder, the best one first."""
    if is_special(path):
        return []
    item = app.project.item_at(path) if app.project is not None else None
    kind = item.kind if item is not None else ""
    fitting = []
    for plugin, declared in app.plugins.contributions("openers"):
        by_kind = bool(kind) and kind in declared.kinds
        by_name = any(fnmatchcase(path.name, pattern) for pattern in declared.patterns)
        if (by_kind or (by_name and not path.is_dir())) and _fits(app, plugin, declared, path):
            fitting.append((declared.priority, by_kind, plugin, declared))
    fitting.sort(key=lambda entry: (-entry[0], not entry[1]))
    return [(plugin, declared) for _, _, plugin, declared in fitting]


def is_special(path: Path) -> bool:
    """Whether a path is a pipe, a socket or a device: who reads one may wait for ever."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _fits(app: App, plugin: str, opener: Opener, path: Path) -> bool:
    sniff = app.late(plugin, opener.sniff)
    if sniff is None:
        return True
    try:
        return bool(sniff(path))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - reported; another opener may show the file
        report_error(error, f"looking whether {opener.id} opens {path.name}")
        return False
