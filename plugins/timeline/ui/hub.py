"""Which timeline the panels follow: the one that was used last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.kernel.events import Event

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget

    from plugins.timeline.ui.view import TimelineView
    from studio.api import Studio

DETAILS = "timeline.details"
SLICES = "timeline.slices"


class Hub:
    """Tells panels of what is selected in a timeline; None once that was closed."""

    def __init__(self, _studio: Studio) -> None:
        self.view: TimelineView | None = None
        self.changed: Event[TimelineView | None] = Event("timeline selection")
        self.panels: list[QWidget] = []
        self._known: set[int] = set()

    def add(self, panel: QWidget, show: Callable[[TimelineView | None], object]) -> None:
        """Let a panel follow, as long as it lives."""
        self.panels.append(panel)
        connection = self.changed.connect(show)
        number = id(panel)

        def gone() -> None:
            connection.disconnect()
            self.panels = [other for other in self.panels if id(other) != number]

        panel.destroyed.connect(gone)

    def follow(self, view: TimelineView) -> None:
        """Let panels show what is selected in a view."""
        number = id(view)
        if number not in self._known:
            self._known.add(number)
            view.destroyed.connect(lambda: self._lost(number))
        self.view = view
        self.changed.emit(view)

    def forget(self, view: TimelineView) -> None:
        """Let panels drop what they know of a view, whose slices have other numbers now."""
        if self.view is view:
            self.changed.emit(None)

    def _lost(self, number: int) -> None:
        self._known.discard(number)
        if self.view is not None and id(self.view) == number:
            self.view = None
            self.changed.emit(None)
