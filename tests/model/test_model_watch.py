"""Hearing of changes on disk: every way editors save, storms, limits, and no thread left."""

from __future__ import annotations

import inspect
import json
import logging
import queue
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
from watchdog.observers import Observer

from studio.model import watch_folders
from studio.model.document import Document, Outside
from studio.model.documents import Documents
from studio.model.watch import Changes, Watcher
from studio.model.watch_folders import plan_watches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

CASE = "A32-file-changed-under-the-editor"


class Desk:
    """A main thread in small: takes posted actions, documents follow the watcher."""

    def __init__(self, root: Path, **options: Any) -> None:
        self.posted: queue.SimpleQueue[Callable[[], object]] = queue.SimpleQueue()
        self.documents = Documents()
        self.conflicts: list[Document] = []
        self.documents.conflict.connect(self.conflicts.append)
        self.batches: list[Changes] = []
        self.notices: list[str] = []
        ready: list[bool] = []
        self.watcher = Watcher(
            root,
            self.take,
            post=self.posted.put,
            open_files=self.documents.paths,
            notice=self.notices.append,
            ready=lambda: ready.append(True),
            **options,
        )
        self.watcher.start()
        self.until(lambda: ready)

    def take(self, changes: Changes) -> None:
        self.batches.append(changes)
        self.documents.follow(changes.moves)
        self.documents.look_outside(changes.paths)

    def until(self, ready: Callable[[], object], seconds: float = 10) -> None:
        deadline = time.monotonic() + seconds
        while not ready():
            try:
                self.posted.get(timeout=max(deadline - time.monotonic(), 0.001))()
            except queue.Empty:
                raise AssertionError(self.batches) from None

    def settle(self, probe: Path) -> None:
        """Wait until what happened so far was delivered, and forget it."""
        probe.unlink(missing_ok=True)
        probe.write_text(str(time.monotonic_ns()))
        self.until(lambda: self.paths() & {probe, probe.parent})
        self.batches.clear()

    def paths(self) -> set[Path]:
        return {path for changes in self.batches for path in changes.paths}


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[..., Desk]]:
    desks: list[Desk] = []

    def make(root: Path = tmp_path, **options: Any) -> Desk:
        desks.append(Desk(root, **options))
        return desks[-1]

    yield make
    for desk in desks:
        desk.watcher.stop()
    names = [thread.name for thread in threading.enumerate()]
    assert not [name for name in names if "watch" in name.lower() or "inotify" in name.lower()]


def play(cases: Path, folder: Path, step: str) -> None:
    script = cases / CASE / "input" / "play.py"
    subprocess.run([sys.executable, str(script), str(folder), step], check=True)


def test_very_many_changes_are_told_in_parts_and_renames_once(tmp_path: Path) -> None:
    (tmp_path / "old.txt").touch()
    desk = Desk(tmp_path, quiet=0.3)
    try:
        wanted = {tmp_path / f"n{number}.txt" for number in range(1800)}
        (tmp_path / "old.txt").rename(tmp_path / "new.txt")
        for path in wanted:
            path.touch()
        desk.until(lambda: wanted | {tmp_path / "new.txt"} <= desk.paths())
    finally:
        desk.watcher.stop()
    assert max(len(changes.paths) for changes in desk.batches) <= 500
    moves = [move for changes in desk.batches for move in changes.moves]
    assert moves == [(tmp_path / "old.txt", tmp_path / "new.txt")]
    assert desk.batches[0].moves == tuple(moves)


def test_every_way_of_saving_is_noticed(
    cases: Path, tmp_path: Path, make: Callable[..., Desk]
) -> None:
    expected = json.loads((cases / CASE / "expected.json").read_text())
    folder = tmp_path / "d"
    play(cases, folder, "init")
    desk = make(folder)
    document = desk.documents.open(folder / "a.py")
    desk.settle(folder / "probe")
    for step in ("in_place", "atomic", "backup_rename", "delete_create"):
        play(cases, folder, step)
        desk.until(lambda: document.text == expected["text_after"][step])  # noqa: B023
        assert (document.path, document.dirty) == (folder / "a.py", False)
    desk.settle(folder / "probe")
    version = document.version
    play(cases, folder, "touch")
    desk.settle(folder / "probe")
    assert document.version - version == expected["touch_refresh"]
    play(cases, folder, "burst")
    desk.until(lambda: document.text == expected["text_after"]["burst"])
    assert document.version - version <= expected["refresh_after_burst_at_most"]
    assert desk.conflicts == []


def test_unsaved_work_is_asked_about(
    cases: Path, tmp_path: Path, make: Callable[..., Desk]
) -> None:
    folder = tmp_path / "d"
    play(cases, folder, "init")
    desk = make(folder)
    document = desk.documents.open(folder / "a.py")
    document.set_text("mine\n")
    document.save()
    document.set_text("mine again\n")
    desk.settle(folder / "probe")
    assert desk.conflicts == []
    play(cases, folder, "atomic")
    desk.until(lambda: desk.conflicts)
    assert (document.text, document.outside) == ("mine again\n", Outside.CHANGED)
    play(cases, folder, "delete")
    desk.until(lambda: document.outside is Outside.DELETED)
    assert document.text == "mine again\n"


