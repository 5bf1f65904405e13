"""Which key does what on a timeline; W, A, S and D go by their place on the keyboard."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent

_Key = Qt.Key

KEYS: dict[tuple[Qt.Key, bool], str] = {
    (_Key.Key_W, False): "zoom_in",
    (_Key.Key_S, False): "zoom_out",
    (_Key.Key_A, False): "earlier",
    (_Key.Key_D, False): "later",
    (_Key.Key_Plus, False): "zoom_in",
    (_Key.Key_Equal, False): "zoom_in",
    (_Key.Key_Minus, False): "zoom_out",
    (_Key.Key_Left, False): "earlier",
    (_Key.Key_Right, False): "later",
    (_Key.Key_Up, False): "up",
    (_Key.Key_Down, False): "down",
    (_Key.Key_PageUp, False): "page_up",
    (_Key.Key_PageDown, False): "page_down",
    (_Key.Key_Up, True): "outer_slice",
    (_Key.Key_Down, True): "inner_slice",
    (_Key.Key_Left, True): "previous_slice",
    (_Key.Key_Right, True): "next_slice",
    (_Key.Key_F, False): "fit",
    (_Key.Key_Z, True): "fit",
    (_Key.Key_0, False): "fit_all",
    (_Key.Key_Home, False): "fit_all",
    (_Key.Key_Backspace, False): "undo_view",
    (_Key.Key_R, False): "select_time",
    (_Key.Key_D, True): "range_longer",
    (_Key.Key_A, True): "range_shorter",
    (_Key.Key_X, False): "measure",
    (_Key.Key_M, False): "mark",
    (_Key.Key_K, False): "flag",
    (_Key.Key_P, False): "pin_lane",
    (_Key.Key_H, False): "hide_lane",
    (_Key.Key_Comma, False): "previous_slice",
    (_Key.Key_Period, False): "next_slice",
    (_Key.Key_Greater, True): "next_step",
    (_Key.Key_Less, True): "previous_step",
    (_Key.Key_Less, False): "previous_step",
    (_Key.Key_BracketLeft, False): "flow_back",
    (_Key.Key_BracketRight, False): "flow_forward",
    (_Key.Key_Slash, False): "find",
    (_Key.Key_Question, True): "shortcuts",
    (_Key.Key_Escape, False): "clear",
    (_Key.Key_Q, False): "clear",
}
"""Actions by key, without and with Shift."""

_SHIFTED = (_Key.Key_Plus, _Key.Key_Slash)
"""Signs that some keyboards need Shift for."""

_PLACES = {17: _Key.Key_W, 30: _Key.Key_A, 31: _Key.Key_S, 32: _Key.Key_D}
"""Scan codes of the keys that are W, A, S, D on an American keyboard."""

_MAC_PLACES = {13: _Key.Key_W, 0: _Key.Key_A, 1: _Key.Key_S, 2: _Key.Key_D}
_XKB_OFFSET = 8


def action_of(event: QKeyEvent, *, by_position: bool = True) -> str:
    """Return the name of the action that a key event stands for; "" for none."""
    keys = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    shift = keys == Qt.KeyboardModifier.ShiftModifier
    if keys not in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier):
        return ""
    key = Qt.Key(event.key())
    if by_position and not shift:
        place = _place(event)
        if place is not None:
            return KEYS[place, False]
        if key in _PLACES.values() and _known_place(event):
            return ""
    return KEYS.get((key, shift), "") or (KEYS.get((key, False), "") if key in _SHIFTED else "")


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
