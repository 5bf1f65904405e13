import csv
from collections import Counter

import numpy as np
import pytest

from studio.perf.gaps import CAUSES
from studio.perf.host_calls import is_data_loading, is_memory_call, is_wait
from studio.perf.host_operators import api_calls, host_operators
from studio.perf.idle import top_gaps
from studio.perf.load import load_profile
from studio.perf.nesting import enclosing, innermost
from studio.perf.steps import step_breakdown

TEXT = "msinsight/test/data/pytorch/text/level2/rank0_ascend_pt"


def test_host_operators_as_the_profiler_sums_them_up(samples):
    profile = load_profile(samples / TEXT)
    own = host_operators(profile).set_index("name")
    with (profile.path / "ASCEND_PROFILER_OUTPUT/operator_details.csv").open(newline="") as file:
        published = list(csv.DictReader(file))
    host, device = Counter(), Counter()
    for row in published:
        host[row["Name"]] += round(float(row["Host Self Duration(us)"]) * 1000)
        device[row["Name"]] += round(float(row["Device Self Duration(us)"]) * 1000)
    for name, total in host.items():
        assert own.loc[name]["host_self_ns"] == total, name
    # the profiler leaves copies out, which are device time of what launched them
    different = {
        name: int(own.loc[name]["device_self_ns"]) - total
        for name, total in device.items()
        if abs(own.loc[name]["device_self_ns"] - total) > 5
    }
    copies = profile.table("copies")["duration_ns"].sum()
    assert 0 < sum(different.values()) <= copies


def test_device_time_includes_what_inner_operators_launched(samples):
    profile = load_profile(samples / TEXT)
    found = host_operators(profile).set_index("name")
    assert found.loc["c10d::allreduce_"]["device_self_ns"] == 0
    assert found.loc["c10d::allreduce_"]["device_total_ns"] == 99_973_276
    assert found.loc["HcclAllreduce"]["device_self_ns"] == 99_973_276
    assert host_operators(profile, "stack")["stack"].notna().any()


def test_calls_of_cann(samples):
    profile = load_profile(samples / TEXT)
    calls = api_calls(profile).set_index(["level", "name"])
    published = profile.table("api_statistic").set_index(["level", "name"])
    checked = 0
    for key, row in published.iterrows():
        if key in calls.index:
            assert calls.loc[key]["count"] == row["count"], key
            assert abs(calls.loc[key]["total_ns"] - row["total_ns"]) <= row["count"]
            checked += 1
    assert checked > 50
    only = api_calls(load_profile(samples / "msinsight/test/st/level2/rank_0_ascend_pt"))
    assert only["name"].iloc[0] == "aclrtSynchronizeDeviceWithTimeout"


def test_gaps_name_what_is_around_them_and_why(samples):
    profile = load_profile(samples / TEXT)
    breakdown = step_breakdown(profile)
    gaps = top_gaps(profile, 1000, breakdown=breakdown)
    assert gaps["duration_ns"].sum() == breakdown.table["free_ns"].iloc[0]
    assert gaps["duration_ns"].is_monotonic_decreasing
    parts = gaps[[f"{cause}_ns" for cause in CAUSES]].sum(axis=1)
    assert (parts == gaps["duration_ns"]).all()
    first = gaps.iloc[0]
    assert first["duration_ns"] == 1_238_785
    assert (first["cause"], first["after"]) == ("host_bound", "trans_TransData_6")
    assert (first["launched_by"], first["step"]) == ("Conv2D", 50)
    kernels = profile.table("kernels")
    end = kernels["start_ns"] + kernels["duration_ns"]
    assert kernels[end == first["start_ns"]]["name"].tolist() == [first["before"]]
    assert kernels[kernels["start_ns"] == first["end_ns"]]["name"].tolist() == [first["after"]]
    assert len(top_gaps(profile, 3)) == 3


def test_a_profile_without_operators_has_no_gaps(samples):
    assert len(top_gaps(load_profile(samples / "msinsight/test/st/level2/rank_1_ascend_pt"))) == 0


@pytest.mark.parametrize("seed", range(5))
def test_nesting_against_a_search(seed):
    rng = np.random.default_rng(seed)
    start, end, thread = [], [], []

    def fill(begin, stop, number, depth):
        while begin < stop - 2 and depth < 5:
            length = int(rng.integers(1, max((stop - begin) // 2, 2)))
            start.append(begin)
            end.append(begin + length)
            thread.append(number)
            fill(begin, begin + length, number, depth + 1)
            begin += length + int(rng.integers(0, 3))

    for number in (7, 9):
        fill(0, 200, number, 0)
    start, end, thread = map(np.array, (start, end, thread))
    at = rng.integers(-5, 210, 300)
    where = rng.choice([7, 9, 11], 300)
    found = innermost(thread, start, end, where, at)
    for place, moment, number in zip(found, at, where, strict=True):
        around = np.flatnonzero((thread == number) & (start <= moment) & (moment < end))
        if len(around):
            shortest = (end - start)[around].min()
            assert (end - start)[place] == shortest
        else:
            assert place == -1
    outer = enclosing(thread, start, end)
    for place, above in enumerate(outer):
        if above >= 0:
            assert start[above] <= start[place] <= end[place] <= end[above]
            assert thread[above] == thread[place]


@pytest.mark.parametrize(
    "name",
    [
        "aclrtSynchronizeStreamWithTimeout",
        "StreamSynchronize",
        "cudaDeviceSynchronize",
        "aclrtMemcpy",
    ],
)
def test_calls_that_wait(name):
    assert is_wait(name)
    assert not is_memory_call(name)


def test_other_calls():
    assert not is_wait("aclrtMemcpyAsync")
    assert not is_wait("launch")
    assert is_memory_call("aclrtMalloc")
    assert is_memory_call("cudaFree")
    assert is_memory_call("aclMallocMemInner")
    assert not is_memory_call("aclrtFlushFree")
    assert is_data_loading("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__")
    assert not is_data_loading("aten::next")
