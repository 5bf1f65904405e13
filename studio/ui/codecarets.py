"""Several carets of a text held by Scintilla: more of them, and the lines that they stand in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyside6_scintilla import Scintilla as S  # noqa: TID253 - imported with the first editor

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from studio.ui.codecanvas import Canvas


def line_spans(sci: Canvas) -> list[tuple[int, int]]:
    """First and last line (from 0) of all selections, in order; those that touch are one."""
    spans: list[tuple[int, int]] = []
    for number in range(int(sci.selections())):
        start, end = int(sci.selectionNStart(number)), int(sci.selectionNEnd(number))
        first = int(sci.lineFromPosition(start))
        last = int(sci.lineFromPosition(end))
        if end > start and end == sci.positionFromLine(last):
            last -= 1  # nothing of that line is selected
        spans.append((first, max(first, last)))
    joined: list[tuple[int, int]] = []
    for first, last in sorted(spans):
        if joined and first <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(joined[-1][1], last)
        else:
            joined.append((first, last))
    return joined


def delete_lines(sci: Canvas) -> None:
    """Delete the lines of all selections as one step."""
    sci.beginUndoAction()
    for first, last in reversed(line_spans(sci)):
        start = int(sci.positionFromLine(first))
        end = int(sci.positionFromLine(last)) + int(sci.lineLength(last))
        sci.deleteRange(start, end - start)
    sci.endUndoAction()


def add_caret(sci: Canvas, step: int) -> None:
    """Put one more caret below the lowest one (1) or above the highest one (-1)."""
    carets = [int(sci.selectionNCaret(number)) for number in range(int(sci.selections()))]
    from_there = max(carets) if step > 0 else min(carets)
    line = int(sci.lineFromPosition(from_there)) + step
    if 0 <= line < sci.lineCount():
        place = int(sci.findColumn(line, sci.column(from_there)))
        sci.addSelection(place, place)
        sci.scrollRange(place, place)


def select_every(sci: Canvas) -> None:
    """Select every occurrence of what is selected, or of the word at the caret."""
    sci.setSearchFlags(S.FindOption.MatchCase)
    sci.targetWholeDocument()
    if sci.selectionEmpty():
        sci.multipleSelectAddNext()
    sci.multipleSelectAddEach()


def indent_carets(sci: Canvas, indent_of: Callable[[int], str]) -> None:
    """Begin the line of each caret by what `indent_of` says of the line (from 0)."""
    for number in range(int(sci.selections())):
        caret = int(sci.selectionNCaret(number))
        line = int(sci.lineFromPosition(caret))
        # With several carets one is told of each new line when all of them are there.
        indent = indent_of(line) if caret == sci.positionFromLine(line) else ""
        if indent:
            sci.setTargetRange(caret, caret)
            sci.replaceTarget(len(indent.encode()), indent)
            after = caret + len(indent.encode())
            sci.setSelectionNCaret(number, after)
            sci.setSelectionNAnchor(number, after)


def complete_carets(sci: Canvas, written: str, name: str) -> None:
    """Put a name in place of what is written before each caret, where it is the same, at once."""
    before, after = written.encode(), name.encode()
    carets = sorted({int(sci.selectionNCaret(number)) for number in range(int(sci.selections()))})
    there = carets.index(int(sci.currentPos()))
    shift = 0
    moved: list[int] = []
    sci.beginUndoAction()
    for caret in carets:
        first = caret + shift - len(before)
        same = first >= 0 and bytes(sci.textRange(first, caret + shift).data()) == before
        if same:
            sci.setTargetRange(first, caret + shift)
            sci.replaceTarget(len(after), name)
            shift += len(after) - len(before)
        moved.append(caret + shift)
    sci.endUndoAction()
    put_selections(sci, [(place, place) for place in moved], there)


def put_selections(sci: Canvas, spans: Sequence[tuple[int, int]], main: int) -> None:
    """Select spans, each with its caret at the end; `main` is the number of the one in view."""
    for number, (first, last) in enumerate(spans):
        (sci.addSelection if number else sci.setSelection)(last, first)
    sci.setMainSelection(main)
    sci.scrollCaret()
    sci.chooseCaretX()


def lone_carets(sci: Canvas) -> list[int]:
    """The carets in order, none where something is selected."""
    if not sci.selectionEmpty():
        return []
    return sorted(int(sci.selectionNCaret(number)) for number in range(int(sci.selections())))


def around(sci: Canvas, at: int, most: int) -> tuple[str, str]:
    """What stands in a line before a caret, at most so many bytes, and the character behind it.

    That is "" at the end of the line.
    """
    line = int(sci.lineFromPosition(at))
    first = max(int(sci.positionFromLine(line)), at - most)
    before = bytes(sci.textRange(first, at).data()) if at > first else b""
    behind = "" if at == int(sci.lineEndPosition(line)) else char_at(sci, at)
    return before.decode(errors="ignore"), behind


def char_at(sci: Canvas, at: int) -> str:
    """The character at a place if it is of ASCII, else one that is of no meaning."""
    return chr(int(sci.charAt(at)) & 0xFF)
