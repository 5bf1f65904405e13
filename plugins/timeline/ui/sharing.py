"""The timeline's part in the shared selection, and what its panels follow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from plugins.timeline.ui.hub import DETAILS, Hub

if TYPE_CHECKING:
    from plugins.timeline.core.steps import Steps
    from plugins.timeline.ui.view import TimelineView
    from studio.model.selection import Selection

_WAIT = 30


class Sharing(QObject):
    """Tells others of the selection in a view, and the view of theirs."""

    def __init__(self, view: TimelineView) -> None:
        super().__init__(view)
        self._view = view
        self._soon = QTimer(self, singleShot=True, interval=_WAIT)
        self._soon.timeout.connect(self._tell)
        connection = view.studio.selection_changed.connect(self.hear)
        view.destroyed.connect(connection.disconnect)

    def changed(self) -> None:
        """The selection in the view changed; others are told a moment later, once."""
        self._soon.start()

    def idle(self) -> bool:
        """Whether others were told."""
        return not self._soon.isActive()

    def hear(self, selection: Selection) -> None:
        """Show the stretch of time that another view of the same profile selected."""
        view = self._view
        state = view.state
        if state is None or selection.origin == view.studio.plugin:
            return
        same = selection.item is not None and selection.item.parent == view.path.parent
        chosen = _time_of(selection, state.scene.steps) if same else None
        if chosen is None:
            state.set_shared(None)
            return
        state.set_shared(chosen)
        start, end = state.shown()
        if chosen[1] < start or chosen[0] > end:
            state.go(state.around(*chosen, 1.0))

    def _tell(self) -> None:
        view, state = self._view, self._view.state
        if state is None:
            return
        time: tuple[int, int] | tuple[None, None] = (None, None)
        rows: frozenset[str] = frozenset()
        if state.selected >= 0:
            start = int(state.scene.trace.start[state.selected])
            time = (start, start + int(state.scene.trace.duration[state.selected]))
            rows = frozenset({state.scene.key_of(state.selected)})
        if state.range is not None:
            time = state.range
        state.set_shared(None)
        step = next((s for s in state.scene.steps.all if (s.start, s.end) == time), None)
        view.studio.select(
            item=view.path,
            start_ns=time[0],
            end_ns=time[1],
            rows=rows,
            step=None if step is None else step.number,
        )
        self._show_details()

    def _show_details(self) -> None:
        window, state = self._view.studio.window, self._view.state
        hub = self._view.studio.shared(Hub)
        chosen = state is not None and (state.selected >= 0 or state.range is not None)
        seen = any(panel.isVisible() for panel in hub.panels)
        if window is not None and chosen and not seen:
            window.show_panel(DETAILS)
        hub.follow(self._view)


def _time_of(selection: Selection, steps: Steps) -> tuple[int, int] | None:
    """The stretch of time that a selection means: its own, else that of its step."""
    if selection.start_ns is not None and selection.end_ns is not None:
        return selection.start_ns, max(selection.end_ns, selection.start_ns + 1)
    step = next((step for step in steps.all if step.number == selection.step), None)
    return None if step is None else (step.start, step.end)
