"""Memory blocks and peaks on the command line."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import pytest

from plugins.memory import explain
from studio import cli
from studio.paths import resource

if TYPE_CHECKING:
    from pathlib import Path

PROFILES = resource("sample", "profiles")


def run(capsys: pytest.CaptureFixture[str], *words: object, code: int = 0) -> str:
    assert cli.main(["--lang", "en", *map(str, words)]) == code
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def test_blocks_as_csv(capsys: pytest.CaptureFixture[str], cases: Path) -> None:
    path = cases / "A22-operator-memory-gaps" / "input" / "operator_memory.csv"
    rows = list(csv.DictReader(io.StringIO(run(capsys, "memory", "blocks", path, "--csv"))))
    assert len(rows) == 6
    held = [row for row in rows if row["state"] == "held"]
    assert [(row["name"], row["released_ns"], row["duration_ns"]) for row in held] == [
        ("aten::add", "", "")
    ]
    assert [row["bytes"] for row in rows if row["state"] == "allocated before"] == ["-524288"]


@pytest.mark.parametrize("sort", ["time", "size", "duration"])
def test_blocks_without_a_duration_stand_at_the_end(cases: Path, sort: str) -> None:
    path = cases / "A22-operator-memory-gaps" / "input" / "operator_memory.csv"
    table = explain.blocks(path, sort=sort)
    column = {"time": "allocated_ns", "size": "bytes", "duration": "duration_ns"}[sort]
    known = table[column].notna().tolist()
    assert known == sorted(known, reverse=True)
    assert explain.blocks(path, state="held")["name"].tolist() == ["aten::add"]


@pytest.mark.parametrize("words", [("memory", "live"), ("profile", "memory")])
def test_the_peak_as_json(capsys: pytest.CaptureFixture[str], words: tuple[str, ...]) -> None:
    page = json.loads(run(capsys, *words, PROFILES, "--rank", "0", "--json"))
    peak = page["peak"]
    assert peak["component"] == "PTA"
    assert peak["held_before_bytes"] + peak["live_bytes"] == peak["bytes"]
    assert peak["live_count"] == len(page["live"])
    assert sum(block["bytes"] for block in page["live"]) == peak["live_bytes"]
    assert sum(group["bytes"] for group in page["by_name"]) == peak["live_bytes"]


def test_the_peak_for_people(capsys: pytest.CaptureFixture[str], shared: Path) -> None:
    folder = shared / "data/profiling/msinsight/test/st/level2"
    out = run(capsys, "memory", "live", folder, "--rank", "0")
    line = "10,282.749 MiB = 4,304.957 MiB held before + 5,977.792 MiB in 623 blocks"
    assert line in out
    assert "2,208.027 MiB      56  aten::matmul" in out


def test_no_memory_is_nothing_readable(capsys: pytest.CaptureFixture[str], shared: Path) -> None:
    path = shared / "data/profiling/msinsight/test/st/level2/rank_1_ascend_pt"
    assert cli.main(["--lang", "en", "memory", "live", str(path)]) == 3
    assert "record with profile_memory=True" in capsys.readouterr().err


def test_growth_over_steps(capsys: pytest.CaptureFixture[str]) -> None:
    rows = json.loads(run(capsys, "memory", "growth", PROFILES, "--rank", "0", "--json"))
    assert [row["step"] for row in rows] == [10, 11]
    assert all(row["lowest_bytes"] <= row["peak_bytes"] for row in rows)
