"""Every figure that was read from the samples independently, to the last digit it has."""

from decimal import ROUND_HALF_UP, Decimal

import numpy as np
import pytest

from studio.perf.load import load_profile
from studio.perf.steps import step_breakdown
from studio.trace.intervals import length

PYTORCH = "msinsight/test/data/pytorch"
RANKS = [
    f"data/pytorch/text/level{level}/rank{rank}_ascend_pt" for level in (0, 1, 2) for rank in (0, 1)
]
PIPELINE = [f"st/level2/rank_{rank}_ascend_pt" for rank in range(4)]
COLUMNS = {
    "Computing": "computing_ns",
    "Communication(Not Overlapped)": "not_overlapped_ns",
    "Overlapped": "overlapped_ns",
    "Communication": "communication_ns",
    "Free": "free_ns",
    "Stage": "stage_ns",
    "Bubble": "bubble_ns",
    "Communication(Not Overlapped and Exclude Receive)": "not_received_ns",
    "Preparing": "preparing_ns",
}
SIZES = {"Allocated": "allocated_bytes", "Reserved": "reserved_bytes", "Active": "active_bytes"}
MIB = 1 << 20


def nanoseconds(text):
    return int((Decimal(text) * 1000).quantize(Decimal(1), ROUND_HALF_UP))


@pytest.mark.parametrize("name", [*RANKS, *PIPELINE])
def test_step_times_of_all_ranks(samples, crosscheck, name):
    (row,) = (
        load_profile(samples / "msinsight/test" / name).table("published_steps").to_dict("records")
    )
    (expected,) = crosscheck[name]["step_trace_time"]
    assert str(row["step"]) == expected["Step"]
    found = {title: row[column] for title, column in COLUMNS.items()}
    assert found == {title: nanoseconds(expected[title]) for title in COLUMNS}


@pytest.mark.parametrize("name", [*RANKS, PIPELINE[0], PIPELINE[2]])
def test_kernels_of_all_ranks(samples, crosscheck, name):
    profile = load_profile(samples / "msinsight/test" / name)
    kernels, communication = profile.table("kernels"), profile.table("communication")
    expected = crosscheck[name]["kernel_details"]
    assert len(kernels) + len(communication) == expected["rows"]
    names = kernels["core"].astype("str").fillna("N/A")
    for core, (total, count) in expected["by_core_us"].items():
        sent = core in ("HCCL", "COMMUNICATION")
        rows = communication if sent else kernels[names == core]
        assert len(rows) == count
        assert rows["duration_ns"].sum() == nanoseconds(str(total))
    start = kernels["start_ns"].to_numpy(np.int64)
    end = start + kernels["duration_ns"].to_numpy(np.int64)
    union = length((start, end))
    assert abs(union - nanoseconds(str(expected["compute_union_us"]))) <= 1


@pytest.mark.parametrize("name", [*RANKS, PIPELINE[0], PIPELINE[2]])
def test_memory_of_all_ranks(samples, crosscheck, name):
    profile = load_profile(samples / "msinsight/test" / name)
    memory = profile.table("memory")
    expected = crosscheck[name]["memory"]
    for component, about in expected.items():
        if component in ("peak_live", "operator_memory"):
            continue
        rows = memory[memory["component"] == component]
        assert len(rows) == about["rows"]
        for kind, column in SIZES.items():
            peak = about.get(f"Total {kind}(MB)")
            if peak is None:
                assert rows[column].isna().all() or kind == "Active"
                continue
            assert rows[column].max() == round(peak["max_MB"] * MIB)
            moments = rows[rows[column] == rows[column].max()]["time_ns"]
            assert peak["at_ns"] in set(moments)
    blocks = profile.table("allocations")
    about = expected["operator_memory"]
    assert len(blocks) == about["rows"]
    assert blocks["released_ns"].isna().sum() == about["no_release"]
    assert blocks["allocated_ns"].isna().sum() == about["no_alloc"]


@pytest.mark.parametrize("name", RANKS)
def test_timelines_of_all_ranks(samples, crosscheck, name):
    profile = load_profile(samples / "msinsight/test" / name)
    expected = crosscheck[name]["trace"]
    overlap = profile.table("overlap")
    for kind, total in expected["overlap_us"].items():
        assert overlap[overlap["kind"] == kind]["duration_ns"].sum() == nanoseconds(str(total))
    (step,) = profile.table("host_steps").to_dict("records")
    ((title, start, duration),) = expected["ProfilerStep"]
    assert title == f"ProfilerStep#{step['step']}"
    assert step["start_ns"] == nanoseconds(start)
    assert step["end_ns"] - step["start_ns"] == nanoseconds(str(duration))
    assert len(profile.trace()) == expected["ph"]["X"]
    assert sum(lane.kind == "slices" for lane in profile.trace().lanes) > 10


@pytest.mark.parametrize(
    ("rank", "expected"),
    [
        (0, (8900456, 94107521, 90080699, 25238587, 124219742)),
        (1, (8926368, 100357525, 96293920, 25228138, 130448426)),
    ],
)
def test_databases_as_msprof_analyze_sums_them_up(samples, rank, expected):
    profile = load_profile(samples / PYTORCH / f"db/level2/rank{rank}_ascend_pt")
    (row,) = step_breakdown(profile, causes=False).table.to_dict("records")
    names = ("computing_ns", "communication_ns", "not_overlapped_ns", "free_ns", "stage_ns")
    assert tuple(row[name] for name in names) == expected
    # cluster_time_summary: memory 913.88 and 880.738 us
    assert profile.table("copies")["duration_ns"].sum() == (913880, 880738)[rank]


def test_the_parts_of_the_tensorboard_plugin_of_ascend(samples):
    profile = load_profile(samples / PYTORCH / "text/level2/rank0_ascend_pt")
    (row,) = profile.table("published_steps").to_dict("records")
    assert row["computing_ns"] - row["overlapped_ns"] == 4856978
    assert row["overlapped_ns"] == 4011262
    assert row["not_overlapped_ns"] == 95962016
    assert row["free_ns"] == 25032619
    # communication there is 4041.881 us of transfer and 2525.13 us of synchronizing
    sent = profile.table("communication_times")
    assert sent["transit_ns"].sum() == 4041881
    assert sent["synchronisation_ns"].sum() == 2525130
