# ruff: noqa: D102 - the methods are described in CodeEdit
"""The code editor drawn by Scintilla. Only this module and its helpers know the binding.

The binding's traps, measured: strings must be `str`; positions are UTF-8 bytes; its methods hide
QWidget's `setFocus`, `setCursor` and `setProperty`; `setText` stops at NUL.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QTimer
from PySide6.QtWidgets import QWidget
from pyside6_scintilla import Scintilla as S  # noqa: TID253 - imported with the first editor

from studio.ui.code import Squiggle, Tint, Word
from studio.ui.codecarets import indent_carets
from studio.ui.codecolours import NOTE_STYLE, apply_colours
from studio.ui.codemarks import (
    CURRENT_HIT,
    FLASH,
    HIT,
    MARGIN_FOLDS,
    MARGIN_HISTORY,
    MARGIN_MARKS,
    MARGIN_NUMBERS,
    MARK_MARKERS,
    SQUIGGLES,
    STRUCK,
    TINT_MARKERS,
    WORD_NEW,
    WORD_OLD,
    colour_marks,
    prepare,
)
from studio.ui.codescitext import ScintillaText
from studio.ui.codetyping import indent_for_new_line
from studio.ui.fonts import mono_font
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from PySide6.QtCore import QMimeData

    from studio.ui.codelanguages import Language

_LINE_ENDS = {"\r\n": S.EndOfLine.CrLf, "\r": S.EndOfLine.Cr, "\n": S.EndOfLine.Lf}
_WORDS = {Word.OLD: WORD_OLD, Word.NEW: WORD_NEW, Word.STRUCK: STRUCK}
_FLASH_MS = 900
_FEW = 500
_BRACES = frozenset(b"()[]{}")


class ScintillaCode(ScintillaText):
    """`CodeEdit` on Scintilla."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._hovers: list[str] = []
        self._flashing = QTimer(self)
        self._current_line = True
        self._prepare()
        self.refresh_theme()
        self._connect()

    def set_text(self, text: str) -> None:
        super().set_text(text)
        self._hovers = []
        self._fit_numbers()

    # -- looks ----------------------------------------------------------------------------------
    def set_read_only(self, on: bool) -> None:
        self._filling.finish()
        self.sci.setReadOnly(on)
        self.sci.setMarginWidthN(MARGIN_HISTORY, 0 if on else 4)

    def set_language(self, language: Language) -> None:
        self.language = language
        self.sci.setUseTabs(language.tabs)
        self.refresh_theme()

    def set_line_end(self, line_end: str) -> None:
        self.line_end = line_end
        self.sci.setEOLMode(_LINE_ENDS[line_end])

    def set_tab_width(self, width: int) -> None:
        self.sci.setTabWidth(width)
        self.sci.setIndent(width)
        self.sci.setUseTabs(self.indent_unit == "\t")

    def set_wrap(self, on: bool) -> None:
        self.sci.setWrapMode(S.Wrap.Word if on else S.Wrap.None_)

    def set_white_space(self, on: bool) -> None:
        self.sci.setViewWS(S.WhiteSpace.VisibleAlways if on else S.WhiteSpace.Invisible)

    def set_current_line(self, on: bool) -> None:
        if on:
            self.sci.setCaretLineVisibleAlways(True)
        else:
            self.sci.setCaretLineVisibleAlways(False)
            self.sci.resetElementColour(S.Element.CaretLineBack)
        self._current_line = on

    def zoom(self) -> int:
        return int(self.sci.send(S.Message.GetZoom, 0, 0))

    def set_zoom(self, points: int) -> None:
        self.sci.setZoom(points)

    def refresh_theme(self) -> None:
        theme = current_theme()
        apply_colours(self.sci, theme, mono_font(), self.language)
        colour_marks(self.sci, theme)
        self.sci.colour_filler(theme)
        if not self._current_line:
            self.sci.resetElementColour(S.Element.CaretLineBack)
        self._fit_numbers()

    def folds(self) -> list[int]:
        found: list[int] = []
        line = self.sci.contractedFoldNext(0)
        while line >= 0:
            found.append(line + 1)
            line = self.sci.contractedFoldNext(line + 1)
        return found

    def set_folds(self, lines: Sequence[int]) -> None:
        self._filling.finish()
        self.sci.foldAll(S.FoldAction.Expand)
        for line in lines:
            self.sci.foldLine(line - 1, S.FoldAction.Contract)

    # -- marks ----------------------------------------------------------------------------------
    def set_marks(self, squiggles: Sequence[Squiggle]) -> None:
        for number in MARK_MARKERS.values():
            self.sci.markerDeleteAll(number)
        for number in SQUIGGLES.values():
            self._clear(number)
        self._hovers = [squiggle.hover for squiggle in squiggles]
        narrow = self.sci.labels is not None and not squiggles
        self.sci.setMarginWidthN(MARGIN_MARKS, 4 if narrow else 18)
        for value, squiggle in enumerate(squiggles, 1):
            first = self._byte(squiggle.start)
            self.sci.markerAdd(self.sci.lineFromPosition(first), MARK_MARKERS[squiggle.mark])
            self.sci.setIndicatorCurrent(SQUIGGLES[squiggle.mark])
            self.sci.setIndicatorValue(value)
            last = self._byte(squiggle.end)
            self.sci.indicatorFillRange(first, max(last - first, 1))

    def set_hits(self, spans: Sequence[tuple[int, int]], current: int = -1) -> None:
        self._clear(HIT)
        self._clear(CURRENT_HIT)
        for number, (start, end) in enumerate(spans):
            self._fill(CURRENT_HIT if number == current else HIT, start, end)

    def set_tints(self, tints: Mapping[int, Tint], lines: range | None = None) -> None:
        if lines is not None and len(lines) <= _FEW:
            self._clear_tints(lines)
            lines = range(0)
        for number in TINT_MARKERS.values():
            if lines is None:
                self.sci.markerDeleteAll(number)
                continue
            if not lines:
                break
            row = self.sci.markerNext(lines.start - 1, 1 << number)
            while 0 <= row < lines.stop - 1:
                self.sci.markerDelete(row, number)
                row = self.sci.markerNext(row + 1, 1 << number)
        self._filling.need_line(max(tints, default=0))
        for line, tint in tints.items():
            self.sci.markerAdd(line - 1, TINT_MARKERS[tint])

    def _clear_tints(self, lines: range) -> None:
        """Clear the backgrounds of a few lines; searching for them would go on to the end."""
        for line in lines:
            there = int(self.sci.markerGet(line - 1))
            for number in TINT_MARKERS.values():
                if there >> number & 1:
                    self.sci.markerDelete(line - 1, number)

    def set_words(self, words: Sequence[tuple[int, int, Word]], lines: range | None = None) -> None:
        for number in _WORDS.values():
            if lines is None:
                self._clear(number)
            else:
                first = self.sci.positionFromLine(lines.start - 1)
                last = self.sci.lineEndPosition(min(lines.stop - 1, self.sci.lineCount()) - 1)
                self.sci.setIndicatorCurrent(number)
                self.sci.indicatorClearRange(first, last - first)
        for start, end, word in words:
            self._fill(_WORDS[word], start, end)

    def set_line_labels(self, labels: Callable[[int], str] | None, longest: str = "") -> None:
        self.sci.labels = labels
        self.sci.longest_label = longest
        self.sci.setEndAtLastLine(labels is not None)
        self.sci.setMarginWidthN(MARGIN_MARKS, 18 if labels is None else 4)
        kind = S.MarginType.Number if labels is None else S.MarginType.Colour
        self.sci.setMarginTypeN(MARGIN_NUMBERS, kind)
        self._fit_numbers()

    def set_folding(self, on: bool) -> None:
        self.sci.setMarginWidthN(MARGIN_FOLDS, 16 if on else 0)

    def set_focus_lines(self, lines: range) -> None:
        self.sci.focus_lines = lines
        self.sci.viewport().update()

    def reserve_width(self, text: str) -> None:
        width = self.sci.textWidth(S.StylesCommon.Default, text) if text else 1
        self.sci.setScrollWidthTracking(False)
        self.sci.setScrollWidth(max(width + 16, 1))

    def set_note(self, line: int, text: str) -> None:
        self._filling.need_line(line)
        if not text:  # only a null pointer removes one; an empty text keeps its line
            self.sci.send(S.Message.AnnotationSetText, line - 1, 0)
            return
        self.sci.annotationSetText(line - 1, text)
        style = NOTE_STYLE if text.strip() else int(S.StylesCommon.Default)
        self.sci.annotationSetStyle(line - 1, style)

    def set_end_notes(self, notes: Mapping[int, str], lines: range | None = None) -> None:
        self._filling.need_line(max(notes, default=0))
        if lines is None:
            self.sci.eOLAnnotationClearAll()
        for line in lines or ():
            self.sci.send(S.Message.EOLAnnotationSetText, line - 1, 0)
        self.sci.eOLAnnotationSetVisible(S.EOLAnnotationVisible.Standard)
        for line, text in notes.items():
            self.sci.eOLAnnotationSetText(line - 1, text)
            self.sci.eOLAnnotationSetStyle(line - 1, NOTE_STYLE)

    def hover_at(self, offset: int) -> str:
        place = self._byte(offset)
        return self._said(place, place + 1)

    def flash(self, start: int, end: int) -> None:
        self._clear(FLASH)
        self._fill(FLASH, start, max(end, start + 1))
        self._flashing.start(_FLASH_MS)

    # -- helpers --------------------------------------------------------------------------------
    def _prepare(self) -> None:
        sci = self.sci
        prepare(sci)
        sci.setUseTabs(False)
        sci.setTabWidth(4)
        sci.setTabIndents(True)
        sci.setBackSpaceUnIndents(True)
        sci.setIndentationGuides(S.IndentView.LookBoth)
        sci.setAutomaticFold(S.AutomaticFold.Show | S.AutomaticFold.Click | S.AutomaticFold.Change)
        sci.setScrollWidth(1)
        sci.setScrollWidthTracking(True)
        sci.setLayoutCache(S.LineCache.Page)
        sci.setIdleStyling(S.IdleStyling.ToVisible)
        sci.setMultipleSelection(True)
        sci.setAdditionalSelectionTyping(True)
        sci.setMultiPaste(S.MultiPaste.Each)
        sci.setVirtualSpaceOptions(S.VirtualSpace.RectangularSelection)
        sci.setCaretLineVisibleAlways(True)
        sci.setCaretWidth(2)
        sci.setExtraAscent(1)
        sci.setExtraDescent(1)
        sci.setYCaretPolicy(S.CaretPolicy.Slop | S.CaretPolicy.Even, 2)
        sci.setMouseDwellTime(350)
        sci.annotationSetVisible(S.AnnotationVisible.Indented)
        sci.setEndAtLastLine(False)
        sci.setFrameShape(sci.Shape.NoFrame)
        sci.setCornerWidget(QWidget())
        self._flashing.setSingleShot(True)

    def _connect(self) -> None:
        sci = self.sci
        sci.modified.connect(self._on_modified)
        sci.updateUi.connect(self._on_update)
        sci.charAdded.connect(self._on_char)
        sci.dwellStart.connect(self._on_dwell)
        sci.focusChanged.connect(self.focused)
        sci.menu_requested.connect(self.menu_requested)
        sci.zoom.connect(self._on_zoom)  # type: ignore[attr-defined] # the stub takes it for a method
        sci.aboutToCopy.connect(self._on_copy)
        self._flashing.timeout.connect(lambda: self._clear(FLASH))

    def _on_modified(self, kind: int, _at: int, _length: int, lines: int, *_rest: object) -> None:
        if kind & 3:
            if lines:
                self._fit_numbers()
            self.text_changed.emit()

    def _on_update(self, what: int) -> None:
        if what & (S.Update.Content | S.Update.Selection):
            self._match_braces()
            self.cursor_moved.emit()
        if what & (S.Update.VScroll | S.Update.HScroll):
            self.scrolled.emit()

    def _on_zoom(self, *_: object) -> None:
        self._fit_numbers()
        self.zoomed.emit(self.zoom())

    def _on_char(self, code: int) -> None:
        line = self.sci.lineFromPosition(self.sci.currentPos())
        ended = code == 10 or (code == 13 and self.sci.eOLMode() == S.EndOfLine.Cr)
        if ended and line >= 1:
            indent_carets(self.sci, self._indent_below)

    def _indent_below(self, line: int) -> str:
        above = self.line_text(line)
        usual = indent_for_new_line(above, self.language, self.indent_unit)
        return self._pairs.deeper.get(line, usual)

    def _on_dwell(self, x: int, y: int) -> None:
        sci = self.sci
        if not sci.viewport().rect().contains(x, y):
            return
        if x < sci.text_left():
            line = sci.lineFromPosition(sci.positionFromPoint(sci.text_left(), y))
            said = self._said(sci.positionFromLine(line), sci.lineEndPosition(line))
        else:
            at = sci.positionFromPointClose(x, y)
            said = "" if at < 0 else self._said(at, at + 1)
            if at >= 0 and not said:
                self.hovered.emit(self._char(at), QPoint(x, y + sci.textHeight(0) // 2))
        self.show_hover(QPoint(x, y + sci.textHeight(0) // 2), said)

    def _on_copy(self, data: QMimeData) -> None:
        """Leave out the gaps of a comparison, which are the lines that nothing stands beside.

        Their backgrounds tell no more than what was in view.
        """
        labels = self.sci.labels
        if labels is None:
            return
        first = self.sci.lineFromPosition(self.sci.selectionStart())
        last = self.sci.lineFromPosition(self.sci.selectionEnd())
        shown = [line for line in range(first, last + 1) if labels(line + 1)]
        if len(shown) > last - first:
            return
        parts: list[str] = []
        for line in shown:
            start = max(self.sci.positionFromLine(line), self.sci.selectionStart())
            end = self.sci.positionFromLine(line) + self.sci.lineLength(line)
            end = min(end, self.sci.selectionEnd())
            parts.append(self._part(start, end))
        data.setText("".join(parts))

    def _said(self, first: int, last: int) -> str:
        found: list[int] = []
        for number in SQUIGGLES.values():
            at = first
            while at < last:
                value = int(self.sci.indicatorValueAt(number, at))
                if value and value not in found:
                    found.append(value)
                following = int(self.sci.indicatorEnd(number, at))
                if following <= at:
                    break
                at = following
        said = (self._hovers[value - 1] for value in sorted(found) if value <= len(self._hovers))
        return "<hr>".join(text for text in said if text)

    def _match_braces(self) -> None:
        at = self.sci.currentPos()
        for place in (at - 1, at):
            if place >= 0 and self.sci.charAt(place) & 0xFF in _BRACES:
                other = self.sci.braceMatch(place, 0)
                if other >= 0:
                    self.sci.braceHighlight(place, other)
                    return
        self.sci.braceHighlight(-1, -1)

    def _fit_numbers(self) -> None:
        count = int(self.sci.lineCount())
        label = "999" if self.sci.labels is None else self.sci.longest_label
        sample = max("9" * len(str(count)), label, key=len)
        width = self.sci.textWidth(S.StylesCommon.LineNumber, sample)
        self.sci.setMarginWidthN(MARGIN_NUMBERS, width + 12)

    def _on_filled(self) -> None:
        super()._on_filled()
        self._fit_numbers()

    def _clear(self, number: int) -> None:
        self.sci.setIndicatorCurrent(number)
        self.sci.indicatorClearRange(0, self.sci.length())

    def _fill(self, number: int, start: int, end: int) -> None:
        first, last = self._byte(start), self._byte(end)
        self.sci.setIndicatorCurrent(number)
        self.sci.setIndicatorValue(1)
        self.sci.indicatorFillRange(first, last - first)
