"""Keys by their place on the keyboard."""

from __future__ import annotations

import sys

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent

from plugins.timeline.ui.actions import ACTIONS
from plugins.timeline.ui.keys import KEYS, action_of

pytestmark = [
    pytest.mark.gui,
    pytest.mark.skipif(sys.platform != "linux", reason="scan codes of X11 and Wayland"),
]
K = Qt.Key
NONE, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier


def press(
    key: Qt.Key, scan: int = 0, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
) -> QKeyEvent:
    return QKeyEvent(QEvent.Type.KeyPress, key, keys, scan, 0, 0)


def test_every_key_stands_for_an_action_that_exists() -> None:
    assert set(KEYS.values()) <= set(ACTIONS)


@pytest.mark.parametrize(
    ("key", "scan", "action"),
    [
        (K.Key_Z, 25, "zoom_in"),  # French: Z stands at the place of W
        (K.Key_Q, 38, "earlier"),  # French: Q stands at the place of A
        (K.Key_A, 24, ""),  # French: A stands at the place of Q
        (K.Key_W, 52, ""),
        (K.Key_Comma, 25, "zoom_in"),  # Dvorak
        (K.Key_W, 25, "zoom_in"),
        (K.Key_W, 0, "zoom_in"),  # unknown place
        (K.Key_F, 41, "fit"),
    ],
)
def test_movement_goes_by_position(key: Qt.Key, scan: int, action: str) -> None:
    assert action_of(press(key, scan)) == action


def test_letters_can_be_preferred() -> None:
    assert action_of(press(K.Key_W, 52), by_position=False) == "zoom_in"
    assert action_of(press(K.Key_Z, 25), by_position=False) == ""


def test_modifiers_choose_other_actions() -> None:
    assert action_of(press(K.Key_Z, 52, SHIFT)) == "fit"
    assert action_of(press(K.Key_Slash, 0, SHIFT)) == "find"
    assert action_of(press(K.Key_Left, 113, SHIFT)) == "previous_slice"
    assert action_of(press(K.Key_W, 25, Qt.KeyboardModifier.ControlModifier)) == ""
