"""The search field of a timeline: as you type, with count, next and previous; the rest dims."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QToolButton, QWidget

from plugins.timeline.ui.navigation import go_to
from studio.i18n import tr, trn
from studio.kernel.timelimit import TimeIsUpError, time_limit
from studio.trace import query
from studio.ui.icons import icon, set_icon
from studio.ui.text import thousands, with_keys

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugins.timeline.ui.scene import Hits, Scene
    from plugins.timeline.ui.state import TimelineState
    from studio.trace import Trace

    Start = Callable[[str, dict[str, object], Callable[[Any], object]], object]

_WAIT = 120
_AT_ONCE = 300_000
_SECONDS = 0.5
"""Of CPU; an expression that tries for longer is given up."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is searched and how; `exact` means the whole name as it stands."""

    text: str
    exact: bool = False
    case: bool = False
    word: bool = False
    regex: bool = False
    names: tuple[int, ...] | None = None
    """The names that were found before; None when they are to be looked for."""


def names_of(trace: Trace, asked: Asked) -> list[int]:
    """The numbers of the names that fit. Raises `re.error` for a wrong expression."""
    if asked.names is not None:
        return list(asked.names)
    if asked.exact:
        return [number for number, name in enumerate(trace.names) if name == asked.text]
    modes = {"case": asked.case, "word": asked.word, "regex": asked.regex}
    found: list[int] = query.search(trace, asked.text, **modes).tolist()
    return found


def find_hits(scene: Scene, asked: Asked) -> Hits:
    """Find the slices by their name; may run in a job. Raises `re.error` for a wrong expression."""
    numbers = names_of(scene.trace, asked)
    return scene.hits(asked.text, query.with_names(scene.trace, numbers))


