"""Computing by category beside what msprof-analyze 26.2.0 published of the samples."""

import csv
import io
from decimal import Decimal

import pytest

from studio import cli
from studio.perf.load import load_profile
from studio.perf.operators import operators

# sheet OverallMetrics of outputs/compare_l2_vs_l1: milliseconds, and how many
PUBLISHED = {
    1: {
        ("conv_forward", "cube"): ("0.723434", 5),
        ("conv_forward", "vector"): ("0.393006", 15),
        ("conv_backward", "cube"): ("1.085022", 9),
        ("conv_backward", "vector"): ("0.881292", 37),
        ("matmul", "cube"): ("0.997399", 9),
        ("matmul", "vector"): ("0.06874", 5),
        ("vector", "trans"): ("0.47737", 25),
        ("vector", "no_trans"): ("3.668164", 69),
        ("move", ""): ("0.57379", 11),
    },
    2: {
        ("conv_forward", "cube"): ("0.721854", 5),
        ("conv_forward", "vector"): ("0.387947", 15),
        ("conv_backward", "cube"): ("1.106863", 9),
        ("conv_backward", "vector"): ("0.850371", 37),
        ("matmul", "cube"): ("1.011159", 9),
        ("matmul", "vector"): ("0.070701", 5),
        ("vector", "trans"): ("0.469406", 25),
        ("vector", "no_trans"): ("3.666904", 69),
        ("move", ""): ("0.57735", 11),
    },
}


def listed(profile, kind="compute"):
    table = operators(profile, "category", kind=kind, counters=False).table
    cells = (
        table[["category", "part"]].astype(object).where(table[["category", "part"]].notna(), "")
    )
    keys = cells.itertuples(index=False, name=None)
    return dict(zip(keys, zip(table["total_ns"], table["count"], strict=True), strict=True))


@pytest.mark.parametrize("level", PUBLISHED)
def test_the_command_lists_categories_as_published(samples, level, capsys):
    """To the last digit; the rest of what was computed is random numbers of the DSA."""
    folder = samples / f"msinsight/test/data/pytorch/text/level{level}/rank0_ascend_pt"
    words = ["profile", "operators", str(folder), "--by", "category", "--plain", "--csv"]
    assert cli.main(["--lang", "en", *words]) == 0
    rows = csv.DictReader(io.StringIO(capsys.readouterr().out))
    found = {
        (row["category"], row["part"]): (int(row["total_ns"]), int(row["count"])) for row in rows
    }
    kernels = load_profile(folder).table("kernels")
    rest = kernels[kernels["core"] == "DSA_SQE"]["duration_ns"]
    assert found.pop(("other", "")) == (rest.sum(), 2)
    assert found == {
        key: (int(Decimal(text) * 1_000_000), count)
        for key, (text, count) in PUBLISHED[level].items()
    }


def test_a_kernel_is_of_the_operator_around_the_one_that_launched_it(maker):
    maker.slice("Python", 1, "ConvolutionBackward0", 100, 200, cat="cpu_op")
    maker.slice("Python", 1, "aten::convolution_backward", 110, 190, cat="cpu_op")
    host = {"enqueue": (0, 1), "dequeue": (2, 3), "launch": (2, 3)}
    maker.launched("add", (300, 310), operator=(120, 130), core="AI_VECTOR_CORE", **host)
    maker.launched("mm", (320, 350), operator=(210, 220), core="AI_CORE", **host)
    maker.launched("x", (360, 365), operator=(230, 240), core="AI_CPU", **host)
    maker.launched("c", (370, 371), operator=(250, 260), kind="Cast", **host)
    assert listed(maker.load()) == {
        ("conv_backward", "vector"): (10_000, 1),
        ("matmul", "cube"): (30_000, 1),
        ("vector", "trans"): (1_000, 1),
        ("other", ""): (5_000, 1),
    }


def test_nothing_is_told_without_operators_of_the_host(maker):
    maker.kernel("conv", 1, 2, kind="Conv2D", core="AI_CORE")
    assert listed(maker.load()) == {("", ""): (1_000, 1)}


def test_a_part_is_told_only_where_the_core_is_recorded_and_communication_is_a_category(maker):
    host = {"enqueue": (0, 1), "dequeue": (2, 3), "launch": (2, 3)}
    maker.launched("mm", (20, 50), operator=(10, 15), core="", **host)
    maker.launched("bmm", (60, 61), operator=(16, 18), core="MIX_AIV", **host)
    maker.launched("linear", (64, 66), operator=(18.2, 18.4), core="AI_CORE", **host)
    maker.launched("move", (70, 74), operator=(19, 20), kind="TensorMove", **host)
    maker.kernel("hcom_allReduce__1_0_1", 80, 90, kind="hcom_allReduce_", core="HCCL")
    computing = {
        ("matmul", ""): (30_000, 1),
        ("matmul", "vector"): (1_000, 1),
        ("move", ""): (4_000, 1),
        ("other", "cube"): (2_000, 1),
    }
    profile = maker.load()
    sent = {("communication", ""): (10_000, 1)}
    assert listed(profile) == computing
    assert listed(profile, "communication") == sent
    assert listed(profile, "all") == computing | sent


def test_a_category_leads_back_to_its_kernels_in_every_step(maker):
    host = {"enqueue": (0, 1), "dequeue": (2, 3), "launch": (2, 3)}
    maker.launched("mm", (20, 50), operator=(10, 15), core="AI_CORE", **host)
    maker.launched("mm", (70, 75), operator=(60, 65), core="AI_CORE", step=2, **host)
    maker.launched("add", (80, 81), operator=(66, 67), step=2, **host)
    profile = maker.load()
    found = operators(profile, "category", step=2)
    assert found.table["category"].tolist() == ["matmul", "vector"]
    assert found.rows_of(0)["start_ns"].tolist() == [1_700_000_000_000_070_000]
    assert found.rows_of(1)["name"].tolist() == ["add"]
