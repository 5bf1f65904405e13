"""Operators and calls of the open traces by name, for the quick open box."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from plugins.timeline.ui.view import TimelineView

if TYPE_CHECKING:
    from collections.abc import Callable

    from studio.api import Studio

_MOST = 100

Found = tuple[str, str, "Callable[[], object]"]
"""A name, the trace it is of, and what shows its first slice."""


def find_names(query: str, studio: Studio) -> list[Found]:
    """Names in which all words of a query stand, whatever their case; of the trace in front first.

    Names that begin with the first word come before others, and shorter ones before longer ones.
    """
    window = studio.window
    if window is None:
        return []
    front = window.active_view()
    views = [view for view in window.views() if isinstance(view, TimelineView)]
    found: list[Found] = []
    for view in sorted(views, key=lambda view: view is not front):
        if view.pane is not None and len(found) < _MOST:
            names = fitting(query, view.scene.trace.names)[: _MOST - len(found)]
            found += [(name, view.path.name, partial(_show, studio, view, name)) for name in names]
    return found


def fitting(query: str, names: list[str]) -> list[str]:
    """The names in which all words of a query stand, the closest first."""
    words = query.casefold().split()
    if not words:
        return []
    kept = [(name.casefold(), name) for name in names]
    for word in words:
        kept = [pair for pair in kept if word in pair[0]]
    kept.sort(key=lambda pair: (not pair[0].startswith(words[0]), len(pair[0]), pair[0]))
    return [name for _, name in kept]


def _show(studio: Studio, view: TimelineView, name: str) -> None:
    """Bring a trace to the front, search a name in it and go to its first slice."""
    from plugins.timeline.ui import VIEW

    studio.open(view.path, opener=VIEW)
    if view.pane is not None:
        view.pane.search.open()
        view.search_name(name)
        view.pane.search.step(True)
