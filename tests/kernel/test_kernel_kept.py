"""Objects that several views share."""

from __future__ import annotations

import gc
import threading
import time

import pytest

from studio.kernel.kept import Kept


class Thing:
    pass


def test_an_object_is_made_once_while_it_is_held() -> None:
    kept = Kept()
    first = kept.get("a", Thing)
    assert kept.get("a", Thing) is first
    assert kept.get("b", Thing) is not first
    del first
    gc.collect()
    assert len(kept) == 0


def test_two_that_ask_at_once_get_the_same_one() -> None:
    kept = Kept()
    made: list[Thing] = []

    def make() -> Thing:
        time.sleep(0.05)
        made.append(Thing())
        return made[-1]

    got: list[Thing] = []
    threads = [threading.Thread(target=lambda: got.append(kept.get(1, make))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
    assert set(map(id, got)) == {id(made[0])}


def test_what_could_not_be_made_is_tried_again() -> None:
    kept = Kept()

    def fail() -> Thing:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        kept.get("a", fail)
    assert isinstance(kept.get("a", Thing), Thing)
