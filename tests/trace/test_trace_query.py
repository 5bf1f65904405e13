import os
import random
import re

import numpy as np
import pytest

from studio.kernel.errors import StudioError
from studio.trace.query import (
    args,
    in_range,
    incoming,
    innermost_at,
    nearest,
    neighbour,
    outgoing,
    parent,
    row_range,
    same_name,
    search,
    slice_at,
    visible,
    with_names,
)
from studio.trace.query import (
    event as event_of,
)


@pytest.fixture
def trace(make, event):
    return make(
        event("X", "outer", 0, dur=100, args={"a": 1}),
        event("X", "first", 10, dur=20),
        event("X", "second", 50, dur=20),
        event("X", "mark", 80, dur=0),
        event("X", "kernel", 200, dur=10, tid=2, args={"shape": [[1, 2]], "id": 2**60}),
        event("s", "f", 15, cat="c", id=1),
        event("f", "f", 200, cat="c", id=1, tid=2),
    )


def name(trace, index):
    return None if index < 0 else trace.names[trace.name[index]]


def names(trace, indices):
    return [name(trace, index) for index in indices]


@pytest.mark.parametrize(
    ("t0", "t1", "found"),
    [
        (0, 9, []),
        (0, 10_001, ["first"]),
        (29_999, 30_000, ["first"]),
        (30_000, 50_000, []),
        (0, 10**9, ["first", "second", "mark"]),
        (80_000, 80_001, ["mark"]),
        (70_000, 80_000, []),
        (5, 5, []),
    ],
)
def test_visible_slices_touch_the_window(trace, t0, t1, found):
    assert names(trace, range(*visible(trace, 0, 1, t0, t1))) == found


def test_in_range_goes_over_lanes_and_rows(trace):
    assert names(trace, in_range(trace, 60_000, 205_000)) == ["outer", "second", "mark", "kernel"]
    assert names(trace, in_range(trace, 60_000, 205_000, [1])) == ["kernel"]
    assert len(in_range(trace, 300_000, 400_000)) == 0


def test_slice_at_and_nearest(trace):
    assert name(trace, slice_at(trace, 0, 1, 29_999)) == "first"
    assert slice_at(trace, 0, 1, 30_000) == -1
    assert name(trace, slice_at(trace, 0, 1, 30_004, tolerance=5)) == "first"
    assert slice_at(trace, 0, 1, 30_005, tolerance=5) == -1
    assert name(trace, slice_at(trace, 0, 1, 49_990, tolerance=100)) == "second"
    assert name(trace, innermost_at(trace, 0, 55_000)) == "second"
    assert name(trace, innermost_at(trace, 0, 45_000)) == "outer"
    assert innermost_at(trace, 1, 45_000) == -1
    assert name(trace, nearest(trace, 1, 0)) == "kernel"
    assert name(trace, nearest(trace, 0, 10**9)) == "outer"
    assert name(trace, innermost_at(trace, 0, 100_000)) == "outer"


def test_moving_around(trace):
    first = slice_at(trace, 0, 1, 10_000)
    assert name(trace, neighbour(trace, first, 1)) == "second"
    assert neighbour(trace, first, -1) == -1
    assert name(trace, parent(trace, first)) == "outer"
    assert parent(trace, parent(trace, first)) == -1
    assert row_range(trace, 0, 1) == (1, 4)


def test_siblings_of_a_name_over_all_lanes(make, event):
    trace = make(
        event("X", "a", 5, dur=1, tid=2), event("X", "a", 1, dur=1), event("X", "a", 9, dur=1)
    )
    hits = with_names(trace, [0])
    assert trace.start[hits].tolist() == [1000, 5000, 9000]
    middle = int(hits[1])
    assert same_name(trace, middle, 1) == hits[2]
    assert same_name(trace, middle, -1) == hits[0]
    assert same_name(trace, int(hits[2]), 1) == -1


def test_search_in_names(make, event):
    titles = ("aten::add", "Add", "hcom_allReduce__add_1", "矩阵 Add", "ß")
    trace = make(*(event("X", title, ts=place, dur=1) for place, title in enumerate(titles)))

    def found(text, **options):
        return [trace.names[number] for number in search(trace, text, **options)]

    assert found("ADD") == [*titles[:4]]
    assert found("Add", case=True) == ["Add", "矩阵 Add"]
    assert found("add", word=True) == ["aten::add", "Add", "矩阵 Add"]
    assert found("^a.*d$", regex=True) == ["aten::add", "Add"]
    assert found("SS") == ["ß"]
    assert found("") == []
    assert found("+") == []
    with pytest.raises(re.error):
        found("(", regex=True)


def test_flow_partners(trace):
    first, kernel = slice_at(trace, 0, 1, 10_000), slice_at(trace, 1, 0, 200_000)
    assert trace.flows.target_slice[outgoing(trace, first)].tolist() == [kernel]
    assert trace.flows.source_slice[incoming(trace, kernel)].tolist() == [first]
    assert len(outgoing(trace, kernel)) == 0


def test_args_are_read_from_the_file(trace):
    kernel = slice_at(trace, 1, 0, 200_000)
    assert args(trace, kernel) == {"shape": [[1, 2]], "id": 2**60}
    assert event_of(trace, kernel)["ts"] == 200
    assert args(trace, slice_at(trace, 0, 1, 10_000)) == {}


def test_args_of_a_changed_or_removed_file_are_refused(trace):
    path = trace.path
    path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(StudioError, match="has changed since it was loaded"):
        args(trace, 0)
    os.unlink(path)
    with pytest.raises(StudioError, match="Cannot read"):
        args(trace, 0)


def test_args_in_a_gzip_at_any_place(make, event, monkeypatch):
    monkeypatch.setattr("studio.formats.event_file.CHECKPOINT", 50_000)
    monkeypatch.setattr("studio.formats.event_file.PACKED_BLOCK", 1000)
    rnd = random.Random(3)
    texts = [rnd.randbytes(rnd.randrange(400)).hex() for _ in range(2000)]
    trace = make(
        *(event("X", ts=place, dur=1, args={"x": text}) for place, text in enumerate(texts)),
        packed=True,
    )
    places = list(range(2000))
    rnd.shuffle(places)
    for place in places[:200]:
        assert args(trace, place) == {"x": texts[place]}


def test_args_larger_than_the_window(make, event):
    trace = make(event("X", dur=1, args={"x": "y" * 400_000}), event("X", ts=9, dur=1))
    assert args(trace, 0) == {"x": "y" * 400_000}


def test_random_flow_ends_find_the_innermost_slice(make, event):
    rnd = random.Random(4)
    slices = [(rnd.randrange(1000), rnd.randrange(1, 60)) for _ in range(300)]
    trace = make(*(event("X", ts=ts, dur=dur, tid=tid % 3) for tid, (ts, dur) in enumerate(slices)))
    for lane in range(3):
        for time in rnd.sample(range(1_060_000), 60):
            inside = np.flatnonzero(
                (trace.lane == lane) & (trace.start <= time) & (time < trace.end)
            )
            found = innermost_at(trace, lane, time)
            if len(inside):
                assert trace.depth[found] == trace.depth[inside].max()
                assert found in inside
            else:
                assert found == -1 or trace.end[found] == time