class SearchField(QWidget):
    """Looks for slices by name."""

    changed = Signal()

    def __init__(self, state: TimelineState, start: Start, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._start = start
        self._exact = False
        self._asked = False
        self.field = QLineEdit(clearButtonEnabled=True)
        self.modes: dict[str, QToolButton] = {}
        self.count = QLabel()
        self._soon = QTimer(self, singleShot=True, interval=_WAIT)
        self._soon.timeout.connect(self._look)
        self._lay_out()

    # -- what it does -------------------------------------------------------------------------
    def active(self) -> bool:
        """Whether a search is on."""
        return bool(self.field.text()) or self._state.hits is not None

    def idle(self) -> bool:
        """Whether the hits for what stands in the field are shown."""
        return not self._soon.isActive() and not self._asked

    def open(self) -> None:
        """Put the cursor into the field."""
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def close(self) -> bool:
        """End the search."""
        self.field.clear()
        self._soon.stop()
        self._look()
        return True

    def look_for(self, name: str, *, exact: bool = True) -> None:
        """Search a name as it stands."""
        self.field.setText(name)
        self._exact = exact
        self._soon.stop()
        self._look()

    def show_found(self, hits: Hits) -> None:
        """Show slices that were found by something else than their names."""
        self._soon.stop()
        self.field.setText(hits.text)
        self._show(hits)

    def step(self, forward: bool) -> int:
        """Select the next or previous hit in time, around the end; returns it, or -1."""
        hits = self._state.hits
        if self._soon.isActive():
            self._soon.stop()
            self._look()
            hits = self._state.hits
        if hits is None or not hits.by_time.size:
            return -1
        place = self._place(hits, forward)
        index = int(hits.by_time[place % hits.by_time.size])
        go_to(self._state, index)
        self._tell()
        return index

    # -- looking ------------------------------------------------------------------------------
    def _typed(self, _text: str) -> None:
        self._exact = False
        self._soon.start()

    def _look(self) -> None:
        text = self.field.text().strip()
        self._asked = False
        if not text:
            self._show(None)
            return
        on = {name: button.isChecked() for name, button in self.modes.items()}
        asked = Asked(text, True)
        if not self._exact:
            asked = Asked(text, case=on["case"], word=on["word"], regex=on["regex"])
        scene = self._state.scene
        if asked.regex:
            # Here, since nothing stops an expression that tries without end in a thread.
            try:
                with time_limit(_SECONDS):
                    asked = replace(asked, names=tuple(names_of(scene.trace, asked)))
            except re.error as error:
                self._show(None)
                self.count.setText(tr("no expression: {error}", error=error.msg))
                self.count.setToolTip(str(error))
                return
            except TimeIsUpError:
                self._show(None)
                self.count.setText(tr("takes too long"))
                return
        if len(scene.trace) <= _AT_ONCE:
            self._show(find_hits(scene, asked))
            return
        self._asked = True
        self.count.setText(tr("searching…"))
        self._start("timeline:ui.search.find_hits", {"scene": scene, "asked": asked}, self._show)

    def _show(self, hits: Hits | None) -> None:
        self._asked = False
        self._state.set_hits(hits)
        self._tell()
        self.changed.emit()

    def _tell(self) -> None:
        hits = self._state.hits
        self.count.setToolTip("")
        if hits is None:
            self.count.setText("")
            return
        total = hits.by_time.size
        if not total:
            self.count.setText(tr("nothing found"))
            return
        place = np.flatnonzero(hits.by_time == self._state.selected)
        found = trn("{count} hit", "{count} hits", total, count=thousands(total))
        if place.size:
            number, of = thousands(int(place[0]) + 1), thousands(total)
            found = tr("{number} of {total}", number=number, total=of)
        self.count.setText(found)

    def _place(self, hits: Hits, forward: bool) -> int:
        """Return the place among the hits that follows the selected slice, or the view's start."""
        chosen = np.flatnonzero(hits.by_time == self._state.selected)
        if chosen.size:
            return int(chosen[0]) + (1 if forward else -1)
        rows = self._state.scene.rows
        start, end = self._state.shown()
        if self._state.selected >= 0:
            start = end = int(rows.start[self._state.selected])
        times = rows.start[hits.by_time]
        if forward:
            return int(np.searchsorted(times, start))
        return int(np.searchsorted(times, end)) - 1

    # -- looks --------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        self.field.setPlaceholderText(tr("Search slices"))
        self.field.setAccessibleName(tr("Search slices"))
        self.field.setToolTip(
            tr("Search names of slices (Ctrl+F); Enter and Shift+Enter step, Esc ends the search")
        )
        self.field.setFixedWidth(220)
        self.field.addAction(icon("search", "muted"), QLineEdit.ActionPosition.LeadingPosition)
        for button in self.field.findChildren(QToolButton):
            button.setToolTip(tr("Search slices"))
            button.setAccessibleName(tr("Search slices"))
        self.field.textEdited.connect(self._typed)
        self.field.textChanged.connect(self._cleared)
        self.field.installEventFilter(self)
        self.count.setProperty("role", "muted")
        self.count.setMinimumWidth(72)
        self.count.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 4, 0)
        row.setSpacing(4)
        row.addWidget(self.count)
        row.addWidget(self.field)
        for name, title in (
            ("case", tr("Tell capital and small letters apart")),
            ("word", tr("Find whole words only")),
            ("regex", tr("The text is a regular expression")),
        ):
            row.addWidget(self._mode(name, title))
        for name, title, keys, forward in (
            ("previous", tr("Previous hit"), "Shift+Return", False),
            ("next", tr("Next hit"), "Return", True),
        ):
            button = QToolButton()
            set_icon(button, name)
            button.setToolTip(with_keys(title, keys))
            button.setAccessibleName(title)
            button.clicked.connect(lambda _checked=False, forward=forward: self.step(forward))
            row.addWidget(button)

    def _mode(self, name: str, title: str) -> QToolButton:
        button = self.modes[name] = QToolButton()
        button.setCheckable(True)
        set_icon(button, name)
        button.setToolTip(title)
        button.setAccessibleName(title)
        button.setAutoRaise(True)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.toggled.connect(lambda _on: self._typed(""))
        return button

    def _cleared(self, text: str) -> None:
        if not text and self._state.hits is not None:
            self._soon.stop()
            self._look()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Step with Enter, end with Esc."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                back = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
                self.step(forward=not back)
                return True
            if event.key() == Qt.Key.Key_Escape:
                self.close()
                parent = self.parentWidget()
                if parent is not None:
                    self._state.decoration_changed.emit()
                self.changed.emit()
                return True
        return super().eventFilter(watched, event)
