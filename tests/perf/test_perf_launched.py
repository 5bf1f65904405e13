"""Work of the device beside the host, special operators, the roofline, occurrences."""

import numpy as np
import pandas as pd
import pytest

from studio.perf.chips import Chip
from studio.perf.host_kernels import host_kernels
from studio.perf.load import load_profile
from studio.perf.occurrences import distribution, over_time
from studio.perf.operators import operators
from studio.perf.roofline import roofline
from studio.perf.special_operators import ai_cpu_operators, compile_calls, dynamic_shapes
from tests.perf.conftest import KERNEL_COLUMNS, time_of

TEXT = "msinsight/test/data/pytorch/text/level2/rank0_ascend_pt"
SHAPED = f"{KERNEL_COLUMNS},OP State,Input Shapes,Input Data Types,Output Shapes,Output Data Types"


def test_work_beside_what_launched_it(maker):
    maker.launched("mm", (50, 70), operator=(0, 5), enqueue=(2, 3), dequeue=(9, 12), launch=(9, 11))
    maker.launched(
        "add", (70, 71), operator=(20, 25), enqueue=(22, 23), dequeue=(29, 32), launch=(29, 31)
    )
    found = host_kernels(maker.load())
    base = int(time_of(0).replace(".", ""))
    first = found.iloc[0]
    assert (first["table"], first["index"], first["name"]) == ("kernels", 0, "mm")
    assert (first["operator"], first["operator_start_ns"]) == ("aten::mm", base)
    assert (first["call"], first["call_duration_ns"]) == ("launch", 2_000)
    assert first["launched_ns"] == base + 11_000
    assert found["launch_delay_ns"].tolist() == [39_000, 39_000]
    assert found["operator"].tolist() == ["aten::mm", "aten::add"]
    assert host_kernels(maker.load(), host_op=1)["name"].tolist() == ["add"]


def test_every_row_of_the_real_profile_is_there_once(samples):
    profile = load_profile(samples / TEXT)
    found = host_kernels(profile)
    counts = found["table"].value_counts()
    for table in ("kernels", "communication", "copies"):
        assert counts[table] == len(profile.table(table))
        rows = found[found["table"] == table].sort_values("index")
        assert rows["index"].tolist() == list(range(len(rows)))
        names = profile.table(table)["name"].astype("str").tolist()
        assert rows["name"].tolist() == names
    assert found["start_ns"].is_monotonic_increasing
    known = found[found["launched_ns"].notna()]
    delay = (known["start_ns"] - known["launched_ns"]).clip(lower=0)
    assert (known["launch_delay_ns"] == delay).all()
    operators = profile.table("host_ops")["name"].astype("str")
    for row in known[known["host_op"].notna()].head(20).itertuples():
        assert operators[int(row.host_op)] == row.operator


def table_of(maker, *rows):
    lines = []
    for number, (name, kind, core, start, end, state, shapes, types, step) in enumerate(rows):
        lines.append(
            f"{step},{number},2,{name},{kind},{core},{time_of(start)}\t,{end - start:.3f},"
            f'{state},"{shapes}",{types},"{shapes}",{types}'
        )
    maker.table("kernel_details.csv", "\n".join([SHAPED, *lines]) + "\n")
    return load_profile(maker.folder)


def test_operators_on_the_ai_cpu(maker):
    profile = table_of(
        maker,
        ("u", "Unique", "AI_CPU", 0, 30, "dynamic", "4", "DT_DOUBLE", 1),
        ("u", "Unique", "AI_CPU", 30, 40, "dynamic", "4", "DT_DOUBLE", 1),
        ("n", "NonZero", "AI_CPU", 40, 100, "dynamic", "4", "DT_BOOL;DT_INT64", 1),
        ("a", "Add", "AI_VECTOR_CORE", 100, 200, "static", "4", "DT_FLOAT", 1),
    )
    found = ai_cpu_operators(profile)
    assert found["name"].tolist() == ["n", "u"]
    assert found["total_ns"].tolist() == [60_000, 40_000]
    assert found["share"].tolist() == [0.3, 0.2]
    assert found["long_count"].tolist() == [1, 1]
    assert found["has_double"].tolist() == [False, True]


