"""Queues of launches and bandwidth of copies, by hand, by brute force, and as published by HTA."""

import csv
import json

import numpy as np
import pytest

from studio.perf.copy_bandwidth import bandwidth_summary, copy_bandwidths
from studio.perf.load import load_profile
from studio.perf.queue_length import queue_lengths, queue_summary

HTA = "HolisticTraceAnalysis/tests/data"
NS_TRACE = f"{HTA}/ns_resolution_trace/rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz"
OTHERS = {
    "amd": f"{HTA}/amd_trace/mi250_minitoy_train_ROCm6_2_kineto.json.gz",
    "mtia": f"{HTA}/mtia_trace_single_rank/mtia_rank_0.json.gz",
}
PUBLISHED = ("count", "mean", "std", "min", "25%", "50%", "75%", "max")


def published(samples, name, kind):
    """What HTA tells of each stream or kind of copy: describe() of the points of its series."""
    with (samples / f"outputs/hta/{name}_{kind}.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.reader(file) if row[0] == "0"]
    return {row[1]: dict(zip(PUBLISHED, map(float, row[2:]), strict=True)) for row in rows}


def described(values):
    quarters = np.percentile(values, [25, 50, 75])
    found = len(values), np.mean(values), np.std(values, ddof=1), min(values), *quarters
    return dict(zip(PUBLISHED, (*found, max(values)), strict=True))


def kineto(tmp_path, launched, copied=()):
    """A trace of kernels (called, start, end, stream) and copies (name, start, end, bytes)."""
    events = [{"ph": "X", "pid": 1, "tid": 1, "cat": "cpu_op", "name": "o", "ts": 0, "dur": 9000}]
    for number, (called, start, end, stream) in enumerate(launched):
        args = {"correlation": number, "stream": stream, "device": 0}
        call = {"cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": called, "dur": 1}
        kernel = {"cat": "kernel", "name": "k", "ts": start, "dur": end - start}
        for pid, event in ((1, call), (0, kernel)):
            events.append({"ph": "X", "pid": pid, "tid": 1, **event, "args": args})
    for name, start, end, size in copied:
        event = {"ph": "X", "pid": 0, "tid": 2, "cat": "gpu_memcpy", "name": name, "ts": start}
        args = {"device": 0, "stream": 7} | ({} if size is None else {"bytes": size})
        events.append({**event, "dur": end - start, "args": args})
    path = tmp_path / "a.pt.trace.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    return load_profile(path)


def test_a_queue_worked_out_by_hand(tmp_path):
    profile = kineto(
        tmp_path,
        [(0, 10, 20, 7), (2, 20, 30, 7), (4, 5, 9, 8), (40, 50, 60, 7), (61, 60.5, 70, 8)],
    )
    series = queue_lengths(profile)
    assert series.to_numpy().tolist() == [
        [0, 7, 0, 1],
        [0, 7, 2000, 2],
        [0, 7, 10000, 1],
        [0, 7, 20000, 0],
        [0, 7, 40000, 1],
        [0, 7, 50000, 0],
        [0, 8, 4000, 1],
        [0, 8, 5000, 0],
        [0, 8, 60500, 1],  # its call is said to be later, so the clocks differ
        [0, 8, 60500, 0],
    ]
    first, other = queue_summary(series).to_dict("records")
    assert (first["stream"], first["launches"], first["max_length"]) == (7, 3, 2)
    assert (first["start_ns"], first["end_ns"], first["max_at_ns"]) == (0, 50000, 2000)
    assert first["average"] == (2 * 1 + 8 * 2 + 10 * 1 + 20 * 0 + 10 * 1) / 50
    assert (first["empty_ns"], first["empty_share"]) == (20000, 0.4)
    assert first["wait_ns"] == (10 + 18 + 10) * 1000 / 3
    assert (other["stream"], other["launches"], other["empty_ns"]) == (8, 2, 55500)


def test_bandwidth_worked_out_by_hand(tmp_path):
    to_device = "Memcpy HtoD (Pageable -> Device)"
    profile = kineto(
        tmp_path,
        [],
        [
            (to_device, 0, 10, 10_000),  # 1 byte per ns
            (to_device, 5, 15, 20_000),
            (to_device, 15, 16, 100),  # begins when the other ends
            ("Memset (Device)", 3, 4, 7000),
            (to_device, 20, 20, 9000),  # no time, no bandwidth
            (to_device, 21, 22, -5),  # no size that can be
            (to_device, 30, 31, None),
        ],
    )
    series = copy_bandwidths(profile)
    assert series["kind"].tolist() == ["Memcpy HtoD"] * 6 + ["Memset"] * 2
    assert series["time_ns"].tolist() == [0, 5000, 10000, 15000, 15000, 16000, 3000, 4000]
    assert series["bytes_per_ns"].tolist() == [1.0, 3.0, 2.0, 0.0, 0.1, 0.0, 7.0, 0.0]
    assert bandwidth_summary(profile).to_numpy().tolist() == [
        ["Memcpy HtoD", 3, 30_100, 16_000, 30_100 / 16_000, 3.0, 5000],
        ["Memset", 1, 7000, 1000, 7.0, 7.0, 3000],
    ]


def test_no_launches_and_no_copies_have_empty_tables(tmp_path):
    profile = kineto(tmp_path, [])
    for table in (queue_lengths(profile), copy_bandwidths(profile), bandwidth_summary(profile)):
        assert len(table) == 0
    assert len(queue_summary(queue_lengths(profile))) == 0


def test_a_queue_of_an_ascend_card_is_joined_by_connections(maker):
    for number, (enqueued, called, start) in enumerate(((0, 5, 20), (2, 9, 30), (50, 60, 65))):
        maker.launched(
            "add",
            (start, start + 5),
            operator=(enqueued, enqueued + 1),
            enqueue=(enqueued, enqueued + 0.5),
            dequeue=(called - 1, called + 3),
            launch=(called, called + 2),
            kind=f"Add{number}",
        )
    series = queue_lengths(maker.load())
    time = (series["time_ns"] - int(series["time_ns"].iloc[0])).tolist()
    assert time == [0, 4000, 15000, 25000, 55000, 60000]
    assert series["length"].tolist() == [1, 2, 1, 0, 1, 0]


def test_queues_as_holistic_trace_analysis(samples):
    """It leaves out what is launched in the last step, so that the queue only empties from there.

    Until then the two series are one; then as many are left as were outstanding. HTA cuts times to
    microseconds, so that the order within one is any: sums differ by 20 of 8 million.
    """
    profile = load_profile(samples / NS_TRACE)
    series = queue_lengths(profile)
    last = int(profile.table("host_steps")["start_ns"].max())
    for stream, expected in published(samples, "ns_resolution", "queue").items():
        mine = series[series["stream"] == int(stream)]
        before = mine.loc[mine["time_ns"] < last, "length"].tolist()
        lengths = [*before, *range(before[-1] - 1, -1, -1)]
        found = described(lengths)
        for figure, value in expected.items():
            off = 3e-5 if figure in ("mean", "std") else 0
            assert found[figure] == pytest.approx(value, rel=off), figure


@pytest.mark.parametrize("name", OTHERS)
def test_queues_of_other_devices_as_holistic_trace_analysis(samples, name):
    series = queue_lengths(load_profile(samples / OTHERS[name]))
    for stream, expected in published(samples, name, "queue").items():
        mine = series.loc[series["stream"] == int(stream), "length"].tolist()
        assert described(mine) == pytest.approx(expected, rel=1e-12)


def test_bandwidth_as_holistic_trace_analysis(samples):
    """Sets of memory never overlap here, so that HTA has one point above 0 for each.

    Copies are summed up by HTA with floats that leave 1e-16 behind: their largest is compared.
    """
    profile = load_profile(samples / NS_TRACE)
    series = copy_bandwidths(profile)
    last = int(profile.table("host_steps")["start_ns"].max())
    launches, api = profile.table("launches"), profile.table("api")
    mine = launches[(launches["table"] == "copies") & launches["api"].notna()]
    called = api["start_ns"].to_numpy()[mine["api"].to_numpy(int)]
    early = profile.table("copies").iloc[mine["index"].to_numpy(int)[called < last]]
    sets = early[early["name"].astype(str).str.startswith("Memset")]
    expected = published(samples, "ns_resolution", "membw")
    rates = (sets["bytes"] / sets["duration_ns"]).tolist()
    assert described(rates) == pytest.approx(expected["Memset"], rel=1e-9)
    for kind, row in expected.items():
        assert series.loc[series["kind"] == kind, "bytes_per_ns"].max() == pytest.approx(row["max"])


@pytest.mark.parametrize(
    "place", [NS_TRACE, "msinsight/test/data/pytorch/text/level2/rank0_ascend_pt"]
)
def test_series_as_by_counting_at_every_change(samples, place):
    """At random moments: the calls before and begins after, and the copies that run then."""
    profile = load_profile(samples / place)
    launches, api = profile.table("launches"), profile.table("api")
    called = api["start_ns"].to_numpy(np.int64)
    work = []
    for name in ("kernels", "communication", "copies"):
        mine = launches[(launches["table"] == name) & launches["api"].notna()]
        rows = profile.table(name).iloc[mine["index"].to_numpy(int)]
        streams = rows["stream"].to_numpy(np.int64, na_value=-1).tolist()
        calls = called[mine["api"].to_numpy(int)].tolist()
        work += list(zip(streams, calls, rows["start_ns"].tolist(), strict=True))
    series = queue_lengths(profile)
    assert len(series) == 2 * len(work) > 100
    for row in series.sample(60, random_state=3).itertuples():
        stream = -1 if str(row.stream) == "<NA>" else row.stream
        moment = row.time_ns
        outstanding = sum(s == stream and c <= moment < b for s, c, b in work)
        after = series[(series["stream"].fillna(-1) == stream) & (series["time_ns"] == moment)]
        assert after["length"].iloc[-1] == outstanding
    copies = profile.table("copies")
    copies = copies[copies["bytes"].notna() & (copies["duration_ns"] > 0)]
    bandwidth = copy_bandwidths(profile)
    assert len(bandwidth) == 2 * len(copies) > 0
    for time, part in bandwidth.sample(20, random_state=4).groupby("time_ns"):
        running = copies[
            (copies["start_ns"] <= time) & (copies["start_ns"] + copies["duration_ns"] > time)
        ]
        last = bandwidth[bandwidth["time_ns"] <= time].groupby("kind", observed=True).last()
        expected = float((running["bytes"] / running["duration_ns"]).sum())
        assert last["bytes_per_ns"].sum() == pytest.approx(expected, abs=1e-9), part