def test_a_renamed_folder_is_followed_or_marked(
    cases: Path, tmp_path: Path, make: Callable[..., Desk]
) -> None:
    inner = tmp_path / "project" / "d"
    play(cases, inner, "init")
    desk = make(tmp_path / "project")
    document = desk.documents.open(inner / "a.py")
    desk.settle(tmp_path / "project" / "probe")
    play(cases, inner, "rename_dir")
    moved = tmp_path / "project" / "d_moved" / "a.py"
    desk.until(lambda: document.path == moved)
    assert document.outside is Outside.NOTHING
    (tmp_path / "project").rename(tmp_path / "gone")
    desk.until(lambda: document.outside is Outside.DELETED)


def test_skipped_folders_are_neither_watched_nor_told(
    tmp_path: Path, make: Callable[..., Desk]
) -> None:
    for name in ("src/a", "node_modules/p", ".git/objects", "src/__pycache__"):
        (tmp_path / name).mkdir(parents=True)
    assert plan_watches(tmp_path) == {tmp_path: False, tmp_path / "src": True}
    desk = make()
    desk.settle(tmp_path / "probe")
    for name in ("src/a/x.py", "node_modules/p/x.js", ".git/objects/x", "src/__pycache__/x.pyc"):
        (tmp_path / name).touch()
    (tmp_path / "new" / "inner").mkdir(parents=True)
    desk.until(lambda: {tmp_path / "new", tmp_path / "src/a/x.py"} <= desk.paths())
    told = {path.relative_to(tmp_path).as_posix() for path in desk.paths()}
    assert told <= {"src/a/x.py", "src/a", "new", "new/inner", "probe"}
    (tmp_path / "new" / "inner" / "y.py").touch()
    desk.until(lambda: tmp_path / "new" / "inner" / "y.py" in desk.paths())
    (tmp_path / "new").rename(tmp_path / "newer")
    desk.until(lambda: tmp_path / "newer" in desk.paths())
    (tmp_path / "newer" / "inner" / "z.py").touch()
    desk.until(lambda: tmp_path / "newer" / "inner" / "z.py" in desk.paths())


def test_many_split_folders_become_one_watch(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    for index in range(30):
        (tmp_path / f"p{index}").mkdir()
    assert plan_watches(tmp_path) == {tmp_path: True}


class Refusing(Observer):  # type: ignore[misc, valid-type]
    """An observer on a system without room for another watch."""

    code = 28

    def schedule(self, *args: Any, **kwargs: Any) -> Any:
        raise OSError(self.code, "inotify watch limit reached")


@pytest.mark.parametrize("code", [28, 24])
def test_at_the_limit_open_files_are_polled_and_it_is_said_once(
    tmp_path: Path, make: Callable[..., Desk], monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    monkeypatch.setattr(Refusing, "code", code)
    (tmp_path / "deep" / "er").mkdir(parents=True)
    file = tmp_path / "deep" / "er" / "a.py"
    file.write_text("v = 0\n")
    desk = make(observer=Refusing, tick=0.05)
    document = desk.documents.open(file)
    desk.until(lambda: desk.notices)
    assert "inotify watch limit reached" in desk.notices[0]
    assert desk.watcher.polling
    desk.settle(tmp_path / "probe")
    file.write_text("v = 1\n")
    desk.until(lambda: document.text == "v = 1\n")
    (tmp_path / "top.py").touch()
    desk.until(lambda: tmp_path in desk.paths())
    (tmp_path / "deep" / "b.py").touch()
    desk.until(lambda: tmp_path / "deep" in desk.paths())
    assert len(desk.notices) == 1


def test_open_files_outside_the_root_are_followed(
    tmp_path: Path, make: Callable[..., Desk]
) -> None:
    root, other = tmp_path / "root", tmp_path / "other.py"
    root.mkdir()
    other.write_text("v = 0\n")
    desk = make(root, tick=0.05)
    document = desk.documents.open(other)
    desk.settle(root / "probe")
    desk.settle(root / "probe")
    other.write_text("v = 10\n")
    desk.until(lambda: document.text == "v = 10\n")


def test_stopping_is_quick_and_final(tmp_path: Path, make: Callable[..., Desk]) -> None:
    desk = make()
    desk.settle(tmp_path / "probe")
    (tmp_path / "a.py").touch()
    start = time.monotonic()
    desk.watcher.stop()
    assert time.monotonic() - start < 3
    while not desk.posted.empty():
        desk.posted.get()()
    assert desk.batches == []


def test_lost_events_are_told_as_a_change_of_everything(tmp_path):
    """Systems drop events when very many come at once; watchdog only logs it."""
    if sys.platform == "linux":
        from watchdog.observers import inotify_c

        assert inotify_c.__name__ == watch_folders._LOGGER
        assert watch_folders._LOST in inspect.getsource(inotify_c.InotifyFD)
    (tmp_path / "node_modules").mkdir()  # the root is watched alone, its folders one by one
    desk = Desk(tmp_path)
    try:
        desk.settle(tmp_path / "probe")
        logging.getLogger(watch_folders._LOGGER).warning("queue overflowed; events were lost")
        desk.until(lambda: tmp_path in desk.paths())
    finally:
        desk.watcher.stop()
    desk.batches.clear()
    logging.getLogger(watch_folders._LOGGER).warning("queue overflowed; events were lost")
    assert not desk.watcher._lost, "nobody listens any more"
    assert not desk.batches
