import csv
import json
from dataclasses import replace

import pytest

from studio.kernel.errors import StudioError
from studio.perf import kineto_blocks
from studio.perf.doctor import examine
from studio.perf.host_view import ROLES
from studio.perf.load import load_profile
from studio.perf.read_kineto import dims_of, function_of
from studio.perf.shares import run_shares
from studio.perf.steps import step_breakdown
from studio.perf.stream_idle import stream_idle

TB = "att_tb_plugin_samples/plugins/tensorboard-plugins/tb_plugin/samples"
HTA = "HolisticTraceAnalysis/tests/data"
# traces with whole microseconds: HTA cuts fractions off
HTA_TRACES = {
    "trace_diff_control": f"{HTA}/trace_diff/control/control.json.gz",
    "trace_diff_test": f"{HTA}/trace_diff/test/test.json.gz",
    "negq": f"{HTA}/negative_queue_length_values_check/rank0.json.gz",
    "df_index": f"{HTA}/df_index_resolver/df_index_resolver.json.gz",
    "sampled": f"{HTA}/timeline_analysis/sampled_rank-0.json.gz",
}
TB_TRACES = {
    "tb_worker0.1623143089861.pt.trace.json.gz.json": (
        f"{TB}/resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz"
    ),
    "tb_worker0.1623212756351.pt.trace.json.gz.json": (
        f"{TB}/resnet50_num_workers_4/worker0.1623212756351.pt.trace.json.gz"
    ),
    "tb_control.json.gz.json": f"{HTA}/trace_diff/control/control.json.gz",
}
NAMES = {
    "Kernel": "kernel",
    "Memcpy": "memcpy",
    "Memset": "memset",
    "Communication": "communication",
    "Runtime": "runtime",
    "DataLoader": "data_loader",
    "CPU Exec": "cpu",
    "Other": "other",
}


