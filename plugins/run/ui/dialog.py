"""Editing what can be run."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QPlainTextEdit,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from plugins.run.core.configuration import KINDS, Configuration
from studio.i18n import tr
from studio.ui.fonts import mono_font
from studio.ui.icons import set_icon

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path


class ConfigurationDialog(QDialog):
    """A list at the left, the values of the chosen one at the right; nothing is kept until OK."""

    def __init__(
        self, parent: QWidget | None, root: Path, configurations: Sequence[Configuration]
    ) -> None:
        super().__init__(parent)
        self._root = root
        self._filling = False
        self.configurations = list(configurations) or [Configuration(tr("New"))]
        self.setWindowTitle(tr("What can be run"))
        self.list = QListWidget()
        self.list.setSpacing(2)
        self.list.setAccessibleName(tr("What can be run"))
        self.name = QLineEdit()
        self.kind = QComboBox()
        titles = (tr("Python script or shell script"), tr("Python module"), tr("Shell command"))
        for kind, title in zip(KINDS, titles, strict=True):
            self.kind.addItem(title, kind)
        self.target = QLineEdit()
        self.arguments = QLineEdit()
        self.folder = QLineEdit()
        self.interpreter = QLineEdit()
        self.environment = QPlainTextEdit()
        self._lay_out()
        self.list.currentRowChanged.connect(self._fill)
        for field in (self.name, self.target, self.arguments, self.folder, self.interpreter):
            field.textEdited.connect(lambda _text: self._take())
        self.kind.activated.connect(lambda _at: self._take())
        self.environment.textChanged.connect(self._take)
        self._renew(0)

    def result_list(self) -> list[Configuration]:
        """Those with a name and something to run, each name once."""
        found: dict[str, Configuration] = {}
        for one in self.configurations:
            if one.target.strip():
                name = one.name.strip() or one.target.strip()
                found.setdefault(name, replace(one, name=name))
        return list(found.values())

    # -- editing ----------------------------------------------------------------------------------
    def add(self) -> None:
        """Add an empty one."""
        self.configurations.append(Configuration(self._free_name(tr("New"))))
        self._renew(len(self.configurations) - 1)
        self.target.setFocus(Qt.FocusReason.OtherFocusReason)

    def duplicate(self) -> None:
        """Add a copy of the chosen one."""
        at = self.list.currentRow()
        if at >= 0:
            one = self.configurations[at]
            self.configurations.insert(at + 1, replace(one, name=self._free_name(one.name)))
            self._renew(at + 1)

    def remove(self) -> None:
        """Remove the chosen one."""
        at = self.list.currentRow()
        if at >= 0:
            del self.configurations[at]
            self._renew(min(at, len(self.configurations) - 1))

    def _free_name(self, name: str) -> str:
        taken = {one.name for one in self.configurations}
        names = (f"{name} {n}" for n in range(2, len(taken) + 3))
        return name if name not in taken else next(n for n in names if n not in taken)

    def _renew(self, at: int) -> None:
        self.list.blockSignals(True)
        self.list.clear()
        self.list.addItems([one.name for one in self.configurations])
        self.list.setCurrentRow(at)
        self.list.blockSignals(False)
        self._fill(at)

    def _fill(self, at: int) -> None:
        one = self.configurations[at] if 0 <= at < len(self.configurations) else Configuration("")
        self._form.setEnabled(0 <= at < len(self.configurations))
        self._filling = True
        self.name.setText(one.name)
        self.kind.setCurrentIndex(KINDS.index(one.kind))
        self.target.setText(one.target)
        self.arguments.setText(one.arguments)
        self.folder.setText(one.folder)
        self.interpreter.setText(one.interpreter)
        self.environment.setPlainText(one.environment)
        self._filling = False
        self._hint(one.kind)

    def _take(self) -> None:
        at = self.list.currentRow()
        if self._filling or at < 0:
            return
        self.configurations[at] = Configuration(
            self.name.text(),
            str(self.kind.currentData()),
            self.target.text(),
            self.arguments.text(),
            self.folder.text(),
            self.environment.toPlainText(),
            self.interpreter.text(),
        )
        item = self.list.item(at)
        if item is not None:
            item.setText(self.name.text())
        self._hint(str(self.kind.currentData()))

    def _hint(self, kind: str) -> None:
        hints = {
            "script": tr("A file of the project, such as train.py"),
            "module": tr("A module, such as torch.distributed.run"),
            "shell": tr("A line for the shell, such as make test"),
        }
        self.target.setPlaceholderText(hints[kind])
        self.interpreter.setEnabled(kind != "shell")

    # -- making -----------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        self._form = QWidget()
        form = QFormLayout(self._form)
        form.setContentsMargins(0, 0, 0, 0)
        form.addRow(tr("Name"), self.name)
        form.addRow(tr("Kind"), self.kind)
        form.addRow(tr("What to run"), self._with_button(self.target, self._choose_target))
        self.arguments.setPlaceholderText(tr('As in a shell: --config base.yaml --name "my run"'))
        form.addRow(tr("Arguments"), self.arguments)
        self.folder.setPlaceholderText(tr("The folder of the project"))
        form.addRow(tr("Working folder"), self._with_button(self.folder, self._choose_folder))
        self.interpreter.setPlaceholderText(tr("The Python of the project"))
        form.addRow(tr("Python"), self._with_button(self.interpreter, self._choose_interpreter))
        self.environment.setPlaceholderText("ASCEND_RT_VISIBLE_DEVICES=0,1")
        self.environment.setFont(mono_font())
        self.environment.setTabChangesFocus(True)
        form.addRow(tr("Environment"), self.environment)
        left = QVBoxLayout()
        left.setSpacing(4)
        left.addWidget(self.list, 1)
        buttons = QHBoxLayout()
        for sign, title, run in (
            ("add", tr("New"), self.add),
            ("copy", tr("Duplicate"), self.duplicate),
            ("trash", tr("Remove"), self.remove),
        ):
            buttons.addWidget(_button(sign, title, run))
        buttons.addStretch()
        left.addLayout(buttons)
        both = QHBoxLayout()
        both.setSpacing(16)
        both.addLayout(left, 1)
        both.addWidget(self._form, 3)
        standard = QDialogButtonBox.StandardButton
        box = QDialogButtonBox(standard.Ok | standard.Cancel)
        box.accepted.connect(self.accept)
        box.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 12)
        column.setSpacing(12)
        column.addLayout(both, 1)
        column.addWidget(box)
        self.resize(820, 440)

    def _with_button(self, field: QLineEdit, choose: Callable[[], str]) -> QWidget:
        def run() -> None:
            chosen = choose()
            if chosen:
                field.setText(self._relative(chosen))
                self._take()

        both = QWidget()
        row = QHBoxLayout(both)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(field, 1)
        row.addWidget(_button("open-folder", tr("Choose…"), run))
        return both

    def _choose_target(self) -> str:
        return QFileDialog.getOpenFileName(self, tr("What to run"), str(self._root))[0]

    def _choose_folder(self) -> str:
        return QFileDialog.getExistingDirectory(self, tr("Working folder"), str(self._root))

    def _choose_interpreter(self) -> str:
        return QFileDialog.getOpenFileName(self, tr("Choose a Python"))[0]

    def _relative(self, path: str) -> str:
        inside = path.startswith(str(self._root) + "/")
        return path[len(str(self._root)) + 1 :] if inside else path


def _button(sign: str, title: str, run: Callable[[], object]) -> QToolButton:
    button = QToolButton()
    set_icon(button, sign)
    button.setToolTip(title)
    button.setAccessibleName(title)
    button.clicked.connect(lambda _checked=False: run())
    return button
