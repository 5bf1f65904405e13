"""Keys by their place on the keyboard."""

from __future__ import annotations

import sys
import tomllib

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent

from plugins.timeline.ui.actions import ACTIONS
from plugins.timeline.ui.keys import Keys
from studio.paths import app_root

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


@pytest.fixture(scope="module")
def declared() -> dict[str, tuple[str, ...]]:
    """The keys of the manifest by the name of their action."""
    manifest = tomllib.loads((app_root() / "plugins" / "timeline" / "plugin.toml").read_text())
    commands = {c["id"].removeprefix("timeline."): c for c in manifest["commands"]}
    return {name: tuple(commands[name].get("keys", ())) for name in commands if name in ACTIONS}


@pytest.fixture(scope="module")
def keys(declared: dict[str, tuple[str, ...]]) -> Keys:
    return Keys(declared)


def test_every_key_stands_for_an_action_that_exists() -> None:
    declared = {
        command["run"].rpartition(":")[2]
        for command in tomllib.loads(
            (app_root() / "plugins" / "timeline" / "plugin.toml").read_text()
        )["commands"]
        if command.get("keys")
    }
    assert declared - set(ACTIONS) == {"list_slices", "source"}  # not of the lanes


@pytest.mark.parametrize(
    ("key", "shift", "action"),
    [
        (K.Key_W, False, "zoom_in"),
        (K.Key_S, False, "zoom_out"),
        (K.Key_A, False, "earlier"),
        (K.Key_D, False, "later"),
        (K.Key_F, False, "fit"),
        (K.Key_Z, True, "fit"),
        (K.Key_M, False, "mark"),
        (K.Key_K, False, "flag"),
        (K.Key_Q, False, "clear"),
        (K.Key_Escape, False, "clear"),
        (K.Key_Slash, False, "find"),
        (K.Key_BracketLeft, False, "flow_back"),
        (K.Key_BracketRight, False, "flow_forward"),
        (K.Key_Comma, False, "previous_slice"),
        (K.Key_Period, False, "next_slice"),
        (K.Key_Backspace, False, "undo_view"),
        (K.Key_0, False, "fit_all"),
        (K.Key_Greater, True, "next_step"),
        (K.Key_Less, False, "previous_step"),
        (K.Key_D, True, "range_longer"),
        (K.Key_Left, False, "earlier"),
        (K.Key_Right, False, "later"),
        (K.Key_Up, False, "up"),
        (K.Key_Down, False, "down"),
        (K.Key_PageUp, False, "page_up"),
        (K.Key_PageDown, False, "page_down"),
        (K.Key_Right, True, "next_slice"),
        (K.Key_Up, True, "outer_slice"),
        (K.Key_Home, False, "fit_all"),
        (K.Key_Question, True, "shortcuts"),
    ],
)
def test_keys_are_those_of_perfetto_and_insight(
    keys: Keys, key: Qt.Key, shift: bool, action: str
) -> None:
    assert keys.action_of(press(key, 0, SHIFT if shift else NONE)) == action


def test_a_changed_key_takes_the_place_of_the_declared_one(
    declared: dict[str, tuple[str, ...]],
) -> None:
    own = Keys({**declared, "fit": ("G", "Ctrl+Alt+F"), "up": ("U",)})
    assert own.action_of(press(K.Key_G)) == "fit"
    assert own.action_of(press(K.Key_F)) == ""
    assert own.action_of(press(K.Key_U)) == "up"
    assert own.action_of(press(K.Key_Up)) == ""
    assert own.first("fit") == "G"
    assert own.first("no such action") == ""


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
def test_movement_goes_by_position(keys: Keys, key: Qt.Key, scan: int, action: str) -> None:
    assert keys.action_of(press(key, scan)) == action


def test_letters_can_be_preferred(declared: dict[str, tuple[str, ...]]) -> None:
    keys = Keys(declared, by_position=False)
    assert keys.action_of(press(K.Key_W, 52)) == "zoom_in"
    assert keys.action_of(press(K.Key_Z, 25)) == ""


def test_modifiers_choose_other_actions(keys: Keys) -> None:
    assert keys.action_of(press(K.Key_Z, 52, SHIFT)) == "fit"
    assert keys.action_of(press(K.Key_Slash, 0, SHIFT)) == "find"
    assert keys.action_of(press(K.Key_Left, 113, SHIFT)) == "previous_slice"
    assert keys.action_of(press(K.Key_W, 25, Qt.KeyboardModifier.ControlModifier)) == ""