@pytest.mark.parametrize("name", TB_TRACES)
def test_steps_as_tensorboard_breaks_them_down(samples, name):
    expected = json.loads((samples / "outputs/crosscheck_tb_profiler.json").read_text())[name]
    table = load_profile(samples / TB_TRACES[name]).table("host_view")
    columns = [NAMES[column] for column in expected["columns"][1:]]
    rows = [
        [str(row.step), *(int(getattr(row, f"{role}_ns")) // 1000 for role in ROLES)]
        for row in table.itertuples()
    ]
    listed = expected["rows"]
    if "communication" not in columns:
        assert all(row[4] == 0 for row in rows)
        rows = [row[:4] + row[5:] for row in rows]
    # the plugin names no Communication in the header of a trace that has some
    assert [row[: len(rows[0])] for row in listed] == rows
    average = table["step_ns"].mean() / 1000
    assert round(average) == expected["performance"][0]["value"]


@pytest.mark.parametrize("name", HTA_TRACES)
def test_idle_computing_and_overlap_as_holistic_trace_analysis(samples, name):
    expected = json.loads((samples / "outputs/crosscheck_hta.json").read_text())[name]
    shares = run_shares(load_profile(samples / HTA_TRACES[name]), without_last_step=True)
    assert shares is not None
    temporal = expected["temporal"][0]
    assert shares.span_ns == temporal["kernel_time(us)"] * 1000
    assert shares.idle_ns == temporal["idle_time(us)"] * 1000
    assert shares.computing_ns == temporal["compute_time(us)"] * 1000
    assert shares.other_ns == temporal["non_compute_time(us)"] * 1000
    overlap = expected["overlap"][0]["comp_comm_overlap_pctg"]
    assert round(100 * (shares.overlap_share or 0), 2) == overlap


def test_the_second_sampled_rank(samples):
    profile = load_profile(samples / f"{HTA}/trace_filter/sampled_rank-1.json.gz")
    shares = run_shares(profile, without_last_step=True)
    assert shares is not None
    assert round(100 * (shares.overlap_share or 0), 2) == 20.05


def test_ids_that_name_no_operator_are_found_by_the_thread(samples):
    profile = load_profile(samples / HTA_TRACES["trace_diff_control"])
    launches = profile.table("launches")
    mine = launches[launches["table"] == "communication"]
    operators = profile.table("host_ops")["name"].iloc[mine["host_op"]].value_counts()
    assert operators[operators > 0].to_dict() == {"nccl:all_to_all": 42, "nccl:all_reduce": 18}


def test_sending_to_all_is_no_bubble_of_a_pipeline(samples):
    """NCCL's SendRecv kernels of this trace were all called by all_to_all."""
    breakdown = step_breakdown(load_profile(samples / HTA_TRACES["trace_diff_control"]))
    assert breakdown.table["own_bubble_ns"].tolist() == [0] * len(breakdown.table)
    assert (breakdown.table["not_overlapped_ns"] > 0).all()


def test_names_of_functions():
    assert function_of("void at::native::(anonymous namespace)::f<int, g<2>>(int, h<3>)") == (
        "at::native::f"
    )
    assert function_of("ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)") == (
        "ncclKernel_AllReduce_RING_LL_Sum_float"
    )
    assert function_of("volta_sgemm_128x64_nn") == "volta_sgemm_128x64_nn"


def test_shapes_of_the_host():
    assert dims_of("[[4, 8], [], [8]]") == "4,8;;8"
    assert dims_of("2,3;\r\n;\r\n5") == "2,3;;5"
    assert dims_of("[broken") == "[broken"


def write(tmp_path, events):
    path = tmp_path / "t.pt.trace.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    return load_profile(path)


def memory(time, address, size, **more):
    args = {"Addr": address, "Bytes": size, "Device Type": 1, "Device Id": 0, **more}
    return {"ph": "i", "name": "[memory]", "pid": 1, "tid": 9, "ts": time, "s": "t", "args": args}


def test_blocks_are_paired_by_address_and_named_by_the_running_operator(tmp_path):
    operator = {
        "ph": "X",
        "cat": "cpu_op",
        "name": "aten::mm",
        "pid": 1,
        "tid": 9,
        "ts": 9,
        "dur": 5,
    }
    events = [
        operator,
        memory(10, 100, 512, **{"Total Allocated": 1512}),
        memory(11, 200, 64),
        memory(20, 100, -512),
        memory(21, 300, -8),
        memory(30, 100, 1024),
    ]
    table = write(tmp_path, events).table("allocations")
    rows = table[["name", "bytes", "allocated_ns", "released_ns"]].to_dict("records")
    assert [tuple(row.values())[1:] for row in rows] == [
        (512, 10_000, 20_000),
        (64, 11_000, None),
        (-8, None, 21_000),
        (1024, 30_000, None),
    ]
    assert rows[0]["name"] == rows[1]["name"] == "aten::mm"
    assert table["name"].isna().tolist() == [False, False, True, True]
    assert table["device"].tolist() == ["CUDA:0"] * 4


def test_traces_without_addresses_have_no_blocks(samples):
    profile = load_profile(samples / TB_TRACES["tb_worker0.1623143089861.pt.trace.json.gz.json"])
    assert len(profile.table("memory")) == 12838
    assert not profile.has("allocations")


def test_a_trace_of_the_host_alone_with_many_ranks_before_its_events(tmp_path):
    groups = [{"pg_name": str(group), "ranks": list(range(4000))} for group in range(4)]
    operator = {"ph": "X", "cat": "cpu_op", "name": "aten::empty", "pid": 1, "tid": 2}
    trace = {
        "schemaVersion": 1,
        "deviceProperties": [],
        "distributedInfo": {"backend": "gloo", "rank": 34, "pg_config": groups},
        "traceEvents": [operator | {"ts": 1212076812900.086, "dur": 0.401, "args": {}}],
    }
    path = tmp_path / "rank-34.pt.trace.json"
    path.write_text(json.dumps(trace))
    assert path.read_text().index('"traceEvents"') > 1 << 16
    profile = load_profile(path)
    assert profile.info.rank == 34
    host = profile.table("host_ops")
    assert host[["name", "start_ns", "duration_ns"]].values.tolist() == [
        ["aten::empty", 1212076812900086, 401]
    ]
    assert not profile.has("kernels")
    said = [remark.kind for remark in examine(profile).remarks]
    assert "missing" in said


def test_an_object_with_such_fields_and_no_events_is_no_trace(tmp_path):
    path = tmp_path / "properties.json"
    path.write_text(json.dumps({"schemaVersion": 1, "ranks": list(range(30_000))}))
    with pytest.raises(StudioError, match="is no profile"):
        load_profile(path)


def test_memory_and_blocks_come_with_the_slices(tmp_path, monkeypatch):
    monkeypatch.setenv("STUDIO_TRACE_ENGINE", "portable")

    def event(ts, size, total):
        args = {"Addr": 64, "Bytes": size, "Device Type": 1, "Device Id": 0}
        return {"ph": "i", "s": "t", "name": "[memory]", "pid": 1, "tid": 2, "ts": ts} | {
            "args": args | {"Total Allocated": total, "Total Reserved": 4096}
        }

    operator = {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 2}
    events = [operator | {"ts": 1, "dur": 5, "args": {}}, event(2, 512, 512), event(9, -512, 0)]
    path = tmp_path / "a.pt.trace.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    readings = []
    read = kineto_blocks.read_memory_events
    monkeypatch.setattr(
        kineto_blocks, "read_memory_events", lambda *a, **k: readings.append(a) or read(*a, **k)
    )
    profile = load_profile(path)
    assert profile.table("memory")["allocated_bytes"].tolist() == [512, 0]
    blocks = profile.table("allocations")
    assert blocks[["name", "bytes", "allocated_ns", "released_ns"]].values.tolist() == [
        ["aten::mm", 512, 2000, 9000]
    ]
    assert not readings
    trace = profile.trace()
    assert trace is not None
    along = kineto_blocks.memory_events(trace, path)
    again = kineto_blocks.memory_events(replace(trace, instant_args={}), path)  # as of the cache
    assert len(readings) == 1
    for found in (along, again):
        assert found is not None
        assert found.time.tolist() == [2000, 9000]
        assert found.args["Bytes"][0].tolist() == [512, -512]
        assert [found.tracks[number] for number in found.track] == [("1", "2")] * 2
    none = tmp_path / "b.pt.trace.json"
    none.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events[:1]}))
    assert not load_profile(none).has("memory")
    assert len(readings) == 1


