"""Menus to read a file in another encoding, or to write it in one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu, QWidget

from plugins.editor import core
from plugins.editor.ui.rereading import reread
from studio.i18n import tr

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugins.editor.ui.view import EditorView


def encoding_menu(view: EditorView, anchor: QWidget) -> QMenu:
    """Offer both: reading and writing in another encoding."""
    menu = QMenu(anchor)
    _fill(menu.addMenu(tr("Reopen with encoding")), view, lambda e, b: reopen(view, e))
    _fill(menu.addMenu(tr("Save with encoding")), view, lambda e, b: view.saver.save_with(e, bom=b))
    return _up(menu, anchor)


def reopen_menu(view: EditorView, anchor: QWidget) -> QMenu:
    """Offer the encodings to read the file in."""
    menu = QMenu(anchor)
    _fill(menu, view, lambda e, b: reopen(view, e))
    menu.aboutToHide.connect(menu.deleteLater)
    menu.popup(anchor.mapToGlobal(QPoint(0, anchor.height())))
    return menu


def line_end_menu(view: EditorView, anchor: QWidget) -> QMenu:
    """Offer to give every line the same end."""
    menu = QMenu(anchor)
    for title, end in ((tr("LF (Linux, macOS)"), "\n"), (tr("CRLF (Windows)"), "\r\n")):
        action = menu.addAction(title)
        action.setCheckable(True)
        action.setChecked(view.document.line_end == end and not view.document.mixed)
        action.setEnabled(not view.document.read_only)
        action.triggered.connect(lambda _checked=False, end=end: convert_line_ends(view, end))
    return _up(menu, anchor)


def reopen(view: EditorView, encoding: str) -> None:
    """Read the file again in another encoding; asks when there is unsaved work."""
    document, window = view.document, view.studio.window
    view.binding.flush()
    if document.dirty and window is not None:
        again = tr("Reopen")
        question = tr("Reopening {name} loses its unsaved changes.", name=document.path.name)
        if window.ask(tr("Reopen with encoding"), question, (again,), again) != again:
            return
    reread(view, encoding)


def convert_line_ends(view: EditorView, end: str) -> None:
    """Give every line the same end, as one undoable step."""
    text = view.edit.text().replace("\r\n", "\n").replace("\r", "\n").replace("\n", end)
    view.edit.set_line_end(end)
    view.edit.replace_text(text)
    view.binding.flush()


def _fill(menu: QMenu, view: EditorView, run: Callable[[str, bool], object]) -> None:
    document = view.document
    now = core.encoding_title(document.encoding, document.bom)
    for title, encoding, bom in core.ENCODINGS:
        action = menu.addAction(title)
        action.setCheckable(True)
        action.setChecked(title == now)
        action.triggered.connect(lambda _checked=False, e=encoding, b=bom: run(e, b))


def _up(menu: QMenu, anchor: QWidget) -> QMenu:
    menu.aboutToHide.connect(menu.deleteLater)
    menu.popup(anchor.mapToGlobal(QPoint(0, -menu.sizeHint().height())))
    return menu
