"""Fields: for searching and filtering, and for numbers of any size."""

from __future__ import annotations

import math
import re

from PySide6.QtGui import QValidator
from PySide6.QtWidgets import QAbstractSpinBox, QDoubleSpinBox, QLineEdit, QToolButton

from studio.i18n import tr
from studio.ui.icons import icon, set_icon

_DECIMALS = 20
_UNFINISHED = re.compile(r"[+-]?\d*\.?\d*(?:[eE][+-]?\d*)?")


def search_field(hint: str, *, sign: str = "search", widest: int = 0) -> QLineEdit:
    """A field with a sign in front, if any, and a button that empties it; `hint` names it."""
    field = QLineEdit()
    field.setPlaceholderText(hint)
    field.setAccessibleName(hint)
    if sign:
        leading = field.addAction(icon(sign, "muted"), QLineEdit.ActionPosition.LeadingPosition)
        set_icon(leading, sign, "muted")
        leading.setToolTip(hint)  # its button takes the tip anew whenever the icon changes
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


def inset(box: QAbstractSpinBox) -> None:
    """Keep the digits off the border of a box of numbers; a style sheet's padding does not."""
    box.lineEdit().setTextMargins(4, 0, 0, 0)


class NumberField(QDoubleSpinBox):
    """Takes and shows a number as one writes it: 0.001, 1.3e-6, 320."""

    def __init__(self) -> None:
        super().__init__()
        self.setDecimals(_DECIMALS)
        self.setKeyboardTracking(False)  # “0.0” on the way to “0.001” is not yet meant
        inset(self)

    def textFromValue(self, value: float) -> str:
        """The shortest way to write the number."""
        return f"{value:.12g}"

    def valueFromText(self, text: str) -> float:
        """The number of a text that may still be unfinished."""
        try:
            return float(text)
        except ValueError:
            return 0.0

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        """Whether a text is a number, or may become one."""
        if not _UNFINISHED.fullmatch(text):
            return QValidator.State.Invalid, text, position
        try:
            within = self.minimum() <= float(text) <= self.maximum()
        except ValueError:
            within = False
        state = QValidator.State.Acceptable if within else QValidator.State.Intermediate
        return state, text, position

    def stepBy(self, steps: int) -> None:
        """Step by one, and below one by the first digit of the number."""
        size = abs(self.value())
        self.setSingleStep(10.0 ** math.floor(math.log10(size)) if 0 < size < 1 else 1.0)
        super().stepBy(steps)
