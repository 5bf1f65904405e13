"""Scintilla's widget with what it lacks: sharp icons, hatched gaps, free keys, our own menu."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QContextMenuEvent,
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
)
from pyside6_scintilla import Scintilla as S  # noqa: TID253 - imported with the first editor
from pyside6_scintilla import ScintillaEdit  # noqa: TID253

from studio.ui.code import Mark, Tint
from studio.ui.codemarks import MARGIN_FOLDS, MARGIN_MARKS, MARK_MARKERS, TINT_MARKERS
from studio.ui.fonts import mono_font
from studio.ui.icons import icon

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget

    from studio.ui.theme import Theme

_ICONS = {
    Mark.ERROR: ("error", "error"),
    Mark.WARNING: ("warn", "warn"),
    Mark.INFO: ("info", "info"),
    Mark.HINT: ("hint", "muted"),
}
_K = Qt.Key
_CHANGING = frozenset(
    {_K.Key_Backspace, _K.Key_Delete, _K.Key_Return, _K.Key_Enter, _K.Key_Tab, _K.Key_Backtab}
)
_EDIT_KEYS = frozenset(
    {_K.Key_X, _K.Key_V, _K.Key_Z, _K.Key_Y, _K.Key_Backspace, _K.Key_Delete, _K.Key_Insert}
)
_MOVE_KEYS = frozenset(
    {_K.Key_A, _K.Key_C, _K.Key_Left, _K.Key_Right, _K.Key_Home, _K.Key_End, _K.Key_Insert}
)
_PLAIN_MOVES = _MOVE_KEYS - {_K.Key_A, _K.Key_C} | {
    _K.Key_Up,
    _K.Key_Down,
    _K.Key_PageUp,
    _K.Key_PageDown,
}
_LETTERS = frozenset({_K.Key_A, _K.Key_C, _K.Key_X, _K.Key_V, _K.Key_Y})
_UNWANTED = "LTUD"
"""Ctrl with these (and Shift) are Scintilla's own commands; they are left to the program."""


