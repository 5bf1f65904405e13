"""The streaming reader on random documents, whole and damaged, against json."""

import gzip
import json
import random

import msgspec
import pytest

from studio.formats.byte_source import open_bytes
from studio.formats.chrome_args import ArgColumns
from studio.formats.chrome_columns import ARG_MISSING, ARG_NUMBER, ARG_TEXT, Interner
from studio.formats.chrome_event import Event
from studio.formats.chrome_events import EventReader, NotATraceError
from studio.formats.chrome_trace import looks_like_trace, outer_fields, read_trace
from studio.formats.faults import FaultLog
from studio.kernel.errors import StudioError

CHUNKS = (64, 256, 1024, 1 << 16)


def read(path, chunk=1 << 16):
    faults = FaultLog()
    events, places = [], []
    with open_bytes(path) as source:
        reader = EventReader(source, faults, chunk)
        for batch, offsets in reader.batches():
            events += batch
            places += offsets.tolist()
    return events, places, {fault.kind: fault for fault in faults.faults()}, reader


class Documents:
    """Random traces whose texts are full of what JSON is made of."""

    def __init__(self, seed):
        self.rnd = random.Random(seed)

    def text(self):
        signs = 'ab"\\{}[],: \n\u00e9\u4e2d'
        return "".join(self.rnd.choice(signs) for _ in range(self.rnd.randrange(30)))

    def value(self, depth=0):
        kind = self.rnd.randrange(8)
        if kind < 3 or depth > 3:
            return self.text()
        if kind == 3:
            return self.rnd.random()
        if kind == 4:
            return {self.text(): self.value(depth + 1) for _ in range(self.rnd.randrange(5))}
        if kind == 5:
            return [self.value(depth + 1) for _ in range(self.rnd.randrange(5))]
        return [{"a": 1}, {"b": [{"c": 2}]}] if kind == 6 else None

    def event(self, number):
        fields = {
            "ph": self.rnd.choice("XsfCMi"),
            "name": f"n{number} {self.text()}",
            "ts": self.rnd.random() * 1e6,
            "pid": self.rnd.randrange(9),
            "args": self.value(),
            f"x{self.text()}": self.value(),
        }
        keys = list(fields)
        self.rnd.shuffle(keys)
        return {key: fields[key] for key in keys}

    def document(self, fewest=0):
        events = [self.event(number) for number in range(self.rnd.randrange(fewest, 40))]
        style = {
            "ensure_ascii": self.rnd.random() < 0.5,
            "indent": self.rnd.choice([None, 1]),
            "separators": self.rnd.choice([(",", ":"), (", ", ": ")]),
        }
        whole = events
        if self.rnd.random() < 0.5:
            whole = {"a": [1, {"b": "]}"}], "traceEvents": events, "z": {"q": [{}]}}
        return events, json.dumps(whole, **style).encode()

    def damage(self, data):
        data = bytearray(data)
        place = self.rnd.randrange(20, len(data))
        match self.rnd.randrange(4):
            case 0:
                del data[place : place + self.rnd.randrange(1, 4)]
            case 1:
                data[place:place] = bytes([self.rnd.choice(b'"\\{}[],:\n\x00\xff')])
            case 2:
                data[place] = self.rnd.randrange(256)
            case 3:
                del data[place:]
        return bytes(data), place


def test_random_documents_are_read_as_json_reads_them(tmp_path):
    documents = Documents(1)
    path = tmp_path / "trace.json"
    for _ in range(400):
        expected, data = documents.document()
        path.write_bytes(data)
        events, places, faults, reader = read(path, documents.rnd.choice(CHUNKS))
        assert not faults
        assert [event.name for event in events] == [event["name"] for event in expected]
        decoder = json.JSONDecoder()
        found = [decoder.raw_decode(data[place:].decode())[0] for place in places]
        assert found == expected
        if data[:1] == b"{":
            assert outer_fields(reader.head, reader.tail) == {
                "a": [1, {"b": "]}"}],
                "z": {"q": [{}]},
            }


def test_random_damage_costs_the_damaged_event_and_at_most_its_neighbour(tmp_path):
    documents = Documents(2)
    path = tmp_path / "trace.json"
    for _ in range(600):
        expected, data = documents.document(fewest=3)
        damaged, place = documents.damage(data)
        path.write_bytes(damaged)
        events, *_ = read(path, documents.rnd.choice(CHUNKS))
        found = {str(event.name).split(" ")[0] for event in events}
        names = [event["name"].split(" ")[0] for event in expected]
        if len(damaged) == place:
            kept = [name for name in names if name in found]
            assert kept == names[: len(kept)]
        else:
            assert sum(name not in found for name in names) <= 2


