"""Replacing in many files goes on in the background: the window answers meanwhile."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QTimer

from studio.model import changes
from studio.ui.idle import wait_idle

if TYPE_CHECKING:
    from pathlib import Path

    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui

FILES, TICKS = 60, 10


def texts(folder: Path) -> set[str]:
    return {path.read_text() for path in folder.iterdir()}


def test_the_window_is_served_while_many_files_are_changed_and_changed_back(
    window: MainWindow, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = project / "many"
    folder.mkdir()
    for number in range(FILES):
        (folder / f"f{number:03}.py").write_text("x = 'needle'\n")
    window.app.open_project(project)
    panel: Any = window.show_panel("search.panel")
    window.app.commands.run("search.replace", {})
    panel.form.what.setText("needle")
    panel.form.by.setText("thread")
    assert wait_idle(window, 30)
    assert sum(len(group.rows) for group in panel.model.groups) == FILES
    # The twentieth write waits until the event loop has ticked; on the same thread it never would.
    served = threading.Event()
    waited: list[bool] = []
    progress: list[float] = []
    ticks, writes = 0, 0
    write_atomic = changes.write_atomic

    def tick() -> None:
        nonlocal ticks
        ticks += bool(writes)
        progress.extend(job.progress or 0 for job in window.app.jobs.active())
        if ticks == TICKS:
            served.set()

    def write(path: Path, data: bytes) -> None:
        nonlocal writes
        writes += 1
        if writes == 20:
            waited.append(served.wait(20))
        write_atomic(path, data)

    monkeypatch.setattr(changes, "write_atomic", write)
    timer = QTimer(window.parent(), interval=5)
    timer.timeout.connect(tick)
    timer.start()
    for wanted in ("thread", "needle"):
        ticks = writes = 0
        served.clear()
        progress.clear()
        if wanted == "thread":
            panel.form.button.click()
        else:
            undo = window.app.project.history[-1]
            window.app.project.undo_later(undo, done=lambda: None, failed=pytest.fail)
        assert wait_idle(window, 60)
        assert waited.pop()
        assert max(progress) > 0.5  # it was seen in the middle of writing
        assert writes == FILES
        assert texts(folder) == {f"x = '{wanted}'\n"}
    timer.stop()
    assert len(window.app.project.history) == 1
    assert window.app.project.history[0].undone
