"""The bar to find and replace in an editor."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QPalette, QShortcut
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QLineEdit, QToolButton, QWidget

from studio.i18n import tr
from studio.kernel.timelimit import TimeIsUpError, time_limit
from studio.model.pieces import Pieces
from studio.model.textsearch import HIT_LIMIT, Hits, Query, find_all, replace_all, replacement
from studio.ui.field import search_field
from studio.ui.icons import set_icon
from studio.ui.text import with_keys
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Callable

    from studio.ui.code import CodeEdit

_SHOWN_HITS = 5_000
_DELAY_MS = 120
_SECONDS, _PER_SECOND = 0.5, 5e6
"""Of CPU, and characters in one more; an expression that tries for longer is given up."""


class FindBar(QWidget):
    """Finds while one types; Enter and Shift+Enter go on, Esc closes."""

    closed = Signal()
    found = Signal(object)
    """The spans of all hits, when others are found."""

    def __init__(self, edit: CodeEdit, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._edit = edit
        self._hits = Hits()
        self._text = ""
        self._told: object = None
        self._endless: Query | None = None
        self._busy = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_DELAY_MS)
        self._timer.timeout.connect(self._search)
        self.what = self._field(tr("Find"))
        self.by = self._field(tr("Replace with"))
        self.case = self._switch("case", tr("Match case"), "Alt+C")
        self.word = self._switch("word", tr("Whole words"), "Alt+W")
        self.regex = self._switch("regex", tr("Regular expression"), "Alt+X")
        self.regex.toggled.connect(self._say_groups)
        self.inside = self._switch("range", tr("Only in the selection"), "Alt+L")
        self.inside.toggled.connect(self._set_range)
        self._range: tuple[int, int] | None = None
        self._ranged = Pieces.of("")
        """The text in which that range was chosen."""
        self.keep_case = self._switch("text", tr("Keep capitals and small letters"), "Alt+K")
        self._count = QLabel()
        self._count.setMinimumWidth(self.fontMetrics().horizontalAdvance("00 000 / 00 000"))
        self._count.setProperty("role", "muted")
        self._arrange()
        self.set_replacing(False)
        self.what.textChanged.connect(self._on_query)
        edit.text_changed.connect(self._on_text)
        self.hide()

    # -- what the editor calls ------------------------------------------------------------------
    def start(self, *, replacing: bool = False) -> None:
        """Show the bar, with the selected text as what to find."""
        chosen = self._edit.selected_text()
        self.inside.setChecked(False)
        self.set_replacing(replacing and not self._edit.is_read_only())
        self.show()
        if chosen and "\n" not in chosen and "\r" not in chosen:
            self.what.setText(re.escape(chosen) if self.regex.isChecked() else chosen)
        self.what.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.what.selectAll()
        self._search(move=False)

    def stop(self) -> None:
        """Hide the bar and return to the text."""
        self.hide()
        self._edit.set_hits(())
        self._told = None
        self.found.emit(())
        self._edit.setFocus(Qt.FocusReason.OtherFocusReason)
        self.closed.emit()

    def next(self) -> None:
        """Go to the next hit, from the end to the beginning."""
        self._refresh()
        span = self._edit.selection()
        here = self._hits.at(*span)
        self._go((here + 1) % len(self._hits.spans) if here >= 0 else self._hits.after(span[1]))

    def previous(self) -> None:
        """Go to the hit before, from the beginning to the end."""
        self._refresh()
        span = self._edit.selection()
        here = self._hits.at(*span)
        self._go((here - 1) % len(self._hits.spans) if here >= 0 else self._hits.before(span[0]))

    def replace(self) -> None:
        """Replace the selected hit and go to the next one."""
        self._refresh()
        span = self._edit.selection()
        if self._hits.at(*span) >= 0 and not self._edit.is_read_only():
            try:
                keep = self.keep_case.isChecked()
                text = replacement(self.query(), self._text, span, self.by.text(), keep_case=keep)
            except re.error as error:
                self._complain(str(error))
                return
            self._edit.replace(*span, text)
            self._edit.select(span[0] + len(text), span[0] + len(text))
        self.next()

    def replace_all(self) -> None:
        """Replace every hit as one undoable step."""
        if self._edit.is_read_only():
            return
        before = self._edit.text()
        try:
            with time_limit(_SECONDS + len(before) / _PER_SECOND):
                text, count = replace_all(
                    self.query(),
                    before,
                    self.by.text(),
                    keep_case=self.keep_case.isChecked(),
                    within=self._range,
                )
        except re.error as error:
            self._complain(str(error))
            return
        except TimeIsUpError:
            self._give_up()
            return
        self._edit.replace_text(text)
        self._search(move=False)
        self._count.setText(tr("{n} replaced", n=count))

    def query(self) -> Query:
        """What is looked for."""
        return Query(
            self.what.text(), self.regex.isChecked(), self.case.isChecked(), self.word.isChecked()
        )

    def _set_range(self, on: bool) -> None:
        """Search in what is selected now, or everywhere again."""
        span = self._edit.selection()
        self._range = span if on and span[1] > span[0] else None
        self._ranged = self._edit.pieces()
        if on and self._range is None:
            self.inside.setChecked(False)
        self._search(move=False)

    def _follow_range(self) -> None:
        """Let the range go along with what was typed or replaced since it was chosen."""
        if self._range is None:
            return
        before, self._ranged = self._ranged, self._edit.pieces()
        start, end, text = before.changed_span(self._ranged)
        first, last = self._range
        longer = len(text) - (end - start)
        if start < first and end <= first:
            self._range = first + longer, last + longer
        elif start <= last:  # a replacement at an edge comes as a removal and an insertion there
            self._range = min(first, start), max(last, end) + longer

    def set_replacing(self, on: bool) -> None:
        """Show the second row, or not."""
        self._replacing = on
        for widget in self._second:
            widget.setVisible(on)

    # -- events ---------------------------------------------------------------------------------
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let Enter and Esc work in the fields."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                if watched is self.by:
                    self.replace()
                elif back:
                    self.previous()
                else:
                    self.next()
                return True
            if event.key() == Qt.Key.Key_Escape:
                self.stop()
                return True
        return super().eventFilter(watched, event)

    def _on_query(self) -> None:
        self._timer.start()

    def _on_text(self) -> None:
        self._follow_range()
        if self.isVisible() and not self._busy:
            self._text = ""
            self._timer.start()

    # -- searching ------------------------------------------------------------------------------
    def _refresh(self) -> None:
        if self._timer.isActive() or not self._text or not self.isVisible():
            self._search(move=False)

    def _search(self, *, move: bool = True) -> None:
        self._timer.stop()
        query = self.query()
        self._text = self._edit.text()
        if query == self._endless:
            self._give_up()
            return
        try:
            with time_limit(_SECONDS + len(self._text) / _PER_SECOND):
                self._hits = find_all(query, self._text, *(self._range or ()))
        except TimeIsUpError:
            self._endless = query
            self._give_up()
            return
        moves = move and self.what.hasFocus() and bool(self._hits.spans)
        if moves:
            self._go(self._hits.after(self._edit.selection()[0]))
        else:
            self._show(self._hits.at(*self._edit.selection()))
        if query.error:
            self._complain(query.error)

    def _go(self, number: int) -> None:
        if number < 0:
            self._show(-1)
            return
        self._busy = True
        self._edit.select(*self._hits.spans[number])
        self._busy = False
        self._show(number)

    def _show(self, number: int) -> None:
        spans = self._hits.spans
        if spans is not self._told:
            self._told = spans
            self.found.emit(spans)
        around = max(number - _SHOWN_HITS // 2, 0)
        self._edit.set_hits(spans[around : around + _SHOWN_HITS], number - around)
        total = f"{HIT_LIMIT}+" if self._hits.more else str(len(spans))
        if not self.what.text():
            text = ""
        elif not spans:
            text = tr("Not found")
        elif number >= 0:
            text = tr("{number} of {total}", number=number + 1, total=total)
        else:
            text = tr("{total} found", total=total)
        self._count.setText(text)
        self._count.setToolTip("")
        self._mark_field("" if spans or not self.what.text() else "error")

    def _give_up(self) -> None:
        """Say that the expression takes too long; it is not tried again until it is another."""
        self._hits = Hits()
        self._show(-1)
        why = tr("This expression tries too many ways to match the text; write it more strictly.")
        self._complain(why, tr("Takes too long"))

    def _complain(self, problem: str, said: str = "") -> None:
        self._count.setText(said or tr("Not valid"))
        self._count.setToolTip(problem)
        self._mark_field("error")

    def _mark_field(self, state: str) -> None:
        palette = self.palette()
        if state:
            palette.setColor(QPalette.ColorRole.Text, current_theme().colour(state))
        self.what.setPalette(palette)

    # -- making ---------------------------------------------------------------------------------
    def _arrange(self) -> None:
        self.setAutoFillBackground(True)
        grid = QGridLayout(self)
        grid.setContentsMargins(8, 4, 8, 4)
        grid.setSpacing(4)
        grid.setColumnStretch(0, 1)
        grid.addWidget(self.what, 0, 0)
        first = (
            self.case,
            self.word,
            self.regex,
            self.inside,
            self._count,
            self._button("previous", tr("Previous hit"), self.previous, "Shift+F3"),
            self._button("next", tr("Next hit"), self.next, "F3"),
            self._button("close", tr("Close"), self.stop, "Esc"),
        )
        grid.addLayout(_row(first), 0, 1)
        one = self._button("replace", tr("Replace"), self.replace, "Enter")
        every = self._button("replace-all", tr("Replace all"), self.replace_all, "Ctrl+Alt+Return")
        grid.addWidget(self.by, 1, 0)
        grid.addLayout(_row((self.keep_case, one, every)), 1, 1, Qt.AlignmentFlag.AlignLeft)
        self._second = (self.by, self.keep_case, one, every)
        self._shortcut("Ctrl+Alt+Return", self.replace_all)

    def _field(self, hint: str) -> QLineEdit:
        field = search_field(hint, sign="")
        field.installEventFilter(self)
        return field

    def _shortcut(self, keys: str, run: Callable[[], object]) -> None:
        shortcut = QShortcut(QKeySequence(keys), self)
        shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        shortcut.activated.connect(run)

    def _say_groups(self, on: bool) -> None:
        hint = tr("\\1 or \\g<name> stands for a group, \\n for a new line") if on else ""
        self.by.setToolTip(hint)

    def _switch(self, icon: str, title: str, keys: str) -> QToolButton:
        button = self._button(icon, title, lambda: self._search(), keys)
        button.setCheckable(True)
        self._shortcut(keys, button.click)
        return button

    def _button(self, icon: str, title: str, run: Callable[[], object], keys: str) -> QToolButton:
        button = QToolButton(self)
        set_icon(button, icon)
        button.setAutoRaise(True)
        button.setAccessibleName(title)
        button.setToolTip(with_keys(title, keys))
        button.clicked.connect(lambda _checked=False: run())
        return button


def _row(widgets: tuple[QWidget, ...]) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(2)
    for widget in widgets:
        row.addWidget(widget)
    return row
