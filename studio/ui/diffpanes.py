"""The panes of a comparison: what they draw of its rows, and how they scroll in step."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRect, Qt
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from studio.ui.code import CodeEdit, make_code_edit
from studio.ui.codelanguages import PLAIN, Language
from studio.ui.diffgutter import Decision, Gutter
from studio.ui.difflines import Alignment
from studio.ui.diffmoves import MovedLines
from studio.ui.diffpaint import LEFT, RIGHT, Shown, labels, tints, words
from studio.ui.diffribbon import Ribbon
from studio.ui.diffsheets import Sheet, sheet
from studio.ui.parts import OneLine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QResizeEvent
    from PySide6.QtWidgets import QScrollBar

_CHUNK = 256
"""So many rows are marked at a time, when they come into view."""


class Panes(QWidget):
    """Two texts with a line per row, or one with each row by itself; gutter and ribbon beside.

    A gap is an empty line, left out when copied, so that it can stand anywhere, the very top
    included.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.shown = Shown(Alignment((), (), (), ()))
        self.quiet = False
        """Set while the panes are moved by the program: nobody has put the cursor anywhere."""
        self._original = self.shown.alignment
        self._sheets: dict[int, Sheet] = {}
        self._drawn: set[int] = set()
        self._titles = ("", "")
        self._language = PLAIN
        self.left, self.right = make_code_edit(self), make_code_edit(self)
        dots = Qt.TextElideMode.ElideLeft  # the end of a path tells more than its beginning
        self._heads = OneLine(self, dots), OneLine(self, dots)
        self.gutter = Gutter(self._row_rect, self)
        self.ribbon = Ribbon(self)
        self.ribbon.scrolled.connect(self.scroll_to)
        self._arrange()
        for pane, other in ((self.left, self.right), (self.right, self.left)):
            pane.set_read_only(True)
            pane.set_folding(False)
            pane.set_current_line(False)
            self._follow(pane.vertical_bar(), other.vertical_bar())
            self._follow(pane.horizontal_bar(), other.horizontal_bar())

    def panes(self) -> tuple[CodeEdit, ...]:
        """The panes in view."""
        return (self.left,) if self.shown.inline else (self.left, self.right)

    # -- what is shown --------------------------------------------------------------------------
    def show_alignment(
        self, alignment: Alignment, language: Language, titles: tuple[str, str],
        decisions: Sequence[Decision | None] | None, sheets: Sequence[Sheet] = (),
    ) -> None:  # fmt: skip
        """Show two aligned texts in the way chosen before; `sheets` for both ways, if there are."""
        self._original, self._language, self._titles = alignment, language, titles
        self._sheets = dict(enumerate(sheets))
        self.shown = replace(self.shown, decisions=decisions, moved=MovedLines(alignment.moves))
        self._fill()

    def set_inline(self, on: bool) -> None:
        """Show each row by itself in one pane, or two panes side by side."""
        if on == self.shown.inline:
            return
        self.shown = replace(self.shown, inline=on)
        self._right_column.setVisible(not on)
        policy = Qt.ScrollBarPolicy
        self.left.area().setVerticalScrollBarPolicy(
            policy.ScrollBarAsNeeded if on else policy.ScrollBarAlwaysOff
        )
        self._splitter.setSizes([100_000, 1] if on else [1000, 1000])
        self._fill()

    def set_decisions(self, decisions: Sequence[Decision | None]) -> None:
        """Show other decisions about the same changes."""
        old, new = self.shown.decisions or [], list(decisions)
        self.shown = replace(self.shown, decisions=new)
        if len(old) != len(new):
            self._drawn = set()
        for number, (before, after) in enumerate(zip(old, new, strict=False)):
            if (before is Decision.REJECTED) != (after is Decision.REJECTED):
                change = self.shown.alignment.changes[number]
                self._drawn -= set(range(change.first // _CHUNK, change.last // _CHUNK + 1))
        self.redraw()

    def redraw(self) -> None:
        """Draw the changes and decisions anew."""
        self.gutter.show_changes(self.shown.alignment, self.shown.decisions)
        self.ribbon.show_changes(self.shown.alignment, self.shown.decisions)
        self.refresh()

    def set_current(self, number: int) -> None:
        """Mark a change as the one that one is at."""
        lines = range(0)
        if number >= 0:
            change = self.shown.alignment.changes[number]
            lines = range(change.first + 1, change.last + 2)
        for pane in self.panes():
            pane.set_focus_lines(lines)
        self.gutter.current = self.ribbon.current = number
        self.gutter.update()
        self.ribbon.update()

    def _fill(self) -> None:
        inline = self.shown.inline
        if inline not in self._sheets:
            self._sheets[inline] = sheet(self._original, inline=inline)
        laid = self._sheets[inline]
        self.shown = replace(self.shown, alignment=laid.alignment, ends=laid.ends)
        self._drawn = set()
        self.gutter.notes = 0
        titles = self._titles
        if inline:
            titles = " → ".join(filter(None, titles)), ""
        for label, title in zip(self._heads, titles, strict=True):
            label.setText(title)
            label.setToolTip(title)
        links = self.shown.links()
        notes = {row + 1: text for row, (_, text) in links.items()}
        self.quiet = True
        for pane, side in ((self.left, LEFT), (self.right, RIGHT)):
            if pane not in self.panes():
                pane.set_text("")
                continue
            if pane.language is not self._language:
                pane.set_language(self._language)
            pane.set_text(laid.texts[side])
            pane.set_line_labels(*labels(self.shown, side))
            pane.reserve_width(laid.longest)
            rows = laid.alignment.rows
            pane.set_end_notes(
                {n: text for n, text in notes.items() if self.shown.is_moved(rows[n - 1], side)}
            )
        self.quiet = False
        self.gutter.set_links(links)
        self.redraw()

    # -- drawing --------------------------------------------------------------------------------
    def refresh(self) -> None:
        """Mark the rows in view, and some around, unless they are marked already."""
        first = self.left.first_line() - 1
        count = len(self.shown.alignment.rows)
        last = min(first + self.rows_shown() + 1, count - 1)
        for chunk in range(first // _CHUNK, last // _CHUNK + 1):
            if chunk in self._drawn:
                continue
            self._drawn.add(chunk)
            rows = range(chunk * _CHUNK, min((chunk + 1) * _CHUNK, count))
            lines = range(rows.start + 1, rows.stop + 1)
            for side, pane in enumerate(self.panes()):
                pane.set_tints(tints(self.shown, side, rows), lines)
                pane.set_words(words(self.shown, side, rows, pane), lines)
        self.gutter.update()
        self.ribbon.show_view(first, self.rows_shown())

    # -- scrolling ------------------------------------------------------------------------------
    def put_cursor(self, row: int) -> None:
        """Put the cursor of all panes to a row, and bring it into view."""
        self.quiet = True
        for pane in reversed(self.panes()):
            start = pane.offset_at(row + 1)
            pane.select(start, start)
        self.quiet = False
        self.bring_into_view(row)

    def bring_into_view(self, row: int) -> None:
        """Scroll unless a row is well in view."""
        shown = self.rows_shown()
        first = self.left.first_line() - 1
        if not first + 1 <= row <= first + shown - 4:
            self.left.set_first_line(max(row - shown // 3, 0) + 1)

    def scroll_to(self, row: int) -> None:
        """Scroll so that a row is at the top."""
        self.left.set_first_line(max(row, 0) + 1)

    def rows_shown(self) -> int:
        """How many rows fit into view."""
        return self.left.height() // max(self.left.line_rect(1).height(), 1)

    def _row_rect(self, line: int) -> QRect:
        rect = self.left.line_rect(line)
        origin = QRect().topLeft()
        top = self.left.mapTo(self, rect.topLeft()).y() - self.gutter.mapTo(self, origin).y()
        return QRect(0, top, 0, rect.height())

    def _follow(self, source: QScrollBar, target: QScrollBar) -> None:
        def moved(value: int) -> None:
            if not self.quiet and not self.shown.inline and target.value() != value:
                self.quiet = True
                target.setValue(value)
                self.quiet = False
            self.refresh()

        source.valueChanged.connect(moved)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show anew what is in view."""
        super().resizeEvent(event)
        self.refresh()

    def changeEvent(self, event: QEvent) -> None:
        """Draw what is not Scintilla's in the colours of another theme."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self.gutter.update()
            self.ribbon.update()

    # -- making ---------------------------------------------------------------------------------
    def _arrange(self) -> None:
        self.left.area().setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._splitter = splitter = QSplitter(Qt.Orientation.Horizontal, self)
        splitter.setHandleWidth(1)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(titled(self._heads[0], self.left))
        self._right_column = titled(self._heads[1], self.right)
        right = QWidget()
        row = QHBoxLayout(right)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.gutter)
        row.addWidget(self._right_column, 1)
        row.addWidget(self.ribbon)
        splitter.addWidget(right)
        splitter.setSizes([1000, 1000])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(splitter)


def titled(title: OneLine, pane: QWidget) -> QWidget:
    """A pane below its title."""
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
