"""Changing files from the explorer's tree, in the real window."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QMenu

from plugins.explorer.ui import fileactions
from plugins.explorer.ui.fileactions import bring_back, terminal_command
from plugins.explorer.ui.foldertree import FolderTree
from studio.kernel.errors import StudioError
from studio.model.tree import list_folder
from studio.ui.idle import wait_idle
from studio.ui.text import with_keys
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from plugins.explorer.ui.panel import Explorer
    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui


@pytest.fixture
def panel(window: MainWindow, project: Path) -> Explorer:
    window.app.open_project(project, live=False)
    found: Any = window.show_panel("explorer.panel")
    assert wait_idle(window)
    return found


def answer(panel: Explorer, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(panel.file_actions, "_ask", lambda *_: name)


def select(panel: Explorer, window: MainWindow, path: Path) -> None:
    panel.reveal(path)
    assert wait_idle(window)
    assert panel.current_path() == path


def test_new_files_appear_and_open(panel, window, project, monkeypatch):
    answer(panel, monkeypatch, "seed.py")
    select(panel, window, project / "config")
    window.app.commands.run("explorer.new_file", {})
    assert wait_idle(window)
    assert (project / "config" / "seed.py").is_file()
    assert window.app.window.active_view().title() == "seed.py"
    assert panel.current_path() == project / "config" / "seed.py"


def test_renaming_by_key_takes_the_unsaved_text_along(panel, window, project, monkeypatch):
    window.open(project / "model.py", "", {})
    document = window.app.project.documents.get(project / "model.py")
    document.set_text("unsaved\n")
    answer(panel, monkeypatch, "net.py")
    select(panel, window, project / "model.py")
    panel.files.setFocus()
    QTest.keyClick(panel.files, Qt.Key.Key_F2)
    assert wait_idle(window)
    assert document.path == project / "net.py"
    assert document.text == "unsaved\n"
    assert document.dirty
    document.save()
    assert (project / "net.py").read_text() == "unsaved\n"
    assert not (project / "model.py").exists()


def test_deleting_asks_and_can_be_undone(panel, window, project, monkeypatch, tmp_path):
    asked: list[str] = []

    def ask(title: str, _question: str, choices: list[str], _default: str) -> str:
        asked.append(title)
        return choices[0] if len(asked) > 1 else ""

    def trash(path: Path) -> tuple[bool, str]:
        place = tmp_path / "trash" / "files" / path.name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(path, place)
        return True, str(place)

    monkeypatch.setattr(window.app.window, "ask", ask)
    # The module as the plugin was loaded, which may be another one than the test's.
    monkeypatch.setitem(panel.file_actions.delete.__func__.__globals__, "move_to_trash", trash)
    told: list[tuple[str, dict[str, Any]]] = []
    monkeypatch.setattr(
        panel.studio, "notify", lambda message, **more: told.append((message, more))
    )
    select(panel, window, project / "README.md")
    panel.change("delete")
    assert (project / "README.md").exists()
    panel.change("delete")
    assert not (project / "README.md").exists()
    ((message, more),) = told
    assert message == "README.md is in the trash."
    more["actions"]["Undo"]()
    assert (project / "README.md").read_text() == "# A project\n"
    assert wait_idle(window)


def test_without_a_trash_one_is_asked_once_more(panel, window, project, monkeypatch):
    answers = ["Move to the trash", "", "Move to the trash", "Delete for good"]
    asked: list[str] = []

    def ask(title: str, _question: str, choices: list[str], _default: str) -> str:
        asked.append(title)
        assert answers[0] in ("", *choices)
        return answers.pop(0)

    monkeypatch.setattr(window.app.window, "ask", ask)
    monkeypatch.setitem(
        panel.file_actions.delete.__func__.__globals__, "move_to_trash", lambda _path: (False, "")
    )
    outside = project.parent / "outside"
    outside.mkdir()
    (outside / "kept.txt").write_text("kept")
    (project / "config" / "link").symlink_to(outside)
    select(panel, window, project / "config")
    panel.files.setFocus()
    QTest.keyClick(panel.files, Qt.Key.Key_Delete)
    assert wait_idle(window)
    assert (project / "config" / "base.yaml").exists(), "the answer was no"
    QTest.keyClick(panel.files, Qt.Key.Key_Delete)
    assert wait_idle(window)
    assert not (project / "config").exists()
    assert not panel.tree.index_of(project / "config").isValid()
    assert (outside / "kept.txt").read_text() == "kept"
    assert asked[1] == "config cannot be moved to the trash. Delete it for good?"


def test_what_vanished_while_it_is_shown_is_said(panel, window, project, monkeypatch):
    select(panel, window, project / "README.md")
    (project / "README.md").unlink()
    monkeypatch.setattr(window.app.window, "ask", lambda *_: "Move to the trash")
    monkeypatch.setattr(panel.file_actions, "_ask", lambda *_: "other.md")
    for how in ("delete", "rename", "duplicate"):
        panel.change(how)
        assert wait_idle(window)
    panel.files.activated.emit(panel.files.currentIndex())
    told = [label.text() for label in window.findChildren(QLabel)]
    assert "README.md is not there any more." in told
    assert "README.md is not there any more, or leads nowhere." in told
    assert f"{project / 'README.md'}: No such file or directory." in told


def test_what_comes_back_overwrites_nothing(tmp_path):
    (tmp_path / "old").write_text("old")
    (tmp_path / "a").write_text("new")
    with pytest.raises(StudioError, match="exists already"):
        bring_back(tmp_path / "old", tmp_path / "a")
    assert (tmp_path / "a").read_text() == "new"


def test_a_terminal_is_started_in_the_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(fileactions.sys, "platform", "linux")
    monkeypatch.setattr(
        fileactions.shutil, "which", lambda name: f"/usr/bin/{name}" if name == "konsole" else None
    )
    assert terminal_command(tmp_path) == ["/usr/bin/konsole", "--workdir", str(tmp_path)]
    monkeypatch.setattr(fileactions.shutil, "which", lambda _name: None)
    assert terminal_command(tmp_path) is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names are POSIX")
def test_what_is_no_file_holds_up_nobody(window, project):
    """Who opens a pipe waits for somebody to write: neither a scan nor a click may do so."""
    os.mkfifo(project / "pipe.py")
    os.mkfifo(project / "trace_view.json")
    (project / "endless.log").symlink_to("/dev/zero")
    (project / "gone.py").symlink_to("nowhere")
    window.app.open_project(project, live=True)
    panel: Any = window.show_panel("explorer.panel")
    assert wait_idle(window, 20)
    assert "pipe.py" not in window.app.project.files.names
    for name in ("pipe.py", "trace_view.json", "endless.log", "gone.py"):
        index = panel.tree.index_of(project / name)
        assert index.isValid(), "shown all the same"
        panel.files.setCurrentIndex(index)
        panel.files.activated.emit(index)
        assert wait_idle(window, 10)
    assert window.centre.pages() == []
    told = [label.text() for label in window.findChildren(QLabel)]
    assert "pipe.py is a pipe, a socket or a device, and no file." in told
    assert "gone.py is not there any more, or leads nowhere." in told
    os.mkfifo(project / "later.py")
    window.app.project.files_changed.emit(frozenset({project / "later.py"}))
    assert wait_idle(window, 20)
    assert "later.py" not in window.app.project.files.names


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_ignored_files_are_grey_or_hidden(window, project):
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    (project / ".gitignore").write_text("*.yaml\n!base.yaml\n/out/\n")
    (project / "out").mkdir()
    (project / "out" / "log.txt").write_text("")
    window.app.open_project(project, live=False)
    panel: Any = window.show_panel("explorer.panel")
    panel.reveal(project / "config" / "base.yaml")
    assert wait_idle(window)

    def shown(name: str) -> bool:
        return panel.tree.index_of(project / name).isValid()

    muted = current_theme().colour("muted")
    large = panel.tree.index_of(project / "config" / "large.yaml")
    assert large.data(Qt.ItemDataRole.ForegroundRole) == muted
    assert panel.tree.index_of(project / "out").data(Qt.ItemDataRole.ForegroundRole) == muted
    window.app.settings.set("explorer.hide_ignored", True)
    assert wait_idle(window)
    names = ("config/large.yaml", "out", "config/base.yaml", ".gitignore", "train.py")
    assert [shown(name) for name in names] == [False, False, True, True, True]
    (project / ".gitignore").write_text("train.py\n")
    window.app.project.files_changed.emit(frozenset({project / ".gitignore"}))
    QTest.qWait(700)  # git is asked once it is quiet
    assert wait_idle(window)
    assert [shown(name) for name in names] == [True, True, True, True, False]
    window.app.settings.set("explorer.hide_ignored", False)
    assert wait_idle(window)
    assert shown("train.py")


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_colours_of_git(window, project):
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    window.app.open_project(project, live=False)
    panel: Any = window.show_panel("explorer.panel")
    assert wait_idle(window)
    index = panel.tree.index_of(project / "train.py")
    assert "not tracked" in index.data(Qt.ItemDataRole.ToolTipRole)
    assert index.data(Qt.ItemDataRole.ForegroundRole) is not None
    window.app.settings.set("explorer.git", False)
    assert wait_idle(window)
    assert index.data(Qt.ItemDataRole.ForegroundRole) is None


def test_the_trash_of_the_system_gives_back_what_it_took(tmp_path, monkeypatch):
    (tmp_path / "data").mkdir()
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    path = tmp_path / "run" / "log.txt"
    path.parent.mkdir()
    path.write_text("text")
    moved, place = fileactions.move_to_trash(path)
    if not moved or not place:
        pytest.skip("this system has no trash, or does not tell where it is")
    assert not path.exists()
    bring_back(Path(place), path)
    assert path.read_text() == "text"
    assert not list((tmp_path / "data").rglob("*.trashinfo"))


def menu_of(panel: Explorer, window: MainWindow, path: Path) -> dict[str, QAction]:
    select(panel, window, path)
    place = panel.files.visualRect(panel.files.currentIndex()).center()
    panel.files.customContextMenuRequested.emit(place)
    menu = next(menu for menu in panel.findChildren(QMenu) if menu.isVisible())
    return {action.text(): action for action in menu.actions() if action.text()}


def test_the_menu_of_a_file_offers_what_can_be_done(panel, window, project, monkeypatch):
    started: list[Path] = []
    monkeypatch.setattr(panel.file_actions, "open_terminal", started.append)
    actions = menu_of(panel, window, project / "config" / "base.yaml")
    assert {
        "Open", "New file…", "New folder…", with_keys("Rename…", "F2"), "Duplicate", "Copy path",
        with_keys("Move to the trash", "Del"), "Copy relative path", "Show in the file manager",
        "Open a terminal here",
    } <= set(actions)  # fmt: skip
    clipboard = QGuiApplication.clipboard()
    actions["Copy path"].trigger()
    assert clipboard.text() == str(project / "config" / "base.yaml")
    actions["Copy relative path"].trigger()
    assert clipboard.text() == "config/base.yaml"
    actions["Open a terminal here"].trigger()
    assert started == [project / "config"]
    actions["Duplicate"].trigger()
    assert wait_idle(window)
    assert (project / "config" / "base copy.yaml").read_text() == "steps: 10\n"
    answer(panel, monkeypatch, "deep/er")
    menu_of(panel, window, project / "config")["New folder…"].trigger()
    assert wait_idle(window)
    assert (project / "config" / "deep" / "er").is_dir()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="names of bytes are Linux's")
def test_a_name_of_odd_bytes_is_copied_renamed_and_deleted(window, project, monkeypatch):
    path = Path(os.fsdecode(os.fsencode(project) + b"/bad\xff 1\n.py"))
    path.write_text("1\n")
    window.app.open_project(project, live=False)
    panel: Any = window.show_panel("explorer.panel")
    assert wait_idle(window)
    actions = menu_of(panel, window, path)
    actions["Copy path"].trigger()
    text = QGuiApplication.clipboard().text()
    assert text == f"{project}/bad\ufffd 1\n.py"
    answer(panel, monkeypatch, "good.py")
    panel.change("rename")
    assert wait_idle(window)
    assert (project / "good.py").read_text() == "1\n"
    assert not path.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="names are bytes on Linux")
def test_a_name_that_is_no_utf8_is_never_taken_for_another(tmp_path, qapp, monkeypatch):
    asked: list[str] = []

    class Trash(fileactions.QFile):
        def moveToTrash(self) -> bool:
            asked.append(self.fileName())
            return True

    monkeypatch.setattr(fileactions, "QFile", Trash)
    odd = Path(os.fsdecode(os.fsencode(tmp_path / "data") + b"\xff"))
    for path in (tmp_path / "data", odd):
        path.write_text("")
    assert fileactions.move_to_trash(odd) == (False, "")
    assert asked == []
    assert fileactions.move_to_trash(tmp_path / "data")[0]
    assert asked == [str(tmp_path / "data")]
    tree = FolderTree(lambda _folder: None, lambda _entry: ("file", "text"))
    tree.set_root(tmp_path)
    tree.take(tmp_path, list_folder(tmp_path))
    urls = tree.mimeData([tree.index_of(odd), tree.index_of(tmp_path / "data")]).urls()
    assert [bytes(url.toEncoded().data()) for url in urls] == [
        f"file://{tmp_path}/data%FF".encode(),
        f"file://{tmp_path}/data".encode(),
    ]
