"""Saving in the background: what one types meanwhile, one save after another, errors, and ends."""

from __future__ import annotations

import errno
import os
import threading
from typing import TYPE_CHECKING, Any

import pytest

from studio.kernel.jobs import Jobs
from studio.model import saving
from studio.model.documents import Documents
from studio.model.encoding import UnencodableError
from studio.model.journal import Journal
from studio.model.saves import Save, SaveAs
from studio.model.saving import ChangedOutsideError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from studio.kernel.errors import StudioError


class Disk:
    """A disk whose writes wait until one lets them go on."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.reached = threading.Event()
        self.writes = 0
        self._write = saving.write_atomic

    def write(self, path: Path, data: bytes) -> None:
        """Write as soon as the disk is open."""
        self.reached.set()
        assert self.open.wait(20)
        self._write(path, data)
        self.writes += 1


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    found = Disk()
    monkeypatch.setattr(saving, "write_atomic", found.write)
    return found


@pytest.fixture
def jobs() -> Iterator[Jobs]:
    found = Jobs()
    yield found
    found.shutdown()


@pytest.fixture
def documents(jobs: Jobs, tmp_path: Path) -> Iterator[Documents]:
    found = Documents(Journal(tmp_path / "journal", delay=0))
    found.jobs = jobs
    yield found
    found.shut()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "train.py"
    found.write_text("old\n")
    return found


def test_typing_goes_on_while_a_text_is_written(
    documents: Documents, jobs: Jobs, disk: Disk, path: Path
) -> None:
    document = documents.open(path)
    document.set_text("first\n")
    told: list[tuple[bool, bool]] = []
    documents.saves.changed.connect(lambda d: told.append((d.saving, d.dirty)))
    documents.saves.start(Save(document))
    assert (document.saving, document.dirty, jobs.idle()) == (True, True, False)
    document.set_text("first\nsecond\n")
    assert path.read_text() == "old\n"
    disk.open.set()
    assert jobs.wait(20)
    assert path.read_text() == "first\n"
    assert (document.text, document.saved_text) == ("first\nsecond\n", "first\n")
    assert (document.saving, document.dirty) == (False, True)
    assert told == [(True, True), (False, True)]
    document.set_text("first\n")
    assert not document.dirty


def test_saving_twice_at_once_writes_the_later_text_after_the_earlier(
    documents: Documents, jobs: Jobs, disk: Disk, path: Path
) -> None:
    document = documents.open(path)
    texts: list[str] = []
    for text in ("first\n", "second\n", "third\n"):
        document.set_text(text)
        documents.saves.start(Save(document, done=lambda: texts.append(path.read_text())))
    disk.open.set()
    assert jobs.wait(20)
    assert texts == ["first\n", "third\n"]
    assert not document.dirty
    assert disk.writes == 2


def test_the_same_text_is_not_written_twice(
    documents: Documents, jobs: Jobs, disk: Disk, path: Path
) -> None:
    document = documents.open(path)
    document.set_text("new\n")
    documents.saves.start(Save(document))
    documents.saves.start(Save(document))
    disk.open.set()
    assert jobs.wait(20)
    assert (path.read_text(), document.dirty, disk.writes) == ("new\n", False, 1)


def test_our_own_write_is_no_change_from_outside(
    documents: Documents, jobs: Jobs, disk: Disk, path: Path
) -> None:
    document = documents.open(path)
    document.set_text("mine\n")
    conflicts: list[Any] = []
    documents.conflict.connect(conflicts.append)
    documents.saves.start(Save(document))
    disk.open.set()
    while path.read_text() != "mine\n":
        pass
    document.set_text("mine and more\n")
    documents.look_outside([path])  # as the watcher does, before the result has arrived
    assert jobs.wait(20)
    assert not conflicts
    assert document.text == "mine and more\n"
    assert document.dirty
    path.write_text("hers\n")
    documents.look_outside([path])
    assert conflicts == [document]


def test_a_failed_save_keeps_the_work_and_says_why(
    documents: Documents, jobs: Jobs, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = documents.open(path)
    document.set_text("mine\n")
    errors: list[StudioError] = []

    def full(_path: Path, _data: bytes) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(saving, "write_atomic", full)
        documents.saves.start(Save(document, failed=errors.append))
        assert jobs.wait(20)
    assert "No space left on device" in errors[0].message
    assert (document.saving, document.dirty, path.read_text()) == (False, True, "old\n")
    documents.saves.start(Save(document))
    assert jobs.wait(20)
    assert (document.dirty, path.read_text()) == (False, "mine\n")


def test_a_newer_file_and_a_lacking_character_are_told(
    documents: Documents, jobs: Jobs, path: Path
) -> None:
    document = documents.open(path)
    document.set_text("a\nb 😀\n")
    errors: list[StudioError] = []
    documents.saves.start(Save(document, SaveAs(encoding="gbk"), failed=errors.append))
    assert jobs.wait(20)
    (lacking,) = errors
    assert isinstance(lacking, UnencodableError)
    assert (lacking.character, lacking.line) == ("😀", 2)
    assert document.encoding == "utf-8"
    path.write_text("hers\n")
    documents.saves.start(Save(document, failed=errors.append))
    assert jobs.wait(20)
    assert isinstance(errors[1], ChangedOutsideError)
    assert path.read_text() == "hers\n"
    documents.saves.start(Save(document, SaveAs(overwrite=True), failed=errors.append))
    assert jobs.wait(20)
    assert path.read_text() == "a\nb 😀\n"
    assert len(errors) == 2


def test_whoever_cannot_wait_for_the_event_loop_gets_the_saved_state(
    documents: Documents, jobs: Jobs, disk: Disk, path: Path, tmp_path: Path
) -> None:
    document = documents.open(path)
    document.set_text("first\n")
    documents.saves.start(Save(document))
    document.set_text("second\n")
    disk.open.set()
    document.save()  # as an applied change does
    assert (document.dirty, path.read_text()) == (False, "second\n")
    assert disk.writes == 2
    document.set_text("third\n")
    documents.saves.start(Save(document))
    documents.shut()
    assert path.read_text() == "third\n"
    assert not Journal(tmp_path / "journal").leftovers()
    assert jobs.wait(20), "what arrives later finds nothing left to do"
    assert not document.dirty


def test_another_name_and_another_encoding(
    documents: Documents, jobs: Jobs, path: Path, tmp_path: Path
) -> None:
    document = documents.open(path)
    document.set_text("中\r\n")
    other = tmp_path / "other.py"
    documents.saves.start(Save(document, SaveAs(path=other, encoding="utf-16-le", bom=True)))
    assert jobs.wait(20)
    assert other.read_bytes() == b"\xff\xfe\x2d\x4e\x0d\x00\x0a\x00"
    assert path.read_text() == "old\n"
    assert document.path == other
    assert (document.encoding, document.bom, document.line_end) == ("utf-16-le", True, "\r\n")
    assert not document.dirty


def test_a_file_renamed_while_it_is_saved_has_unsaved_work(
    documents: Documents, jobs: Jobs, disk: Disk, path: Path, tmp_path: Path
) -> None:
    document = documents.open(path)
    document.set_text("mine\n")
    documents.saves.start(Save(document))
    assert disk.reached.wait(20)
    path.rename(tmp_path / "new.py")
    document.moved(tmp_path / "new.py")
    disk.open.set()
    assert jobs.wait(20)
    assert document.path == tmp_path / "new.py"
    assert document.dirty
    document.save()
    assert (tmp_path / "new.py").read_text() == "mine\n"


def test_another_name_is_written_though_the_save_before_failed(
    documents: Documents, jobs: Jobs, disk: Disk, path: Path
) -> None:
    document = documents.open(path)
    document.set_text("mine\n")
    errors: list[StudioError] = []
    documents.saves.start(Save(document, failed=errors.append))
    path.write_text("theirs, longer\n")
    other = path.with_name("copy.py")
    documents.saves.start(Save(document, SaveAs(path=other), failed=errors.append))
    document_written = disk._write

    def full_once(target: Path, data: bytes) -> None:
        if target == path:
            raise OSError(errno.ENOSPC, "No space left on device")
        document_written(target, data)

    disk._write = full_once
    disk.open.set()
    assert jobs.wait(20)
    assert len(errors) == 1
    assert other.read_text() == "mine\n"
    assert path.read_text() == "theirs, longer\n"
    assert (document.path, document.dirty) == (other, False)


def test_every_name_that_is_asked_for_during_a_save_is_written(
    documents: Documents, jobs: Jobs, disk: Disk, path: Path
) -> None:
    document = documents.open(path)
    document.set_text("mine\n")
    documents.saves.start(Save(document))
    first, second = path.with_name("first.py"), path.with_name("second.py")
    for other in (first, second):
        documents.saves.start(Save(document, SaveAs(path=other)))
    disk.open.set()
    assert jobs.wait(20)
    assert [each.read_text() for each in (path, first, second)] == ["mine\n"] * 3
    assert (document.path, document.dirty) == (second, False)


def test_a_save_that_cannot_begin_leaves_the_document_free(
    documents: Documents, jobs: Jobs, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = documents.open(path)
    document.set_text("new\n")

    def none_left(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", none_left)
        with pytest.raises(RuntimeError):
            documents.saves.start(Save(document))
    assert (document.saving, documents.saves.documents(), jobs.idle()) == (False, [], True)
    documents.saves.start(Save(document))
    assert jobs.wait(20)
    assert (path.read_text(), document.dirty) == ("new\n", False)


def test_reopening_waits_for_the_save(documents: Documents, disk: Disk, path: Path) -> None:
    document = documents.open(path)
    document.set_text("é\n")
    documents.saves.start(Save(document))
    threading.Timer(0.05, disk.open.set).start()
    document.reopen("latin-1")
    assert (document.text, document.encoding, document.dirty) == ("Ã©\n", "latin-1", False)


def test_a_folder_that_moves_away_takes_the_written_text_along(
    documents: Documents, jobs: Jobs, disk: Disk, tmp_path: Path
) -> None:
    folder = tmp_path / "src"
    folder.mkdir()
    old = folder / "a.py"
    old.write_text("old\n")
    document = documents.open(old)
    document.set_text("new\n")
    documents.saves.start(Save(document))
    threading.Timer(0.05, disk.open.set).start()
    documents.finish_saving(folder)
    folder.rename(tmp_path / "lib")
    documents.follow([(folder, tmp_path / "lib")])
    assert jobs.wait(20)
    assert (tmp_path / "lib" / "a.py").read_text() == "new\n"
    assert not folder.exists()
    assert not document.dirty


def test_a_copy_of_a_file_that_may_not_be_written_can_be_edited(
    jobs: Jobs, path: Path, tmp_path: Path
) -> None:
    documents = Documents()
    documents.jobs = jobs
    document = documents.open(path, read_only=True)
    copy = tmp_path / "copy.py"
    documents.saves.start(Save(document, SaveAs(path=copy)))
    assert jobs.wait(20)
    assert (document.path, document.read_only) == (copy, False)
    document.set_text("new\n")
    document.save()
    assert (copy.read_text(), path.read_text()) == ("new\n", "old\n")
