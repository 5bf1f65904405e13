"""Before a plugin is installed, the window says what the folder or zip file holds."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

import pytest
from PySide6.QtWidgets import QMessageBox

from studio.paths import user_plugins_dir

if TYPE_CHECKING:
    from pathlib import Path

    from studio.ui.plugin_page import PluginPage
    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui

MANIFEST = """title = "Token counter"
description = "Counts tokens."
version = "0.3"
api = 1
"""


@pytest.fixture
def page(window: MainWindow) -> PluginPage:
    window.app.commands.start("studio.plugins", {})
    return window.centre.active().view


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    path = tmp_path / "counter.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("counter/plugin.toml", MANIFEST)
        archive.writestr("counter/__init__.py", "x" * (2048 - len(MANIFEST)))
    return path


def answer(monkeypatch: pytest.MonkeyPatch, said: list[tuple[str, str]], *, yes: bool) -> None:
    def exec_(box: QMessageBox) -> int:
        said.append((box.text(), box.informativeText()))
        (box.buttons()[0] if yes else box.escapeButton()).click()
        return 0

    monkeypatch.setattr(QMessageBox, "exec", exec_)


def test_a_zip_file_is_read_before_it_is_installed(
    page: PluginPage, packed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[tuple[str, str]] = []
    answer(monkeypatch, said, yes=True)
    page.offer(packed)
    title, facts = said[0]
    assert title == "Install Token counter?"
    assert "Counts tokens." in facts
    assert "counter · version 0.3 · 2 files · 2 KiB" in facts
    assert (user_plugins_dir() / "counter" / "plugin.toml").is_file()
    assert page.selected().id == "counter"
    page.offer(packed)
    assert "It takes the place of the one that is installed." in said[1][1]


def test_nothing_is_installed_without_the_users_word(
    page: PluginPage, packed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[tuple[str, str]] = []
    answer(monkeypatch, said, yes=False)
    page.offer(packed)
    assert len(said) == 1
    assert not (user_plugins_dir() / "counter").exists()


def test_what_is_no_plugin_is_told_without_a_question(
    page: PluginPage, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[tuple[str, str]] = []
    answer(monkeypatch, said, yes=True)
    path = tmp_path / "nothing.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a/readme.txt", "x")
    page.offer(path)
    assert said == []
    assert any("nothing.zip cannot be installed" in n.message for n in window.notices.shown)
