"""Listing folders: many in few jobs, none twice at a time, and none forgotten."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QObject
from PySide6.QtTest import QTest

from plugins.explorer.core.listing import list_folders
from plugins.explorer.ui.listings import Listings

if TYPE_CHECKING:
    from pathlib import Path

    from studio.model.tree import Entry

pytestmark = pytest.mark.gui


class Work:
    """A job that ends when the test says so."""

    def __init__(self, folders: list[Path], done: Any) -> None:
        self.folders = folders
        self.active = True
        self._done = done

    def end(self) -> None:
        self.active = False
        self._done(list_folders(self.folders))

    def cancel(self) -> None:
        self.active = False


class Desk:
    """Stands for the studio, and notes what is started and what is taken."""

    def __init__(self) -> None:
        self.jobs: list[Work] = []
        self.taken: dict[Path, list[str]] = {}
        self.owner = QObject()
        self.listings = Listings(self, self.owner, self._take)  # type: ignore[arg-type]

    def start_job(self, function: str, arguments: dict[str, Any], **how: Any) -> Work:
        assert function == "explorer:core.listing.list_folders"
        self.jobs.append(Work(arguments["folders"], how["done"]))
        return self.jobs[-1]

    def _take(self, folder: Path, entries: list[Entry]) -> None:
        self.taken[folder] = [entry.name for entry in entries]

    def settle(self) -> None:
        """Let timers fire, and jobs end, until nothing is left."""
        for _ in range(100):
            QTest.qWait(1)
            for job in self.jobs:
                if job.active:
                    job.end()
            if not self.listings.busy():
                return
        raise AssertionError("never done")


@pytest.fixture
def desk(qapp) -> Desk:
    return Desk()


def test_many_folders_are_listed_by_few_jobs(desk: Desk, tmp_path: Path) -> None:
    folders = [tmp_path / f"f{n}" for n in range(250)]
    for n, folder in enumerate(folders):
        folder.mkdir()
        (folder / f"{n}.txt").touch()
        desk.listings.ask(folder)
        desk.listings.ask(folder)
    desk.settle()
    assert sorted(len(job.folders) for job in desk.jobs) == [50, 100, 100]
    assert desk.taken == {folder: [f"{n}.txt"] for n, folder in enumerate(folders)}


def test_few_folders_do_not_wait_for_each_other(desk: Desk, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        desk.listings.ask(tmp_path / name)
    QTest.qWait(5)
    first, second = desk.jobs
    second.end()
    QTest.qWait(5)
    assert list(desk.taken) == [tmp_path / "b"]
    assert desk.listings.busy()
    first.end()
    QTest.qWait(5)
    assert list(desk.taken) == [tmp_path / "b", tmp_path / "a"]
    assert not desk.listings.busy()


def test_what_changes_while_it_is_listed_is_listed_once_more(desk: Desk, tmp_path: Path) -> None:
    desk.listings.ask(tmp_path)
    QTest.qWait(5)
    (tmp_path / "one").touch()
    desk.jobs[0].end()
    (tmp_path / "two").touch()  # after the folder was read
    desk.listings.ask(tmp_path)
    for _ in range(50):
        desk.listings.ask(tmp_path)
    QTest.qWait(5)
    assert len(desk.jobs) == 2
    for _ in range(50):
        desk.listings.ask(tmp_path)
    (tmp_path / "three").touch()
    desk.settle()
    assert len(desk.jobs) == 3
    assert desk.taken == {tmp_path: ["one", "three", "two"]}


def test_a_cancelled_listing_holds_up_no_later_one(desk: Desk, tmp_path: Path) -> None:
    desk.listings.ask(tmp_path)
    QTest.qWait(5)
    desk.jobs[0].cancel()
    assert not desk.listings.busy()
    desk.listings.ask(tmp_path)
    desk.settle()
    assert desk.taken == {tmp_path: []}


def test_another_project_gets_nothing_of_the_last(desk: Desk, tmp_path: Path) -> None:
    for n in range(10):
        desk.listings.ask(tmp_path / str(n))
    QTest.qWait(5)
    desk.jobs[0].end()
    desk.listings.forget()
    QTest.qWait(5)
    assert not desk.listings.busy()
    assert desk.taken == {}
