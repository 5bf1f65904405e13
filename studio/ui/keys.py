"""Keys: one shortcut per key sequence, run by the first command that is enabled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractScrollArea,
    QAbstractSlider,
    QApplication,
    QComboBox,
    QMenuBar,
    QTabBar,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from studio.kernel.commands import Registered
    from studio.ui.shell import MainWindow

_MODIFIERS = ("Ctrl+", "Alt+", "Meta+")
_MOVING = frozenset({"Left", "Right", "Up", "Down", "Home", "End", "PgUp", "PgDown"})
"""Keys that walk through lists, values and tabs; there they do so, whatever command has them."""

_WALKED = (QAbstractItemView, QAbstractScrollArea, QAbstractSlider, QComboBox, QTabBar, QMenuBar)


class Keys(QObject):
    """Several commands may share a key as long as their conditions tell them apart.

    A key that no enabled command wants is left to the focused widget.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._shortcuts: dict[str, QShortcut] = {}
        self._commands: dict[str, list[Registered]] = {}

    def reload(self) -> None:
        """Take the keys of all commands anew."""
        for shortcut in self._shortcuts.values():
            shortcut.setEnabled(False)
            shortcut.deleteLater()
        self._shortcuts = {}
        self._commands = {}
        for registered in self._window.actions_.all():
            for keys in registered.command.keys:
                self._commands.setdefault(keys, []).append(registered)
        for keys, commands in self._commands.items():
            # A command with a condition is meant for what is in front, so it comes first.
            commands.sort(key=lambda command: not command.command.when)
            portable = QKeySequence.SequenceFormat.PortableText
            shortcut = QShortcut(QKeySequence(keys, portable), self._window)
            shortcut.setContext(Qt.ShortcutContext.WindowShortcut)
            shortcut.activated.connect(lambda keys=keys: self._pressed(keys))
            self._shortcuts[keys] = shortcut

    def refresh(self, values: Mapping[str, object]) -> None:
        """Let only those keys through that some enabled command wants now."""
        typing = _takes_text()
        for keys, shortcut in self._shortcuts.items():
            wanted = any(c.command.when.holds(values) for c in self._commands[keys])
            plain = not any(modifier in keys for modifier in _MODIFIERS) and len(keys) < 8
            taken = typing if len(keys) > 1 else typing or _looks_up_letters()
            is_function = keys[:1] == "F" and keys[1:].isdigit()
            walking = keys.removeprefix("Shift+") in _MOVING and _walks()
            left = walking or (plain and taken and not is_function)
            shortcut.setEnabled(wanted and not left)

    def _pressed(self, keys: str) -> None:
        values = self._window.app.when_values()
        for registered in self._commands.get(keys, ()):
            if registered.command.when.holds(values):
                self._window.actions_.run(registered.id)
                return


def _looks_up_letters() -> bool:
    """Whether the focused widget goes to the entry that begins with a typed letter."""
    return isinstance(QApplication.focusWidget(), QAbstractItemView)


def _walks() -> bool:
    """Whether the focused widget moves by itself with the arrows and their like."""
    return isinstance(QApplication.focusWidget(), _WALKED)


def _takes_text() -> bool:
    focused = QApplication.focusWidget()
    return focused is not None and focused.testAttribute(Qt.WidgetAttribute.WA_InputMethodEnabled)
