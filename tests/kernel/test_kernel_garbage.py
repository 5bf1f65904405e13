"""Garbage is looked for when it is asked for, and at no other time."""

import gc
import weakref

import pytest

from studio.kernel import garbage
from studio.kernel.garbage import Collector


class Knot:
    """Refers to itself, so that only a look for garbage removes it."""

    def __init__(self):
        self.itself = self


@pytest.fixture
def collector():
    """A collector in the place of Python's own timing, which is on before."""
    before = gc.isenabled()
    gc.enable()
    made = Collector()
    yield made
    made.stop()
    assert gc.isenabled()
    if not before:
        gc.disable()


def test_garbage_stays_until_it_is_asked_for(collector):
    gc.collect()
    gone = weakref.ref(Knot())
    kept = [[] for _ in range(100_000)]
    assert gone() is not None
    collector.collect(calm=True)
    assert gone() is None
    assert len(kept) == 100_000


def test_few_new_objects_are_not_worth_a_look(collector):
    gc.collect()
    gone = weakref.ref(Knot())
    collector.collect(calm=True)
    assert gone() is not None


@pytest.mark.parametrize(("calm", "seconds"), [(True, 21), (False, 121)])
def test_old_garbage_goes_in_a_rare_look_at_everything(collector, monkeypatch, calm, seconds):
    now = garbage.time.monotonic()
    monkeypatch.setattr(garbage.time, "monotonic", lambda: now)
    knot = Knot()
    gone = weakref.ref(knot)
    gc.collect()  # it is old now
    del knot

    def live_on() -> None:
        for _ in range(150):
            kept = [[] for _ in range(1000)]
            collector.collect(calm=calm)
            del kept

    live_on()
    assert gone() is not None
    now += seconds
    live_on()
    assert gone() is None


def test_what_was_off_before_stays_off():
    before = gc.isenabled()
    gc.disable()
    Collector().stop()
    assert not gc.isenabled()
    if before:
        gc.enable()
