"""Kernels and portable code must give the same traces, whatever is in a file."""

import gzip
import json
import random

import numpy as np
import pytest

from studio.formats import engine
from studio.formats.chrome_columns import ARG_TEXT
from studio.formats.chrome_events import EventReader
from studio.kernel.errors import StudioError
from studio.trace import load
from tests.fuzz.fuzz_scanner import Traces, difference
from tests.fuzz.readings import ARGS, read_compiled, read_portable

kernels = pytest.mark.skipif(not engine.has_compiler(), reason="numba is not installed")
COLUMNS = (
    "start", "duration", "name", "category", "lane", "depth", "source", "open_ended", "row_bounds",
)  # fmt: skip
PLAIN = (
    "names", "categories", "lanes", "faults", "start_ns", "end_ns", "view_start_ns", "view_end_ns",
    "outside", "events", "counter_events", "metadata", "stamp",
)  # fmt: skip


@pytest.fixture
def both(monkeypatch):
    """Load a file with either engine."""

    def read(path, **arguments):
        found = []
        for choice in ("portable", "compiled"):
            monkeypatch.setenv(engine.CHOICE, choice)
            found.append(load(path, **arguments))
        return found

    return read


def assert_same(one, other):
    for name in COLUMNS:
        left, right = getattr(one, name), getattr(other, name)
        assert left.dtype == right.dtype, name
        assert np.array_equal(left, right), name
    for name in PLAIN:
        assert getattr(one, name) == getattr(other, name), name
    for group in ("flows", "instants"):
        for name in getattr(one, group).__slots__:
            left, right = (getattr(getattr(trace, group), name) for trace in (one, other))
            assert np.array_equal(left, right), (group, name)
    assert len(one.counters) == len(other.counters)
    for left, right in zip(one.counters, other.counters, strict=True):
        assert (left.lane, left.name, left.id, left.key) == (
            right.lane, right.name, right.id, right.key,
        )  # fmt: skip
        assert np.array_equal(left.times, right.times)
        assert np.array_equal(left.values, right.values)
    assert one.arg_columns.keys() == other.arg_columns.keys()
    for name, left in one.arg_columns.items():
        right = other.arg_columns[name]
        assert np.array_equal(left.kind, right.kind), name
        number = left.kind != ARG_TEXT
        assert np.array_equal(left.values[number], right.values[number]), name
        texts = [
            [column.texts[value] for value in column.values[~number].tolist()]
            for column in (left, right)
        ]
        assert texts[0] == texts[1], name


@kernels
def test_random_traces_whole_and_damaged_are_read_the_same():
    traces = Traces(5)
    for _ in range(400):
        data, whole = traces.document()
        assert not difference(data, traces.rnd, whole=whole), data


@kernels
@pytest.mark.parametrize("cut", [0, 1, 7, 31, 32, 33, 63, 64, 65, 127])
def test_texts_at_the_edges_of_blocks_are_read_the_same(cut):
    name = "x" * cut
    for tail in ("", "é", '"', "\\", "🙂", "\u007f"):
        data = json.dumps(
            [{"ph": "X", "name": name + tail, "ts": 1, "dur": 2, "args": {name + tail: tail}}] * 3
        ).encode()
        for buffer in (64, 100, 1 << 20):
            for args in (ARGS, ()):
                found = read_compiled(data, buffer, 200, args)
                assert found == read_portable(data, args=args)


@kernels
def test_events_of_every_kind_mixed_with_odd_ones_are_read_the_same():
    """Columns that kernels write to are left and taken up again, and grow; texts are doubled."""
    events = []
    for number in range(3000):
        event = {"ph": "XsfXbeXiC"[number % 9], "ts": number, "dur": number % 7, "id": number % 50}
        name = f"name {number % 40}"
        event |= {"name": name, "pid": number % 3, "tid": str(number % 2), "args": {"v": number}}
        text = json.dumps(event)
        if number % 400 == 399:
            text = text.replace(name, "".join(f"\\u{ord(letter):04x}" for letter in name))
        if number % 700 == 699:
            text = text.replace('"ts": ', '"ts": 00')
        if number % 5 == 0:
            text = text.replace('"dur"', '"duration"').replace('"tid": "1"', '"tid": 1')
        if number % 11 == 0:
            text = text.replace('"id": 1', '"id": "x1"')
        events.append(text)
    data = f"[{', '.join(events)}]".encode()
    for args in ((), ("v",)):
        expected = read_portable(data, 1 << 12, args)
        assert expected["rows of complete"] > 900
        assert expected["rows of flows"] > 600
        for buffer in (300, 1 << 14, 1 << 18):
            found = read_compiled(data, buffer, 1 << 12, args)
            wrong = [key for key in expected if found[key] != expected[key]]
            assert wrong == []


@kernels
def test_million_digit_and_deep_values_end_in_the_portable_reader():
    deep = b"[" * 3000 + b"]" * 3000
    for value in (deep, b"[" * 70 + b"]" * 70, b"1" * 1_000_000, b'"' + b"x" * 1_500_000 + b'"'):
        event = b'{"ph": "X", "name": "a", "ts": 1, "dur": 1, "args": {"v": ' + value + b"}}"
        data = b"[" + b",".join([event, event]) + b"]"
        assert read_compiled(data, 4096) == read_portable(data)


