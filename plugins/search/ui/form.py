"""What to find, where, and what to put in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QToolButton, QVBoxLayout, QWidget

from plugins.search.core.choice import Choice
from studio.i18n import tr
from studio.model.textsearch import Query
from studio.ui.field import search_field
from studio.ui.icons import set_icon
from studio.ui.text import with_keys

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class SearchForm(QWidget):
    """Emits `changed` while one types and `entered` at Enter."""

    changed = Signal()
    entered = Signal()
    replace_all = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.what = search_field(tr("Find in files"))
        self.by = search_field(tr("Replace with"), sign="replace")
        self.include = search_field(tr("Only in: *.py, configs/"), sign="filter")
        self.exclude = search_field(tr("Not in: *.md, tests/"), sign="remove")
        self.case = self._switch("case", tr("Match case"), "Alt+C")
        self.word = self._switch("word", tr("Whole words"), "Alt+W")
        self.regex = self._switch("regex", tr("Regular expression"), "Alt+X")
        self.keep_case = self._switch("text", tr("Keep capitals and small letters"), "Alt+K")
        self.ignored = self._switch("eye", tr("Search what git ignores as well"), "Alt+I")
        self.replacing = self._switch("replace", tr("Replace as well"), "Alt+R")
        self.button = QPushButton(tr("Replace all"))
        self.button.setProperty("primary", True)
        self.button.clicked.connect(lambda _checked=False: self.replace_all.emit())
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.setSpacing(6)
        column.addLayout(_row(self.what, self.case, self.word, self.regex, self.replacing))
        self._second = QWidget()
        second = _row(self.by, self.keep_case, self.button)
        second.setContentsMargins(0, 0, 0, 0)
        self._second.setLayout(second)
        column.addWidget(self._second)
        column.addLayout(_row(self.include))
        column.addLayout(_row(self.exclude, self.ignored))
        column.addStretch()
        for field in (self.what, self.by, self.include, self.exclude):
            field.textChanged.connect(lambda _text: self.changed.emit())
            field.installEventFilter(self)
        self.replacing.toggled.connect(self._second.setVisible)
        self._second.hide()

    # -- what is asked ----------------------------------------------------------------------------
    def query(self) -> Query:
        """What is looked for."""
        return Query(
            self.what.text(), self.regex.isChecked(), self.case.isChecked(), self.word.isChecked()
        )

    def choice(self) -> Choice:
        """Where it is looked for; raises StudioError when a pattern of files is not valid."""
        return Choice(self.include.text(), self.exclude.text(), self.ignored.isChecked())

    def replacement(self) -> str | None:
        """What replaces it; None while nothing is to be replaced."""
        return self.by.text() if self.replacing.isChecked() else None

    def start(self, text: str, *, replacing: bool, include: str | None) -> None:
        """Take over a text to find, and go to the field for it."""
        if text:
            self.regex.setChecked(False)
            self.what.setText(text)
        if include is not None:
            self.include.setText(include)
        if replacing:
            self.replacing.setChecked(True)
        self.what.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.what.selectAll()

    def save_state(self) -> dict[str, Any]:
        """The fields and switches, as plain values."""
        fields = {name: field.text() for name, field in self._fields().items()}
        return fields | {name: switch.isChecked() for name, switch in self._switches().items()}

    def restore_state(self, state: Mapping[str, Any]) -> None:
        """Fill the fields as they were."""
        for name, field in self._fields().items():
            field.setText(str(state.get(name, "")))
        for name, switch in self._switches().items():
            switch.setChecked(bool(state.get(name, False)))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let Enter search at once."""
        enter = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        pressed = event.type() == QEvent.Type.KeyPress
        if pressed and isinstance(event, QKeyEvent) and event.key() in enter:
            self.entered.emit()
            return True
        return super().eventFilter(watched, event)

    def _fields(self) -> dict[str, QLineEdit]:
        return {
            "what": self.what,
            "by": self.by,
            "include": self.include,
            "exclude": self.exclude,
        }

    def _switches(self) -> dict[str, QToolButton]:
        return {
            "case": self.case,
            "word": self.word,
            "regex": self.regex,
            "keep_case": self.keep_case,
            "ignored": self.ignored,
            "replacing": self.replacing,
        }

    def _switch(self, icon: str, title: str, keys: str) -> QToolButton:
        button = QToolButton(self)
        set_icon(button, icon)
        button.setAutoRaise(True)
        button.setCheckable(True)
        button.setAccessibleName(title)
        button.setToolTip(with_keys(title, keys))
        button.toggled.connect(lambda _on: self.changed.emit())
        shortcut = QShortcut(QKeySequence(keys), self)
        shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        shortcut.activated.connect(button.click)
        return button


def _row(*widgets: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(4)
    for widget in widgets:
        row.addWidget(widget)
    return row
