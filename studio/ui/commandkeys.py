"""The keys that commands have now, for views that tell of them or take them by themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from studio.api import Studio
    from studio.ui.shell import MainWindow


def keys_of(studio: Studio, command: str) -> tuple[str, ...]:
    """The keys of a command as the user set them, as Qt's portable texts; none without a window."""
    if studio.window is None:
        return ()
    window: MainWindow = studio.window.parent()
    return tuple(window.app.commands.get(command).command.keys)