def test_chunks_do_not_change_what_is_read(tmp_path):
    documents = Documents(3)
    path = tmp_path / "trace.json"
    for _ in range(150):
        _, data = documents.document(fewest=3)
        path.write_bytes(documents.damage(data)[0])
        results = []
        for chunk in (97, 1 << 20):
            events, places, faults, _ = read(path, chunk)
            results.append(([event.name for event in events], places, faults))
        assert results[0] == results[1]


EVENT = b'{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 2}'


@pytest.mark.parametrize(
    ("data", "count", "kinds"),
    [
        (b"[%b]" % EVENT, 1, []),
        (b"\xef\xbb\xbf [%b]" % EVENT, 1, []),
        (b"[]", 0, []),
        (b'{"traceEvents": []}', 0, []),
        (b'{"traceEvents": null, "x": [1]}', 0, []),
        (b'{"traceEvents": [%b], "x": 1}' % EVENT, 1, []),
        (b"[%b,]" % EVENT, 1, ["trailing comma"]),
        (b"[%b %b]" % (EVENT, EVENT), 2, ["missing comma"]),
        (b"[%b, null, %b]" % (EVENT, EVENT), 2, ["text between events"]),
        (b"[[%b],[%b]]" % (EVENT, EVENT), 2, ["text between events", "text after the list"]),
        (b"[%b]]" % EVENT, 1, ["text after the list"]),
        (b"[%b][%b]" % (EVENT, EVENT), 2, ["text between events"]),
        (b"[%b" % EVENT, 1, ["file ended early"]),
        (b"[%b," % EVENT, 1, ["file ended early"]),
        (b'{"traceEvents": [%b' % EVENT, 1, ["file ended early"]),
        (b'{"traceEvents": [%b]' % EVENT, 1, ["file ended early"]),
        (b"%b\n%b\n" % (EVENT, EVENT), 2, ["list not opened", "missing comma"]),
        (
            b'{"traceEvents": [%b]}{"traceEvents": [%b]}' % (EVENT, EVENT),
            2,
            ["second list of events"],
        ),
        (b'[{"ph": "X", "name": "\xff", "ts": 1}]', 1, ["bad UTF-8"]),
        (b'[{"ph": "X", "name": "\\ud800", "ts": 1}]', 1, ["lone surrogate"]),
        (b'[{"ph": "X", "ts": 1, "args": {"x": NaN}}]', 1, ["bare NaN"]),
        (b'[{"ph": "X", "ts": 1, "args": {"x": nan}}]', 1, ["repaired event"]),
        (b'[{"ph": "X", "name": "C:\\dir\\", "ts": 1}, %b]' % EVENT, 2, ["repaired event"]),
        (b"[%b, {]" % EVENT, 1, ["unreadable event", "file ended early"]),
        (b"", 0, ["empty file"]),
        (b"  \n ", 0, ["empty file"]),
    ],
)
def test_shapes_and_faults(tmp_path, data, count, kinds):
    path = tmp_path / "trace.json"
    path.write_bytes(data)
    events, _, faults, _ = read(path)
    assert len(events) == count
    assert sorted(faults) == sorted(kinds)


def test_args_larger_than_a_chunk(tmp_path):
    path = tmp_path / "trace.json"
    large = json.dumps({"ph": "X", "name": "large", "ts": 1, "args": {"x": "y" * 300_000}})
    path.write_bytes(b"[%b, %b, %b]" % (EVENT, large.encode(), EVENT))
    events, places, faults, _ = read(path, 4096)
    assert [event.name for event in events] == ["a", "large", "a"]
    assert places == [1, len(EVENT) + 3, len(EVENT) + len(large) + 5]
    assert not faults


def test_gzip_of_several_members_and_trailing_zeros(tmp_path):
    path = tmp_path / "trace.json.gz"
    path.write_bytes(gzip.compress(b"[" + EVENT) + gzip.compress(b"," + EVENT + b"]") + b"\0" * 512)
    events, _, faults, _ = read(path)
    assert len(events) == 2
    assert not faults


