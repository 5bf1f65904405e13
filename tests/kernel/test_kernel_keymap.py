"""The user's own keys for commands."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from studio.kernel.commands import Registered
from studio.kernel.declarations import Command, Setting
from studio.kernel.keymap import KeyMap, clashes
from studio.kernel.settings import Settings
from studio.kernel.when import condition

if TYPE_CHECKING:
    from pathlib import Path

FIND = Command(id="a.find", title="Find", run="core:find", keys=("Ctrl+F",))


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    found = Settings(tmp_path / "settings.toml")
    found.declare([Setting(key="studio.keys", type="list", default=[], title="Keys", hidden=True)])
    return found


def test_keys_are_changed_kept_and_reset(settings):
    keymap = KeyMap(settings)
    assert keymap.applied(FIND) is FIND
    keymap.change("a.find", ["Ctrl+=", "Ctrl+|", "Ctrl+="])
    assert keymap.applied(FIND).keys == ("Ctrl+=", "Ctrl+|")
    assert tomllib.loads(settings.path.read_text())["studio"]["keys"] == [
        "a.find = Ctrl+= | Ctrl+|"
    ]
    again = KeyMap(settings)
    assert again.is_changed("a.find")
    again.reset("a.find")
    assert keymap.applied(FIND) is FIND
    assert not settings.is_set("studio.keys")


def test_a_command_may_have_no_keys(settings):
    keymap = KeyMap(settings)
    keymap.change("a.find", [])
    assert KeyMap(settings).applied(FIND).keys == ()
    keymap.change("b.other", ["F9"])
    keymap.reset_all()
    assert keymap.applied(FIND) is FIND
    assert not keymap.is_changed("b.other")


def test_what_is_written_by_hand_and_odd_is_left_out(settings):
    settings.set("studio.keys", ["nonsense", "a.find=F3", "b.x = "])
    keymap = KeyMap(settings)
    assert keymap.applied(FIND).keys == ("F3",)
    assert not keymap.is_changed("nonsense")


def test_only_equal_conditions_clash_for_certain():
    view = condition("view == 'timeline.view'")
    one = Registered("a", FIND)
    same = Registered("b", replace(FIND, id="b.same"))
    other = Registered("c", replace(FIND, id="c.other", when=view))
    free = Registered("d", replace(FIND, id="d.free", keys=("F3",)))
    found = clashes(one, "Ctrl+F", [one, other, same, free])
    assert [(clash.other.id, clash.certain) for clash in found] == [
        ("b.same", True),
        ("c.other", False),
    ]
