"""The form that asks for the arguments of a command."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtWidgets import QDialogButtonBox, QLabel, QLineEdit

from studio.ui.arguments import ArgumentDialog

if TYPE_CHECKING:
    from collections.abc import Callable

    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui

COMMAND = """
[[commands]]
id = "form.run"
title = "Run"
run = "core:run"
arguments = [
    { name = "file", type = "path", help = "What to read" },
    { name = "--share", type = "float", default = 0.5, help = "How much" },
    { name = "--steps", type = "int", many = true, help = "Which steps" },
    { name = "--out", type = "str", help = "Where to" },
    { name = "--all", type = "bool", help = "Everything" },
]
"""


@pytest.fixture
def dialog(
    open_window: Callable[..., MainWindow], make_plugin: Callable[..., Path]
) -> ArgumentDialog:
    window = open_window(make_plugin("form", COMMAND, core="def run(**given): return given"))
    return ArgumentDialog(window, window.app.commands.get("form.run"), {})


def fill(dialog: ArgumentDialog, name: str, text: str) -> None:
    field = dialog.fields[name]
    assert isinstance(field, QLineEdit)
    field.setText(text)


def accepts(dialog: ArgumentDialog) -> bool:
    return dialog.buttons.button(QDialogButtonBox.StandardButton.Ok).isEnabled()


def test_required_arguments_and_options_must_be_there(dialog: ArgumentDialog) -> None:
    assert not accepts(dialog)
    fill(dialog, "file", "a.json")
    assert not accepts(dialog)
    fill(dialog, "out", "there")
    assert accepts(dialog)
    assert dialog.values() == {"file": Path("a.json"), "share": 0.5, "out": "there", "all": False}


def test_numbers_are_numbers(dialog: ArgumentDialog) -> None:
    fill(dialog, "file", "a.json")
    fill(dialog, "out", "there")
    fill(dialog, "steps", "1; 20;-3")
    fill(dialog, "share", "1e-3")
    assert accepts(dialog)
    assert dialog.values()["steps"] == [1, 20, -3]
    assert dialog.values()["share"] == 0.001
    for name, text in (("share", "1e"), ("share", "half"), ("steps", "1;x")):
        before = dialog.fields[name].text()
        fill(dialog, name, text)
        assert not accepts(dialog), text
        fill(dialog, name, before)
        assert accepts(dialog)


def test_fields_are_named_by_what_they_mean(dialog: ArgumentDialog) -> None:
    labels = [label.text() for label in dialog.findChildren(QLabel)]
    assert labels == ["What to read", "How much", "Which steps", "Where to"]
    assert dialog.fields["all"].text() == "Everything"
    assert dialog.fields["out"].accessibleName() == "Where to"
    assert dialog.fields["out"].toolTip() == "--out"
