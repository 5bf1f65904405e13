"""Telling numba of kernels."""

import threading
import time

import pytest

from studio.formats import engine


@pytest.mark.skipif(not engine.has_compiler(), reason="numba is not installed")
def test_threads_tell_numba_of_kernels_one_after_another():
    from studio.formats.jit import _Later

    told, running, most = [], [], []

    def tell(function):
        running.append(function)
        most.append(len(running))
        time.sleep(0.01)
        running.remove(function)
        told.append(function)
        return function

    def one():
        return 1

    def other():
        return 2

    laters = [_Later(one, tell), _Later(other, tell)]
    # Python 3.11 has a lock around cached properties, later ones have not: here all go without
    without_lock = vars(_Later)["_told"].func
    results = []

    def ask(later):
        results.append(without_lock(later)())

    threads = [threading.Thread(target=ask, args=(later,)) for later in laters * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [1, 1, 1, 2, 2, 2]
    assert max(most) == 1
    assert sorted(each.__name__ for each in told) == ["one", "other"]