class Canvas(ScintillaEdit):
    """The drawing and key-taking part of `ScintillaCode`."""

    menu_requested = Signal(QPoint)
    end_wanted = Signal()
    """A key is about to go to the end of the text, or to select all of it."""
    change_wanted = Signal()
    """A key, or an input method, is about to change the text."""
    cut_wanted = Signal()
    copy_wanted = Signal()
    paste_wanted = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.labels: Callable[[int], str] | None = None
        self.longest_label = ""
        self.take_key: Callable[[QKeyEvent], bool] = lambda _event: False
        """Asked of each key that nothing else has taken; True keeps Scintilla from it."""
        self.focus_lines = range(0)
        self._hatch = QColor()
        self._focus_colour = QColor()
        self._label_colour = QColor()
        self.usePopUp(0)
        for letter in _UNWANTED:
            for modifiers in (S.KeyMod.Ctrl, S.KeyMod.Ctrl | S.KeyMod.Shift):
                self.clearCmdKey(ord(letter) | int(modifiers) << 16)
        redo = ord("Z") | int(S.KeyMod.Ctrl | S.KeyMod.Shift) << 16
        self.assignCmdKey(redo, S.Message.Redo)

    def colour_filler(self, theme: Theme) -> None:
        """Take over the theme's colours for what is painted here."""
        self._hatch = theme.mix("surface", "muted", 0.38)
        self._focus_colour = theme.colour("accent")
        self._label_colour = QColor(theme.syntax["line_number"])
        self.viewport().update()

    def text_left(self) -> int:
        """Where the text begins, right of the margins."""
        return sum(int(self.marginWidthN(margin)) for margin in range(5)) + 6

    # -- keys -----------------------------------------------------------------------------------
    def event(self, event: QEvent) -> bool:
        """Claim the keys that are typing, so that no shortcut of one letter takes them away."""
        if isinstance(event, QKeyEvent):
            if event.type() == QEvent.Type.ShortcutOverride and self._types(event):
                event.accept()
                return True
            held = event.modifiers() & Qt.KeyboardModifier.ControlModifier
            far = bool(held) and event.key() in (_K.Key_A, _K.Key_End)
            if event.type() == QEvent.Type.KeyPress and far:
                self.end_wanted.emit()
            if event.type() == QEvent.Type.KeyPress and _changes(event):
                self.change_wanted.emit()
            if event.type() == QEvent.Type.KeyPress and self._clips(event):
                return True
            leaving = event.key() in (_K.Key_Tab, _K.Key_Backtab)
            if event.type() == QEvent.Type.KeyPress and leaving and self.readOnly():
                return self.focusNextPrevChild(event.key() == _K.Key_Tab)
            if event.type() == QEvent.Type.KeyPress and self.take_key(event):
                return True
        if event.type() == QEvent.Type.InputMethod:
            self.change_wanted.emit()
        return super().event(event)

    def _clips(self, event: QKeyEvent) -> bool:
        """Tell of a key that cuts, copies or pastes: a caret alone stands for its line."""
        standard = QKeySequence.StandardKey
        for keys, wanted in (
            (standard.Cut, self.cut_wanted),
            (standard.Copy, self.copy_wanted),
            (standard.Paste, self.paste_wanted),
        ):
            if event.matches(keys):
                if wanted is self.copy_wanted or not self.readOnly():
                    wanted.emit()
                return True
        return False

    def _types(self, event: QKeyEvent) -> bool:
        held = event.modifiers() & ~(
            Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier
        )
        key = event.key()
        if held == Qt.KeyboardModifier.NoModifier:
            if self.readOnly():
                return key in _PLAIN_MOVES
            return key != _K.Key_Escape and not _K.Key_F1 <= key <= _K.Key_F35
        if held == Qt.KeyboardModifier.ControlModifier:
            if event.modifiers() & Qt.KeyboardModifier.ShiftModifier and key in _LETTERS:
                return False
            return key in _MOVE_KEYS or (key in _EDIT_KEYS and not self.readOnly())
        return False

    # -- menu and files ---------------------------------------------------------------------------
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask for our own menu, at the mouse or at the cursor."""
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            at = self.currentPos()
            place = QPoint(self.pointXFromPosition(at), self.pointYFromPosition(at))
            self.menu_requested.emit(self.viewport().mapToGlobal(place))
        else:
            self.menu_requested.emit(event.globalPos())
        event.accept()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Leave dropped files to the window."""
        if event.mimeData().hasUrls():
            event.ignore()
        else:
            super().dragEnterEvent(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        """Leave dropped files to the window."""
        if event.mimeData().hasUrls():
            event.ignore()
        else:
            super().dragMoveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        """Leave dropped files to the window."""
        if event.mimeData().hasUrls():
            event.ignore()
        else:
            super().dropEvent(event)

    # -- painting -------------------------------------------------------------------------------
    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the text, then icons, labels and gaps of the visible lines over it."""
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        painter.setClipRegion(event.region())
        height = int(self.textHeight(0))
        first = int(self.firstVisibleLine())
        rows = range(event.rect().top() // height, event.rect().bottom() // height + 1)
        if self.labels is not None:
            font = mono_font()
            font.setPointSizeF(max(font.pointSizeF() + self.send(S.Message.GetZoom, 0, 0), 2.0))
            painter.setFont(font)
        seen = -1
        for row in rows:
            line = int(self.docLineFromVisible(first + row))
            if line == seen or first + row >= self.visibleFromDocLine(self.lineCount() - 1) + 1:
                continue
            seen = line
            self._paint_line(painter, line, row * height, height)
        painter.end()

    def _paint_line(self, painter: QPainter, line: int, top: int, height: int) -> None:
        markers = int(self.markerGet(line))
        icons = int(self.marginWidthN(MARGIN_MARKS))
        for mark, number in MARK_MARKERS.items():
            if markers & 1 << number and icons:
                edge = min(height, 16)
                place = QRect(1, top + (height - edge) // 2, edge, edge)
                icon(*_ICONS[mark]).paint(painter, place)
                break
        if line + 1 in self.focus_lines:
            painter.fillRect(QRect(0, top, 3, height), self._focus_colour)
        level = int(self.foldLevel(line))
        if level & S.FoldLevel.HeaderFlag and (folds := int(self.marginWidthN(MARGIN_FOLDS))):
            edge = min(height, 14)
            left = self.text_left() - 6 - folds
            place = QRect(left, top + (height - edge) // 2, edge, edge)
            icon("chevron-down" if self.foldExpanded(line) else "chevron-right", "muted").paint(
                painter, place
            )
        if self.labels is not None:
            right = self.text_left() - 6 - int(self.marginWidthN(MARGIN_FOLDS))
            painter.setPen(self._label_colour)
            place = QRect(icons, top, right - icons - 8, height)
            flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(place, flags, self.labels(line + 1))
        if markers & 1 << TINT_MARKERS[Tint.FILLER]:
            left = self.text_left() - 6
            area = QRectF(left, top, self.viewport().width() - left, height)
            painter.setBrushOrigin(-int(self.xOffset()), 0)
            painter.fillRect(area, QBrush(self._hatch, Qt.BrushStyle.BDiagPattern))


def _changes(event: QKeyEvent) -> bool:
    """Whether a key may change the text, as all do that stand for characters."""
    return event.key() < _K.Key_Escape.value or event.key() in _CHANGING
