"""Two texts side by side, aligned row by row, with the changes to step through and decide about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QRect, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSplitter, QVBoxLayout, QWidget

from studio.i18n import tr, trn
from studio.ui.code import CodeEdit, make_code_edit
from studio.ui.codelanguages import PLAIN, Language
from studio.ui.diffgutter import Decision, Gutter
from studio.ui.difflines import GAP, Alignment
from studio.ui.diffpaint import LEFT, RIGHT, LeftText, labels, pane_text, tints, words
from studio.ui.diffribbon import Ribbon
from studio.ui.toolbar import ToolBar

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from PySide6.QtGui import QResizeEvent, QShowEvent
    from PySide6.QtWidgets import QScrollBar

__all__ = ["Decision", "DiffView"]

_CHUNK = 256
"""So many rows are marked at a time, when they come into view."""


class DiffView(QWidget):
    """The aligned two-pane comparison.

    Both panes hold one line per row of the alignment (a gap is an empty line, left out when
    copied), so that they scroll in step and a gap can stand anywhere, the very top included.
    """

    current_changed = Signal(int)
    decided = Signal(int, Decision)
    place_chosen = Signal(int)
    """The line of the left text that the cursor was put to."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._alignment = Alignment((), (), (), ())
        self._decisions: list[Decision | None] | None = None
        self._current = -1
        self._drawn: set[int] = set()
        self._noted: list[int] = []
        self._busy = False
        self._cursor_row = -1
        self.left, self.right = make_code_edit(self), make_code_edit(self)
        plain = Qt.TextFormat.PlainText
        self._titles = QLabel(self, textFormat=plain), QLabel(self, textFormat=plain)
        self._gutter = Gutter(self._row_rect, self)
        self._ribbon = Ribbon(self)
        self._count = QLabel(self)
        self._count.setProperty("role", "muted")
        self.bar = ToolBar(tr("Comparison"), self)
        self._fill_bar()
        self._arrange()
        for pane, other in ((self.left, self.right), (self.right, self.left)):
            self._prepare(pane, other)
        self._gutter.decided.connect(self.decided)
        self._gutter.clicked.connect(self.go_to)
        self._ribbon.jumped.connect(self.go_to)
        self._ribbon.scrolled.connect(self._scroll_to)

    # -- what is shown --------------------------------------------------------------------------
    def show_alignment(
        self, alignment: Alignment, *, language: Language = PLAIN,
        titles: tuple[str, str] = ("", ""), decisions: Sequence[Decision | None] | None = None,
    ) -> None:  # fmt: skip
        """Show two aligned texts; with `decisions`, one per change, these can be changed.

        A change whose decision is None follows others and cannot be decided about.
        """
        self._alignment = alignment
        self._decisions = None if decisions is None else list(decisions)
        self._current = -1
        self._drawn = set()
        self._noted = []
        self._gutter.notes = 0
        for label, title in zip(self._titles, titles, strict=True):
            label.setText(title)
            label.setToolTip(title)
        longest = max((*alignment.left, *alignment.right), key=len, default="").rstrip("\r\n")
        for pane, side in ((self.left, LEFT), (self.right, RIGHT)):
            if pane.language is not language:
                pane.set_language(language)
            count = len(alignment.right if side else alignment.left)
            pane.set_text(pane_text(alignment, side))
            pane.set_line_labels(labels(alignment, side), f"{count} +")
            pane.reserve_width(longest)
        for action in self._deciding:
            action.setVisible(decisions is not None)
        self._redraw()

    def alignment(self) -> Alignment:
        """What is shown."""
        return self._alignment

    def decisions(self) -> list[Decision | None]:
        """What was decided about each change."""
        return list(self._decisions or ())

    def set_decisions(self, decisions: Sequence[Decision | None]) -> None:
        """Show other decisions about the same changes."""
        old, new = self._decisions or [], list(decisions)
        if new == old:
            return
        self._decisions = new
        if len(old) != len(new):
            self._drawn = set()
        for number, (before, after) in enumerate(zip(old, new, strict=False)):
            if (before is Decision.REJECTED) != (after is Decision.REJECTED):
                change = self._alignment.changes[number]
                self._drawn -= set(range(change.first // _CHUNK, change.last // _CHUNK + 1))
        self._redraw()

    # -- stepping through -----------------------------------------------------------------------
    def current(self) -> int:
        """The number of the change one is at, -1 for none."""
        return self._current

    def next(self) -> None:
        """Go to the next change; after the last one stays there."""
        row = self.left.cursor_place()[0] - 1 if self._current < 0 else None
        changes = self._alignment.changes
        if row is None:
            self.go_to(min(self._current + 1, len(changes) - 1))
        else:
            after = (n for n, change in enumerate(changes) if change.last >= row)
            self.go_to(next(after, len(changes) - 1))

    def previous(self) -> None:
        """Go to the change before; before the first one stays there."""
        if self._current < 0:
            row = self.left.cursor_place()[0] - 1
            before = [n for n, change in enumerate(self._alignment.changes) if change.first < row]
            self.go_to(before[-1] if before else 0)
        else:
            self.go_to(max(self._current - 1, 0))

    def go_to(self, number: int) -> None:
        """Make a change the current one and bring it into view."""
        if not 0 <= number < len(self._alignment.changes):
            return
        change = self._alignment.changes[number]
        self._busy = True
        for pane in (self.left, self.right):
            start = pane.offset_at(change.first + 1)
            pane.select(start, start)
        self._busy = False
        self._bring_into_view(change.first)
        self._set_current(number)

    def go_to_line(self, line: int) -> None:
        """Bring a line of the left text into view, outside of any change."""
        rows = self._alignment.rows
        row = next((n for n, row in enumerate(rows) if row.left == line - 1), 0)
        self._busy = True
        for pane in (self.right, self.left):
            start = pane.offset_at(row + 1)
            pane.select(start, start)
        self._busy = False
        self._bring_into_view(row)
        self.left.flash(start, start + len(self.left.line_text(row + 1).rstrip()))
        self._set_current(rows[row].change if rows else -1)

    def left_line(self) -> int | None:
        """The line of the left text that one is at."""
        rows = self._alignment.rows
        if not rows:
            return None
        if self._current >= 0:
            change = self._alignment.changes[self._current]
            return min(change.left[0] + 1, len(self._alignment.left))
        line = rows[min(self.left.cursor_place()[0], len(rows)) - 1].left
        return None if line == GAP else line + 1

    def left_text(self) -> LeftText:
        """The left text by its own lines and columns."""
        return LeftText(self._alignment, self.left)

    def set_notes(self, notes: Mapping[int, str]) -> None:
        """Show a text below lines of the left text; the right pane leaves as much room."""
        rows = {row.left + 1: at for at, row in enumerate(self._alignment.rows, 1)}
        wanted = {rows[line]: text for line, text in notes.items() if line in rows}
        for line in dict.fromkeys((*self._noted, *wanted)):
            text = wanted.get(line, "")
            self.left.set_note(line, text)
            self.right.set_note(line, " " if text else "")
        self._noted = list(wanted)
        self._gutter.notes = len(wanted)
        self._on_scrolled()

    def decide(self, decision: Decision) -> None:
        """Decide about the current change (the first one if there is none) and stay there."""
        if self._decisions is None or not self._alignment.changes:
            return
        if self._current < 0:
            self.next()
        if self._decisions[self._current] is not None:
            self.decided.emit(self._current, decision)

    # -- state ----------------------------------------------------------------------------------
    def save_state(self) -> dict[str, Any]:
        """Where one is."""
        return {"first": self.left.first_line(), "current": self._current, "zoom": self.left.zoom()}

    def restore_state(self, state: Mapping[str, Any]) -> None:
        """Return there."""
        self.left.set_zoom(int(state.get("zoom", 0)))
        self.right.set_zoom(int(state.get("zoom", 0)))
        self.go_to(int(state.get("current", -1)))
        self.left.set_first_line(int(state.get("first", 1)))

    # -- drawing --------------------------------------------------------------------------------
    def _redraw(self) -> None:
        self._gutter.show_changes(self._alignment, self._decisions)
        self._ribbon.show_changes(self._alignment, self._decisions)
        self._on_scrolled()
        self._set_current(self._current)

    def _draw_rows(self) -> None:
        """Mark the rows in view, and some around, unless they are marked already."""
        first = self.left.first_line() - 1
        last = min(first + self._rows_shown() + 1, len(self._alignment.rows) - 1)
        for chunk in range(first // _CHUNK, last // _CHUNK + 1):
            if chunk in self._drawn:
                continue
            self._drawn.add(chunk)
            rows = range(chunk * _CHUNK, min((chunk + 1) * _CHUNK, len(self._alignment.rows)))
            lines = range(rows.start + 1, rows.stop + 1)
            shown = self._alignment, self._decisions
            for pane, side in ((self.left, LEFT), (self.right, RIGHT)):
                pane.set_tints(tints(*shown, side, rows), lines)
                pane.set_words(words(*shown, side, rows, pane), lines)

    def _set_current(self, number: int) -> None:
        changed = number != self._current
        self._current = number
        total = len(self._alignment.changes)
        lines = range(0)
        if number >= 0:
            change = self._alignment.changes[number]
            lines = range(change.first + 1, change.last + 2)
            self._count.setText(tr("Change {number} of {total}", number=number + 1, total=total))
        else:
            self._count.setText(
                trn("{n} change", "{n} changes", total) if total else tr("No differences")
            )
        for pane in (self.left, self.right):
            pane.set_focus_lines(lines)
        self._gutter.current = self._ribbon.current = number
        self._gutter.update()
        self._ribbon.update()
        if changed and number >= 0:
            self.current_changed.emit(number)

    # -- scrolling ------------------------------------------------------------------------------
    def _row_rect(self, line: int) -> QRect:
        rect = self.left.line_rect(line)
        top = (
            self.left.mapTo(self, rect.topLeft()).y()
            - self._gutter.mapTo(self, QRect().topLeft()).y()
        )
        return QRect(0, top, 0, rect.height())

    def _bring_into_view(self, row: int) -> None:
        shown = self._rows_shown()
        first = self.left.first_line() - 1
        if not first + 1 <= row <= first + shown - 4:
            self.left.set_first_line(max(row - shown // 3, 0) + 1)

    def _scroll_to(self, row: int) -> None:
        self.left.set_first_line(max(row, 0) + 1)

    def _rows_shown(self) -> int:
        return self.left.height() // max(self.left.line_rect(1).height(), 1)

    def _on_scrolled(self) -> None:
        self._draw_rows()
        self._gutter.update()
        self._ribbon.show_view(self.left.first_line() - 1, self._rows_shown())

    def _follow(self, source: QScrollBar, target: QScrollBar) -> None:
        def moved(value: int) -> None:
            if not self._busy and target.value() != value:
                self._busy = True
                target.setValue(value)
                self._busy = False
            self._on_scrolled()

        source.valueChanged.connect(moved)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show anew what is in view."""
        super().resizeEvent(event)
        self._on_scrolled()

    def showEvent(self, event: QShowEvent) -> None:
        """Bring the place one is at into view once there is a size to judge by."""
        super().showEvent(event)
        row = self.left.cursor_place()[0] - 1
        if self._current >= 0:
            self._bring_into_view(self._alignment.changes[self._current].first)
        elif row > 0:
            self._bring_into_view(row)

    # -- making ---------------------------------------------------------------------------------
    def _prepare(self, pane: CodeEdit, other: CodeEdit) -> None:
        pane.set_read_only(True)
        pane.set_folding(False)
        pane.set_current_line(False)
        self._follow(pane.vertical_bar(), other.vertical_bar())
        self._follow(pane.horizontal_bar(), other.horizontal_bar())
        pane.cursor_moved.connect(lambda: self._on_cursor(pane))
        pane.zoomed.connect(lambda points: self._on_zoom(other, points))

    def _on_cursor(self, pane: CodeEdit) -> None:
        if self._busy or not self._alignment.rows or not pane.area().hasFocus():
            return
        row = min(pane.cursor_place()[0], len(self._alignment.rows)) - 1
        if row != self._cursor_row:
            self._cursor_row = row
            if self._alignment.rows[row].left != GAP:
                self.place_chosen.emit(self._alignment.rows[row].left + 1)
        change = self._alignment.rows[row].change
        if change >= 0 and change != self._current:
            self._set_current(change)

    def _on_zoom(self, other: CodeEdit, points: int) -> None:
        if other.zoom() != points:
            other.set_zoom(points)
        self._on_scrolled()

    def _fill_bar(self) -> None:
        self._deciding: list[QAction] = [
            self.bar.add(
                "accept", tr("Accept this change"), lambda: self.decide(Decision.ACCEPTED), keys="A"
            ),
            self.bar.add(
                "reject", tr("Reject this change"), lambda: self.decide(Decision.REJECTED), keys="R"
            ),
            self.bar.add(
                "undo", tr("Leave this change open"), lambda: self.decide(Decision.OPEN), keys="U"
            ),
        ]
        self._deciding.append(self.bar.addSeparator())
        previous = self.bar.add("previous", tr("Previous change"), self.previous, keys="Shift+F7")
        following = self.bar.add("next", tr("Next change"), self.next, keys="F7")
        previous.setShortcuts([QKeySequence("Shift+F7"), QKeySequence("Alt+Up")])
        following.setShortcuts([QKeySequence("F7"), QKeySequence("Alt+Down")])
        self.bar.addWidget(self._count)

    def _arrange(self) -> None:
        self.left.vertical_bar().hide()
        self.left.area().setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        splitter = QSplitter(Qt.Orientation.Horizontal, self)
        splitter.setHandleWidth(1)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(_column(self._titles[0], self.left))
        right = QWidget()
        row = QHBoxLayout(right)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self._gutter)
        row.addWidget(_column(self._titles[1], self.right), 1)
        row.addWidget(self._ribbon)
        splitter.addWidget(right)
        splitter.setSizes([1000, 1000])
        self.setFocusProxy(self.left)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.bar)
        layout.addWidget(splitter, 1)

    def changeEvent(self, event: QEvent) -> None:
        """Draw what is not Scintilla's in the colours of another theme."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._gutter.update()
            self._ribbon.update()


def _column(title: QLabel, pane: QWidget) -> QWidget:
    title.setProperty("role", "muted")
    title.setContentsMargins(10, 3, 10, 3)
    title.setMinimumWidth(40)
    holder = QWidget()
    column = QVBoxLayout(holder)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    column.addWidget(title)
    column.addWidget(pane, 1)
    return holder
