"""The code editor widget, whatever draws it: Scintilla, or a plain one where that cannot be loaded.

Offsets count characters of the text from 0; lines and columns count from 1, as in `Location`.
`make_code_edit` makes one; nothing else of the program knows of Scintilla.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QPoint, QRect, Signal
from PySide6.QtWidgets import QToolTip, QVBoxLayout, QWidget

from studio.model.linediff import split_lines
from studio.model.pieces import Pieces
from studio.ui.codekinds import Mark, Squiggle, Tint, Word
from studio.ui.codelanguages import PLAIN, Language
from studio.ui.codetyping import detect_indent, moved_by, toggle_comment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from PySide6.QtWidgets import QAbstractScrollArea, QScrollBar

    from studio.ui.codetyping import LineChange

__all__ = ["CodeEdit", "Mark", "Squiggle", "Tint", "Word", "make_code_edit"]


class CodeEdit(QWidget):
    """A text with line numbers, colours and marks. Subclasses draw it; see `make_code_edit`."""

    text_changed = Signal()
    cursor_moved = Signal()
    scrolled = Signal()
    zoomed = Signal(int)
    focused = Signal(bool)
    menu_requested = Signal(QPoint)
    hovered = Signal(int, QPoint)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.language: Language = PLAIN
        self.indent_unit, self.indent_width = " " * 4, 4
        self.close_brackets = False  # what is typed; quotes too
        self.line_end = "\n"
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)

    # -- to be drawn by a subclass --------------------------------------------------------------
    def area(self) -> QAbstractScrollArea:
        """The widget that scrolls and takes the keys."""
        raise NotImplementedError

    def text(self) -> str:
        """The whole text."""
        raise NotImplementedError

    def pieces(self) -> Pieces:
        """The whole text, of which a change of a long one copies next to nothing."""
        return Pieces.of(self.text())

    def set_text(self, text: str) -> None:
        """Show another text; there is nothing to undo after that, and no mark is kept."""
        raise NotImplementedError

    def replace(self, start: int, end: int, text: str) -> None:
        """Replace a range as one undoable step."""
        raise NotImplementedError

    def selection(self) -> tuple[int, int]:
        """The selected range; start equals end at a mere cursor."""
        raise NotImplementedError

    def select(self, start: int, end: int) -> None:
        """Select a range, the cursor at its end, and scroll there."""
        raise NotImplementedError

    def cursor_offset(self) -> int:
        """The offset of the cursor."""
        raise NotImplementedError

    def cursor_rect(self) -> QRect:
        """Where the cursor is drawn, in this widget's coordinates."""
        raise NotImplementedError

    def change_lines(self, change: LineChange) -> None:
        """Move, copy, delete or join the lines of the selection, or select more."""
        raise NotImplementedError

    def complete(self, written: str, name: str) -> None:
        """Put a name in place of what is written before each cursor, as one step."""
        at = self.cursor_offset() - len(written)
        self.replace(at, at + len(written), name)
        self.select(at + len(name), at + len(name))

    def place_at(self, offset: int) -> tuple[int, int]:
        """The line and column of an offset."""
        raise NotImplementedError

    def offset_at(self, line: int, column: int = 1) -> int:
        """The offset of a line and column; beyond the text, the nearest there is."""
        raise NotImplementedError

    def line_count(self) -> int:
        """The number of lines."""
        raise NotImplementedError

    def line_text(self, line: int) -> str:
        """One line with its line end."""
        raise NotImplementedError

    def mark_saved(self) -> None:
        """Say that the text is on disk now, for the bars beside changed lines."""

    def undo(self) -> None:
        """Undo one step."""
        raise NotImplementedError

    def redo(self) -> None:
        """Do an undone step again."""
        raise NotImplementedError

    def can_undo(self) -> bool:
        """Whether there is a step to undo."""
        raise NotImplementedError

    def can_redo(self) -> bool:
        """Whether there is a step to do again."""
        raise NotImplementedError

    def begin_step(self) -> None:
        """Begin an undoable step made of several changes."""
        raise NotImplementedError

    def end_step(self) -> None:
        """End the step begun last."""
        raise NotImplementedError

    def cut(self) -> None:
        """Move the selection to the clipboard, without one the line of the cursor."""
        raise NotImplementedError

    def copy(self) -> None:
        """Copy the selection to the clipboard, without one the line of the cursor."""
        raise NotImplementedError

    def paste(self) -> None:
        """Insert the clipboard."""
        raise NotImplementedError

    def select_all(self) -> None:
        """Select the whole text."""
        raise NotImplementedError

    def is_read_only(self) -> bool:
        """Whether the user cannot type."""
        raise NotImplementedError

    def set_read_only(self, on: bool) -> None:
        """Allow typing or not; `replace` works in both."""
        raise NotImplementedError

    def set_language(self, language: Language) -> None:
        """Colour and fold the text by a language."""
        raise NotImplementedError

    def set_line_end(self, line_end: str) -> None:
        """Say what Enter inserts."""
        raise NotImplementedError

    def set_tab_width(self, width: int) -> None:
        """Say how wide a tab is drawn and how far Tab indents; a file's own habit wins."""
        raise NotImplementedError

    def set_wrap(self, on: bool) -> None:
        """Break long lines at the edge, or scroll."""
        raise NotImplementedError

    def set_white_space(self, on: bool) -> None:
        """Show spaces and tabs."""
        raise NotImplementedError

    def set_current_line(self, on: bool) -> None:
        """Show which line the cursor is in."""
        raise NotImplementedError

    def zoom(self) -> int:
        """How many points the font is larger than the standard one."""
        raise NotImplementedError

    def set_zoom(self, points: int) -> None:
        """Make the font larger or smaller than the standard one."""
        raise NotImplementedError

    def set_marks(self, squiggles: Sequence[Squiggle]) -> None:
        """Replace the marks of findings, in the text and in the margin."""
        raise NotImplementedError

    def set_hits(self, spans: Sequence[tuple[int, int]], current: int = -1) -> None:
        """Replace the marked search hits, one of them as the current one."""
        raise NotImplementedError

    def set_tints(self, tints: Mapping[int, Tint], lines: range | None = None) -> None:
        """Replace the backgrounds of all lines, or of some."""
        raise NotImplementedError

    def set_words(self, words: Sequence[tuple[int, int, Word]], lines: range | None = None) -> None:
        """Replace the marks within all lines of a diff, or some; given as (start, end, kind)."""
        raise NotImplementedError

    def set_line_labels(self, labels: Callable[[int], str] | None, longest: str = "") -> None:
        """Show `labels(line)`, none wider than `longest`, in place of the line numbers."""
        raise NotImplementedError

    def set_folding(self, on: bool) -> None:
        """Let blocks be folded, or not."""

    def set_focus_lines(self, lines: range) -> None:
        """Mark some lines with a bar at the left edge."""

    def reserve_width(self, text: str) -> None:
        """Let one scroll sideways as far as a line of this text reaches."""

    def set_note(self, line: int, text: str) -> None:
        """Show a text below a line; "" removes it."""
        raise NotImplementedError

    def set_end_notes(self, notes: Mapping[int, str], lines: range | None = None) -> None:
        """Replace the texts behind all lines, or some; not where they cannot be drawn."""

    def first_line(self) -> int:
        """The line at the top of the view."""
        raise NotImplementedError

    def set_first_line(self, line: int) -> None:
        """Scroll so that a line is at the top."""
        raise NotImplementedError

    def line_rect(self, line: int) -> QRect:
        """Where a line is drawn, in this widget's coordinates; may lie outside of it."""
        raise NotImplementedError

    def hover_at(self, offset: int) -> str:
        """What the marks at an offset say."""
        raise NotImplementedError

    def flash(self, start: int, end: int) -> None:
        """Show for a moment where one has jumped to."""
        raise NotImplementedError

    def folds(self) -> list[int]:
        """The lines whose blocks are folded."""
        return []

    def set_folds(self, lines: Sequence[int]) -> None:
        """Fold the blocks that begin in these lines, and no other."""

    def refresh_theme(self) -> None:
        """Take over the colours of the theme."""
        raise NotImplementedError

    # -- the same for all -----------------------------------------------------------------------
    @contextmanager
    def step(self) -> Iterator[None]:
        """Make everything changed inside one undoable step."""
        self.begin_step()
        try:
            yield
        finally:
            self.end_step()

    def cursor_place(self) -> tuple[int, int]:
        """The line and column of the cursor."""
        return self.place_at(self.cursor_offset())

    def selected_text(self) -> str:
        """The selected part of the text."""
        start, end = self.selection()
        return self.text()[start:end]

    def replace_text(self, text: str | Pieces) -> None:
        """Turn the text into another as one undoable step that changes only what differs."""
        start, end, middle = self.pieces().changed_span(Pieces.of(text))
        if start != end or middle:
            self.replace(start, end, middle)

    def go_to(
        self, line: int, column: int | None = None, end_line: int | None = None,
        end_column: int | None = None, *, flash: bool = False,
    ) -> None:  # fmt: skip
        """Put the cursor to a place, or select up to an end, and scroll it into the middle."""
        start = self.offset_at(line, column or 1)
        end = self.offset_at(end_line or line, end_column) if end_column else start
        self.select(start, max(start, end))
        if flash:
            first = start if end > start else self.offset_at(line)
            last = end if end > start else first + len(self.line_text(line).rstrip("\r\n"))
            self.flash(first, last)

    def use_file_habits(self, text: str, tab_width: int) -> None:
        """Indent as the file itself does, else by `tab_width` spaces."""
        lines = split_lines(text[:200_000])
        unit, width = detect_indent(lines, tab_width, tabs=self.language.tabs)
        self.set_indent(unit, tab_width if unit == "\t" else width)

    def set_indent(self, unit: str, width: int) -> None:
        """Indent by a tab or by spaces, as `unit` begins; `width` is that of either."""
        self.indent_unit = "\t" if unit == "\t" else " " * width
        self.indent_width = width
        self.set_tab_width(width)

    def line_spans(self) -> list[tuple[int, int]]:
        """First and last line of each selection, in order."""
        start, end = self.selection()
        return [(self.place_at(start)[0], self.place_at(max(start, end - 1))[0])]

    def toggle_comment(self) -> None:
        """Comment or uncomment the lines of all selections."""
        start, spans = self.selection()[0], self.line_spans()
        old = [self.line_text(line) for a, b in spans for line in range(a, b + 1)]
        new = toggle_comment(old, self.language.comment, self.language.around)
        if new == old:
            return
        if len(spans) > 1:
            self._replace_lines(spans, old, new)
            return
        at = self.offset_at(spans[0][0])
        self.replace(at, at + sum(map(len, old)), "".join(new))
        if len(old) == 1:
            moved = max(start + moved_by(old[0], new[0]), at)
            self.select(moved, moved)
        else:
            self.select(at, at + len("".join(new).rstrip("\r\n")))

    def _replace_lines(
        self, spans: Sequence[tuple[int, int]], old: Sequence[str], new: Sequence[str]
    ) -> None:
        """Change lines, each where it differs, so that the carets in them stay."""
        lines = [line for first, last in spans for line in range(first, last + 1)]
        with self.step():
            for line, before, now in zip(lines[::-1], old[::-1], new[::-1], strict=True):
                if now != before:
                    at = self.offset_at(line)
                    start, end, text = Pieces.of(before).changed_span(Pieces.of(now))
                    self.replace(at + start, at + end, text)

    def state(self) -> dict[str, Any]:
        """What brings the view back to where it is, fit for JSON."""
        line, column = self.cursor_place()
        return {
            "line": line,
            "column": column,
            "first": self.first_line(),
            "zoom": self.zoom(),
            "folds": self.folds(),
        }

    def restore_state(self, state: Mapping[str, Any]) -> None:
        """Go back to a saved state; what does not fit the text is left out."""
        self.set_zoom(int(state.get("zoom", 0)))
        self.set_folds([int(line) for line in state.get("folds", [])])
        offset = self.offset_at(int(state.get("line", 1)), int(state.get("column", 1)))
        self.select(offset, offset)
        self.set_first_line(int(state.get("first", 1)))

    def vertical_bar(self) -> QScrollBar:
        """The scroll bar for lines."""
        return self.area().verticalScrollBar()

    def horizontal_bar(self) -> QScrollBar:
        """The scroll bar for columns."""
        return self.area().horizontalScrollBar()

    def show_hover(self, place: QPoint, text: str) -> None:
        """Show a text in a tool tip at a place of this widget."""
        if text:
            QToolTip.showText(self.mapToGlobal(place), text, self)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self.refresh_theme()

    def _put(self, widget: QWidget) -> None:
        self._layout.addWidget(widget)
        self.setFocusProxy(widget)


def make_code_edit(parent: QWidget | None = None) -> CodeEdit:
    """Make an editor: Scintilla's where its binding loads, else the plain one."""
    try:
        from studio.ui.codescintilla import ScintillaCode
    except ImportError:
        from studio.ui.codeplain import PlainCode

        return PlainCode(parent)
    return ScintillaCode(parent)
