"""Names of files and folders are shown as they are, whatever letters are in them."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox

from studio.ui.idle import wait_idle

if TYPE_CHECKING:
    from pathlib import Path

    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui


def test_an_ampersand_marks_no_letter(window: MainWindow, tmp_path: Path) -> None:
    root = tmp_path / "R&D"
    root.mkdir()
    (root / "a&b.py").write_text("x = 1\n")
    window.projects.open(root)
    window.open(root / "a&b.py", "", {})
    assert wait_idle(window)
    assert window.status.project.text() == "R&&D"
    assert window.centre.active().title() == "a&b.py"
    assert window.windowTitle().startswith("a&b.py — R&D")


def test_a_question_shows_tags_as_text(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[QMessageBox] = []
    monkeypatch.setattr(QMessageBox, "exec", lambda box: seen.append(box))
    assert window.app.window.ask("Which?", "<b>x</b>.py", ["one"], "one") == ""
    assert [box.textFormat() for box in seen] == [Qt.TextFormat.PlainText]


@pytest.mark.skipif(sys.platform != "linux", reason="names are bytes on Linux")
def test_names_that_are_no_utf8_can_be_opened(window: MainWindow, tmp_path: Path) -> None:
    raw = os.fsencode(tmp_path) + b"/\xd6\xd0.py"
    with open(raw, "wb") as stream:
        stream.write(b"x = 1\n")
    window.projects.open(tmp_path)
    assert wait_idle(window)
    path = next(item.path for item in window.app.project.items if item.kind == "script")
    window.open(path, "", {})
    assert wait_idle(window)
    assert window.centre.active().title() == "\ufffd\ufffd.py"
    assert window.app.project.documents.get(path).text == "x = 1\n"


@pytest.mark.parametrize(("default", "answer"), [("Go", "Go"), ("", "")])
def test_enter_gives_the_default_answer_and_none_without_one(
    window: MainWindow, default: str, answer: str
) -> None:
    shown: list[bool] = []

    def press() -> None:
        box = window.findChild(QMessageBox)
        shown.append(box is not None)
        if box is not None:
            QTest.keyClick(box, Qt.Key.Key_Return)

    QTimer.singleShot(50, window, press)
    assert window.app.window.ask("Title", "Question?", ["Go", "Stay"], default) == answer
    assert shown == [True]
