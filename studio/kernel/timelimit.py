"""A limit for work in one go that nothing else can stop, such as a regular expression's search."""

from __future__ import annotations

import signal
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_LEAST_S = 0.005


class TimeIsUpError(Exception):
    """Raised in the middle of work that takes too long."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `TimeIsUpError` in what runs inside when its thread took so many seconds of CPU.

    Python's regular expressions hold the interpreter while they try, which for some takes longer
    than anyone lives; they let signals in, though. Without effect where the system has no such
    timer, beside the main thread, and inside of another limit.
    """
    inside = hasattr(signal, "setitimer")
    inside = inside and threading.current_thread() is threading.main_thread()
    if not inside or signal.getitimer(signal.ITIMER_PROF)[0] > 0:
        yield
        return

    end = time.thread_time() + seconds

    def ring(_number: int, _frame: object) -> None:
        left = end - time.thread_time()
        if left <= 0:
            raise TimeIsUpError
        # The timer counts all threads, which may be many.
        signal.setitimer(signal.ITIMER_PROF, max(left, _LEAST_S))

    before = signal.signal(signal.SIGPROF, ring)
    try:
        signal.setitimer(signal.ITIMER_PROF, seconds)
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
