import csv

import numpy as np
import pytest

from studio.kernel.errors import StudioError
from studio.perf.chips import Chip, chip_of
from studio.perf.flops import FORMULAS, flops, kind_of
from studio.perf.grouping import alone, group_rows, statistics
from studio.perf.load import load_profile
from studio.perf.operators import GROUPINGS, operators
from studio.perf.shapes import moved_bytes, shapes

BASE_NS = 1_700_000_000_000_000_000


@pytest.fixture
def profile(maker):
    maker.kernel("m1", 0, 10, kind="MatMul", core="AI_CORE")
    maker.kernel("m2", 20, 50, kind="MatMul", core="AI_CORE", stream=3)
    maker.kernel("a1", 40, 60, kind="Add")
    maker.kernel("a2", 70, 71, kind="Add", step=2)
    maker.kernel("hcom_allReduce__1_0_1", 55, 65, kind="hcom_allReduce_", core="HCCL")
    return maker.load()


def rows(found, *columns):
    return found.table[list(columns)].to_dict("records")


def test_totals_own_time_and_shares(profile):
    found = operators(profile, "type")
    columns = ("type", "core", "count", "total_ns", "self_ns", "min_ns", "max_ns", "avg_ns")
    assert [tuple(row.values()) for row in rows(found, *columns)] == [
        # 40 to 50 runs beside an Add
        ("MatMul", "AI_CORE", 2, 40_000, 30_000, 10_000, 30_000, 20_000),
        # 40 to 50 beside a MatMul, 55 to 60 beside communication
        ("Add", "AI_VECTOR_CORE", 2, 21_000, 6_000, 1_000, 20_000, 10_500),
    ]
    assert found.table["share"].tolist() == [40 / 61, 21 / 61]


def test_groups_lead_back_to_their_operators(profile):
    found = operators(profile, "type")
    assert found.rows_of(0)["name"].tolist() == ["m1", "m2"]
    assert found.rows_of(1)["name"].tolist() == ["a1", "a2"]


def test_other_kinds_and_groupings(profile):
    sent = operators(profile, "type", kind="communication").table
    assert sent[["type", "count", "total_ns", "self_ns"]].values.tolist() == [
        ["hcom_allReduce_", 1, 10_000, 5_000]
    ]
    everything = operators(profile, "core", kind="all").table
    assert everything["core"].tolist() == ["AI_CORE", "AI_VECTOR_CORE", "COMMUNICATION"]
    assert operators(profile, "step").table["step"].tolist() == [1, 2]
    assert operators(profile, "type", step=2).table["count"].tolist() == [1]
    assert operators(profile, "stream").table["stream"].tolist() == [2, 3]
    assert len(operators(profile, "kernel").table) == 4
    with pytest.raises(StudioError, match="There is no grouping “colour”"):
        operators(profile, "colour")


def test_a_profile_without_operators_has_an_empty_table(samples):
    profile = load_profile(samples / "msinsight/test/st/level2/rank_1_ascend_pt")
    for by in GROUPINGS:
        assert len(operators(profile, by).table) == 0


@pytest.mark.parametrize("rank", [0, 2])
def test_the_statistics_that_the_profiler_publishes(samples, rank):
    path = samples / f"msinsight/test/st/level2/rank_{rank}_ascend_pt"
    profile = load_profile(path)
    own = operators(profile, "type", counters=False).table.set_index(["type", "core"])
    with (path / "ASCEND_PROFILER_OUTPUT/op_statistic.csv").open(newline="") as file:
        published = list(csv.DictReader(file))
    assert len(published) == len(own)
    for row in published:
        mine = own.loc[(row["OP Type"], row["Core Type"])]
        assert mine["count"] == int(row["Count"])
        assert mine["total_ns"] == round(float(row["Total Time(us)"]) * 1000)
        assert mine["min_ns"] == round(float(row["Min Time(us)"]) * 1000)
        assert mine["max_ns"] == round(float(row["Max Time(us)"]) * 1000)
        assert mine["share"] * 100 == pytest.approx(float(row["Ratio(%)"]), abs=0.001)


def test_types_by_core_as_read_independently(samples, crosscheck):
    for name in ("st/level2/rank_0_ascend_pt", "data/pytorch/text/level2/rank1_ascend_pt"):
        expected = crosscheck[name]["kernel_details"]
        profile = load_profile(samples / "msinsight/test" / name)
        found = operators(profile, "core", kind="all", counters=False).table
        mine = {str(row.core): (row.total_ns, row.count) for row in found.itertuples(index=False)}
        for core, (total, count) in expected["by_core_us"].items():
            known = "COMMUNICATION" if core == "HCCL" else core
            assert mine[known][1] == count
            assert mine[known][0] == pytest.approx(total * 1000, abs=5)


