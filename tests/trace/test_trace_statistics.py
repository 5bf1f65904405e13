"""Statistics and interval sets against a count of every nanosecond."""

import random

import numpy as np
import pytest

from studio.formats import engine
from studio.trace.halves import at_once, parts_of
from studio.trace.intervals import (
    clip,
    covered_parts,
    difference,
    intersection,
    length,
    union,
)
from studio.trace.statistics import busy, coverage, covered, statistics
from studio.trace.sums import time_below

kernels = pytest.mark.skipif(not engine.has_compiler(), reason="numba is not installed")


def random_set(rnd, count, top=200):
    start = np.array([rnd.randrange(top) for _ in range(count)], np.int64)
    return start, start + np.array([rnd.randrange(15) for _ in range(count)], np.int64)


def moments(intervals):
    return {
        time for start, end in zip(*map(list, intervals), strict=True) for time in range(start, end)
    }


def test_interval_sets_are_sets_of_moments():
    rnd = random.Random(1)
    for _ in range(150):
        a, b = random_set(rnd, rnd.randrange(20)), random_set(rnd, rnd.randrange(20))
        joined = union(*a)
        assert moments(joined) == moments(a)
        assert (joined[0][1:] > joined[1][:-1]).all()
        assert length(a) == len(moments(a))
        assert moments(intersection(a, b)) == moments(a) & moments(b)
        assert moments(difference(a, b)) == moments(a) - moments(b)
        assert moments(clip(a, 50, 100)) == moments(a) & set(range(50, 100))
        kept = union(*b)
        kept = kept[0][kept[0] < kept[1]], kept[1][kept[0] < kept[1]]
        parts = covered_parts(*a, kept)
        assert parts.tolist() == [
            len(moments(kept) & set(range(start, end))) for start, end in zip(*a, strict=True)
        ]


def plain_statistics(trace, t0, t1, lanes):
    found = {}
    for index in range(len(trace)):
        start, end = int(trace.start[index]), int(trace.end[index])
        touches = start < t1 and (end > t0 or start == end >= t0)
        if trace.lane[index] not in lanes or not touches:
            continue
        inside = set(range(max(start, t0), min(end, t1)))
        deeper = (trace.lane == trace.lane[index]) & (trace.depth > trace.depth[index])
        below = moments((trace.start[deeper], trace.end[deeper]))
        row = found.setdefault(trace.names[trace.name[index]], [[], 0, set()])
        row[0].append(len(inside))
        row[1] += len(inside - below)
        row[2] |= inside
    return {
        name: (
            len(durations),
            sum(durations),
            own,
            len(time),
            min(durations),
            exceeded_by(durations, 50),
            exceeded_by(durations, 99),
            max(durations),
        )
        for name, (durations, own, time) in found.items()
    }


def exceeded_by(durations, percent):
    """The smallest duration that so many percent do not exceed."""
    return min(
        limit
        for limit in durations
        if 100 * sum(each <= limit for each in durations) >= percent * len(durations)
    )


KEYS = (
    "count", "total_ns", "self_ns", "covered_ns", "min_ns", "p50_ns", "p99_ns", "max_ns",
)  # fmt: skip


@pytest.mark.parametrize("choice", ["portable", pytest.param("compiled", marks=kernels)])
@pytest.mark.parametrize("seed", range(12))
def test_statistics_equal_a_count_of_every_nanosecond(make, event, seed, choice, monkeypatch):
    monkeypatch.setenv(engine.CHOICE, choice)
    monkeypatch.setattr("studio.trace.halves._WORTH_A_THREAD", seed % 3 * 50)
    rnd = random.Random(seed)
    trace = make(
        *(
            event(
                "X",
                rnd.choice("abcde"),
                rnd.randrange(300) / 1000,
                dur=rnd.randrange(40) / 1000,
                tid=rnd.randrange(3),
            )
            for _ in range(120)
        )
    )
    for index in range(0, len(trace), 7):
        deeper = (trace.lane == trace.lane[index]) & (trace.depth > trace.depth[index])
        inside = set(range(int(trace.start[index]), int(trace.end[index])))
        below = inside & moments((trace.start[deeper], trace.end[deeper]))
        assert time_below(trace, index) == len(below)
    for t0, t1, lanes in (
        (trace.start_ns, trace.end_ns + 1, {0, 1, 2}),
        (100, 200, {0, 1, 2}),
        (150, 151, {0, 1, 2}),
        (37, 290, {1}),
        (20, 200, {0, 2}),
        (0, 400, {0, 1, 2}),
        (5, 5, {0, 1}),
    ):
        table = statistics(trace, t0, t1, lanes)
        rows = {
            line["name"]: tuple(int(line[key]) for key in KEYS) for line in table.to_dict("records")
        }
        assert rows == plain_statistics(trace, t0, t1, lanes)
        assert table["total_ns"].is_monotonic_decreasing
        everything = set()
        for index in range(len(trace)):
            if trace.lane[index] in lanes:
                everything |= set(
                    range(max(int(trace.start[index]), t0), min(int(trace.end[index]), t1))
                )
        assert covered(trace, t0, t1, lanes) == len(everything)
        assert moments(busy(trace, t0, t1, lanes)) == everything


