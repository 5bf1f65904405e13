"""Files that change under the editor, by way of the real watcher."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from studio.ui.idle import wait_idle

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui

SECONDS = 5
"""A busy machine gets more than the second that a user notices."""


class Play:
    """The case's script on a folder of a live project, with its file open."""

    def __init__(self, window: MainWindow, root: Path, script: Path) -> None:
        self.window = window
        self.root = root
        self.folder = root / "play"
        self.script = script
        self.step("init")
        window.app.open_project(root)
        assert wait_idle(window)
        view: Any = window.open(self.folder / "a.py", "editor.text", {})
        self.view = view
        wait_idle(window)

    def step(self, name: str) -> None:
        """Run one step of the script."""
        command = [sys.executable, str(self.script), str(self.folder), name]
        subprocess.run(command, check=True)

    def wait(self, holds: Callable[[], bool]) -> bool:
        """Deliver events until something holds."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            self.window.pump()
            wait_idle(self.window, 0.2)
            if holds():
                return True
        return False

    def later(self) -> bool:
        """Wait until the watcher has told of something that happened after all else."""
        other = self.root / "other.py"
        other.write_text("x = 1\n")
        return self.wait(lambda: other in self.window.app.project.files.paths())

    def shows(self, text: str) -> bool:
        """Wait until the editor shows a text."""
        return self.wait(lambda: self.view.edit.text() == text)


@pytest.fixture
def play(open_window: Callable[..., MainWindow], tmp_path: Path, cases: Path) -> Play:
    root = tmp_path / "project"
    root.mkdir()
    script = cases / "A32-file-changed-under-the-editor" / "input" / "play.py"
    return Play(open_window(), root, script)


@pytest.fixture
def expected(cases: Path) -> dict[str, Any]:
    text = (cases / "A32-file-changed-under-the-editor" / "expected.json").read_text()
    found: dict[str, Any] = json.loads(text)
    return found


@pytest.mark.parametrize("step", ["in_place", "atomic", "backup_rename", "delete_create"])
def test_a_clean_editor_follows_its_file(play: Play, expected: dict[str, Any], step: str) -> None:
    play.step(step)
    assert play.shows(expected["text_after"][step])
    assert not play.view.is_dirty()
    assert play.view.bars.outside.text() == ""
    assert play.view.edit.can_undo()


def test_many_quick_writes_give_few_refreshes(play: Play, expected: dict[str, Any]) -> None:
    seen: list[int] = []
    play.view.document.changed.connect(lambda document: seen.append(document.version))
    play.step("burst")
    assert play.shows(expected["text_after"]["burst"])
    assert len(set(seen)) <= expected["refresh_after_burst_at_most"]


def test_touching_a_file_changes_nothing(play: Play) -> None:
    version = play.view.document.version
    play.step("touch")
    assert play.later()
    assert play.view.document.version == version
    assert not play.view.is_dirty()


def test_saving_from_inside_raises_no_bar(play: Play) -> None:
    play.view.edit.replace(0, 0, "# saved here\n")
    assert play.view.save_now()
    assert play.later()
    assert play.view.bars.outside.text() == ""


def test_unsaved_work_meets_a_newer_file(play: Play) -> None:
    play.view.edit.replace(0, 0, "# mine\n")
    play.view.binding.flush()
    play.step("atomic")
    assert play.wait(lambda: bool(play.view.bars.outside.text()))
    assert play.view.edit.text() == "# mine\nv = 0\n"
    play.view.bars.outside.buttons()["Keep mine"].click()
    assert play.view.is_dirty()


def test_a_deleted_file_stays_open_and_is_marked(play: Play) -> None:
    play.step("delete")
    assert play.wait(lambda: "deleted" in play.view.bars.outside.text())
    assert play.view.edit.text() == "v = 0\n"
    play.view.bars.outside.buttons()["Save"].click()
    assert wait_idle(play.window)
    assert (play.folder / "a.py").read_text() == "v = 0\n"


def test_a_renamed_folder_takes_the_tab_along_or_marks_it(play: Play) -> None:
    play.step("rename_dir")
    moved = play.root / "play_moved" / "a.py"
    assert play.wait(
        lambda: play.view.document.path == moved or "deleted" in play.view.bars.outside.text()
    )
    assert play.view.edit.text() == "v = 0\n"