def test_shapes_that_change(maker):
    profile = table_of(
        maker,
        ("m", "MatMulV3", "AI_CORE", 0, 10, "dynamic", "4,4;4,4", "DT_BF16;DT_BF16", 1),
        ("m", "MatMulV3", "AI_CORE", 10, 20, "dynamic", "4,8;8,4", "DT_BF16;DT_BF16", 1),
        ("s", "Sub", "AI_CORE", 20, 25, "static", "4", "DT_BF16", 1),
        ("m", "MatMulV3", "AI_CORE", 30, 40, "dynamic", "4,4;4,4", "DT_BF16;DT_BF16", 2),
        ("s", "Sub", "AI_CORE", 40, 45, "static", "4", "DT_BF16", 2),
    )
    found = dynamic_shapes(profile)
    assert found["type"].tolist() == ["MatMulV3"]
    row = found.iloc[0]
    assert (row["count"], row["shapes"], row["dynamic_count"], row["changes"]) == (3, 2, 3, 2)
    assert (row["steps"], row["total_ns"]) == (1, 30_000)


def test_calls_that_compile_as_counted_by_hand(samples):
    found = compile_calls(load_profile(samples / TEXT))
    text = (samples / TEXT / "ASCEND_PROFILER_OUTPUT/api_statistic.csv").read_text()
    published = [line.split(",") for line in text.splitlines() if "aclopCompileAndExecute" in line]
    assert found["name"].tolist() == ["aclopCompileAndExecute"]
    assert str(found["count"].iloc[0]) == published[0][-5]


def test_tables_without_anything_are_empty(samples):
    profile = load_profile(samples / "msinsight/test/data/pytorch/text/level0/rank0_ascend_pt")
    for table in (ai_cpu_operators(profile), dynamic_shapes(profile), compile_calls(profile)):
        assert len(table) == 0
    assert len(roofline(operators(profile)).points) == 0


def test_points_under_the_roofs(maker):
    profile = table_of(
        maker,
        ("m", "MatMulV3", "AI_CORE", 0, 1000, "d", "512,512;512,512", "DT_BF16;DT_BF16", 1),
        ("k", "MatMulV3", "AI_CORE", 1000, 1010, "d", "8,8;8,8", "DT_BF16;DT_BF16", 1),
    )
    chip = Chip("made up", fp16=1e12, fp32=5e11, int8=None, bandwidth=1e11)
    found = roofline(operators(profile, "name", chip=chip))
    large, small = found.points.iloc[0], found.points.iloc[1]
    matrix = 512 * 512 * 2
    assert large["name"] == "m"
    # the table above names both inputs as outputs too: four matrices move
    assert large["intensity"] == pytest.approx(2 * 512**3 / (4 * matrix))
    assert large["flops_per_s"] == pytest.approx(2 * 512**3 / 1e-3)
    assert (large["limit"], large["roof_flops_per_s"]) == ("compute", pytest.approx(1e12))
    assert large["roof_share"] == pytest.approx(0.268435456)
    assert small["limit"] == "bandwidth"
    assert small["roof_flops_per_s"] == pytest.approx(small["intensity"] * 1e11)
    assert found.ridge() == 10.0
    assert found.ridge("int8") is None
    without = roofline(operators(profile, "name", chip=None)).points
    assert without["roof_share"].isna().all()


@pytest.mark.parametrize("seed", range(3))
def test_occurrences_against_counting(seed):
    random = np.random.default_rng(seed)
    start = np.sort(random.integers(0, 10_000, 300))
    duration = np.rint(np.exp(random.uniform(0, 8, 300))).astype(np.int64)
    rows = pd.DataFrame({"start_ns": start, "duration_ns": duration})
    for bin_ in distribution(rows, 20).itertuples():
        inside = duration[(duration >= bin_.from_ns) & (duration < bin_.to_ns)]
        assert (bin_.count, bin_.total_ns) == (len(inside), inside.sum())
    assert distribution(rows, 20)["count"].sum() == 300
    found = over_time(rows, 50)
    assert found["count"].sum() == 300
    for bin_ in found.itertuples():
        inside = duration[(start >= bin_.from_ns) & (start < bin_.to_ns)]
        assert bin_.count == len(inside)
        if len(inside):
            assert (bin_.min_ns, bin_.max_ns) == (inside.min(), inside.max())


def test_occurrences_of_nothing_and_of_one():
    nothing = pd.DataFrame({"start_ns": [], "duration_ns": []}, dtype="int64")
    assert len(distribution(nothing)) == len(over_time(nothing)) == 0
    one = pd.DataFrame({"start_ns": [5], "duration_ns": [0]})
    assert distribution(one)["count"].sum() == over_time(one)["count"].sum() == 1
