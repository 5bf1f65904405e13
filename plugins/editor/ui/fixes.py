"""A bulb beside the line of the cursor where a change is proposed, and the menu behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QToolButton

from studio.i18n import tr
from studio.ui.actions import fill_context_menu
from studio.ui.icons import icon, set_icon
from studio.ui.text import with_keys

if TYPE_CHECKING:
    from plugins.editor.ui.view import EditorView
    from studio.model.findings import Finding

KEYS = "Ctrl+."
_EDGE = 18
_SHEET = "QToolButton { background: palette(base); border: none; padding: 0; }"
_SEVERITIES = {"error": "error", "warning": "warn", "info": "info", "hint": "muted"}


class FixBulb(QToolButton):
    """Shown in the margin while the cursor is in a line that a fix is known for."""

    def __init__(self, view: EditorView) -> None:
        super().__init__(view.edit)
        self._view = view
        set_icon(self, "hint", "accent")
        self.setIconSize(QSize(14, 14))
        self.setFixedSize(_EDGE, _EDGE)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setStyleSheet(_SHEET)
        self.setToolTip(with_keys(tr("What can be done about this line"), KEYS))
        self.setAccessibleName(tr("What can be done about this line"))
        self.clicked.connect(lambda _checked=False: self.show_menu())
        view.edit.cursor_moved.connect(self.follow)
        view.edit.scrolled.connect(self.follow)
        self.hide()

    def follow(self) -> None:
        """Move to the line of the cursor, or hide."""
        line = self._view.edit.cursor_place()[0]
        if not any(finding.fix for finding in findings_at(self._view, line)):
            self.hide()
            return
        rect = self._view.edit.line_rect(line)
        inside = rect.top() >= 0 and rect.bottom() <= self._view.edit.height()
        self.move(2, rect.top() + (rect.height() - _EDGE) // 2)
        self.setVisible(inside)

    def show_menu(self) -> QMenu | None:
        """Offer what plugins can do about the findings in the line of the cursor."""
        view = self._view
        line = view.edit.cursor_place()[0]
        findings = findings_at(view, line)
        if not findings:
            view.studio.notify(tr("Nothing is known about this line."))
            return None
        menu = QMenu(view)
        for finding in findings:
            severity = finding.severity.value
            token = _SEVERITIES[severity]
            title = QAction(icon("warn" if severity == "warning" else severity, token), "", menu)
            title.setText(finding.title.replace("&", "&&"))
            title.setEnabled(False)
            menu.addAction(title)
            available = {"path": view.document.path, "finding": finding}
            fill_context_menu(view.studio, menu, "fixes", finding.rule, available)
            menu.addSeparator()
        menu.aboutToHide.connect(menu.deleteLater)
        rect = view.edit.line_rect(line)
        menu.popup(view.edit.mapToGlobal(QPoint(_EDGE + 4, rect.bottom())))
        return menu


def findings_at(view: EditorView, line: int) -> list[Finding]:
    """The findings that begin in a line, by place."""
    project = view.studio.project
    if project is None:
        return []
    found = project.findings.of_file(view.document.path)
    return [finding for finding in found if finding.location.line == line]
