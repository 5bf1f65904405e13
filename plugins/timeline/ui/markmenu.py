"""What can be done with a mark: name it, colour it, go there, remove it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRect, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QMenu, QWidget

from plugins.timeline.ui.overlay import mark_colour
from plugins.timeline.ui.palette import swatch
from studio.i18n import tr

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QFocusEvent

    from plugins.timeline.ui.marks import Mark, Marks
    from plugins.timeline.ui.state import TimelineState

_COLOURS = 8


class NameField(QLineEdit):
    """Takes the name of a mark: Enter or a click elsewhere keeps it, Esc does not."""

    WIDTH = 170

    def __init__(self, parent: QWidget, marks: Marks, mark: Mark, place: QRect) -> None:
        super().__init__(mark.name, parent)
        self._marks = marks
        self._mark = mark
        self.setGeometry(place)
        self.setPlaceholderText(tr("Name of the mark"))
        self.setAccessibleName(tr("Name of the mark"))
        self.returnPressed.connect(self._keep)
        self.selectAll()
        self.show()
        self.setFocus(Qt.FocusReason.PopupFocusReason)

    def event(self, event: QEvent) -> bool:
        """Keep all keys to the field; leave with Esc."""
        if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()
            if event.type() == QEvent.Type.KeyPress:
                self._close()
            return True
        return super().event(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Keep what was written."""
        super().focusOutEvent(event)
        self._keep()

    def _keep(self) -> None:
        if self.isVisible():
            self._marks.change(self._mark, name=self.text().strip())
            self._close()

    def _close(self) -> None:
        self.hide()
        parent = self.parentWidget()
        if parent is not None:
            parent.setFocus()
        self.deleteLater()


def fill_mark_menu(
    menu: QMenu, state: TimelineState, mark: Mark, rename: Callable[[], object]
) -> None:
    """Add the actions for a mark."""
    marks = state.marks
    menu.addAction(tr("Name…"), lambda: rename())
    colours = menu.addMenu(tr("Colour"))
    for number in range(1, _COLOURS + 1):
        colour = mark_colour(state, replace(mark, number=number))
        picture = swatch(colour, menu.devicePixelRatioF())
        title = tr("Colour {number}", number=number)
        colours.addAction(picture, title, lambda n=number: marks.change(mark, number=n))
    if mark.is_flag:
        span = state.shown()[1] - state.shown()[0]
        begin, end = mark.start - span // 2, mark.start + span // 2
        menu.addAction(tr("Go there"), lambda: state.go(state.around(begin, end, 0.0)))
    else:
        chosen = (mark.start, mark.end)
        menu.addAction(tr("Zoom to it"), lambda: state.go(state.around(*chosen, 0.04)))
        menu.addAction(tr("Select its time"), lambda: state.select_range(chosen))
    menu.addAction(tr("Remove"), lambda: marks.remove(mark))
    menu.addAction(tr("Remove all marks"), marks.clear)