SHAPES = [
    b"[[2, 3], [], [[4, 5], [6]]]",
    b"[[2,3],[]]",
    b"[ ]",
    b'["Int", "c10::Half", "", "\xc3\xa9\\n"]',
    b'[{"a": [1, null, true, false]}]',
    b"[-1, 0.5, 123456789012345678]",
    b"[1234567890123456789]",  # from here on a list that only the portable reader judges
    b"[1e5]",
    b"[0.25E-2, 1e999]",
    b'["9e"]',
    b"[01]",
    b'["\xff"]',
    b"[1, 2",
]


@kernels
def test_lists_in_args_that_are_asked_for_are_read_the_same():
    for last in SHAPES:
        for every in ((last,), (*SHAPES[:6], last)):
            events = [
                b'{"ph": "X", "name": "a", "ts": 1, "dur": 2, "args": {"Input Dims": %b}}' % shapes
                for shapes in every
            ]
            data = b"[" + b", ".join(events) + b"]"
            arguments = (200, 1 << 10, ("Input Dims",))
            assert read_compiled(data, *arguments) == read_portable(data, *arguments[1:]), data


@kernels
def test_plain_lists_of_shapes_need_no_portable_reader(monkeypatch):
    events = [
        b'{"ph": "X", "name": "a", "ts": 1, "dur": 2, "args": {"Input Dims": %b}}' % shapes
        for shapes in SHAPES[:6]
    ]
    data = b"[" + b",".join(events) + b"]"
    expected = read_portable(data, args=("Input Dims",))
    monkeypatch.setattr(EventReader, "step", lambda _reader: pytest.fail("the portable reader"))
    assert read_compiled(data, args=("Input Dims",)) == expected


@kernels
def test_more_names_tracks_and_series_than_tables_first_hold():
    rnd = random.Random(2)
    events = [
        {
            "ph": rnd.choice("XXC"),
            "name": f"name {number} {'long ' * rnd.randrange(40)}",
            "pid": number % 3000,
            "tid": f"thread {number}",
            "ts": number,
            "dur": 1,
            "args": {"value": number, "stream": f"s{number}"},
        }
        for number in range(9000)
    ]
    data = json.dumps(events).encode()
    found = read_compiled(data)
    assert found == read_portable(data)
    assert found["events"] == 9000
    assert len(found["names"]) + len(found["counters"]) == 9000


@kernels
def test_rows_and_arrows_are_the_same(tmp_path, both):
    path = tmp_path / "trace.json"
    rnd = random.Random(4)
    for _ in range(60):
        events = []
        for _ in range(rnd.randrange(300)):
            time = rnd.randrange(60)
            kind = rnd.choice(("X", "X", "X", "s", "t", "f", "B", "E", "b", "e", "i", "C"))
            event = {"ph": kind, "name": rnd.choice("abc"), "pid": 1, "tid": rnd.randrange(3)}
            event |= {"ts": time, "cat": rnd.choice("xy"), "id": rnd.choice((1, "1", "k", 2.5, -1))}
            if kind == "X" and rnd.random() < 0.9:
                event["dur"] = rnd.choice((0, 0, 1, 5, 20))
            if kind in "XC":
                event["args"] = {"stream": rnd.choice((1, "2", "a", None, [1]))}
            events.append(event)
        path.write_text(json.dumps(events))
        assert_same(*both(path, arg_columns=("stream", "id")))


@kernels
def test_all_cases_are_read_the_same(cases, both):
    paths = [
        path
        for folder in cases.glob("A*")
        for path in sorted((folder / "input").rglob("*.json*"))
        if "trace" in folder.name or folder.name[:3] in ("A14", "A15", "A16", "A17", "A18", "A19")
    ]
    assert len(paths) > 12
    for path in paths:
        assert_same(*both(path))


@kernels
@pytest.mark.slow
def test_all_real_traces_are_read_the_same(shared, both):
    count = 0
    for path in sorted((shared / "data" / "profiling").rglob("*")):
        if not path.name.endswith((".json", ".json.gz")) or "outputs" in path.parts:
            continue
        try:
            assert_same(*both(path, arg_columns=ARGS))
        except StudioError:
            continue
        count += 1
    assert count > 100


@kernels
def test_packed_and_plain_files_are_read_the_same(tmp_path, both):
    events = [{"ph": "X", "name": f"n{n % 9}", "ts": n, "dur": 2} for n in range(40_000)]
    data = json.dumps(events).encode()
    plain, packed = tmp_path / "trace.json", tmp_path / "trace.json.gz"
    plain.write_bytes(data)
    packed.write_bytes(gzip.compress(data, 1))
    one, other = both(packed)
    assert_same(one, other)
    assert np.array_equal(one.source, both(plain)[1].source)
    packed.write_bytes(gzip.compress(data, 1)[:-5000])
    one, other = both(packed)
    assert_same(one, other)
    assert not one.complete


@kernels
def test_a_cancelled_load_stops(tmp_path, monkeypatch):
    class Stop(Exception):
        pass

    class Job:
        calls = 0

        def report(self, fraction, message):
            pass

        def check(self):
            self.calls += 1
            if self.calls == 3:
                raise Stop

    path = tmp_path / "trace.json"
    path.write_text(json.dumps([{"ph": "X", "name": "n" * 90, "ts": 1, "dur": 1}] * 240_000))
    monkeypatch.setenv(engine.CHOICE, "compiled")
    job = Job()
    with pytest.raises(Stop):
        load(path, job=job)
    assert job.calls == 3


# -- which engine works -------------------------------------------------------------------------
