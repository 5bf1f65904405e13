"""The editor's part of the status bar: place, encoding, line ends, language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QHBoxLayout, QMenu, QToolButton, QWidget
from shiboken6 import isValid

from plugins.editor import core
from studio.i18n import tr
from studio.ui.codelanguages import languages
from studio.ui.text import thousands, with_keys

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugins.editor.ui.view import EditorView
    from studio.api import Studio

_LINE_ENDS = {"\n": "LF", "\r\n": "CRLF", "\r": "CR"}


class EditorStatus(QWidget):
    """Follows the editor in front; hidden while there is none."""

    def __init__(self, studio: Studio) -> None:
        super().__init__()
        self._studio = studio
        self._view: EditorView | None = None
        self.place = self._button(with_keys(tr("Go to line"), "Ctrl+G"), self._go_to_line)
        self.encoding = self._button(tr("Encoding"), self._choose_encoding)
        self.line_end = self._button(tr("Line ends"), self._choose_line_end)
        self.indent = self._button(tr("Indentation"), self._choose_indent)
        self.language = self._button(tr("Language"), self._choose_language)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        for button in (self.place, self.indent, self.encoding, self.line_end, self.language):
            row.addWidget(button)
        window = studio.window.parent() if studio.window else None
        if window is not None:
            window.centre.active_changed.connect(self.follow)
        self.follow()

    def follow(self) -> None:
        """Turn to the view that is in front now."""
        front = self._studio.window.active_view() if self._studio.window else None
        if self._view is not None and isValid(self._view):
            self._view.status_changed.disconnect(self.show_view)
        # Known by what it offers, so that no editor is imported before one is opened.
        self._view = front if hasattr(front, "status_changed") else None  # type: ignore[assignment]
        self.setVisible(self._view is not None)
        if self._view is not None:
            self._view.status_changed.connect(self.show_view)
            self.show_view()

    def show_view(self) -> None:
        """Show the state of the followed editor."""
        view = self._view
        if view is None:
            return
        line, column = view.edit.cursor_place()
        text = tr("Ln {line}, Col {column}", line=line, column=column)
        start, end = view.edit.selection()
        if end > start:
            text += " " + tr("({n} selected)", n=thousands(end - start))
        document = view.document
        self.place.setText(text)
        title = core.encoding_title(document.encoding, document.bom)
        self.encoding.setText(title + "?" if document.guessed else title)
        self.encoding.setToolTip(
            tr("Encoding (guessed; click to choose another)")
            if document.guessed
            else tr("Encoding")
        )
        mixed = tr("mixed") if document.mixed else ""
        self.line_end.setText(" ".join(filter(None, (_LINE_ENDS[document.line_end], mixed))))
        self.indent.setText(indent_title(view.edit.indent_unit, view.edit.indent_width))
        self.language.setText(tr(view.edit.language.title))

    # -- clicks ---------------------------------------------------------------------------------
    def _go_to_line(self) -> None:
        self._studio.run("studio.go_to_line")

    def _choose_encoding(self) -> None:
        from plugins.editor.ui.encodings import encoding_menu

        if self._view is not None:
            encoding_menu(self._view, self.encoding)

    def _choose_line_end(self) -> None:
        from plugins.editor.ui.encodings import line_end_menu

        if self._view is not None:
            line_end_menu(self._view, self.line_end)

    def _choose_indent(self) -> None:
        view = self._view
        if view is None:
            return
        menu = QMenu(self)
        own = menu.addAction(tr("As the file does"), lambda: view.set_indent("", 0))
        own.setCheckable(True)
        own.setChecked(view.indent_chosen is None)
        for unit in (" ", "\t"):
            menu.addSeparator()
            for width in (2, 4, 8):
                action = menu.addAction(indent_title(unit, width))
                action.setCheckable(True)
                action.setChecked(view.indent_chosen == (unit, width))
                action.triggered.connect(
                    lambda _=False, unit=unit, width=width: view.set_indent(unit, width)
                )
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.indent.mapToGlobal(QPoint(0, -menu.sizeHint().height())))

    def _choose_language(self) -> None:
        view = self._view
        if view is None:
            return
        menu = QMenu(self)
        for language in languages():
            action = menu.addAction(tr(language.title))
            action.setCheckable(True)
            action.setChecked(language is view.edit.language)
            action.triggered.connect(
                lambda _checked=False, found=language: view.set_language(found)
            )
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.language.mapToGlobal(QPoint(0, -menu.sizeHint().height())))

    def _button(self, tip: str, run: Callable[[], object]) -> QToolButton:
        button = QToolButton()
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        button.clicked.connect(lambda _checked=False: run())
        return button


def indent_title(unit: str, width: int) -> str:
    """How an indentation is called."""
    return tr("Tabs: {n}", n=width) if unit == "\t" else tr("Spaces: {n}", n=width)


def make_status(studio: Studio) -> EditorStatus:
    """Make the status item."""
    return EditorStatus(studio)