@kernels
@pytest.mark.parametrize("crowded", [1.0, 0.02])
def test_what_many_rows_cover_is_counted_a_stretch_at_a_time(crowded):
    """Of slices that are spread evenly, and of such of which most stand in a fiftieth of time."""
    from studio.trace.kernels.covering import Room, covered_by_rows

    random = np.random.default_rng(5)
    end_of_time, rows = 4_000_000, 9
    start, end, first, last = [], [], [], []
    for row in range(rows):
        span = end_of_time if row < 2 else int(end_of_time * crowded)
        # of two neighbours in a sorted row of different times, every second pair is a slice
        edges = np.sort(random.choice(span, 40_000, replace=False))
        start.append(edges[::2])
        end.append(edges[1::2])
        first.append(row * 20_000)
        last.append((row + 1) * 20_000)
    start, end = np.concatenate(start), np.concatenate(end)
    is_open = random.random(len(start)) < 0.2
    for t0, t1 in ((0, end_of_time), (1_000, 70_001), (30_000, 30_001), (3_999_000, 4_100_000)):
        touching = [
            np.flatnonzero((start[low:high] < t1) & (end[low:high] > t0)) + low
            for low, high in zip(first, last, strict=True)
        ]
        ranges = np.array([(part[0], part[-1] + 1) if part.size else (0, 0) for part in touching])
        told = np.concatenate(touching)
        told = told[~is_open[told]]
        changes = np.zeros(end_of_time + 200_000, np.int64)
        np.add.at(changes, np.maximum(start[told], t0), 1)
        np.add.at(changes, np.minimum(end[told], t1), -1)
        columns = start, end - start, is_open
        found = covered_by_rows(*columns, *ranges.T.copy(), t0, t1, *Room.for_rows(rows))
        assert found == np.count_nonzero(np.cumsum(changes))


@kernels
def test_more_rows_than_there_is_room_for_are_looked_at_moment_by_moment():
    from studio.trace.kernels.covering import Room, covered_by_rows

    random = np.random.default_rng(6)
    rows = 200  # each with a slice that begins at one of few times, a third of them empty
    start = random.integers(0, 12, rows) * 3
    duration = random.integers(0, 3, rows)
    is_open = random.random(rows) < 0.93
    first = np.arange(rows)
    expected = set()
    for begin, lasting, unfinished in zip(start, duration, is_open, strict=True):
        expected |= set() if unfinished else set(range(begin, begin + lasting))
    shapes = rows, rows, (2, 16), (2, 16), 66
    room = Room(*(np.empty(shape, np.int64) for shape in shapes))
    columns = start, duration, is_open
    found = covered_by_rows(*columns, first, first + 1, 0, 40, *room)
    assert found == len(expected)
    assert 4 < found < 24


def test_the_table_names_its_columns(make, event):
    table = statistics(make(event("X", dur=2), event("B", "open", 1, tid=2)))
    assert table.columns.tolist() == [
        "name",
        "count",
        "total_ns",
        "self_ns",
        "covered_ns",
        "min_ns",
        "avg_ns",
        "p50_ns",
        "p99_ns",
        "max_ns",
        "unfinished",
        "name_id",
    ]
    row = table.set_index("name").loc["open"]
    assert (row["count"], row["unfinished"], row["total_ns"]) == (0, 1, 0)
    assert table["avg_ns"].isna().tolist() == [False, True]


def test_an_empty_trace_has_empty_statistics(make):
    trace = make()
    assert len(statistics(trace)) == 0
    assert covered(trace) == 0
    assert len(coverage(trace)) == 0


