"""A system without room for another watch: said once, and what is open is followed all the same."""

from __future__ import annotations

import errno
import os
import time
from typing import TYPE_CHECKING, Any

import pytest
from watchdog.observers import Observer

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
