"""Putting a trace that was read on the screen, in parts, so that the window stays awake."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugins.timeline.ui.pane import TimelinePane
    from plugins.timeline.ui.scene import Scene
    from plugins.timeline.ui.view import TimelineView


_KEY_SETTINGS = ("studio.keys", "timeline.keys_by_position")


class Opening:
    """Builds the widgets of one trace; every part is one turn of the event loop."""

    def __init__(self, view: TimelineView, scene: Scene) -> None:
        self._view = view
        self._parts = _parts(view, scene)
        self._go_on()

    def _go_on(self) -> None:
        QTimer.singleShot(0, self._view, self._next)

    def _next(self) -> None:
        for _ in self._parts:
            self._go_on()
            return


def _parts(view: TimelineView, scene: Scene) -> Iterator[None]:
    from plugins.timeline.ui.actions import ACTIONS
    from plugins.timeline.ui.keys import keys_now
    from plugins.timeline.ui.menu import fill_menu
    from plugins.timeline.ui.pane import TimelinePane
    from plugins.timeline.ui.saved import restore
    from plugins.timeline.ui.state import TimelineState

    state = TimelineState(scene)
    yield
    keys = keys_now(view.studio, ACTIONS)
    yield
    pane = TimelinePane(state, view.start_search, keys, parent=view)
    yield
    yield from pane.fill()
    _follow_keys(view, pane)
    pane.shortcuts_wanted.connect(
        lambda: view.studio.run("studio.shortcuts", command="timeline.shortcuts")
    )
    pane.menu_wanted.connect(lambda menu: fill_menu(view, menu))
    pane.resize(view.size())
    for widget in pane.findChildren(QWidget):
        widget.ensurePolished()
    yield
    layout = pane.layout()
    if layout is not None:
        layout.activate()
    yield
    pane.canvas.prepare()
    restore(pane, view.kept())
    yield
    pane.canvas.prepare()
    pane.minimap.prepare()
    yield
    view.show_pane(pane)


def _follow_keys(view: TimelineView, pane: TimelinePane) -> None:
    """Let keys that are changed in the settings hold at once."""
    from plugins.timeline.ui.actions import ACTIONS
    from plugins.timeline.ui.keys import keys_now

    def changed(key: str) -> None:
        if key in _KEY_SETTINGS:
            # the window takes the keys of its commands anew in this turn
            QTimer.singleShot(0, pane, lambda: pane.use_keys(keys_now(view.studio, ACTIONS)))

    connection = view.studio.setting_changed.connect(changed)
    pane.destroyed.connect(connection.disconnect)
