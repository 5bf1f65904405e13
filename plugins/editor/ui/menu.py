"""The editor's context menu."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMenu

from studio.model.locations import Location
from studio.ui.actions import fill_context_menu

if TYPE_CHECKING:
    from PySide6.QtCore import QPoint

    from plugins.editor.ui.view import EditorView
    from studio.ui.actions import Actions

_COMMANDS = (
    ("editor.undo", "editor.redo"),
    ("editor.cut", "editor.copy", "editor.paste", "editor.select_all"),
    ("editor.toggle_comment", "editor.find"),
)


def show_menu(view: EditorView, place: QPoint) -> QMenu:
    """Offer what can be done at the cursor, and what plugins add."""
    menu = QMenu(view)
    studio = view.studio
    assert studio.window is not None
    actions: Actions = studio.window.parent().actions_
    for group in _COMMANDS:
        for command in group:
            menu.addAction(actions.create(command, menu, in_menu=True))
        menu.addSeparator()
    line, column = view.edit.cursor_place()
    path = view.document.path
    finding = finding_at(view, line)
    available: dict[str, object] = {
        "path": path,
        "location": Location.source(path, line, column),
    }
    if finding is not None:
        available["finding"] = finding
    fill_context_menu(studio, menu, "editor", view.edit.language.lexer, available)
    menu.aboutToHide.connect(menu.deleteLater)
    menu.popup(place)
    return menu


def finding_at(view: EditorView, line: int) -> object | None:
    """The first finding of a line."""
    project = view.studio.project
    if project is None:
        return None
    findings = project.findings.of_file(view.document.path)
    return next((finding for finding in findings if finding.location.line == line), None)
