"""Saving to a slow disk: the window goes on, says so, and waits only where it must."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QLabel, QProgressDialog, QPushButton

from studio.model import saving
from studio.ui.idle import wait_idle

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui


class Disk:
    """A disk that writes only once one lets it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.open = threading.Event()
        self._write = saving.write_atomic
        monkeypatch.setattr(saving, "write_atomic", self.write)

    def write(self, path: Path, data: bytes) -> None:
        """Write as soon as the disk is open."""
        assert self.open.wait(20)
        self._write(path, data)


@pytest.fixture
def view(window: MainWindow, project: Path) -> Any:
    window.app.open_project(project)
    assert wait_idle(window)
    return window.open(project / "train.py", "editor.text", {})


@pytest.fixture
def disk(view: Any, monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(monkeypatch)


def wait(window: MainWindow, holds: Callable[[], bool]) -> bool:
    end = time.monotonic() + 20
    while not holds() and time.monotonic() < end:
        window.pump()
        QApplication.processEvents()
        time.sleep(0.005)
    return holds()


def dialog() -> QProgressDialog | None:
    found = (w for w in QApplication.topLevelWidgets() if isinstance(w, QProgressDialog))
    return next((w for w in found if w.isVisible()), None)


def when_waiting(act: Callable[[QProgressDialog], object]) -> list[str]:
    """Act on the progress as soon as it is shown, and note what it says."""
    said: list[str] = []

    def look() -> None:
        shown = dialog()
        if shown is None:
            QTimer.singleShot(20, look)
            return
        said.append(shown.labelText())
        act(shown)

    QTimer.singleShot(0, look)
    return said


def test_the_window_goes_on_and_says_what_it_saves(
    window: MainWindow, view: Any, disk: Disk
) -> None:
    path, before = view.document.path, view.edit.text()
    label = next(
        w for w in window.status.findChildren(QLabel) if type(w).__name__ == "SavingStatus"
    )
    view.edit.replace(0, 0, "# one\n")
    window.actions_.run("studio.save")
    assert wait(window, label.isVisible)
    assert label.text() == "Saving train.py…"
    view.edit.replace(0, 0, "# two\n")
    window.actions_.run("studio.save")
    view.edit.replace(0, 0, "# three\n")
    assert view.is_dirty()
    assert path.read_text(encoding="utf-8") == before
    disk.open.set()
    assert wait_idle(window)
    assert not label.isVisible()
    assert path.read_text(encoding="utf-8") == "# three\n# two\n# one\n" + before
    assert not view.is_dirty()
    assert view.bars.outside.text() == ""


def test_closing_waits_for_the_disk(window: MainWindow, view: Any, disk: Disk) -> None:
    path, before = view.document.path, view.edit.text()
    view.edit.replace(0, 0, "# one\n")
    view.save()
    page = window.centre.page_of(view)
    said = when_waiting(lambda shown: shown.findChild(QPushButton).click())
    assert not window.centre.close_page(page), "one need not wait, then the tab stays"
    assert said == ["Saving train.py…"]
    said = when_waiting(lambda _shown: disk.open.set())
    assert window.centre.close_page(page)
    assert said == ["Saving train.py…"]
    assert path.read_text(encoding="utf-8") == "# one\n" + before
    assert wait_idle(window)


def test_what_runs_next_finds_the_saved_text(window: MainWindow, view: Any, disk: Disk) -> None:
    path, before = view.document.path, view.edit.text()
    view.edit.replace(0, 0, "# one\n")
    QTimer.singleShot(100, disk.open.set)
    window.app.commands.run("studio.save_all", {"wait": True})
    assert path.read_text(encoding="utf-8") == "# one\n" + before


def test_a_tab_closed_without_a_question_is_written_first(
    window: MainWindow, view: Any, disk: Disk
) -> None:
    path, before = view.document.path, view.edit.text()
    view.edit.replace(0, 0, "# one\n")
    view.save()
    threading.Timer(0.1, disk.open.set).start()
    window.centre.close_page(window.centre.page_of(view), ask=False)
    assert wait_idle(window)
    assert path.read_text(encoding="utf-8") == "# one\n" + before
    assert window.app.project.documents.all() == []


def test_another_file_in_utf8_leaves_the_first_one_alone(
    window: MainWindow, view: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, before = view.document.path, view.document.path.read_bytes()
    view.document.reopen("latin-1")
    view.edit.replace(0, 0, "# 训练\n")
    view.binding.flush()
    monkeypatch.setattr(window.app.window, "ask", lambda *_args: "Save as UTF-8")
    copy = path.with_name("copy.py")
    view.saver.save_as(copy)
    assert wait_idle(window)
    assert copy.read_text(encoding="utf-8").endswith("# 训练\n" + before.decode("latin-1"))
    assert path.read_bytes() == before
    assert (view.document.path, view.document.encoding) == (copy, "utf-8")


def test_no_text_is_saved_over_one_that_is_open(window: MainWindow, view: Any) -> None:
    other = view.document.path.with_name("model.py")
    other_view = window.open(other, "editor.text", {})
    other_view.edit.replace(0, 0, "# mine\n")
    before = other.read_bytes()
    view.saver.save_as(other)
    assert wait_idle(window)
    assert other.read_bytes() == before
    assert view.document.path.name == "train.py"
    assert other_view.edit.text().startswith("# mine\n")
    assert view.saver.save_now()


def test_what_is_saved_while_the_file_is_read_again_stays(
    window: MainWindow, view: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from plugins.editor.ui import rereading

    monkeypatch.setattr(rereading, "is_long", lambda _path: True)
    document, before = view.document, view.edit.text()
    view.edit.replace(0, 0, "# 训练\n")
    view.binding.flush()
    rereading.reread(view, "latin-1")
    view.save()
    assert wait_idle(window)
    assert document.path.read_text(encoding="utf-8") == "# 训练\n" + before
    assert (document.text, document.encoding) == ("# 训练\n" + before, "utf-8")
    assert not view.is_dirty()


def test_a_file_renamed_while_it_is_saved_has_one_name(
    window: MainWindow, view: Any, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    from plugins.explorer.ui.fileactions import FileActions

    path, before = view.document.path, view.edit.text()
    view.edit.replace(0, 0, "# one\n")
    view.save()
    threading.Timer(0.05, disk.open.set).start()
    monkeypatch.setattr(FileActions, "_ask", lambda *_args: "fit.py")
    actions = FileActions(view.studio, window, lambda _path: None)
    actions.rename(path)
    assert wait_idle(window)
    assert not path.exists()
    assert path.with_name("fit.py").read_text(encoding="utf-8") == "# one\n" + before
    assert (view.document.path.name, view.is_dirty()) == ("fit.py", False)


@pytest.mark.parametrize("end", ["project", "window"])
def test_what_was_not_to_be_saved_does_not_come_back(
    window: MainWindow, view: Any, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    app, path, before = window.app, view.document.path, view.edit.text()
    view.edit.replace(0, 0, "# one\n")
    view.binding.flush()
    kept = app.project.store.folder / "journal"
    assert wait(window, lambda: bool(list(kept.glob("*/*.unsaved"))))
    monkeypatch.setattr(app.window, "ask", lambda *_args: "Don't save")
    if end == "project":
        assert window.projects.close()
    else:
        assert window.close()
        app.close_project()
    assert list(kept.glob("*/*.unsaved")) == []
    assert path.read_text(encoding="utf-8") == before
