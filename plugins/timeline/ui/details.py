"""The bottom panel: the selected slice, the statistics of the selected time, or the marks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget
from shiboken6 import isValid

from studio.i18n import tr
from studio.ui.view import EmptyState

if TYPE_CHECKING:
    from plugins.timeline.ui.hub import Hub
    from plugins.timeline.ui.markspage import MarksPage
    from plugins.timeline.ui.rangepage import RangePage
    from plugins.timeline.ui.slicepage import SlicePage
    from plugins.timeline.ui.view import TimelineView


class DetailsPanel(QWidget):
    """Follows the timeline that was used last."""

    def __init__(self, hub: Hub, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._slice: SlicePage | None = None
        self._range: RangePage | None = None
        self._marks: MarksPage | None = None
        self.empty = EmptyState(
            "timeline",
            tr("Nothing is selected"),
            tr(
                "Click a slice on a timeline to see all about it; drag on the ruler, or with Shift "
                "over some lanes, for the statistics of a stretch of time."
            ),
        )
        self.pages = QStackedWidget()
        self.pages.addWidget(self.empty)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.pages)
        self.setAccessibleName(tr("Details"))
        hub.add(self, self.follow)
        self.follow(hub.view)

    def follow(self, view: TimelineView | None) -> None:
        """Show what is selected in a timeline; nothing of one that was closed."""
        if not isValid(self.pages):
            return
        state = view.state if view is not None else None
        page: QWidget = self.empty
        if view is None or state is None:
            for made in self._made():
                made.clear()
        elif state.selected >= 0:
            page = self.slice
            self.slice.show_slice(view, state.selected)
        elif state.instant >= 0:
            page = self.slice
            self.slice.show_instant(view, state.instant)
        elif state.range is not None:
            page = self.range
            self.range.show_range(view)
        elif state.marks.all:
            page = self.marks
            self.marks.show_marks(view)
        self.pages.setCurrentWidget(page)

    @property
    def slice(self) -> SlicePage:
        """The page about a slice."""
        if self._slice is None:
            from plugins.timeline.ui.slicepage import SlicePage

            self._slice = SlicePage()
            self.pages.addWidget(self._slice)
        return self._slice

    @property
    def range(self) -> RangePage:
        """The page about a stretch of time."""
        if self._range is None:
            from plugins.timeline.ui.rangepage import RangePage

            self._range = RangePage()
            self.pages.addWidget(self._range)
        return self._range

    @property
    def marks(self) -> MarksPage:
        """The page that lists the marks."""
        if self._marks is None:
            from plugins.timeline.ui.markspage import MarksPage

            self._marks = MarksPage()
            self.pages.addWidget(self._marks)
        return self._marks

    def idle(self) -> bool:
        """Whether all is shown."""
        return all(page.idle() for page in self._made())

    def _made(self) -> list[SlicePage | RangePage | MarksPage]:
        """The pages made so far, each when first needed; their code is loaded with a trace."""
        pages = (self._slice, self._range, self._marks)
        return [page for page in pages if page is not None]
