"""Changing keys, going back and forward, and the log, in the real window."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest

from studio.model.locations import Location
from studio.ui.idle import wait_idle
from studio.ui.key_dialog import KeyDialog
from studio.ui.log_page import entries

if TYPE_CHECKING:
    from pathlib import Path

    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui


def page(window: MainWindow, command: str) -> Any:
    window.app.commands.run(command, {})
    assert wait_idle(window)
    return window.app.window.active_view()


# -- keys --------------------------------------------------------------------------------------
def test_every_command_is_listed_and_its_keys_change_at_once(window):
    keys = page(window, "studio.shortcuts")
    assert set(keys.items) == {command.id for command in window.actions_.all()}
    item = keys.items["studio.about"]
    assert item.text(1) == ""
    keys.change("studio.about", ("Ctrl+Alt+F12",))
    assert "F12" in item.text(1)
    assert item.text(2) == "changed"
    assert window.app.commands.get("studio.about").command.keys == ("Ctrl+Alt+F12",)
    keys.change("studio.about", ())
    assert item.text(1) == item.text(2) == ""


def test_changed_keys_run_the_command_and_the_old_ones_do_not(window):
    keys = page(window, "studio.shortcuts")
    keys.change("studio.settings", ("Ctrl+Alt+9",))
    QTest.keyClick(window, Qt.Key.Key_Comma, Qt.KeyboardModifier.ControlModifier)
    assert wait_idle(window)
    assert window.app.window.active_opener() == "studio.key_page"
    both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    QTest.keyClick(window, Qt.Key.Key_9, both)
    assert wait_idle(window)
    assert window.app.window.active_opener() == "studio.settings_page"


def test_clashes_are_shown_before_and_after(window):
    keys = page(window, "studio.shortcuts")
    about = window.app.commands.get("studio.about")
    dialog = KeyDialog(None, about, window.actions_.all())
    dialog.fields[0].setKeySequence(QKeySequence("Ctrl+O"))
    assert "Open project folder" in dialog.note.text()
    keys.change("studio.about", dialog.keys())
    dialog.deleteLater()
    assert "Open project folder" in keys.items["studio.about"].text(2)
    assert "About" in keys.items["studio.open_folder"].text(2)
    keys.clashing.setChecked(True)
    keys._filter()
    shown = {name for name, item in keys.items.items() if not item.isHidden()}
    assert shown == {"studio.about", "studio.open_folder"}


def test_no_two_commands_of_the_program_clash(window):
    from studio.kernel.keymap import clashes

    commands = window.actions_.all()
    found = [
        (command.id, clash.other.id, keys)
        for command in commands
        for keys in command.command.keys
        for clash in clashes(command, keys, commands)
        if clash.certain
    ]
    assert found == []


# -- back and forward --------------------------------------------------------------------------
def where(window: MainWindow) -> tuple[str, int]:
    view: Any = window.app.window.active_view()
    return view.title(), view.edit.cursor_place()[0]


def jump(window: MainWindow, path: Path, line: int) -> None:
    window.app.reveal(Location.source(path, line))
    assert wait_idle(window)


def test_one_goes_back_through_places_and_forward_again(window, project):
    window.app.open_project(project, live=False)
    jump(window, project / "train.py", 4)
    jump(window, project / "model.py", 2)
    jump(window, project / "model.py", 3)
    places = [where(window)]
    for _ in range(2):
        QTest.keyClick(window, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
        assert wait_idle(window)
        places.append(where(window))
    assert places == [("model.py", 3), ("model.py", 2), ("train.py", 4)]
    window.app.commands.run("studio.go_forward", {})
    assert wait_idle(window)
    assert where(window) == ("model.py", 2)
    jump(window, project / "train.py", 1)
    assert not window.trail.forward()
    assert window.trail.back()
    assert wait_idle(window)
    assert where(window) == ("model.py", 2)


def test_places_of_files_that_are_gone_are_passed_over(window, project):
    window.app.open_project(project, live=False)
    for name in ("train.py", "model.py", "README.md"):
        jump(window, project / name, 1)
    window.centre.close_page(window.centre.tabs_of("editor.text", project / "model.py")[0])
    (project / "model.py").unlink()
    assert window.trail.back()
    assert wait_idle(window)
    assert where(window)[0] == "train.py"


# -- the log -----------------------------------------------------------------------------------
def test_entries_of_the_log_stay_whole():
    text = (
        "2026-11-30 07:00:00,001 INFO studio started\n"
        "2026-11-30 07:00:01,002 ERROR studio.x went wrong\nTraceback:\n  File x\n"
        "2026-11-30 07:00:02,003 WARNING studio slow\n"
    )
    assert [rank for rank, _ in entries(text)] == [0, 2, 1]
    assert entries(text)[1][1].endswith("Traceback:\n  File x\n")


def test_the_log_is_shown_by_severity(window):
    logging.getLogger("studio.test").warning("careful with %s", "this")
    logging.getLogger("studio.test").info("all is well")
    log = page(window, "studio.show_log")
    assert "careful with this" in log.view.toPlainText()
    assert "all is well" in log.view.toPlainText()
    log.level.setCurrentIndex(1)
    assert "all is well" not in log.view.toPlainText()
    log.search.setText("nothing such")
    assert "careful" not in log.view.toPlainText()


# -- installing plugins -----------------------------------------------------------------------
def test_an_installed_plugin_is_there_at_once(open_window, tmp_path, make_plugin):
    from studio.paths import app_root, user_plugins_dir

    manifest = '[[commands]]\nid = "hello.say"\ntitle = "Say hello"\nrun = "core:say"\n'
    source = make_plugin("hello", manifest, core="def say():\n    return 'hello'\n") / "hello"
    window = open_window(app_root() / "plugins", user_plugins_dir())
    plugins = page(window, "studio.plugins")
    plugins.install(source)
    assert wait_idle(window)
    assert window.app.commands.run("hello.say", {}) == "hello"
    assert "hello.say" in {command.id for command in window.actions_.all()}
    plugins.install(tmp_path)
    assert window.app.plugins.get("hello").usable
