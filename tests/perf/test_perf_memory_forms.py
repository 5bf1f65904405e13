"""Memory from snapshots of PyTorch, databases of msMemScope and plans of graphs."""

import pickle
import sqlite3

import pytest

from studio.perf.doctor import diagnose
from studio.perf.load import load_profile
from studio.perf.memory_blocks import blocks
from studio.perf.memory_peak import memory_at
from studio.perf.schema import problems
from studio.perf.several import profiles_at
from studio.perf.static_memory import static_memory

SNAPSHOTS = "msinsight/scripts/MemSnapDump/test/test-data"
MEMSCOPE = "msinsight/server/src/test/test_data/memscope/host_pinned"


def event(action, address, size):
    return {"action": action, "addr": address, "size": size, "stream": 0, "frames": []}


def block(address, size, requested, state="active_allocated"):
    return {"address": address, "size": size, "requested_size": requested, "state": state}


@pytest.fixture
def snapshot(tmp_path):
    """A block of 100 from before, one that stays, one that is given back, one in between."""
    segment = {"device": 0, "address": 0, "total_size": 4096, "stream": 0, "segment_type": "small"}
    segment["blocks"] = [
        block(0, 512, 100),
        block(512, 512, 200),
        block(1024, 512, 50, "active_pending_free"),
        block(1536, 2560, 0, "inactive"),
    ]
    trace = [
        event("segment_alloc", 0, 4096),
        event("alloc", 512, 200),
        event("alloc", 1536, 1000),
        event("free_requested", 1536, 1000),
        event("free_completed", 1536, 1000),
        event("alloc", 1024, 50),
        event("free_requested", 1024, 50),
        event("free_requested", 2048, 30),
        event("free_completed", 2048, 30),
    ]
    path = tmp_path / "s.pickle"
    path.write_bytes(pickle.dumps({"segments": [segment], "device_traces": [trace]}))
    return path


def test_what_a_snapshot_tells_of_its_past(snapshot):
    profile = load_profile(snapshot)
    memory = profile.table("memory")
    # 130 were there before: 100 that stay, 30 that are given back at the end
    assert memory["allocated_bytes"].tolist() == [130, 330, 1330, 330, 330, 380, 330, 300, 300]
    assert memory["active_bytes"].tolist() == [130, 330, 1330, 1330, 330, 380, 380, 380, 350]
    assert memory["reserved_bytes"].tolist() == [4096] * 9
    states = blocks(profile)["state"].value_counts()
    assert states.to_dict() == {"released": 2, "held": 1, "not timed": 1, "allocated before": 1}
    peak = memory_at(profile)
    assert (peak.component, peak.at_ns, peak.bytes) == ("PyTorch", 2, 1330)
    assert (peak.held_before_bytes, peak.live_bytes, peak.live_count) == (130, 1200, 2)
    assert peak.held["bytes"].tolist() == [100, 30]
    end = memory_at(profile, 8)
    assert (end.bytes, end.held_before_bytes, end.held["bytes"].tolist()) == (300, 100, [100])


def test_tables_of_a_snapshot_are_as_documented(snapshot):
    profile = load_profile(snapshot)
    for name in profile.offered:
        table = profile.table(name)
        assert problems(name, table.columns, map(str, table.dtypes)) == [], name
    assert profile.table("segments")["bytes"].tolist() == [4096]
    assert profile.table("segment_blocks")["state"].tolist()[-1] == "inactive"
    assert len(profile.table("memory_events")) == 9
    remarks = diagnose(snapshot).remarks
    assert [remark.kind for remark in remarks] == ["time"]


