"""Unsaved work outlives the program, however it ends."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest

from studio.model.document import Outside
from studio.model.documents import Documents
from studio.model.journal import Journal

if TYPE_CHECKING:
    from pathlib import Path

KILLED = """
import os, signal, sys
from pathlib import Path
from studio.model.documents import Documents
from studio.model.journal import Journal
journal = Journal(Path(sys.argv[1]), delay=0.01)
documents = Documents(journal)
documents.open(Path(sys.argv[2])).set_text("unsaved 训练\\n")
while not list(Path(sys.argv[1]).glob("*/*.unsaved")):
    pass
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.py"
    path.write_bytes(b"v = 0\n")
    return path


def entries(folder: Path) -> list[Path]:
    return sorted(folder.glob("*/*.unsaved"))


def test_unsaved_work_survives_a_kill(tmp_path: Path, file: Path) -> None:
    folder = tmp_path / "journal"
    ended = subprocess.run(
        [sys.executable, "-c", KILLED, str(folder), str(file)], cwd=os.getcwd(), check=False
    )
    assert ended.returncode == -signal.SIGKILL
    documents = Documents(Journal(folder))
    (unsaved,) = documents.recoverable()
    assert (unsaved.path, unsaved.text, unsaved.encoding) == (file, "unsaved 训练\n", "utf-8")
    document = documents.recover(unsaved)
    assert (document.text, document.dirty) == ("unsaved 训练\n", True)
    assert document.outside is Outside.NOTHING
    assert file.read_bytes() == b"v = 0\n"
    assert documents.recoverable() == []
    document.save()
    documents.shut()
    assert list(folder.iterdir()) == []


def test_a_run_that_goes_on_is_not_recovered_from(tmp_path: Path, file: Path) -> None:
    folder = tmp_path / "journal"
    journal = Journal(folder)
    Documents(journal).open(file).set_text("x")
    journal.flush()
    assert len(entries(folder)) == 1
    other = Journal(folder)
    assert other.leftovers() == []
    journal.close()
    assert [unsaved.text for unsaved in other.leftovers()] == ["x"]


def test_saving_and_closing_forget(tmp_path: Path, file: Path) -> None:
    folder = tmp_path / "journal"
    journal = Journal(folder)
    documents = Documents(journal)
    document = documents.open(file)
    document.set_text("x")
    journal.flush()
    assert len(entries(folder)) == 1
    document.save()
    assert entries(folder) == []
    document.set_text("y")
    documents.close(file)
    journal.flush()
    assert entries(folder) == []
    documents.shut()
    assert list(folder.iterdir()) == []


def test_it_is_written_soon_and_leaves_no_thread(tmp_path: Path, file: Path) -> None:
    folder = tmp_path / "journal"
    journal = Journal(folder, delay=0.01)
    document = Documents(journal).open(file)
    document.set_text("x")
    for timer in [t for t in threading.enumerate() if t.name == "studio-journal"]:
        timer.join(5)
    assert len(entries(folder)) == 1
    document.set_text("xy")
    journal.close()
    assert not [t for t in threading.enumerate() if t.name == "studio-journal"]
    assert [unsaved.text for unsaved in Journal(folder).leftovers()] == ["xy"]


def test_odd_bytes_and_a_newer_file_are_kept(tmp_path: Path, file: Path) -> None:
    file.write_bytes(b"v = '\xff'\n")
    folder = tmp_path / "journal"
    documents = Documents(Journal(folder))
    document = documents.open(file, "utf-8")
    document.replace_text(document.text + "# more\n")
    documents.shut()
    file.write_bytes(b"theirs\n")
    later = Documents(Journal(folder))
    (unsaved,) = later.recoverable()
    recovered = later.recover(unsaved)
    assert recovered.outside is Outside.CHANGED
    assert recovered.text == "v = '\udcff'\n# more\n"
    recovered.save(overwrite=True)
    assert file.read_bytes() == b"v = '\xff'\n# more\n"
    later.shut()


def test_damaged_entries_are_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "journal"
    (folder / "run").mkdir(parents=True)
    (folder / "run" / "a.unsaved").write_text("{")
    (folder / "run" / "b.unsaved").write_text('{"version": 99}')
    assert Journal(folder).leftovers() == []


def test_nobody_waits_while_a_long_text_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.py"
    file.write_text("v = 0\n")
    begun, go_on = threading.Event(), threading.Event()

    def write_slowly(path: Path, content: list[bytes]) -> None:
        begun.set()
        assert go_on.wait(10)
        path.write_bytes(b"".join(content))

    monkeypatch.setattr("studio.model.journal.write_atomic", write_slowly)
    journal = Journal(tmp_path / "journal", delay=0.01)
    documents = Documents(journal)
    document = documents.open(file)
    document.set_text("v = 1\n")
    assert begun.wait(10)
    document.set_text("v = 2\n")
    document.save(overwrite=True)
    go_on.set()
    journal.close()
    assert list((tmp_path / "journal").rglob("*.unsaved")) == []