def test_counters_and_what_limits_an_operator(samples):
    profile = load_profile(samples / "msinsight/test/data/pytorch/text/level2/rank0_ascend_pt")
    table = operators(profile, "type").table.set_index("type")
    foreach = table.loc["ForeachAddList"]
    assert (foreach["bound"], round(foreach["bound_share"], 3)) == ("mte2", 0.979)
    path = profile.path / "ASCEND_PROFILER_OUTPUT/kernel_details.csv"
    with path.open(newline="") as file:
        kernels = [row for row in csv.DictReader(file) if row["Type"] == "MatMulV2"]
    total = sum(float(row["aic_mac_time(us)"]) for row in kernels)
    core = sum(float(row["aicore_time(us)"]) for row in kernels)
    ratio = sum(float(row["aic_mac_ratio"]) * float(row["aicore_time(us)"]) for row in kernels)
    assert table.loc["MatMulV2"]["aic_mac_ns"] == pytest.approx(total * 1000)
    assert table.loc["MatMulV2"]["aic_mac_ratio"] == pytest.approx(ratio / core)
    # counters of vector cores say nothing about an operator that used none
    assert table.loc["MatMulV2"].isna()["aiv_vec_ratio"]


def test_text_and_database_have_the_same_counters(samples):
    base = samples / "msinsight/test/data/pytorch"
    for form in ("text", "db"):
        table = operators(load_profile(base / form / "level2/rank0_ascend_pt"), "type").table
        row = table.set_index("type").loc["ForeachAddList"]
        assert row["bound"] == "mte2"
        assert row["aiv_mte2_ratio"] == pytest.approx(0.979, abs=0.001)


def test_operators_of_the_framework_and_modules(samples):
    profile = load_profile(samples / "msinsight/test/data/pytorch/text/level2/rank0_ascend_pt")
    by_operator = operators(profile, "operator").table.set_index("operator")
    # 5 convolutions forward, each with its TransData operators
    assert by_operator.loc["Conv2D"]["count"] == 20
    by_module = operators(profile, "module").table.set_index("module")
    assert by_module.loc["Linear_0"]["total_ns"] == 356_987
    by_stack = operators(profile, "stack").table
    assert by_stack["stack"].dropna().iloc[0].splitlines()[0].endswith(")") is False
    assert by_stack["total_ns"].sum() == by_operator["total_ns"].sum()


MATMUL = "DT_BF16;DT_BF16"


@pytest.mark.parametrize(
    ("kind", "inputs", "outputs", "formats", "expected"),
    [
        ("MatMulV2", "32,9216;4096,9216;4096", "32,4096", "ND;ND;ND", 2 * 32 * 4096 * 9216),
        ("MatMulV3", "32,4096;32,9216", "4096,9216", "ND;ND", 2 * 32 * 4096 * 9216),
        ("BatchMatMulV2", "8,64,128;8,128,32", "8,64,32", "ND;ND", 2 * 8 * 64 * 128 * 32),
        ("MatMulV2", "64,8,16,16;32,64,16,16", "32,8,16,16", "FRACTAL_NZ;FRACTAL_NZ", 134217728),
        ("GroupedMatmul", "512,1024;4,1024,256", "512,256", "ND;ND", 2 * 512 * 1024 * 256),
        (
            "Conv2D",
            "32,1,224,224,8;121,4,16,8;64",
            "32,8,55,55,8",
            "NC1HWC0;FRACTAL_Z;NCHW",
            2 * 121 * 4 * 16 * 8 * 32 * 55 * 55,
        ),
        (
            "Conv2DBackpropInput",
            "4;288,16,16,8;32,32,13,13,8",
            "32,32,13,13,8",
            "NCHW;FRACTAL_Z;NC1HWC0",
            2 * 288 * 16 * 16 * 8 * 32 * 13 * 13,
        ),
        (
            "Conv2DBackpropFilter",
            "32,48,13,13,8;4;32,32,13,13,8",
            "432,16,16,8",
            "NC1HWC0;NCHW;NC1HWC0",
            2 * 432 * 16 * 16 * 8 * 32 * 13 * 13,
        ),
        # 4096 tokens under a compressed causal mask: half of 4·16·4096·4096·128
        (
            "FlashAttentionScore",
            "4096,1,2048;4096,1,1024;4096,1,1024;;;;2048,2048;;",
            "1,16,4096,8;1,16,4096,8;;4096,1,2048",
            "NCL;NCL;NCL",
            2 * 16 * 4096 * 4096 * 128,
        ),
        (
            "FlashAttentionScore",
            "2,16,512,64;2,16,512,64;2,16,512,64",
            "2,16,512,8;2,16,512,8;;2,16,512,64",
            "ND",
            4 * 2 * 16 * 512 * 512 * 64,
        ),
        (
            "FlashAttentionScoreGrad",
            "512,2,1024;512,2,1024;512,2,1024;512,2,1024;;2,16,512,8;2,16,512,8",
            "512,2,1024;512,2,1024;512,2,1024",
            "NCL",
            10 * 2 * 16 * 512 * 512 * 64,
        ),
        ("Add", "4;4", "4", "ND;ND", None),
        ("MatMulV2", "", "", "", None),
        ("MatMulV2", "3,5;7,9", "3,9", "ND;ND", None),
        ("MatMulV2", "a,b;c", "1,2", "ND", None),
        ("FlashAttentionScore", "4096,16,128;4096,16,128;4096,16,128", "4096,16,8", "", None),
    ],
)
def test_operations_from_shapes(kind, inputs, outputs, formats, expected):
    assert flops(kind, inputs, outputs, formats) == expected


