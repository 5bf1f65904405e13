"""Changes on disk seen from the window: storms of them, and systems without room for a watch."""

from __future__ import annotations

import errno
import os
import time
from typing import TYPE_CHECKING, Any

import pytest
from watchdog.observers import Observer

from plugins.explorer.ui.panel import Explorer
from studio.ui.idle import wait_idle

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui


class Refusing(Observer):  # type: ignore[misc, valid-type]
    """What the system answers at fs.inotify.max_user_watches."""

    def schedule(self, *_: Any, **__: Any) -> Any:
        """Refuse."""
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def wait(window: MainWindow, holds: Callable[[], bool]) -> bool:
    """Deliver events until something holds."""
    end = time.monotonic() + 15
    while not holds() and time.monotonic() < end:
        wait_idle(window, 0.1)
    return holds()


def test_the_limit_is_told_once_and_open_files_are_followed(
    window: MainWindow, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studio.model.watch_folders._make_observer", Refusing)
    window.app.open_project(project)
    view: Any = window.open(project / "config" / "base.yaml", "editor.text", {})

    def told() -> list[str]:
        return [n.message for n in window.notices.shown if "cannot watch" in n.message]

    assert wait(window, lambda: bool(told()))
    assert "No space left on device" in told()[0]
    assert wait_idle(window)
    (project / "config" / "base.yaml").write_text("steps: 11\n")
    assert wait(window, lambda: view.edit.text() == "steps: 11\n")
    (project / "new.py").write_text("x = 1\n")
    assert wait(window, lambda: project / "new.py" in window.app.project.files.paths())
    assert len(told()) == 1


def test_a_storm_in_open_folders_is_shown_as_it_is_on_disk(
    window: MainWindow, project: Path
) -> None:
    folders = [project / f"d{n // 10}" / f"e{n % 10}" for n in range(60)]
    for folder in folders:
        folder.mkdir(parents=True)
        (folder / "old.txt").touch()
    window.app.open_project(project)
    assert wait_idle(window)
    explorer = window.findChildren(Explorer)[0]

    def shown(folder: Path) -> list[str]:
        index = explorer.tree.index_of(folder)
        tree = explorer.tree
        return [tree.index(row, 0, index).data() for row in range(tree.rowCount(index))]

    for _ in range(3):
        explorer.files.expandAll()
        assert wait_idle(window)
    assert [shown(folder) for folder in folders] == [["old.txt"]] * 60
    started: list[int] = []
    window.app.jobs.changed.connect(lambda job: started.append(job.id))
    for number in range(1800):
        (folders[number % 60] / f"n{number:04}.py").touch()
        if number % 60 == 0:
            wait_idle(window, 0.01)
    for folder in folders[:30]:
        (folder / "old.txt").unlink()
    assert wait(window, lambda: all(sorted(shown(f)) == sorted(os.listdir(f)) for f in folders))
    assert wait_idle(window)
    assert shown(folders[0]) == [f"n{n:04}.py" for n in range(0, 1800, 60)]
    assert shown(folders[59]) == [*(f"n{n:04}.py" for n in range(59, 1800, 60)), "old.txt"]
    assert len(set(started)) < 60  # each folder by itself would be sixty each time
