"""Computing by category beside what msprof-analyze 26.2.0 published of the samples."""

from decimal import Decimal

import pytest

from studio.perf.categories import categories
from studio.perf.load import load_profile

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


def listed(profile):
    rows = categories(profile).to_dict("records")
    return {(row["category"], row["part"]): (row["total_ns"], row["count"]) for row in rows}


@pytest.mark.parametrize("level", PUBLISHED)
def test_categories_as_published(samples, level):
    """To the last digit; the rest of what was computed is random numbers of the DSA."""
    folder = samples / f"msinsight/test/data/pytorch/text/level{level}/rank0_ascend_pt"
    profile = load_profile(folder)
    found = listed(profile)
    kernels = profile.table("kernels")
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
    assert not len(categories(maker.load()))
