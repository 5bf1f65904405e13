import os
import threading

import pytest

from studio.perf.opened import OpenProfiles, open_profile


def test_a_profile_is_opened_once_and_anew_after_it_was_written(maker):
    maker.kernel("add", 0, 5)
    path = maker.load().path
    profiles = OpenProfiles()
    first = profiles.get(path)
    assert profiles.get(str(path)) is first
    assert first.table("kernels") is profiles.get(path).table("kernels")
    file = maker.output / "kernel_details.csv"
    file.write_text(file.read_text() + file.read_text().splitlines()[-1] + "\n")
    again = profiles.get(path)
    assert again is not first
    assert (len(first.table("kernels")), len(again.table("kernels"))) == (1, 2)
    status = file.stat()
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns + 1_000_000))
    assert profiles.get(path) is not again


def test_large_profiles_stay_open_only_while_held(maker):
    maker.launched(
        "add", (50, 70), operator=(0, 5), enqueue=(2, 3), dequeue=(9, 12), launch=(9, 11)
    )
    path = maker.load().path
    profiles = OpenProfiles(small_bytes=1)
    held = profiles.get(path)
    held.mark = "mine"
    assert len(held.table("launches")) == 1
    assert profiles.get(path) is held
    del held
    assert not hasattr(profiles.get(path), "mark")


def test_the_oldest_of_many_is_let_go(maker, tmp_path):
    maker.kernel("add", 0, 5)
    path = maker.load().path
    profiles = OpenProfiles(kept=1)
    profiles.get(path).mark = "mine"
    assert hasattr(profiles.get(path), "mark")
    profiles.get(maker.output / "kernel_details.csv")
    assert not hasattr(profiles.get(path), "mark")
    profiles.get(path).mark = "mine"
    profiles.forget()
    assert not hasattr(profiles.get(path), "mark")


def test_threads_read_a_table_once(maker):
    maker.kernel("add", 0, 5)
    path = maker.load().path
    start = threading.Barrier(4)
    found = []

    def ask():
        start.wait()
        found.append(open_profile(path).table("kernels"))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert all(table is found[0] for table in found)


class Cancelled(Exception):
    pass


class CancelledJob:
    def check(self):
        raise Cancelled

    def report(self, fraction, message):
        pass


def test_a_cancelled_job_does_not_wait_for_another(maker):
    maker.kernel("add", 0, 5)
    profile = maker.load()
    reading, done = threading.Event(), threading.Event()

    def slow(job):
        reading.set()
        done.wait()
        return {}

    profile._readers["memory"] = slow
    other = threading.Thread(target=profile.table, args=("memory",))
    other.start()
    reading.wait()
    with pytest.raises(Cancelled):
        profile.table("kernels", CancelledJob())
    done.set()
    other.join()
    assert len(profile.table("kernels")) == 1
