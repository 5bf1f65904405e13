"""A small form that asks for the arguments of a command."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QRegularExpression
from PySide6.QtGui import QRegularExpressionValidator
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from studio.i18n import tr
from studio.ui.icons import set_icon

if TYPE_CHECKING:
    from collections.abc import Mapping

    from studio.kernel.commands import Registered
    from studio.kernel.declarations import Argument


_WIDTH = 520
_NUMBERS = {"int": r"[-+]?\d+", "float": r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?"}


class ArgumentDialog(QDialog):
    """One field per argument; OK is possible once every required one is filled."""

    def __init__(self, parent: QWidget, command: Registered, given: Mapping[str, Any]) -> None:
        super().__init__(parent)
        self.setWindowTitle(command.title.replace("&", ""))
        self._arguments = command.command.arguments
        self.fields: dict[str, QWidget] = {}
        form = QVBoxLayout()
        form.setSpacing(4)
        for argument in self._arguments:
            field = self._make(argument, given.get(argument.keyword, argument.default))
            text = tr(argument.help) if argument.help else argument.keyword
            field.setToolTip(argument.name)
            field.setAccessibleName(text)
            self.fields[argument.keyword] = field
            if isinstance(field, QCheckBox):
                field.setText(text)
            else:
                label = QLabel(text, wordWrap=True)
                label.setBuddy(field)
                form.addWidget(label)
            form.addWidget(self._with_button(argument, field))
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 12)
        column.setSpacing(12)
        if command.command.help:
            about = QLabel(tr(command.command.help))
            about.setWordWrap(True)
            about.setProperty("role", "muted")
            column.addWidget(about)
        column.addLayout(form)
        column.addWidget(self.buttons)
        self.resize(_WIDTH, self.heightForWidth(_WIDTH))
        self._check()

    def values(self) -> dict[str, Any]:
        """What was filled in, with the types that the arguments declare."""
        found: dict[str, Any] = {}
        for argument in self._arguments:
            field = self.fields[argument.keyword]
            if isinstance(field, QCheckBox):
                found[argument.keyword] = field.isChecked()
            elif isinstance(field, QComboBox):
                found[argument.keyword] = field.currentText()
            elif (
                isinstance(field, QLineEdit) and field.text().strip() and field.hasAcceptableInput()
            ):
                found[argument.keyword] = _typed(argument, field.text().strip())
        return found

    def _make(self, argument: Argument, value: object) -> QWidget:
        if argument.type == "bool":
            check = QCheckBox()
            check.setChecked(bool(value))
            return check
        if argument.type == "choice":
            box = QComboBox()
            box.addItems(list(argument.choices))
            box.setCurrentText(str(value or argument.choices[0]))
            return box
        if isinstance(value, list | tuple):
            value = "; ".join(map(str, value))
        line = QLineEdit("" if value is None else str(value))
        number = _NUMBERS.get(argument.type)
        if number is not None:
            pattern = rf"\s*{number}(\s*;\s*{number})*\s*" if argument.many else rf"\s*{number}\s*"
            line.setValidator(QRegularExpressionValidator(QRegularExpression(pattern), line))
        line.textChanged.connect(self._check)
        return line

    def _with_button(self, argument: Argument, field: QWidget) -> QWidget:
        if argument.type not in ("path", "file", "folder") or not isinstance(field, QLineEdit):
            return field
        button = QToolButton()
        set_icon(button, "open-folder")
        button.setToolTip(tr("Choose…"))
        button.setAccessibleName(tr("Choose…"))
        button.clicked.connect(lambda _=False: self._choose(argument, field))
        both = QWidget()
        row = QHBoxLayout(both)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(field)
        row.addWidget(button)
        return both

    def _choose(self, argument: Argument, field: QLineEdit) -> None:
        if argument.type == "file":
            name, _ = QFileDialog.getOpenFileName(self, tr("Choose…"), field.text())
        else:
            name = QFileDialog.getExistingDirectory(self, tr("Choose…"), field.text())
        if name:
            field.setText(name)

    def _check(self) -> None:
        filled = self.values()
        missing = any(a.required and a.keyword not in filled for a in self._arguments)
        wrong = any(
            isinstance(field, QLineEdit) and field.text().strip() and not field.hasAcceptableInput()
            for field in self.fields.values()
        )
        ok = self.buttons.button(QDialogButtonBox.StandardButton.Ok)
        ok.setEnabled(not missing and not wrong)


def ask_arguments(
    parent: QWidget, command: Registered, given: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Ask for what a command still needs; None when the user does not want it after all."""
    dialog = ArgumentDialog(parent, command, given)
    accepted = dialog.exec() == QDialog.DialogCode.Accepted
    values = dialog.values()
    dialog.deleteLater()
    return {**given, **values} if accepted else None


def _typed(argument: Argument, text: str) -> object:
    if argument.many:
        return [_one(argument, part.strip()) for part in text.split(";") if part.strip()]
    return _one(argument, text)


def _one(argument: Argument, text: str) -> object:
    if argument.type in ("path", "file", "folder"):
        return Path(text).expanduser()
    return {"int": int, "float": float}.get(argument.type, str)(text)
