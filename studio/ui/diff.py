"""Two texts compared row by row, with the changes to step through and decide about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from studio.i18n import tr, trn
from studio.ui.codelanguages import PLAIN, Language
from studio.ui.diffgutter import Decision
from studio.ui.difflines import GAP, Alignment
from studio.ui.diffpaint import LeftText
from studio.ui.diffpanes import Panes
from studio.ui.toolbar import ToolBar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from PySide6.QtGui import QAction, QShowEvent

    from studio.ui.code import CodeEdit
    from studio.ui.diffsheets import Sheet

__all__ = ["Decision", "DiffView"]


class DiffView(QWidget):
    """The aligned comparison: two panes side by side, or one with each line by itself."""

    current_changed = Signal(int)
    decided = Signal(int, Decision)
    place_chosen = Signal(int)
    """The line of the left text that the cursor was put to."""
    inline_changed = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._alignment = Alignment((), (), (), ())
        self._decisions: list[Decision | None] | None = None
        self._current = -1
        self._notes: Mapping[int, str] = {}
        self._noted: list[int] = []
        self._cursor_row = -1
        self.panes = Panes(self)
        self.left, self.right = self.panes.left, self.panes.right
        self._count = QLabel(self)
        self._count.setProperty("role", "muted")
        self.bar = ToolBar(tr("Comparison"), self)
        self._fill_bar()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.bar)
        layout.addWidget(self.panes, 1)
        self.setFocusProxy(self.left)
        for pane, other in ((self.left, self.right), (self.right, self.left)):
            self._listen(pane, other)
        self.panes.gutter.decided.connect(self.decided)
        self.panes.gutter.clicked.connect(self.go_to)
        self.panes.gutter.linked.connect(self.go_to_row)
        self.panes.ribbon.jumped.connect(self.go_to)

    # -- what is shown --------------------------------------------------------------------------
    def show_alignment(
        self, alignment: Alignment, *, language: Language = PLAIN,
        titles: tuple[str, str] = ("", ""), decisions: Sequence[Decision | None] | None = None,
        sheets: Sequence[Sheet] = (),
    ) -> None:  # fmt: skip
        """Show two aligned texts; with `decisions`, one per change, these can be changed.

        A change whose decision is None follows others and cannot be decided about. Long texts come
        with the `sheets` of both ways of showing them, side by side first.
        """
        self._alignment = alignment
        self._decisions = None if decisions is None else list(decisions)
        self._current = -1
        self._notes, self._noted = {}, []
        self._cursor_row = 0
        self.panes.show_alignment(alignment, language, titles, self._decisions, sheets)
        for action in self._deciding:
            action.setVisible(decisions is not None)
        self._other_end.setVisible(bool(alignment.moves))
        self._set_current(-1)

    def alignment(self) -> Alignment:
        """What is compared, side by side whichever way it is shown."""
        return self._alignment

    def is_inline(self) -> bool:
        """Whether each line stands by itself in one pane."""
        return self.panes.shown.inline

    def set_inline(self, on: bool) -> None:
        """Show each line by itself in one pane, or two panes side by side; stays at the place."""
        self._inline.setChecked(on)
        if on == self.is_inline():
            return
        current, line, notes = self._current, self.left_line(), self._notes
        self._noted = []
        self.panes.set_inline(on)
        self.set_notes(notes)
        if current >= 0:
            self.go_to(current)
        elif line is not None:
            self._put_cursor(self._row_of(line))
        self._set_current(current)
        self.inline_changed.emit(on)

    def decisions(self) -> list[Decision | None]:
        """What was decided about each change."""
        return list(self._decisions or ())

    def set_decisions(self, decisions: Sequence[Decision | None]) -> None:
        """Show other decisions about the same changes."""
        if list(decisions) == (self._decisions or []):
            return
        self._decisions = list(decisions)
        self.panes.set_decisions(self._decisions)
        self._set_current(self._current)

    def add_switch(
        self, icon: str, title: str, run: Callable[[bool], object], *, keys: str, on: bool
    ) -> QAction:
        """Add a switch to the tool bar, before the number of changes."""
        switch = self.bar.add(
            icon, title, lambda: run(switch.isChecked()), keys=keys, checkable=True
        )
        switch.setChecked(on)
        self.bar.removeAction(self._count_place)
        self.bar.addAction(self._count_place)
        return switch

    # -- stepping through -----------------------------------------------------------------------
    def current(self) -> int:
        """The number of the change one is at, -1 for none."""
        return self._current

    def next(self) -> None:
        """Go to the next change; after the last one stays there."""
        changes = self._shown().changes
        if self._current >= 0:
            self.go_to(min(self._current + 1, len(changes) - 1))
        else:
            row = self._cursor()
            after = (n for n, change in enumerate(changes) if change.last >= row)
            self.go_to(next(after, len(changes) - 1))

    def previous(self) -> None:
        """Go to the change before; before the first one stays there."""
        if self._current < 0:
            row = self._cursor()
            before = [n for n, change in enumerate(self._shown().changes) if change.first < row]
            self.go_to(before[-1] if before else 0)
        else:
            self.go_to(max(self._current - 1, 0))

    def go_to(self, number: int) -> None:
        """Make a change the current one and bring it into view."""
        if 0 <= number < len(self._shown().changes):
            self._put_cursor(self._shown().changes[number].first)
            self._set_current(number)

    def go_to_row(self, row: int) -> None:
        """Bring a row into view and flash it."""
        self._put_cursor(row)
        for pane in self.panes.panes():
            start = pane.offset_at(row + 1)
            pane.flash(start, start + len(pane.line_text(row + 1).rstrip()))
        self._set_current(self._shown().rows[row].change if self._shown().rows else -1)

    def go_to_line(self, line: int) -> None:
        """Bring a line of the left text into view, outside of any change."""
        self.go_to_row(self._row_of(line))

    def go_to_other_end(self) -> None:
        """From moved lines go to where they came from or went; else to the next moved lines."""
        links = self.panes.shown.links()
        row, rows = self._cursor(), self._shown().rows
        moved = self.panes.shown.moved
        if row < len(rows) and (found := moved.of_row(rows[row].left, rows[row].right)):
            move, arrived = moved.moves[found[0]], found[1]
            wanted = (move.left[0], GAP) if arrived else (GAP, move.right[0])
            for at, other in enumerate(rows):
                if (other.left if arrived else other.right) == max(wanted):
                    self.go_to_row(at)
                    return
        if links:
            self.go_to_row(min((at for at in links if at > row), default=min(links)))

    def left_line(self) -> int | None:
        """The line of the left text that one is at."""
        rows = self._shown().rows
        if not rows:
            return None
        if self._current >= 0:
            change = self._shown().changes[self._current]
            return min(change.left[0] + 1, len(self._alignment.left))
        line = rows[min(self._cursor(), len(rows) - 1)].left
        return None if line == GAP else line + 1

    def left_text(self) -> LeftText:
        """The left text by its own lines and columns."""
        return LeftText(self._shown(), self.left)

    def set_notes(self, notes: Mapping[int, str]) -> None:
        """Show a text below lines of the left text; the right pane leaves as much room."""
        self._notes = notes
        rows = {row.left + 1: at for at, row in enumerate(self._shown().rows, 1)} if notes else {}
        wanted = {rows[line]: text for line, text in notes.items() if line in rows}
        for line in dict.fromkeys((*self._noted, *wanted)):
            text = wanted.get(line, "")
            self.left.set_note(line, text)
            if not self.is_inline():
                self.right.set_note(line, " " if text else "")
        self._noted = list(wanted)
        self.panes.gutter.notes = len(wanted)
        self.panes.refresh()

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

    def showEvent(self, event: QShowEvent) -> None:
        """Bring the place one is at into view once there is a size to judge by."""
        super().showEvent(event)
        row = self._cursor()
        if self._current >= 0:
            row = self._shown().changes[self._current].first
        if row > 0 or self._current >= 0:
            self.panes.bring_into_view(row)

    # -- helpers --------------------------------------------------------------------------------
    def _shown(self) -> Alignment:
        return self.panes.shown.alignment

    def _cursor(self) -> int:
        return self.left.cursor_place()[0] - 1

    def _put_cursor(self, row: int) -> None:
        self._cursor_row = row
        self.panes.put_cursor(row)

    def _row_of(self, line: int) -> int:
        return next((n for n, row in enumerate(self._shown().rows) if row.left == line - 1), 0)

    def _set_current(self, number: int) -> None:
        changed = number != self._current
        self._current = number
        total = len(self._alignment.changes)
        if number >= 0:
            self._count.setText(tr("Change {number} of {total}", number=number + 1, total=total))
        else:
            self._count.setText(
                trn("{n} change", "{n} changes", total) if total else tr("No differences")
            )
        self.panes.set_current(number)
        if changed and number >= 0:
            self.current_changed.emit(number)

    def _listen(self, pane: CodeEdit, other: CodeEdit) -> None:
        def zoomed(points: int) -> None:
            if other.zoom() != points:
                other.set_zoom(points)
            self.panes.refresh()

        pane.cursor_moved.connect(lambda: self._on_cursor(pane))
        pane.zoomed.connect(zoomed)

    def _on_cursor(self, pane: CodeEdit) -> None:
        rows = self._shown().rows
        if self.panes.quiet or not rows or not pane.area().hasFocus():
            return
        row = min(pane.cursor_place()[0], len(rows)) - 1
        if row == self._cursor_row:
            return
        self._cursor_row = row
        if rows[row].left != GAP:
            self.place_chosen.emit(rows[row].left + 1)
        change = rows[row].change
        if change >= 0 and change != self._current:
            self._set_current(change)

    def _fill_bar(self) -> None:
        add, decide = self.bar.add, self.decide
        self._deciding: list[QAction] = [
            add("accept", tr("Accept this change"), lambda: decide(Decision.ACCEPTED), keys="A"),
            add("reject", tr("Reject this change"), lambda: decide(Decision.REJECTED), keys="R"),
            add("undo", tr("Leave this change open"), lambda: decide(Decision.OPEN), keys="U"),
        ]
        self._deciding.append(self.bar.addSeparator())
        previous = add("previous", tr("Previous change"), self.previous, keys="Shift+F7")
        following = add("next", tr("Next change"), self.next, keys="F7")
        previous.setShortcuts([QKeySequence("Shift+F7"), QKeySequence("Alt+Up")])
        following.setShortcuts([QKeySequence("F7"), QKeySequence("Alt+Down")])
        self._other_end = add(
            "swap", tr("Other end of the moved lines"), self.go_to_other_end, keys="M"
        )
        self._inline = add(
            "text", tr("Below each other in one pane"),
            lambda: self.set_inline(self._inline.isChecked()), keys="I", checkable=True,
        )  # fmt: skip
        self._count_place = self.bar.addWidget(self._count)
