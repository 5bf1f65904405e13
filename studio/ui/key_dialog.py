"""Asking for the keys of one command, saying at once what else they do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QKeySequenceEdit,
    QLabel,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from studio.i18n import tr
from studio.kernel.keymap import clashes
from studio.ui.text import native_keys

if TYPE_CHECKING:
    from collections.abc import Sequence

    from studio.kernel.commands import Registered

_PORTABLE = QKeySequence.SequenceFormat.PortableText
_FIELDS = 2


class KeyDialog(QDialog):
    """Two fields, since a command may have a second key; an empty one means none."""

    def __init__(
        self, parent: QWidget | None, command: Registered, commands: Sequence[Registered]
    ) -> None:
        super().__init__(parent)
        self._command, self._commands = command, commands
        title = command.title.replace("&", "")
        self.setWindowTitle(tr("Keys of “{title}”", title=title))
        self.fields: list[QKeySequenceEdit] = []
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 12)
        column.setSpacing(10)
        about = QLabel(tr("Click a field and press the keys."))
        about.setProperty("role", "muted")
        column.addWidget(about)
        names = (tr("Keys"), tr("Second keys"))
        for number in range(_FIELDS):
            field = QKeySequenceEdit()
            field.setMaximumSequenceLength(1)
            field.setClearButtonEnabled(True)
            field.setAccessibleName(names[number])
            for clear in field.findChildren(QToolButton):
                clear.setToolTip(tr("Take the keys away"))
                clear.setAccessibleName(tr("Take the keys away"))
            keys = command.command.keys
            if number < len(keys):
                field.setKeySequence(QKeySequence(keys[number], _PORTABLE))
            field.keySequenceChanged.connect(lambda _keys: self._check())
            label = QLabel(names[number])
            label.setMinimumWidth(110)
            label.setBuddy(field)
            row = QHBoxLayout()
            row.addWidget(label)
            row.addWidget(field, 1)
            column.addLayout(row)
            self.fields.append(field)
        self.note = QLabel()
        self.note.setWordWrap(True)
        self.note.setMinimumHeight(self.fontMetrics().height() * 3)
        column.addWidget(self.note)
        standard = QDialogButtonBox.StandardButton
        box = QDialogButtonBox(standard.Ok | standard.Cancel)
        box.accepted.connect(self.accept)
        box.rejected.connect(self.reject)
        column.addWidget(box)
        self.resize(460, self.sizeHint().height())
        self._check()

    def keys(self) -> tuple[str, ...]:
        """What was pressed, in Qt's portable text."""
        pressed = (field.keySequence().toString(_PORTABLE) for field in self.fields)
        # Keys beyond the two that are shown stay.
        return tuple(filter(None, pressed)) + self._command.command.keys[_FIELDS:]

    def _check(self) -> None:
        found = [
            (keys, clash)
            for keys in self.keys()
            for clash in clashes(self._command, keys, self._commands)
        ]
        certain = any(clash.certain for _, clash in found)
        lines = [say_clash(native_keys(keys), c.other.title, c.certain) for keys, c in found]
        self.note.setText("\n".join(lines))
        self.note.setProperty("role", "warn" if certain else "")
        self.note.style().polish(self.note)


def say_clash(keys: str, title: str, certain: bool) -> str:
    """What another command does with the same keys, in a sentence."""
    title = title.replace("&", "")
    if certain:
        return tr(
            "{keys} already runs “{title}”; only one of the two would be run.",
            keys=keys,
            title=title,
        )
    return tr("{keys} also runs “{title}”, in another view or state.", keys=keys, title=title)
