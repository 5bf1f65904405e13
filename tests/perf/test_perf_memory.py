import json

import numpy as np
import pytest

from studio.kernel.errors import StudioError
from studio.perf.load import load_profile
from studio.perf.memory_blocks import BEFORE, HELD, RELEASED, UNTIMED, blocks, live_at, live_curve
from studio.perf.memory_growth import growth, steps_of_memory
from studio.perf.memory_peak import memory_at
from tests.perf.conftest import BASE_US, time_of

MIB = 1 << 20
BASE_NS = 1_695_115_378_723_900_000


@pytest.fixture
def gaps(cases):
    case = cases / "A22-operator-memory-gaps"
    expected = json.loads((case / "expected.json").read_text())
    return load_profile(case / "input" / "operator_memory.csv"), expected


def test_what_is_known_of_blocks_with_missing_ends(gaps):
    profile, expected = gaps
    found = blocks(profile)
    assert len(found) == expected["rows"]
    assert found["state"].tolist() == [RELEASED, RELEASED, RELEASED, BEFORE, HELD, UNTIMED]
    assert found[found["state"] == HELD]["name"].tolist() == expected["held_at_end"]
    assert (found["state"] == BEFORE).sum() == expected["freed_before_window"]
    assert (found["state"] == UNTIMED).sum() == expected["empty_rows"]
    assert found["duration_ns"].tolist()[:3] == [20_000, 30_000, 10_000]
    assert found["duration_ns"].isna().tolist()[3:] == [True, True, True]
    known = found[found["state"].isin([RELEASED, HELD])]["bytes"].sum()
    assert known == expected["total_allocated_kb"] * 1024
    assert found["component"].tolist()[:3] == ["PTA", "PTA", "GE"]
    # "N/A" and a blank are both no time, but not the same
    mask = profile.not_applicable("allocations", "released_ns")
    assert mask.tolist() == [False, False, False, False, True, False]


def test_live_memory_over_time(gaps):
    profile, expected = gaps
    found = blocks(profile)
    for offset, kib in expected["live_kb"].items():
        at = BASE_NS + int(offset) * 1000
        assert found[live_at(found, at)]["bytes"].sum() == kib * 1024
    times, sizes = live_curve(found)
    assert sizes.max() == expected["peak_kb"] * 1024
    assert sizes.min() >= 0
    peak = int(np.argmax(sizes))
    assert times[peak] == expected["peak_from_us"] * 1000
    assert times[peak + 1] == expected["peak_to_us"] * 1000


def test_the_peak_lists_what_is_live(gaps):
    profile, expected = gaps
    found = memory_at(profile)
    assert set(found.live["name"]) == {"aten::zeros_like", "cann::Graph_70", "aten::add"}
    assert found.bytes == expected["peak_kb"] * 1024
    assert found.held_before_bytes is None
    assert found.is_peak
    assert memory_at(profile, BASE_NS + 15_000).live_count == 2


PEAKS = {
    "st/level2/rank_0_ascend_pt": (4304.957, 5977.792, 10282.749, 623),
    "st/level2/rank_2_ascend_pt": (4304.971, 6513.092, 10818.063, 331),
    "data/pytorch/text/level0/rank0_ascend_pt": (701.420, 486.561, 1187.981, 41),
    "data/pytorch/text/level2/rank1_ascend_pt": (701.420, 486.561, 1187.981, 41),
    "data/pytorch/db/level1/rank0_ascend_pt": (701.420, 486.561, 1187.981, 41),
    "data/pytorch/db/level2/rank1_ascend_pt": (701.420, 486.561, 1187.981, 41),
}


@pytest.mark.parametrize("name", PEAKS)
def test_peaks_are_explained_exactly(samples, name):
    found = memory_at(load_profile(samples / "msinsight/test" / name))
    held, live, total, count = PEAKS[name]
    assert round(found.bytes / MIB, 3) == total
    assert round(found.live_bytes / MIB, 3) == live
    assert round(found.held_before_bytes / MIB, 3) == held
    assert found.live_count == count
    assert found.held_before_bytes + found.live_bytes == found.bytes
    assert (found.component, found.is_peak) == ("PTA", True)


def test_peaks_as_read_independently(samples, crosscheck):
    checked = 0
    for name, about in crosscheck.items():
        expected = about.get("memory")
        if not expected:
            continue
        live = expected["peak_live"]
        profile = load_profile(samples / "msinsight/test" / name)
        found = memory_at(profile, live["at_ns"])
        assert found.bytes == memory_at(profile).bytes
        assert found.live_count == live["live_ops"]
        assert found.live_bytes / MIB == pytest.approx(live["live_MB"], abs=6e-4)
        assert found.reserved_bytes is not None
        by_name = found.by("name").set_index("name")["bytes"] / MIB
        for operator, size in live["top_by_name_MB"].items():
            assert by_name[operator] == pytest.approx(size, abs=6e-4)
        top = live["top_single"][0]
        assert found.live["bytes"].iloc[0] == top[1] * MIB
        checked += 1
    assert checked == 8


