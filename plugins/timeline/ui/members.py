"""Ways to open the traces of an archive that has several."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from plugins.timeline.core.recognise import traces_in
from studio.ui.view import Action

if TYPE_CHECKING:
    from pathlib import Path

    from studio.api import Studio

_OFFERED = 6


def member_actions(studio: Studio, path: Path) -> list[Action]:
    """Return a button for each of the first traces; none for what is no archive of several."""
    found = traces_in(path) if path.is_file() else []
    if len(found) < 2:
        return []
    return [
        Action(name, partial(studio.open, path / name, opener="timeline.view"))
        for name in found[:_OFFERED]
    ]