def read_independently(path):
    """The level of allocated bytes after every event, and what is live at its peak."""
    dumped = pickle.loads(path.read_bytes())
    end = sum(
        part["requested_size"]
        for segment in dumped["segments"]
        for part in segment["blocks"]
        if part["state"] == "active_allocated"
    )
    trace = next(trace for trace in dumped["device_traces"] if trace)
    signs = {"alloc": 1, "free_requested": -1}
    level = end - sum(signs.get(entry["action"], 0) * entry["size"] for entry in trace)
    before, levels = level, []
    for entry in trace:
        level += signs.get(entry["action"], 0) * entry["size"]
        levels.append(level)
    peak = levels.index(max(levels))
    live = {}
    for entry in trace[: peak + 1]:
        if entry["action"] == "alloc":
            live[entry["addr"]] = entry["size"]
        elif entry["action"] == "free_requested":
            live.pop(entry["addr"], None)
    return levels, before, live


@pytest.mark.parametrize(
    "name",
    [
        "snapshot_with_empty_cache.pkl",
        "snapshot_expandable.pkl",
        "snapshot_1768383987920985470.pkl",
    ],
)
def test_real_snapshots_add_up(samples, name):
    levels, before, live = read_independently(samples / SNAPSHOTS / name)
    profile = load_profile(samples / SNAPSHOTS / name)
    assert profile.table("memory")["allocated_bytes"].iloc[-1] == levels[-1]
    found = memory_at(profile)
    assert (found.bytes, found.held_before_bytes) == (max(levels), before)
    assert (found.live_bytes, found.live_count) == (sum(live.values()), len(live))
    assert found.bytes == found.held_before_bytes + found.live_bytes
    assert found.held["bytes"].sum() == before
    assert found.live["stack"].notna().any()


def test_several_snapshots_of_a_folder(samples):
    found = profiles_at(samples / SNAPSHOTS)
    assert len(found) == 5
    assert {profile.info.form for profile in found} == {"memory snapshot"}


def test_a_database_of_memscope_sums_up_as_its_viewer_did(samples):
    path = samples / MEMSCOPE / "memscope_dump_20260527062213.db"
    for place in (path, path.parent):
        profile = load_profile(place)
        memory = profile.table("memory")
        with sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True) as database:
            rows = database.execute("select timestamp, totalSize from memory_allocation").fetchall()
        assert list(zip(memory["time_ns"], memory["allocated_bytes"], strict=True)) == rows
        peak = memory_at(profile)
        assert (peak.component, peak.device) == ("HOST_PINNED", "cpu")
        assert (peak.bytes, peak.live_bytes, peak.live_count) == (22_683_648, 22_683_648, 6)
        assert peak.by("name")["name"].tolist() == ["/home/maochen/a.py(11): <module>"]
    assert len(profile.table("memory_events")) == 10
    assert diagnose(path).exit_code == 0


def test_plans_of_graphs(maker):
    maker.table(
        "static_op_mem.csv",
        "Device_id,Op Name,Model Name,Graph ID,Node Index Start,Node Index End,Size(KB)\n"
        "0,a,m,1,1,3,4\n0,b,m,1,2,4294967295,8\n0,c,m,1,3,3,1\n0,d,m,2,1,1,1\n",
    )
    plans = static_memory(maker.load())
    assert [plan.graph for plan in plans] == [1, 2]
    first = plans[0]
    assert first.curve["node"].tolist() == [1, 2, 3, 4]
    assert first.curve["bytes"].tolist() == [4096, 12288, 13312, 8192]
    assert (first.peak_node, first.peak_bytes) == (3, 13312)
    assert first.live()["name"].tolist() == ["b", "a", "c"]
    assert first.live(4)["name"].tolist() == ["b"]


def test_a_real_plan_against_counting(samples):
    path = samples / "msinsight/server/src/test/test_data/test_rank_1"
    plan = static_memory(load_profile(path))[0]
    table = plan.blocks
    for row in plan.curve.itertuples():
        last = table["last_node"].fillna(1 << 40)
        there = (table["first_node"] <= row.node) & (last >= row.node)
        assert table[there]["bytes"].sum() == row.bytes
    assert plan.live()["bytes"].sum() == plan.peak_bytes > 0
