"""Saving while the world misbehaves: kills, no space, no permission, other writers."""

from __future__ import annotations

import errno
import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest

from studio.kernel.errors import StudioError
from studio.kernel.files import write_atomic
from studio.model.document import ChangedOutsideError
from studio.model.documents import Documents
from studio.model.journal import Journal

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals and limits")

SAVER = """
import sys
from pathlib import Path
from studio.model.documents import Documents
path, contents = Path(sys.argv[1]), ("a" * 1_000_000 + "\\n", "b" * 700_000 + "\\n")
document = Documents().open(path)
print("ready", flush=True)
while True:
    for content in contents:
        document.set_text(content)
        document.save()
"""
BACKGROUND_SAVER = """
import sys
from pathlib import Path
from studio.kernel.jobs import Jobs
from studio.model.documents import Documents
from studio.model.saves import Save
path, contents = Path(sys.argv[1]), ("a" * 1_000_000 + "\\n", "b" * 700_000 + "\\n")
documents, jobs = Documents(), Jobs()
documents.jobs = jobs
document = documents.open(path)
print("ready", flush=True)
while True:
    for content in contents:
        document.set_text(content)
        documents.saves.start(Save(document))
        while document.saving:
            jobs.pump()
"""
CONTENTS = {b"a" * 1_000_000 + b"\n", b"b" * 700_000 + b"\n"}