def test_a_text_that_is_long_to_write_rests_and_others_do_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long, short = tmp_path / "long.py", tmp_path / "short.py"
    for file in (long, short):
        file.write_text("v = 0\n")
    slow = threading.Event()

    def write(path: Path, content: list[bytes]) -> None:
        if b"long.py" in content[0]:
            time.sleep(0.3)
            slow.set()
        path.write_bytes(b"".join(content))

    monkeypatch.setattr("studio.model.journal.write_atomic", write)
    folder = tmp_path / "journal"
    journal = Journal(folder, delay=0.01)
    documents = Documents(journal)
    first, second = documents.open(long), documents.open(short)

    def kept() -> set[str]:
        return {entry.read_bytes().split(b"\n", 1)[1].decode() for entry in entries(folder)}

    first.set_text("first\n")
    assert slow.wait(10)
    time.sleep(0.05)
    first.set_text("second\n")  # 0.3 s of writing are followed by 2.7 s of rest
    second.set_text("short\n")
    end = time.monotonic() + 1.5
    while kept() != {"first\n", "short\n"} and time.monotonic() < end:
        time.sleep(0.01)
    assert kept() == {"first\n", "short\n"}
    journal.close()
    assert kept() == {"second\n", "short\n"}, "at the end nothing rests"


def test_the_entry_of_a_long_text_goes_when_it_is_saved(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("v = 0\n")
    journal = Journal(tmp_path / "journal")
    documents = Documents(journal)
    document = documents.open(file)
    document.set_text("a line\n" * 100_000)
    journal.flush()
    assert len(entries(tmp_path / "journal")) == 1
    document.save(overwrite=True)
    journal.close()
    assert entries(tmp_path / "journal") == []


def test_a_text_without_room_does_not_cost_another_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from studio.model import journal as module

    write = module.write_atomic

    def small_disk(path: Path, content: list[bytes]) -> None:
        if sum(map(len, content)) > 1000:
            raise OSError(errno.ENOSPC, "No space left on device")
        write(path, content)

    monkeypatch.setattr(module, "write_atomic", small_disk)
    journal = Journal(tmp_path / "journal", delay=60)
    documents = Documents(journal)
    for name, text in (("long.py", "x" * 2000), ("short.py", "kept")):
        documents.create(tmp_path / name, text)
    journal.flush()
    journal.close()
    assert [left.text for left in Journal(tmp_path / "journal").leftovers()] == ["kept"]


def test_work_that_was_given_up_is_kept_again_once_it_changes(tmp_path: Path, file: Path) -> None:
    documents = Documents(Journal(tmp_path / "journal", delay=60))
    other = tmp_path / "b.py"
    other.write_bytes(b"w = 0\n")
    for path in (file, other):
        documents.open(path).set_text("unsaved")
        documents.give_up(documents.open(path))
    documents.open(other).set_text("typed after all")
    documents.shut()
    left = Journal(tmp_path / "journal").leftovers()
    assert [(unsaved.path, unsaved.text) for unsaved in left] == [(other, "typed after all")]


def left_behind(folder: Path, file: Path) -> Path:
    """The entry of a run that ended without asking."""
    journal = Journal(folder)
    documents = Documents(journal)
    documents.open(file).set_text("dear\n")
    documents.shut()
    (entry,) = entries(folder)
    return entry


def test_what_is_recovered_stays_on_disk_until_it_is_kept_anew(tmp_path: Path, file: Path) -> None:
    folder = tmp_path / "journal"
    old = left_behind(folder, file)
    journal = Journal(folder, delay=60)
    documents = Documents(journal)
    (unsaved,) = documents.recoverable()
    documents.recover(unsaved)
    assert entries(folder) == [old]
    assert documents.recoverable() == [], "it is not offered twice"
    journal.flush()
    (new,) = entries(folder)
    assert new != old
    assert new.read_bytes().endswith(b"\ndear\n")
    documents.shut()


def test_what_is_recovered_is_not_lost_where_it_cannot_be_kept_anew(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "journal"
    old = left_behind(folder, file)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "no room")

    journal = Journal(folder, delay=60)
    documents = Documents(journal)
    (unsaved,) = documents.recoverable()
    with monkeypatch.context() as room:
        room.setattr("studio.model.journal.write_atomic", full)
        documents.recover(unsaved)
        journal.flush()
        documents.shut()
    assert old in entries(folder)
    later = Documents(Journal(folder))
    (unsaved,) = later.recoverable()
    document = later.recover(unsaved)
    assert document.text == "dear\n"
    document.set_text("v = 0\n")
    assert entries(folder) == [], "it is as on disk again"
    later.shut()
