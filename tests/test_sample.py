"""The sample project: complete, small, consistent with itself, left alone when opened."""

from __future__ import annotations

import ast
import csv
import gzip
import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from studio import sample
from studio.paths import resource

if TYPE_CHECKING:
    from pathlib import Path

SAMPLE = resource("sample")
RANKS = [SAMPLE / "profiles" / f"rank{rank}_ascend_pt" for rank in (0, 1)]
KINETO = SAMPLE / "profiles" / "torch_cpu_run.pt.trace.json.gz"


def files() -> list[Path]:
    """Every file of the sample, without what running its scripts leaves."""
    return [p for p in SAMPLE.rglob("*") if p.is_file() and "__pycache__" not in p.parts]


def events_of(rank: Path) -> list[dict[str, object]]:
    """The events of a generated trace."""
    return json.loads((rank / "ASCEND_PROFILER_OUTPUT" / "trace_view.json").read_text())


def table(rank: Path, name: str) -> list[dict[str, str]]:
    """The rows of a table; the tabs behind times are part of the format."""
    with (rank / "ASCEND_PROFILER_OUTPUT" / name).open(newline="") as file:
        return [{k: v.strip("\t") for k, v in row.items()} for row in csv.DictReader(file)]


def test_it_is_small_and_holds_every_kind_of_file() -> None:
    names = {path.relative_to(SAMPLE).as_posix() for path in files()}
    assert sum(path.stat().st_size for path in files()) < 4_000_000
    for name in (
        "model.py",
        "train.py",
        "launch.sh",
        "config.yaml",
        "requirements.txt",
        "ops/fused_gelu.cu",
        "ops/setup.py",
        "explore.ipynb",
        "logs/train.log",
        "README.md",
    ):
        assert name in names


def test_no_file_names_the_machine_that_made_it() -> None:
    for path in files():
        data = path.read_bytes()
        text = gzip.decompress(data) if path.suffix == ".gz" else data
        for word in (b"/tmp/", b"/root/", b"pyenv", b"/work/"):
            assert word not in text, f"{path}: {word!r}"


def test_stacks_name_functions_that_are_in_the_sample() -> None:
    defined = {
        (path.name, node.name)
        for path in SAMPLE.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef)
    }
    texts = [gzip.decompress(KINETO.read_bytes()).decode()]
    texts += [(r / "ASCEND_PROFILER_OUTPUT" / "trace_view.json").read_text() for r in RANKS]
    for text in texts:
        frames = set(re.findall(r"/home/train/minigpt/([\w/]+\.py)\((\d+)\): (<?\w+>?)", text))
        assert len(frames) > 5
        for file, line, function in frames:
            lines = (SAMPLE / file).read_text().splitlines()
            assert int(line) <= len(lines)
            assert function.startswith("<") or (file, function) in defined


def test_call_lines_hold_the_call() -> None:
    texts = [str(event["args"]) for event in events_of(RANKS[0]) if event.get("cat") == "cpu_op"]
    line = re.search(r"model\.py\((\d+)\): forward", next(t for t in texts if "4,1024,4096" in t))
    assert line is not None
    assert "F.gelu" in (SAMPLE / "model.py").read_text().splitlines()[int(line[1]) - 1]


def test_the_generated_profiles_say_so_and_come_from_their_script(tmp_path: Path) -> None:
    script = SAMPLE / "make" / "ascend_profile.py"
    subprocess.run([sys.executable, "-B", script, "--out", tmp_path], check=True)
    for rank in RANKS:
        for path in rank.rglob("*"):
            if path.is_file():
                made = tmp_path / path.relative_to(SAMPLE / "profiles")
                assert made.read_bytes() == path.read_bytes(), path
        assert "Generated" in (rank / "README.md").read_text()
        metadata = json.loads((rank / "profiler_metadata.json").read_text())
        assert "not measured" in metadata["note"]


@pytest.mark.parametrize("rank", RANKS, ids=lambda path: path.name)
def test_trace_and_tables_agree(rank: Path) -> None:
    def ns(text: object) -> int:
        whole, part = str(text).split(".")
        return int(whole) * 1000 + int(part)

    events = events_of(rank)
    processes = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}  # type: ignore[index]
    kernels = {
        (e["name"], ns(e["ts"]), round(float(str(e["dur"])) * 1000))
        for e in events
        if e["ph"] == "X"
        and processes[e["pid"]] in ("Ascend Hardware", "Communication")
        and (e["tid"] in (0, 2) or str(e["name"]).startswith("hcom"))
    }
    rows = table(rank, "kernel_details.csv")
    assert len(rows) > 300
    for row in rows:
        duration = round(float(row["Duration(us)"]) * 1000)
        assert (row["Name"], ns(row["Start Time(us)"]), duration) in kernels
    lanes: dict[str, list[tuple[int, int]]] = {}
    for e in events:
        if e["ph"] == "X" and processes[e["pid"]] == "Overlap Analysis":
            start = ns(e["ts"])
            end = start + round(float(str(e["dur"])) * 1000)
            lanes.setdefault(str(e["name"]), []).append((start, end))
    steps = table(rank, "step_trace_time.csv")
    assert [row["Step"] for row in steps] == ["10", "11"]
    total = sum(float(row["Computing"]) for row in steps)
    assert total == pytest.approx(sum(e - s for s, e in lanes["Computing"]) / 1000, abs=0.01)


@pytest.mark.parametrize("rank", RANKS, ids=lambda path: path.name)
def test_the_memory_peak_is_made_of_live_blocks(rank: Path) -> None:
    recorded = [r for r in table(rank, "memory_record.csv") if r["Component"] == "PTA"]
    peak = max(recorded, key=lambda row: float(row["Total Allocated(MB)"]))
    moment = float(peak["Timestamp(us)"])
    held = float(recorded[0]["Total Allocated(MB)"])
    live = 0.0
    for row in table(rank, "operator_memory.csv")[1:]:
        release = row["Release Time(us)"]
        if float(row["Allocation Time(us)"]) <= moment and (not release or float(release) > moment):
            live += float(row["Size(KB)"]) / 1024
    assert float(peak["Total Allocated(MB)"]) == pytest.approx(held + live, abs=1e-6)


def test_rank_0_waits_for_rank_1() -> None:
    alone = "Communication(Not Overlapped)"
    waits = [float(table(rank, "step_trace_time.csv")[0][alone]) for rank in RANKS]
    assert waits[0] > 2 * waits[1]
    ends = []
    for rank in RANKS:
        first = next(
            row for row in table(rank, "kernel_details.csv") if row["Name"].startswith("hcom")
        )
        ends.append(float(first["Start Time(us)"]) + float(first["Duration(us)"]))
    assert abs(ends[0] - ends[1]) < 10


def test_opening_copies_it_once_and_keeps_what_the_user_changed() -> None:
    before = {path: path.stat().st_mtime_ns for path in files()}
    folder = sample.sample_project()
    assert folder.name == "minigpt"
    copied = {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}
    assert copied == {path.relative_to(SAMPLE) for path in files()}
    assert (folder / "launch.sh").stat().st_mode & 0o100
    (folder / "train.py").write_text("changed")
    assert sample.sample_project() == folder
    assert (folder / "train.py").read_text() == "changed"
    assert {path: path.stat().st_mtime_ns for path in files()} == before