def test_other_components_and_times(samples):
    profile = load_profile(samples / "msinsight/test/data/pytorch/text/level2/rank0_ascend_pt")
    graph = memory_at(profile, component="GE")
    assert (graph.bytes, graph.reserved_bytes) == (round(73.0625 * MIB), round(74.75 * MIB))
    assert set(graph.live["component"]) == {"GE"}
    first = memory_at(profile, 0)
    assert (first.live_count, first.is_peak) == (0, False)
    peak = memory_at(profile)
    assert peak.process_bytes == round(2113.73046875 * MIB)
    assert peak.unused_bytes == peak.reserved_bytes - peak.bytes
    classes = peak.by("size_class").set_index("size_class")["count"].to_dict()
    assert sum(classes.values()) == 41
    with pytest.raises(StudioError, match="recorded no device memory of NONE"):
        memory_at(profile, component="NONE")


def test_blocks_lead_to_call_stacks(samples):
    for form in ("text", "db"):
        path = samples / f"msinsight/test/data/pytorch/{form}/level2/rank0_ascend_pt"
        live = memory_at(load_profile(path)).live
        mine = live[live["name"] == "aten::_foreach_add"]
        assert len(mine) == 17
        assert mine["stack"].notna().all()
        assert all("optim" in stack for stack in mine["stack"])


def record(times):
    header = "Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Device Type\n"
    return header + "".join(f"PTA,{time},{size},4096,NPU:0\n" for time, size in times)


@pytest.mark.parametrize(
    ("lowest", "leaks"), [((100, 130, 160, 190), True), ((100, 130, 90, 190), False)]
)
def test_memory_that_grows_from_step_to_step(maker, lowest, leaks):
    times = []
    for step, size in enumerate(lowest, start=1):
        start = step * 100
        maker.kernel("a", start, start + 50, step=step)
        base = 1_700_000_000_000_000 + start
        times += [(base + 1, size), (base + 20, 2000), (base + 40, size + 5)]
    maker.table("memory_record.csv", record(times))
    found = growth(maker.load())
    assert found.table["step"].tolist() == [1, 2, 3, 4]
    assert found.table["lowest_bytes"].tolist() == [size * MIB for size in lowest]
    assert found.table["peak_bytes"].tolist() == [2000 * MIB] * 4
    assert found.table["allocated_bytes"].tolist() == [(size + 5) * MIB for size in lowest]
    assert found.per_step_bytes == (lowest[-1] - lowest[0]) / 3 * MIB
    assert found.looks_like_a_leak is leaks


def test_blocks_that_a_step_keeps(samples):
    profile = load_profile(samples / "msinsight/test/data/pytorch/text/level2/rank0_ascend_pt")
    (row,) = growth(profile).table.to_dict("records")
    assert row["kept_count"] == 24
    assert row["step"] == 50
    assert growth(profile).per_step_bytes is None


def test_of_two_devices_the_one_that_holds_most(maker):
    base = 1_700_000_000_000_000
    maker.kernel("a", 0, 50)
    maker.table(
        "memory_record.csv",
        "Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Stream Ptr,Device Type\n"
        f"APP,{base + 1}\t,,64,,NPU:0\n"
        f"APP,{base + 2}\t,,96,N/A,NPU:1\n"
        f"PTA,{base + 9}\t,7,,5,NPU:1\n"
        f"PTA,{base + 3}\t,5,8,5,NPU:1\n"
        f"PTA,{base + 4}\t,6,8,5,NPU:0\n",
    )
    profile = maker.load()
    table = profile.table("memory")
    assert table["stream"].tolist()[2:] == ["5", "5", "5"]
    assert table["stream"].isna().tolist()[:2] == [True, True]
    assert profile.not_applicable("memory", "stream").tolist()[:2] == [False, True]
    found = memory_at(profile)
    assert (found.device, found.bytes, found.at_ns) == ("NPU:1", 7 * MIB, (base + 9) * 1000)
    assert found.reserved_bytes is None
    assert found.process_bytes == 96 * MIB
    earlier = memory_at(profile, (base + 5) * 1000, device="NPU:1")
    assert (earlier.bytes, earlier.reserved_bytes, earlier.unused_bytes) == (
        5 * MIB,
        8 * MIB,
        3 * MIB,
    )
    assert not earlier.is_peak
    assert memory_at(profile, device="NPU:0").process_bytes == 64 * MIB


def test_the_peak_of_a_step(maker):
    maker.kernel("a", 0, 10, step=1)
    maker.kernel("b", 20, 30, step=2)
    rows = ((-5, 90), (2, 10), (4, 30), (12, 5), (22, 20), (28, 20), (40, 15))
    lines = [f"PTA,{time_of(at)}\t,{size},100,NPU:0" for at, size in rows]
    header = "Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Device Type"
    maker.table("memory_record.csv", "\n".join([header, *lines]) + "\n")
    profile = maker.load()
    spans = {step: (start, end) for step, start, end in steps_of_memory(profile)}
    peaks = {step: memory_at(profile, between=span) for step, span in spans.items()}
    assert {step: peak.bytes // MIB for step, peak in peaks.items()} == {1: 30, 2: 20}
    assert peaks[2].at_ns == BASE_US * 1000 + 22_000
    assert not peaks[1].is_peak
    assert memory_at(profile).bytes == 90 * MIB
    start = BASE_US * 1000
    nothing = memory_at(profile, between=(start + 13_000, start + 14_000))
    assert (nothing.bytes, nothing.at_ns) == (5 * MIB, start + 12_000)
