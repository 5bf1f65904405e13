"""A limit of the CPU time that a piece of work takes."""

from __future__ import annotations

import hashlib
import signal
import threading
import time

import pytest

from studio.kernel.timelimit import TimeIsUpError, time_limit

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no such timer")


def work_without_end() -> None:
    with time_limit(0.2):
        while True:
            time.sleep(0)


def test_only_the_time_of_the_own_thread_counts() -> None:
    ended = threading.Event()
    data = bytes(4_000_000)

    def work() -> None:
        while not ended.is_set():
            hashlib.sha256(data).digest()  # lets the others run meanwhile

    others = [threading.Thread(target=work) for _ in range(2)]
    for other in others:
        other.start()
    before, all_before = time.thread_time(), time.process_time()
    try:
        with pytest.raises(TimeIsUpError):
            work_without_end()
    finally:
        ended.set()
        for other in others:
            other.join()
    assert time.thread_time() - before >= 0.2
    assert time.process_time() - all_before > 0.2
    assert signal.getitimer(signal.ITIMER_PROF) == (0, 0)


def test_work_that_is_done_in_time_is_left_alone() -> None:
    before = signal.getsignal(signal.SIGPROF)
    with time_limit(10), time_limit(0.001):
        began = time.thread_time()
        while time.thread_time() - began < 0.05:  # the limit outside is the one that holds
            pass
    assert signal.getsignal(signal.SIGPROF) == before
    assert signal.getitimer(signal.ITIMER_PROF) == (0, 0)
