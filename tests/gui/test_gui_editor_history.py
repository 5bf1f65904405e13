"""Earlier versions of a file, in the core and in the real window."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from plugins.editor.core.history import (
    LARGEST,
    VERSIONS,
    History,
    committed,
    keep_version,
    to_keep,
)
from plugins.editor.ui.earlier import bring_back, compare_version, history_of, show_committed
from studio.kernel.errors import StudioError
from studio.kernel.files import write_atomic
from studio.ui.idle import wait_idle

if TYPE_CHECKING:
    from pathlib import Path

    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui


def test_what_is_overwritten_is_kept_once_and_not_for_ever(tmp_path: Path) -> None:
    history, path = History(tmp_path / "history"), tmp_path / "a.py"
    for number in range(VERSIONS + 5):
        data = b"version %d\r\n" % number
        history.keep_bytes(path, data, now=1000.0 + number)
        history.keep_bytes(path, data, now=2000.0 + number)
    found = history.versions(path)
    assert len(found) == VERSIONS
    assert [version.until for version in found[:2]] == [1054.0, 1053.0]
    assert found[0].path.read_bytes() == b"version 54\r\n"
    assert found[0].path.suffix == ".py"
    assert history.versions(tmp_path / "b.py") == []


@pytest.mark.parametrize("twice", [False, True])
def test_what_a_save_replaced_can_be_read_afterwards(tmp_path: Path, twice: bool) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"old\n")
    if twice:
        os.link(path, tmp_path / "b.py")
    before = to_keep(path)
    assert before is not None
    write_atomic(path, b"new\n")
    keep_version(tmp_path / "history", path, before)
    (kept,) = History(tmp_path / "history").versions(path)
    assert kept.path.read_bytes() == b"old\n"


def test_huge_and_absent_files_have_no_history(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    assert to_keep(path) is None
    with path.open("wb") as file:
        file.truncate(LARGEST + 1)
    assert to_keep(path) is None
    assert to_keep(tmp_path) is None


def test_a_saved_over_version_is_compared_and_comes_back(window: MainWindow, project: Path):
    window.app.open_project(project, live=False)
    view: Any = window.open(project / "model.py", "", {})
    before = view.edit.text()
    for text in ("first\n", "second\n"):
        view.edit.replace_text(text)
        assert view.save_now()
        assert wait_idle(window)
    versions = history_of(window.app.project).versions(project / "model.py")
    assert [v.path.read_text() for v in versions] == ["first\n", before]
    bring_back(view, versions[1])
    assert wait_idle(window)
    assert view.edit.text() == before
    assert (project / "model.py").read_text() == "second\n"
    view.edit.undo()
    assert view.edit.text() == "second\n"
    compare_version(view, versions[0])
    assert wait_idle(window)
    shown: Any = window.app.window.active_view()
    assert shown.title().startswith("model.py until ")
    assert (shown.diff.left.text().strip("\n"), shown.diff.right.text().strip("\n")) == (
        "first",
        "second",
    )


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_the_committed_version_is_compared(window: MainWindow, project: Path, tmp_path: Path):
    def git(*arguments: str) -> None:
        command = ["git", "-C", str(project), "-c", "user.name=a", "-c", "user.email=a@b.c"]
        subprocess.run([*command, *arguments], check=True, capture_output=True)

    with pytest.raises(StudioError, match="never committed"):
        committed(project / "train.py", tmp_path / "kept")
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "first")
    window.app.open_project(project, live=False)
    view: Any = window.open(project / "config" / "base.yaml", "", {})
    view.edit.replace_text("steps: 20\n")
    show_committed(view)
    assert wait_idle(window)
    shown: Any = window.app.window.active_view()
    assert (shown.diff.left.text().strip("\n"), shown.diff.right.text().strip("\n")) == (
        "steps: 10",
        "steps: 20",
    )