def kill_while_saving(path: Path, times: int, saver: str = SAVER) -> None:
    """Kill a program that saves again and again, and look at the file each time."""
    chance = random.Random(times)
    for _ in range(times):
        path.write_bytes(b"a" * 1_000_000 + b"\n")
        with subprocess.Popen(
            [sys.executable, "-c", saver, str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as program:
            assert program.stdout is not None
            assert program.stdout.readline() == b"ready\n", program.stderr
            time.sleep(chance.uniform(0.0, 0.06))
            program.send_signal(signal.SIGKILL)
            program.wait()
        # What a killed program could not tidy up; a file of several names may be whole only there.
        left = list(path.parent.glob(f".{path.name}.*.tmp"))
        several = path.stat().st_nlink > 1
        wholes = [file.read_bytes() for file in [path, *(left if several else ())]]
        assert CONTENTS.intersection(wholes)
        for file in left:
            file.unlink()


def test_a_kill_leaves_the_old_or_the_new_text(tmp_path: Path) -> None:
    kill_while_saving(tmp_path / "train.py", 8)


def test_a_kill_in_the_middle_of_a_save_in_the_background(tmp_path: Path) -> None:
    kill_while_saving(tmp_path / "train.py", 8, BACKGROUND_SAVER)


SLOW_SAVER = """
import os, sys, time
from pathlib import Path
from studio.kernel.jobs import Jobs
from studio.model.documents import Documents
from studio.model.journal import Journal
from studio.model.saves import Save
path, journal = Path(sys.argv[1]), Journal(Path(sys.argv[2]), delay=0)
documents, jobs = Documents(journal), Jobs()
documents.jobs = jobs
document = documents.open(path)
document.set_text("work\\n" * 300_000)
journal.flush()
os.fsync = lambda handle: time.sleep(60)  # a disk that does not come to its end
documents.saves.start(Save(document))
print("saving", document.saving, document.dirty, flush=True)
time.sleep(60)
"""


def test_what_is_being_saved_at_a_kill_is_recovered(tmp_path: Path) -> None:
    path, folder = tmp_path / "train.py", tmp_path / "journal"
    path.write_text("old\n")
    with subprocess.Popen(
        [sys.executable, "-c", SLOW_SAVER, str(path), str(folder)], stdout=subprocess.PIPE
    ) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == b"saving True True\n"
        program.send_signal(signal.SIGKILL)
    assert path.read_text() == "old\n"
    (unsaved,) = Journal(folder).leftovers()
    assert unsaved.path == path
    assert unsaved.text == "work\n" * 300_000


def test_a_kill_loses_nothing_of_a_file_with_two_names(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_bytes(b"")
    os.link(path, tmp_path / "other.py")
    kill_while_saving(path, 8)
    assert path.samefile(tmp_path / "other.py")


@pytest.mark.bench
def test_hundreds_of_kills_leave_the_old_or_the_new_text(tmp_path: Path) -> None:
    kill_while_saving(tmp_path / "train.py", 300)
    kill_while_saving(tmp_path / "train.py", 300, BACKGROUND_SAVER)


def test_a_full_disk_keeps_file_and_work(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old\n")
    document = Documents().open(path)
    document.set_text("x" * 100_000)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        # The same path through the program as a full disk: writing stops in the middle.
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, before[1]))
        with pytest.raises(StudioError, match=r"a\.txt"):
            document.save()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)
    assert path.read_text() == "old\n"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.txt"]
    assert document.dirty
    document.save()
    assert path.read_text() == "x" * 100_000


def test_a_full_disk_is_named_with_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old\n")
    document = Documents().open(path)
    document.set_text("new\n")

    def full(_handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr("studio.kernel.files.os.fsync", full)
        with pytest.raises(StudioError, match=r"a\.txt: No space left on device"):
            document.save()
    assert path.read_text() == "old\n"
    assert document.dirty
    document.save()
    assert path.read_text() == "new\n"


@pytest.mark.skipif(os.geteuid() != 0 or not sys.platform.startswith("linux"), reason="mounts")
def test_a_disk_that_is_really_full(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "none", str(disk)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("this machine lets nobody mount")
    try:
        for name in ("a.txt", "linked.txt"):
            path = disk / name
            path.write_text("old\n")
        os.link(disk / "linked.txt", disk / "again.txt")
        for name in ("a.txt", "linked.txt"):
            document = Documents().open(disk / name)
            document.set_text("x" * 300_000)
            with pytest.raises(StudioError, match="No space left on device"):
                document.save()
            assert (disk / name).read_text() == "old\n"
            assert document.dirty
        names = sorted(entry.name for entry in disk.iterdir())
        assert names == ["a.txt", "again.txt", "linked.txt"]
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_a_closed_folder_with_a_closed_file_keeps_both_and_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "locked" / "a.txt"
    path.parent.mkdir()
    path.write_text("old\n")
    document = Documents().open(path)
    document.set_text("new\n")
    path.chmod(0o444)
    path.parent.chmod(0o555)
    if (
        os.geteuid() == 0
    ):  # the superuser may write everywhere, so the system's answer is given here

        def refuse(*_: object) -> int:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

        monkeypatch.setattr("studio.kernel.files.os.open", refuse)
    try:
        with pytest.raises(StudioError, match="Permission denied"):
            document.save()
    finally:
        path.parent.chmod(0o755)
    assert path.read_text() == "old\n"
    assert document.dirty


def test_a_folder_that_vanished_is_made_again(tmp_path: Path) -> None:
    path = tmp_path / "sub" / "a.txt"
    path.parent.mkdir()
    path.write_text("old\n")
    document = Documents().open(path)
    document.set_text("new\n")
    path.unlink()
    path.parent.rmdir()
    document.save(overwrite=True)
    assert path.read_text() == "new\n"


def test_a_chain_of_links_is_kept_and_its_end_replaced(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "real.txt"
    target.parent.mkdir()
    target.write_text("old\n")
    (tmp_path / "one").symlink_to("deep/real.txt")
    (tmp_path / "two").symlink_to("one")
    document = Documents().open(tmp_path / "two")
    document.set_text("new\n")
    document.save()
    assert target.read_text() == "new\n"
    assert os.readlink(tmp_path / "two") == "one"
    assert os.readlink(tmp_path / "one") == "deep/real.txt"


def test_another_writer_is_noticed_whatever_the_moment(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("base\n")
    document = Documents().open(path)
    document.set_text("mine\n")
    # As fast as a file system's clock: same size, possibly the same time stamp.
    path.write_text("hers\n")
    with pytest.raises(ChangedOutsideError):
        document.save()
    assert path.read_text() == "hers\n"


def test_many_writers_leave_one_whole_text(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"0" * 100_000)
    contents = [bytes([48 + number]) * 100_000 for number in range(1, 9)]

    def write(content: bytes) -> None:
        for _ in range(10):
            write_atomic(path, content)

    threads = [threading.Thread(target=write, args=(content,)) for content in contents]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        assert path.read_bytes() in [b"0" * 100_000, *contents]
    assert path.read_bytes() in contents
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.txt"]
