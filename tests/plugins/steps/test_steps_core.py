"""The steps on the command line."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

import pytest

from plugins.steps import core
from studio import cli
from studio.kernel.errors import StudioError
from studio.paths import resource

if TYPE_CHECKING:
    from pathlib import Path

PROFILES = resource("sample", "profiles")


def run(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    assert cli.main(["--lang", "en", *map(str, words)]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


@pytest.mark.parametrize("words", [("steps",), ("profile", "steps")])
def test_steps_as_json(capsys: pytest.CaptureFixture[str], words: tuple[str, ...]) -> None:
    rows = json.loads(run(capsys, *words, PROFILES, "--json", "--quick"))
    mine = [row for row in rows if row["source"] == "computed"]
    assert [(row["rank"], row["step"]) for row in mine] == [(0, 10), (0, 11), (1, 10), (1, 11)]
    first = mine[0]
    wanted = {
        "stage_ns": 35536235,
        "computing_ns": 22313305,
        "communication_ns": 17963736,
        "not_overlapped_ns": 12830822,
        "overlapped_ns": 5132914,
        "free_ns": 392108,
        "preparing_ns": 3623141,
        "bubble_ns": 0,
        "own_bubble_ns": 0,
    }
    assert {name: first[name] for name in wanted} == wanted
    assert first["start_ns"] == 1764246877077195533
    # not read, so not recorded, and never zero
    assert first["free_host_bound_ns"] is None


def test_the_computed_sums_are_those_of_the_published_table() -> None:
    for rank in (0, 1):
        folder = PROFILES / f"rank{rank}_ascend_pt"
        own = core.breakdown(folder, quick=True)
        path = folder / "ASCEND_PROFILER_OUTPUT" / "step_trace_time.csv"
        with path.open(newline="") as file:
            for row, (_, mine) in zip(csv.DictReader(file), own.iterrows(), strict=True):
                assert mine["computing_ns"] == round(float(row["Computing"]) * 1000)
                assert mine["communication_ns"] == round(float(row["Communication"]) * 1000)
                assert mine["overlapped_ns"] == round(float(row["Overlapped"]) * 1000)
                assert mine["preparing_ns"] == round(float(row["Preparing"]) * 1000)


def test_one_rank_and_one_step_as_csv(capsys: pytest.CaptureFixture[str]) -> None:
    text = run(capsys, "steps", PROFILES, "--rank", 1, "--step", 11, "--csv")
    (row,) = csv.DictReader(io.StringIO(text))
    assert (row["rank"], row["step"]) == ("1", "11")
    causes = {name: row[name] for name in row if name.startswith("free_") and name != "free_ns"}
    assert sum(int(value or 0) for value in causes.values()) == int(row["free_ns"])
    # garbage is only looked for when asked for
    assert causes["free_gc_ns"] == ""


def test_step_times_and_gaps(capsys: pytest.CaptureFixture[str]) -> None:
    path = PROFILES / "rank0_ascend_pt"
    rows: list[dict[str, Any]] = json.loads(run(capsys, "profile", "step-times", path, "--json"))
    assert [row["host_ns"] for row in rows] == [39246453, 38800559]
    gaps = json.loads(run(capsys, "profile", "gaps", path, "--top", 3, "--json"))
    assert len(gaps) == 3
    assert gaps[0]["duration_ns"] == gaps[0]["end_ns"] - gaps[0]["start_ns"]
    assert {gap["rank"] for gap in gaps} == {0}


def test_a_rank_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(StudioError, match="no profile of rank 7"):
        core.breakdown(PROFILES, rank=7)
    assert cli.main(["steps", str(tmp_path)]) == 3