def test_damaged_gzip_keeps_what_came_before(tmp_path):
    path = tmp_path / "trace.json.gz"
    rnd = random.Random(1)
    events = b",".join(
        b'{"ph":"X","name":"n%d","ts":%d}' % (rnd.randrange(10**9), i) for i in range(9000)
    )
    packed = bytearray(gzip.compress(b"[" + events + b"]"))
    packed[len(packed) // 2 : len(packed) // 2 + 200] = b"\xff" * 200
    path.write_bytes(packed)
    found, _, faults, _ = read(path)
    assert 1000 < len(found) < 9000
    assert "damaged archive" in faults


@pytest.mark.parametrize(
    "data", [b'{"x": 1}', b"[1, 2]", b"hello", b"\x00" * 5000, b'{"events": [{}]}']
)
def test_other_files_are_refused_with_a_clear_message(tmp_path, data):
    path = tmp_path / "other.json"
    path.write_bytes(data)
    if data == b"[1, 2]":
        assert read_trace(path, faults := FaultLog()).events == 0
        assert faults.count("no events") == 1
        return
    with pytest.raises(NotATraceError):
        read(path)
    with pytest.raises(StudioError, match=r"other\.json is not a trace"):
        read_trace(path, FaultLog())


def test_sniffing_looks_at_the_first_bytes_only(tmp_path):
    path = tmp_path / "some.json"
    path.write_bytes(b'[{"name": "x", "args": {"a": 1}, "ph": "X"}]')
    assert looks_like_trace(path)
    path.write_bytes(gzip.compress(b'{"schemaVersion": 1, "traceEvents": []}'))
    assert looks_like_trace(path)
    path.write_bytes(b'{"schemaVersion": 1}')
    assert not looks_like_trace(path)
    path.write_bytes(b'[{"name": "x"}]')
    assert not looks_like_trace(path)
    assert not looks_like_trace(tmp_path / "absent.json")


MIXED = [7, None, "8", "x", True, 1, 1.0, 2**63, [1, "a"], "x", "08", {"b": 2}]
MIXED_READ = [7, None, 8, "x", "true", 1, "1.0", str(2**63), '[1,"a"]', "x", "08", '{"b":2}']


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (MIXED, MIXED_READ),
        (["8", "x", None, "8"], [8, "x", None, 8]),
        ([[2, 3], None, [2, 3], []], ["[2,3]", None, "[2,3]", "[]"]),
        (["[2]", [2], None, "2"], ["[2]", "[2]", None, 2]),
        ([None, None], [None, None]),
        ([-(2**63), 2**63 - 1, None], [-(2**63), 2**63 - 1, None]),
        ([1, 2**63], [1, str(2**63)]),
    ],
)
def test_args_become_numbers_or_texts_in_the_order_of_the_file(values, expected):
    texts = Interner()
    events = [Event(args=msgspec.Raw(json.dumps({"v": value}).encode())) for value in values]
    columns = ArgColumns(("v", "w"), texts).columns(events)
    found = [
        None if kind == ARG_MISSING else number if kind == ARG_NUMBER else texts.texts[number]
        for number, kind in zip(columns["arg:v"].tolist(), columns["kind:v"], strict=True)
    ]
    assert found == expected
    assert not columns["kind:w"].any()
    assert texts.texts == list(dict.fromkeys(text for text in found if isinstance(text, str)))


def test_args_that_were_texts_before_are_told_apart_as_they_stand():
    """The second batch is decoded in another way than the first, and numbered as one reading."""
    batches = [
        [b'{"v":[[4, 8]],"w":"s"}', b'{"w":"t"}'],
        [b'{"v":[[4,8],[]],"w":"s"}', b'{"v":[[4, 8]],"w":null}', b'{"w":"\\u0073","v":7}'],
        [b'{"v":"7","w":"t"}', b'{"v":"x","w":"a\xff"}', b'{"v":[1, 2.50],"w":"\\n"}', b"[]"],
    ]
    texts = Interner()
    columns = ArgColumns(("v", "w"), texts)
    found = []
    for batch in batches:
        made = columns.columns([Event(args=msgspec.Raw(text)) for text in batch])
        for name in ("v", "w"):
            pairs = zip(made[f"kind:{name}"].tolist(), made[f"arg:{name}"].tolist(), strict=True)
            found.append([texts.texts[n] if kind == ARG_TEXT else (kind, n) for kind, n in pairs])
    missing = (ARG_MISSING, 0)
    assert found == [
        ["[[4,8]]", missing],
        ["s", "t"],
        ["[[4,8],[]]", "[[4,8]]", (ARG_NUMBER, 7)],
        ["s", missing, "s"],
        # one event is no text, and one no object: they have no args
        [(ARG_NUMBER, 7), missing, "[1,2.5]", missing],
        ["t", missing, "\n", missing],
    ]
    assert texts.texts == ["[[4,8]]", "s", "t", "[[4,8],[]]", "[1,2.5]", "\n"]