def test_wide_windows_with_many_names_do_not_overflow(make, event):
    epoch = 1_700_000_000_000_000
    trace = make(
        *(event("X", f"n{number}", epoch * (number % 2) + number, dur=1) for number in range(40))
    )
    table = statistics(trace, trace.start_ns, trace.end_ns + 1)
    assert table["covered_ns"].tolist() == [1000] * 40


def test_how_busy_lanes_are(make, event):
    trace = make(
        event("X", dur=6),
        event("X", "b", 1, dur=2),
        event("X", ts=8, dur=2),
        event("X", ts=4, dur=1, tid=2),
    )
    table = coverage(trace)
    assert table["covered_ns"].tolist() == [8000, 1000]
    assert table["share"].tolist() == [0.8, 0.1]
    assert table["slices"].tolist() == [3, 1]


@kernels
@pytest.mark.parametrize("few", [0, 500, 10**6])
def test_kernels_give_the_same_statistics(make, event, monkeypatch, few):
    monkeypatch.setattr("studio.trace.halves._WORTH_A_THREAD", few)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    rnd = random.Random(8)
    events = [
        event(
            rnd.choice("XXXXXB"),
            f"n{rnd.randrange(40)}",
            rnd.randrange(10_000),
            dur=rnd.choice((0, 1, 7, 300, 2000)),
            tid=rnd.randrange(9),
        )
        for _ in range(3000)
    ]
    tables = []
    for choice in ("portable", "compiled"):
        monkeypatch.setenv(engine.CHOICE, choice)
        trace = make(*events)
        found = []
        for t0, t1, lanes in (
            (None, None, None),
            (trace.start_ns, trace.end_ns + 1, None),
            (3_000_000, 5_000_000, None),
            (3_000_000, 5_000_000, range(3, 8)),
            (0, 9_000_000, []),
        ):
            found.append(statistics(trace, t0, t1, lanes))
            found.append(covered(trace, t0, t1, lanes))
        found.append(coverage(trace))
        tables.append(found)
    for one, other in zip(*tables, strict=True):
        assert one.equals(other) if hasattr(one, "equals") else one == other


@pytest.mark.parametrize("choice", ["portable", pytest.param("compiled", marks=kernels)])
def test_times_that_are_floats_are_taken_as_whole_numbers(make, event, choice, monkeypatch):
    monkeypatch.setenv(engine.CHOICE, choice)
    trace = make(event("X", ts=1, dur=5), event("X", ts=2, dur=2))
    assert covered(trace, 0.0, 5000.0) == 4000
    (row,) = statistics(trace, 0.0, np.float64(3000)).to_dict("records")
    assert (row["count"], row["total_ns"], row["covered_ns"]) == (2, 3000, 2000)


@pytest.mark.parametrize("choice", ["portable", pytest.param("compiled", marks=kernels)])
def test_times_of_more_than_64_bits_are_refused(make, event, choice, monkeypatch):
    monkeypatch.setenv(engine.CHOICE, choice)
    trace = make(event("X", ts=1, dur=5))
    with pytest.raises(OverflowError):
        statistics(trace, 0, 2**63)


def test_ranges_fall_into_two_parts_of_the_same_size(monkeypatch):
    monkeypatch.setattr("studio.trace.halves._WORTH_A_THREAD", 0)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    rnd = random.Random(5)
    for _ in range(200):
        first = np.array([rnd.randrange(20) for _ in range(rnd.randrange(1, 6))], np.int64)
        last = first + np.array([rnd.randrange(8) for _ in first], np.int64)
        listed = [
            [index for low, high in zip(*part, strict=True) for index in range(low, high)]
            for part in parts_of(first, last)
        ]
        whole = [i for low, high in zip(first, last, strict=True) for i in range(low, high)]
        assert [index for part in listed for index in part] == whole
        assert len(listed[0]) == len(whole) // 2
    with pytest.raises(ZeroDivisionError):
        at_once([lambda: 1, lambda: 1 // 0])


def test_percentiles_of_many_names(make, event):
    trace = make(
        *(
            event("X", f"n{n}", n * 10 + k, dur=rnd)
            for n in range(30)
            for k, rnd in enumerate((5, 1, 9, 3))
        )
    )
    for few in (0, 10**6):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("studio.trace.sums._FEW_NAMES", few)
            table = statistics(trace)
        assert table["p50_ns"].tolist() == [3000] * 30
        assert table["p99_ns"].tolist() == [9000] * 30
