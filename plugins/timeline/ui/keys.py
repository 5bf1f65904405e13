"""Which key does what on a timeline, as the user set it; W, A, S and D may go by their place."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence

from studio.kernel.errors import StudioError
from studio.ui.commandkeys import keys_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from PySide6.QtCore import QKeyCombination
    from PySide6.QtGui import QKeyEvent

    from studio.api import Studio

_Key = Qt.Key

COMMANDS = "timeline."
"""Commands are named by their action, behind this."""

_PLACES = {17: _Key.Key_W, 30: _Key.Key_A, 31: _Key.Key_S, 32: _Key.Key_D}
"""Scan codes of the keys that are W, A, S, D on an American keyboard."""

_MAC_PLACES = {13: _Key.Key_W, 0: _Key.Key_A, 1: _Key.Key_S, 2: _Key.Key_D}
_XKB_OFFSET = 8
_LETTERS_END = 0x100


class Keys:
    """Actions by key; `of` are the keys of each action, the first one to be shown."""

    def __init__(self, of: Mapping[str, Sequence[str]], *, by_position: bool = True) -> None:
        self._of = of
        self._by_position = by_position
        self._actions: dict[tuple[Qt.Key, bool], str] = {}
        for name, keys in of.items():
            for text in keys:
                for key in filter(None, (_plain(text),)):
                    self._actions[key] = name

    def first(self, action: str) -> str:
        """The key to name where an action is offered; "" for none."""
        return next(iter(self._of.get(action, ())), "")

    def action_of(self, event: QKeyEvent) -> str:
        """Return the name of the action that a key event stands for; "" for none."""
        keys = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        shift = keys == Qt.KeyboardModifier.ShiftModifier
        if keys not in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier):
            return ""
        key = Qt.Key(event.key())
        if self._by_position and not shift:
            place = _place(event)
            if place is not None:
                return self._actions.get((place, False), "")
            if key in _PLACES.values() and _known_place(event):
                return ""
        return self._actions.get((key, shift and not _is_sign(key)), "")


def keys_now(studio: Studio, actions: Iterable[str]) -> Keys:
    """The keys of some actions as the user set them."""
    of: dict[str, Sequence[str]] = {}
    for name in actions:
        with suppress(StudioError):
            of[name] = keys_of(studio, COMMANDS + name)
    return Keys(of, by_position=bool(studio.setting("timeline.keys_by_position")))


def _plain(text: str) -> tuple[Qt.Key, bool] | None:
    """One key with Shift or nothing; others reach the timeline as commands of the window."""
    sequence = QKeySequence(text, QKeySequence.SequenceFormat.PortableText)
    if sequence.count() != 1:
        return None
    pressed: QKeyCombination = cast("Any", sequence)[0]
    shift = pressed.keyboardModifiers() == Qt.KeyboardModifier.ShiftModifier
    if not shift and pressed.keyboardModifiers() != Qt.KeyboardModifier.NoModifier:
        return None
    return pressed.key(), shift and not _is_sign(pressed.key())


def _is_sign(key: Qt.Key) -> bool:
    """Whether a key is written as a sign, for which some keyboards need Shift and others do not."""
    return key.value < _LETTERS_END and not chr(key.value).isalnum()


def _place(event: QKeyEvent) -> Qt.Key | None:
    """Return which of W, A, S, D stands on the key by its place; None for others or unknown."""
    if not _known_place(event):
        return None
    if sys.platform == "darwin":
        return _MAC_PLACES.get(event.nativeVirtualKey())
    offset = 0 if sys.platform == "win32" else _XKB_OFFSET
    return _PLACES.get(event.nativeScanCode() - offset)


def _known_place(event: QKeyEvent) -> bool:
    if sys.platform == "darwin":
        return bool(event.nativeVirtualKey() or event.text())
    return event.nativeScanCode() != 0
