"""The field that lists and pages are searched or filtered with."""

from __future__ import annotations

from PySide6.QtWidgets import QLineEdit, QToolButton

from studio.i18n import tr
from studio.ui.icons import icon, set_icon


def search_field(hint: str, *, sign: str = "search", widest: int = 0) -> QLineEdit:
    """A field with a sign in front, if any, and a button that empties it; `hint` names it."""
    field = QLineEdit()
    field.setPlaceholderText(hint)
    field.setAccessibleName(hint)
    if sign:
        leading = field.addAction(icon(sign, "muted"), QLineEdit.ActionPosition.LeadingPosition)
        set_icon(leading, sign, "muted")
        leading.triggered.connect(field.selectAll)
    for button in field.findChildren(QToolButton):
        _name(button, hint)
    field.setClearButtonEnabled(True)
    for button in field.findChildren(QToolButton):
        if not button.accessibleName():
            _name(button, tr("Clear"))
    if widest:
        field.setMaximumWidth(widest)
    return field


def _name(button: QToolButton, name: str) -> None:
    button.setToolTip(name)
    button.setAccessibleName(name)
