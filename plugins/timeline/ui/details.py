"""The bottom panel: all about the selected slice, or the statistics of the selected time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget
from shiboken6 import isValid

from studio.i18n import tr
from studio.ui.view import EmptyState

if TYPE_CHECKING:
    from plugins.timeline.ui.rangepage import RangePage
    from plugins.timeline.ui.slicepage import SlicePage
    from plugins.timeline.ui.view import TimelineView


class DetailsPanel(QWidget):
    """Follows the timeline that was used last."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view: TimelineView | None = None
        self._pages: tuple[SlicePage, RangePage] | None = None
        self.empty = EmptyState(
            "timeline",
            tr("Nothing is selected"),
            tr(
                "Click a slice on a timeline to see all about it; drag on the ruler, or with Shift "
                "on the lanes, for the statistics of a stretch of time."
            ),
        )
        self.pages = QStackedWidget()
        self.pages.addWidget(self.empty)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.pages)
        self.setAccessibleName(tr("Details"))

    def follow(self, view: TimelineView) -> None:
        """Show what is selected in a timeline."""
        if view is not self._view:
            lost = id(view)
            view.destroyed.connect(lambda: self._lost(lost))
        self._view = view
        state = view.state
        if state is not None and state.selected >= 0:
            self.slice.show_slice(view, state.selected)
            self.pages.setCurrentWidget(self.slice)
        elif state is not None and state.range is not None:
            self.range.show_range(view, *state.range)
            self.pages.setCurrentWidget(self.range)
        else:
            self.pages.setCurrentWidget(self.empty)

    @property
    def slice(self) -> SlicePage:
        """The page about a slice."""
        return self._made()[0]

    @property
    def range(self) -> RangePage:
        """The page about a stretch of time."""
        return self._made()[1]

    def idle(self) -> bool:
        """Whether all is shown."""
        return self._pages is None or all(page.idle() for page in self._pages)

    def _made(self) -> tuple[SlicePage, RangePage]:
        """Make the pages when first needed: their code is loaded together with a trace."""
        if self._pages is None:
            from plugins.timeline.ui.rangepage import RangePage
            from plugins.timeline.ui.slicepage import SlicePage

            self._pages = SlicePage(), RangePage()
            for page in self._pages:
                self.pages.addWidget(page)
        return self._pages

    def _lost(self, view: int) -> None:
        """Show nothing of a timeline that was closed."""
        if isValid(self.pages) and self._view is not None and id(self._view) == view:
            self._view = None
            for page in self._pages or ():
                page.clear()
            self.pages.setCurrentWidget(self.empty)