@pytest.mark.parametrize("name", HTA_TRACES)
def test_waits_of_streams_as_holistic_trace_analysis(samples, name):
    """Count, mean to two digits, least and most of the gaps of every stream by their wait."""
    table = stream_idle(load_profile(samples / HTA_TRACES[name]), without_last_step=True)
    found = {
        (row["stream"], row["wait"], row["count"], row["min_ns"], row["max_ns"]): row
        for row in table.to_dict("records")
    }
    with (samples / f"outputs/hta/{name}_idle.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["rank"] == "0" and float(row["count"])]
    assert len(rows) == len(found) > 5
    for row in rows:
        least, most = (int(float(row[column]) * 1000) for column in ("min", "max"))
        count = int(float(row["count"]))
        mine = found[int(row["stream"]), row["idle_category"], count, least, most]
        assert abs(mine["total_ns"] / count / 1000 - float(row["mean"])) <= 0.005 + 1e-9


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("amd", "amd_trace/mi250_minitoy_train_ROCm6_2_kineto.json.gz"),
        ("mtia", "mtia_trace_single_rank/mtia_rank_0.json.gz"),
    ],
)
def test_waits_of_other_devices(samples, name, file):
    """ROCm and MTIA write fractions of microseconds, which HTA cuts off at both ends.

    So its figures are up to 2 us off, and of 18,729 gaps of the MTIA trace that are no kernel's it
    takes 44 for the host's in which the launch was a fraction before the end.
    """
    table = stream_idle(load_profile(samples / HTA / file), without_last_step=True)
    known = table[table["stream"].notna()]
    found = {(row["stream"], row["wait"]): row for row in known.to_dict("records")}
    with (samples / f"outputs/hta/{name}_idle.csv").open(encoding="utf-8") as handle:
        rows = [row for row in csv.DictReader(handle) if float(row["count"])]
    assert len(rows) == len(found)
    assert sum(float(row["count"]) for row in rows) == known["count"].sum()
    for row in rows:
        mine = found[int(row["stream"]), row["idle_category"]]
        assert abs(mine["count"] - float(row["count"])) <= (44 if name == "mtia" else 0)
        for column, title in (("avg_ns", "mean"), ("min_ns", "min"), ("max_ns", "max")):
            assert abs(mine[column] / 1000 - float(row[title])) < 2


def test_the_host_is_late_or_a_kernel_follows(tmp_path):
    """Worked out by hand: 5 us after a launch in time, 100 us after one, and one that came late."""
    events = []
    for number, (called, start, end) in enumerate(
        ((0, 10, 20), (1, 25, 30), (2, 130, 140), (150, 200, 210))
    ):
        args = {"correlation": number, "External id": number, "stream": 7, "device": 0}
        common = {"ph": "X", "pid": 1, "tid": 1}
        events.append(
            {**common, "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": called, "dur": 1}
            | {"args": {"correlation": number}}
        )
        events.append(
            {**common, "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": start}
            | {"dur": end - start, "args": args}
        )
    events.append(
        {"ph": "X", "pid": 1, "tid": 1, "cat": "cpu_op", "name": "o", "ts": 0, "dur": 300}
    )
    table = stream_idle(write(tmp_path, events))
    assert table[["device", "stream", "wait", "count", "total_ns"]].values.tolist() == [
        [0, 7, "host_wait", 1, 60000],
        [0, 7, "kernel_wait", 1, 5000],
        [0, 7, "other", 1, 100000],
    ]
    assert table["share"].sum() == pytest.approx(1)
