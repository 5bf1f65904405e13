"""The import doctor, the overview and packs on the command line."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

import pytest

from plugins.overview import core
from studio import cli
from studio.kernel.errors import StudioError
from studio.paths import resource

if TYPE_CHECKING:
    from pathlib import Path

PROFILES = resource("sample", "profiles")
RANK = PROFILES / "rank0_ascend_pt"


def run(capsys: pytest.CaptureFixture[str], *words: object, code: int = 0) -> str:
    assert cli.main(["--lang", "en", *map(str, words)]) == code
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def test_the_doctor_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    (page,) = json.loads(run(capsys, "profile", "doctor", RANK, "--json"))
    assert (page["form"], page["framework"], page["rank"]) == ("text", "PyTorch", 0)
    assert {found["table"] for found in page["found"]} >= {"kernels", "trace", "memory"}
    assert [remark["kind"] for remark in page["remarks"]] == ["missing"]


def test_the_doctor_for_people_and_for_several_ranks(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "profile", "doctor", PROFILES)
    assert out.count("✓ Operators on the device: ASCEND_PROFILER_OUTPUT/kernel_details.csv") == 2
    assert "PyTorch · text · Level1 · rank 1: readable, with 1 thing to know" in out


def test_what_cannot_be_read_is_exit_code_1(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "x_ascend_pt"
    (path / "PROF_1_2_A" / "host").mkdir(parents=True)
    out = run(capsys, "profile", "doctor", path, code=1)
    assert "analyse(" in out
    assert cli.main(["profile", "doctor", str(tmp_path / "missing")]) == 3


def test_the_overview(capsys: pytest.CaptureFixture[str]) -> None:
    (page,) = json.loads(run(capsys, "profile", "overview", PROFILES, "--rank", "0", "--json"))
    shares = page["shares"]
    parts = [shares[name] for name in ("computing", "communication", "memory", "scheduling")]
    assert sum(parts) == pytest.approx(1)
    assert shares["computing"] == pytest.approx((22313305 + 22590256) / (35536235 + 35120267))
    assert page["step_ns"] == (35536235 + 35120267) // 2
    assert page["operators"][0]["type"] == "MatMulV2"
    assert page["peak"]["bytes"] == page["peak"]["held_before_bytes"] + page["peak"]["live_bytes"]
    assert len(page["gaps"]) == 10


def test_figures_and_remarks_as_csv(capsys: pytest.CaptureFixture[str]) -> None:
    figures = list(
        csv.DictReader(run(capsys, "profile", "overview", PROFILES, "--csv").splitlines())
    )
    assert [row["rank"] for row in figures] == ["0", "1", ""]
    page = json.loads(run(capsys, "profile", "overview", PROFILES, "--rank", 0, "--json"))[0]
    assert figures[0]["step_ns"] == str(page["step_ns"])
    assert float(figures[0]["computing_share"]) == page["shares"]["computing"]
    remarks = list(csv.DictReader(run(capsys, "profile", "doctor", PROFILES, "--csv").splitlines()))
    told = json.loads(run(capsys, "profile", "doctor", PROFILES, "--json"))
    assert [row["text"] for row in remarks] == [r["text"] for each in told for r in each["remarks"]]


def test_a_run_without_a_device_has_a_page_as_well(capsys: pytest.CaptureFixture[str]) -> None:
    trace = PROFILES / "torch_cpu_run.pt.trace.json.gz"
    (page,) = json.loads(run(capsys, "profile", "overview", trace, "--json"))
    assert page["shares"] is None
    assert page["step_ns"] == (15353330 + 20668076) // 2


def test_a_pack_opens_like_the_original(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "run.studio"
    packed = json.loads(run(capsys, "pack", RANK, "--output", path, "--json"))
    assert packed["bytes"] == path.stat().st_size
    assert packed["rows"]["host_steps"] == 2
    first = run(capsys, "steps", RANK, "--json")
    assert run(capsys, "steps", path, "--json") == first
    first = run(capsys, "operators", RANK, "--by", "shape", "--csv")
    assert run(capsys, "operators", path, "--by", "shape", "--csv") == first
    assert core.is_pack(path)
    assert core.pack_facts(path) == {
        "rank": 0,
        "world_size": 2,
        "framework": "PyTorch",
        "level": "Level1",
    }
    assert not core.is_pack(RANK / "README.md")
    with pytest.raises(StudioError, match=r"ends with \.studio"):
        core.pack(RANK, tmp_path / "run.zip")


def test_the_overview_of_one_step(capsys: pytest.CaptureFixture[str]) -> None:
    whole = json.loads(run(capsys, "profile", "overview", RANK, "--json"))[0]
    one = json.loads(run(capsys, "profile", "overview", RANK, "--step", "11", "--json"))[0]
    step = json.loads(run(capsys, "profile", "steps", RANK, "--step", "11", "--json"))[0]
    assert (whole["step_count"], one["step_count"]) == (2, 1)
    assert one["shares"]["span_ns"] == step["span_ns"]
    assert one["step_ns"] == step["stage_ns"]
    assert {gap["step"] for gap in one["gaps"]} == {11}
    assert sum(row["count"] for row in one["operators"]) < sum(
        row["count"] for row in whole["operators"]
    )
    memory = json.loads(run(capsys, "profile", "memory", RANK, "--step", "11", "--json"))
    assert one["peak"]["bytes"] == memory["peak"]["bytes"]
    assert one["peak"]["at_ns"] == memory["peak"]["at_ns"]
    assert cli.main(["profile", "overview", str(RANK), "--step", "99"]) == 3
