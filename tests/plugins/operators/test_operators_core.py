"""Operators on the command line."""

from __future__ import annotations

import csv
import io
import json

import pytest

from plugins.operators import core
from studio import cli
from studio.app import App
from studio.kernel.errors import StudioError
from studio.paths import resource
from studio.perf.chips import chip_for, chip_of

RANK = resource("sample", "profiles", "rank0_ascend_pt")
OUTPUT = RANK / "ASCEND_PROFILER_OUTPUT"


def run(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    assert cli.main(["--lang", "en", *map(str, words)]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def kernels() -> list[dict[str, str]]:
    with (OUTPUT / "kernel_details.csv").open(newline="") as file:
        return [row for row in csv.DictReader(file) if row["Accelerator Core"] != "HCCL"]


@pytest.mark.parametrize("words", [("operators",), ("profile", "operators")])
def test_operators_by_type(capsys: pytest.CaptureFixture[str], words: tuple[str, ...]) -> None:
    rows = list(csv.DictReader(io.StringIO(run(capsys, *words, RANK, "--by", "type", "--csv"))))
    by_type: dict[str, int] = {}
    for row in kernels():
        duration = round(float(row["Duration(us)"]) * 1000)
        by_type[row["Type"]] = by_type.get(row["Type"], 0) + duration
    assert {row["type"]: int(row["total_ns"]) for row in rows} == by_type
    assert sum(float(row["share"]) for row in rows) == pytest.approx(1)


def test_operators_by_name_shape_and_step(capsys: pytest.CaptureFixture[str]) -> None:
    rows = json.loads(run(capsys, "operators", RANK, "--by", "shape", "--step", 10, "--json"))
    own = {(r["Name"], r["Input Shapes"].strip('"')) for r in kernels() if r["Step Id"] == "10"}
    assert {(row["name"], row["input_shapes"]) for row in rows} == own
    everything = json.loads(run(capsys, "operators", RANK, "--by", "kernel", "--json"))
    assert len(everything) == len(kernels())


def test_operators_by_category(capsys: pytest.CaptureFixture[str]) -> None:
    rows = json.loads(run(capsys, "profile", "operators", RANK, "--by", "category", "--json"))
    words = ("cast", "transdata", "transpose")
    expected: dict[tuple[str, str | None], int] = {}
    for row in kernels():
        vector = row["Accelerator Core"] == "AI_VECTOR_CORE"
        part = "trans" if any(word in row["Type"].lower() for word in words) else "no_trans"
        key = ("vector", part) if vector else ("cube", None)
        expected[key] = expected.get(key, 0) + round(float(row["Duration(us)"]) * 1000)
    found: dict[tuple[str, str | None], int] = {}
    for row in rows:
        cube = row["part"] == "cube"
        key = ("cube", None) if cube else (row["category"], row["part"])
        found[key] = found.get(key, 0) + row["total_ns"]
    assert found == expected
    assert {row["category"] for row in rows} == {"vector", "matmul", "other"}


def test_the_chip_is_named_by_hand_or_in_the_settings() -> None:
    table = core.table(RANK, chip="Ascend910B3")
    known = table[table["flops_share"].notna()]
    assert set(known["type"]) >= {"MatMulV2"}
    assert core.table(RANK)["flops_share"].isna().all()
    with pytest.raises(StudioError, match="is no known chip"):
        core.table(RANK, chip="Z80")
    app = App.start(safe=True, language="en")
    studio = app.studio("operators")
    studio.set_setting("operators.peak_tflops", 100.0)
    chip = core.chosen_chip("", studio)
    studio.set_setting("operators.bandwidth_gbs", 900.0)
    named = core.chosen_chip("A100", studio)
    studio.set_setting("operators.peak_tflops", 0.0)
    slope = core.chosen_chip("", studio)
    app.close()
    assert chip is not None
    assert (chip.fp16, chip.bandwidth) == (1e14, None)
    assert named is not None
    assert (named.fp16, named.fp32, named.bandwidth) == (1e14, 19.5e12, 900e9)
    merged = chip_for("Ascend910B3", slope)
    assert merged is not None
    assert (merged.fp16, merged.bandwidth) == (294.9e12, 900e9)
    assert chip_for("Ascend910B3", None) == chip_of("Ascend910B3")
    assert chip_for(None, slope) == slope


def test_host_operators_and_calls(capsys: pytest.CaptureFixture[str]) -> None:
    rows = json.loads(run(capsys, "profile", "host-operators", RANK, "--json"))
    assert all(row["host_self_ns"] <= row["host_total_ns"] for row in rows)
    assert any(row["device_self_ns"] > 0 for row in rows)
    calls = json.loads(run(capsys, "profile", "api", RANK, "--json"))
    assert {"level", "name", "count", "total_ns", "p99_ns"} <= set(calls[0])