def test_every_counted_kind_has_a_formula():
    kinds = {"MatMulV3", "GroupedMatmul", "Conv2D", "FlashAttentionScore"}
    assert {kind_of(kind) for kind in kinds} <= set(FORMULAS)
    assert kind_of("MatMulAllReduce") == ""
    assert kind_of("FlashAttentionScoreGrad") == "attention gradient"


def test_share_of_the_peak(samples):
    profile = load_profile(samples / "msinsight/test/st/level2/rank_0_ascend_pt")
    assert profile.info.chip is None
    table = operators(profile, "shape", counters=False).table
    assert table["flops_share"].isna().all()
    chip = Chip("test", 200e12, None, None, None)
    table = operators(profile, "shape", chip=chip, counters=False).table
    known = table[table["flops_share"].notna()]
    row = known[known["type"] == "MatMulV3"].iloc[0]
    assert row["flops_share"] == pytest.approx(row["flops"] / (row["total_ns"] / 1e9) / 200e12)
    assert 0.3 < row["flops_share"] < 1.5
    assert row["intensity"] == pytest.approx(row["flops"] / row["moved_bytes"])


def test_chips_are_found_by_the_longest_name():
    assert chip_of("Ascend910B3").fp16 == pytest.approx(20 * 2 * 16**3 * 1800e6, rel=1e-3)
    assert chip_of("Ascend910B").verdict == "guess"
    assert chip_of("Ascend910A").fp16 == 256e12
    assert chip_of("NVIDIA A100-SXM4-80GB").peak("BF16") == 312e12
    assert chip_of("Tesla V100-DGXS-32GB").peak("FLOAT") == 15.7e12
    assert chip_of("Ascend 910_B4").name == "Ascend 910B4"
    assert chip_of("Ascend910B3").peak("FLOAT") is None
    assert chip_of("unknown") is None
    assert chip_of(None) is None


def test_bytes_that_have_to_move():
    assert moved_bytes("2,3;4", "DT_BF16;FLOAT", "5", "INT8") == 2 * 3 * 2 + 4 * 4 + 5
    assert moved_bytes("2,3", "STRANGE", "1", "INT8") is None
    assert moved_bytes("", "", "", "") is None
    assert shapes("4,8;;2") == [(4, 8), (), (2,)]


def test_quantiles_are_values_that_occur():
    group = np.repeat([0, 1], [100, 3])
    duration = np.concatenate((np.arange(1, 101), [5, 7, 9]))
    found = statistics(group, duration, 2)
    assert found["p50_ns"].tolist() == [50, 7]
    assert found["p99_ns"].tolist() == [99, 9]
    assert found["avg_ns"].tolist() == [50, 7]
    assert found["total_ns"].tolist() == [5050, 21]


def test_missing_texts_form_a_group(profile):
    table = profile.table("kernels")
    group, first = group_rows(table, ["state"])
    assert (set(group.tolist()), first.tolist()) == ({0}, [0])


@pytest.mark.parametrize("seed", range(8))
def test_time_alone_against_counting(seed):
    rng = np.random.default_rng(seed)
    start = rng.integers(0, 400, seed * 8)  # from none to many that overlap
    end = start + rng.integers(0, 60 if seed % 2 else 6, len(start))
    running = np.zeros(500, int)
    for a, b in zip(start, end, strict=True):
        running[a:b] += 1
    expected = [int((running[a:b] == 1).sum()) for a, b in zip(start, end, strict=True)]
    assert alone(start, end).tolist() == expected
