import pickle

import pytest

from studio.formats.plain_pickle import load_plain
from studio.formats.torch_snapshot import is_snapshot, read_snapshot
from studio.kernel.errors import StudioError

FRAMES = [
    {"filename": "??", "line": 0, "name": "c10::alloc"},
    {"filename": "/x/torch/nn/linear.py", "line": 9, "name": "forward"},
    {"filename": "/home/me/train.py", "line": 3, "name": "main"},
]
BLOCKS = [
    {"size": 512, "requested_size": 100, "state": "active_allocated", "frames": FRAMES},
    {"size": 1536, "state": "inactive"},
]
SEGMENT = {
    "device": 0,
    "address": 4096,
    "total_size": 2048,
    "allocated_size": 512,
    "active_size": 512,
    "stream": 0,
    "segment_type": "small",
    "blocks": BLOCKS,
}


def written(folder, value, protocol=4):
    path = folder / "snapshot.pickle"
    path.write_bytes(pickle.dumps(value, protocol=protocol))
    return path


def test_segments_blocks_and_events(tmp_path):
    event = {"action": "alloc", "addr": 4096, "size": 100, "stream": 0, "frames": FRAMES}
    path = written(
        tmp_path, {"segments": [SEGMENT], "device_traces": [[], [{**event, "time_us": 7}]]}
    )
    assert is_snapshot(path)
    found = read_snapshot(path)
    assert found.segments.numbers["bytes"] == [2048]
    assert found.blocks.numbers["address"] == [4096, 4608]
    assert found.blocks.numbers["requested_bytes"] == [100, 1536]
    assert found.blocks.texts["name"] == ["/home/me/train.py(3): main", ""]
    assert found.events.numbers["device"] == [1]
    assert found.events.numbers["time_ns"] == [7000]
    stack = "??(0): c10::alloc\n/x/torch/nn/linear.py(9): forward\n/home/me/train.py(3): main"
    assert found.events.texts["stack"] == [stack]


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_old_snapshots_are_a_list_of_segments(tmp_path, protocol):
    history = {"size": 512, "state": "active_allocated", "history": [{"frames": FRAMES}]}
    path = written(tmp_path, [{**SEGMENT, "blocks": [history]}], protocol)
    assert is_snapshot(path)
    found = read_snapshot(path)
    assert found.blocks.texts["name"] == ["/home/me/train.py(3): main"]
    assert len(found.events) == 0


def test_odd_entries_are_counted_and_the_rest_is_read(tmp_path):
    events = [{"action": "alloc", "addr": 1 << 70, "size": "x"}, 5, {"noaction": 1}]
    path = written(tmp_path, {"segments": [7, SEGMENT], "device_traces": [events, None]})
    found = read_snapshot(path)
    assert found.events.numbers["address"] == [-1]
    assert {(fault.kind, fault.count) for fault in found.faults} == {
        ("entry is no segment", 1),
        ("entry is no event", 2),
    }


class Harmful:
    def __reduce__(self):
        import os

        return os.mkdir, ("/tmp/never",)


def test_code_in_a_snapshot_is_named_and_never_run(tmp_path, monkeypatch):
    import os

    path = written(tmp_path, {"segments": [Harmful()]})
    monkeypatch.setattr(os, "mkdir", lambda *_: pytest.fail("was run"))
    with pytest.raises(StudioError, match=r"contains code \((posix|nt)\.mkdir\)"):
        read_snapshot(path)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x80\x04",
        b"\x80\x04segments",
        b"\x80\x04}r\xff\xff\xff\xff.",  # asks for room for four thousand million objects
        b"\x80\x04\x8e\xff\xff\xff\xff\xff\xff\xff\x7fx.",
        pickle.dumps({"segments": [SEGMENT]})[:-20],
    ],
)
def test_damage_is_told_with_the_file(tmp_path, content):
    path = tmp_path / "s.pickle"
    path.write_bytes(content)
    with pytest.raises(StudioError, match=r"s\.pickle is damaged or no pickle"):
        load_plain(path)


@pytest.mark.parametrize("value", [{"segments": 5}, {"other": []}, "text", 3])
def test_other_pickles_are_no_snapshots(tmp_path, value):
    with pytest.raises(StudioError, match="no memory snapshot"):
        read_snapshot(written(tmp_path, value))


def test_other_files_are_no_snapshots(tmp_path):
    path = tmp_path / "a.pickle"
    path.write_bytes(pickle.dumps({"weights": [1.0]}))
    assert not is_snapshot(path)
    path.write_text("segments of text")
    assert not is_snapshot(path)
    assert not is_snapshot(tmp_path / "none")
