"""Kept analyses: a second scan reads them, and nothing that is wrong or foreign is believed."""

from __future__ import annotations

import json
import shutil
import sqlite3
import zlib
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from plugins.migration.core import analyses, scan
from plugins.migration.core.analyses import Analyses, packed, restored
from plugins.migration.core.model import (
    CHIPS,
    STRATEGIES,
    TORCH_VERSIONS,
    Analysis,
    Change,
    Hit,
    ScanContext,
    Site,
    Use,
)
from plugins.migration.core.parsing import Fault
from plugins.migration.core.scan import (
    for_project,
    project_files,
    scan_command,
    scan_file,
    scan_files,
)
from studio.paths import cache_dir, resource
from tests.plugins.migration.test_migration_snippets import SNIPPETS, write

if TYPE_CHECKING:
    from pathlib import Path

    from plugins.migration.core.model import Strategy

TEXT = "import torch\nx = torch.zeros(2).cuda()\n"
JUDGED = """import torch
from torch.cuda import amp, memory_allocated
a = torch.zeros(2, dtype=torch.float64, device="cuda")
rnn = torch.nn.GRU(4, 4)
b = torch.nn.functional.gelu(a)
s = torch.slogdet(a).view(1).size()
n = torch.norm(a.exponential_().coalesce())
torch.backends.cuda.matmul.allow_tf32 = True
with torch.autocast("cuda", dtype=torch.float16):
    torch.cuda.memory_stats(a.cuda().device)
"""
FULL = Analysis(
    "migrated",
    (Hit("cuda-method", 3, 7, (Change(3, 7, "npu"),), "auto", "n", "s", {"old": "é", "n": 1}),),
    9,
    Fault("m", 2, {"name": "x"}),
    {"torch.zeros": 2},
    (Use("torch.f", 0, 4),),
    {"torch.g": (Site(1, 2, ("fp64",), ("dropout",), True, False, True), Site(3, 4))},
    ((5, 9),),
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for number in range(3):
        text = TEXT.replace("2", str(number))
        (tmp_path / f"m{number}.py").write_text(text, encoding="utf-8")
    return tmp_path


def place() -> Path:
    return cache_dir() / "migration" / "analyses.sqlite"


def test_an_analysis_comes_back_as_it_was() -> None:
    assert restored(packed(FULL), 100) == FULL


@pytest.mark.parametrize(
    "change",
    [
        lambda told: told["hits"][0].__setitem__(0, "no-such-rule"),
        lambda told: told["hits"][0].__setitem__(2, 1000),
        lambda told: told["hits"][0].__setitem__(1, -1),
        lambda told: told["hits"][0][3].append([5, 200, "x"]),
        lambda told: told["hits"].append([]),
        lambda told: told.pop("apis"),
        lambda told: told.__setitem__("unverified", [["a", 2, "b"]]),
        lambda told: told.__setitem__("fault", "x"),
        lambda told: told["sites"]["torch.g"][0].__setitem__(1, 101),
        lambda told: told["sites"]["torch.g"].append([1, 2]),
        lambda told: told.__setitem__("left", [[3]]),
    ],
)
def test_what_does_not_fit_is_not_believed(change) -> None:
    told = json.loads(zlib.decompress(packed(FULL)))
    change(told)
    assert restored(zlib.compress(json.dumps(told).encode()), 100) is None


@pytest.mark.parametrize("told", [b"", b"x", zlib.compress(b"{}"), zlib.compress(b"[1]"), None, 3])
def test_what_is_no_analysis_is_not_believed(told) -> None:
    assert restored(told, 100) is None


def test_a_second_scan_analyses_nothing(project: Path, monkeypatch) -> None:
    first = scan_command(project)
    monkeypatch.setattr(scan, "_analyse", None)
    second = scan_command(project)
    assert second.findings == first.findings
    assert second.apis() == first.apis()
    (project / "m1.py").write_text(TEXT + "y = x.cuda()\n", encoding="utf-8")
    with pytest.raises(TypeError):
        scan_command(project)


@pytest.mark.parametrize("choice", [{"torch": "2.6"}, {"chip": "A3"}, {"strategy": "shim"}])
def test_another_choice_parses_nothing(project: Path, monkeypatch, choice) -> None:
    scan_command(project)
    monkeypatch.setattr(scan, "_analyse", None)
    changes = 0 if "strategy" in choice else 6
    assert scan_command(project, **choice).summary()["changes"] == changes


def test_another_choice_is_judged_anew_without_parsing(project: Path, monkeypatch) -> None:
    text = "import torch\nx = torch.nn.GRU(4, 4)\ny = torch.zeros(2).view(2)\n"
    (project / "m0.py").write_text(text, encoding="utf-8")
    before = {finding.rule for finding in scan_command(project).findings}
    assert "torch-api-unsupported" in before
    monkeypatch.setattr(scan, "_analyse", None)
    found = scan_command(project, torch="2.9", chip="950DT").findings
    told = {f.facts["name"]: f for f in found if f.rule == "torch-api-unsupported"}
    assert {"torch.nn.GRU", "torch.Tensor.view"} <= set(told)
    assert "950DT with torch 2.9" in told["torch.nn.GRU"].title


def test_names_that_a_version_lacks_are_analysed_for_it(project: Path, monkeypatch) -> None:
    text = "import torch\nx = torch.cuda.host_memory_stats()\n"
    (project / "m0.py").write_text(text, encoding="utf-8")

    def rules(torch: str) -> set[str]:
        return {
            f.rule
            for f in scan_command(project, torch=torch).findings
            if f.location.path.name == "m0.py"
        }

    assert "cuda-name" in rules("2.8")
    assert "cuda-name" in rules("2.13")
    assert rules("2.6") == {"cuda-name-unlisted", "import-torch-npu"}


def test_rules_of_the_user_are_kept_for_other_choices(project: Path, monkeypatch) -> None:
    (project / "m0.py").write_text(
        "import torch\nx = torch.add(1, torch.foo(4))\n", encoding="utf-8"
    )
    rules = '[[support]]\napi = "torch.add"\nverdict = "unsupported"\nchips = ["A3"]\n'
    rules += '[[support]]\napi = "torch.foo"\nverdict = "supported"\ntorch = ["2.9"]\n'
    (project / "migration.toml").write_text(rules, encoding="utf-8")
    first = scan_command(project)
    assert [use.name for result in first.results for use in result.unverified] == ["torch.foo"]
    monkeypatch.setattr(scan, "_analyse", None)
    second = scan_command(project, torch="2.9", chip="A3")
    assert [f.facts["name"] for f in second.findings if f.rule == "torch-api-unsupported"] == [
        "torch.add"
    ]
    assert not any(result.unverified for result in second.results)


def judged_by_all(root: Path, choices: list[tuple[str, str, Strategy]]) -> None:
    """Compare the findings of each choice, in this order, with those of a scan without a cache."""
    paths = [path for path in project_files(root) if path.stat().st_size < 50_000]
    known = for_project(ScanContext(), root, paths)
    for torch, chip, strategy in choices:
        context = replace(known, torch=torch, chip=chip, strategy=strategy)
        for path, found in scan_files(paths, context).items():
            fresh = scan_file(path, context)
            assert found == fresh, (path, torch, chip, strategy)
            assert dict(found.apis) == dict(fresh.apis)


def test_switching_to_and_fro_finds_what_a_full_scan_finds(tmp_path: Path) -> None:
    sample = tmp_path / "sample"
    shutil.copytree(resource("sample"), sample, ignore=shutil.ignore_patterns("make"))
    for name, snippet in SNIPPETS.items():
        write(tmp_path / name, snippet["files"])
    (tmp_path / "judged.py").write_text(JUDGED, encoding="utf-8")
    choices: list[tuple[str, str, Strategy]] = [
        ("2.8", "A2", "rewrite"), ("2.9", "950DT", "shim"),
        ("2.6", "A3", "shim"), ("2.9", "A2", "rewrite"),
    ]  # fmt: skip
    judged_by_all(tmp_path, choices)


def test_every_choice_finds_what_an_analysis_of_its_own_finds(tmp_path: Path) -> None:
    (tmp_path / "judged.py").write_text(JUDGED, encoding="utf-8")
    cells = [{"cell_type": "code", "source": JUDGED.splitlines(keepends=True)}]
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": cells, "nbformat": 4}), encoding="utf-8")
    judged_by_all(tmp_path, [(t, c, s) for t in TORCH_VERSIONS for c in CHIPS for s in STRATEGIES])


def test_a_rule_of_the_user_is_heard(project: Path) -> None:
    assert scan_command(project).summary()["changes"] == 6
    rules = project / "migration.toml"
    rules.write_text('[[silence]]\nrule = "cuda-method"\n', encoding="utf-8")
    assert scan_command(project).summary()["changes"] == 0


def test_what_the_user_says_of_an_api_is_cited_by_later_scans_too(project: Path) -> None:
    (project / "m0.py").write_text("import torch\nx = torch.nn.GRU(4, 4)\n", encoding="utf-8")
    support = '[[support]]\napi = "torch.nn.GRU"\nverdict = "unsupported"\n'
    (project / "migration.toml").write_text(support, encoding="utf-8")
    for _ in range(2):
        told = [f for f in scan_command(project).findings if f.rule == "torch-api-unsupported"]
        assert [finding.evidence for finding in told] == ["migration.toml"]


@pytest.mark.parametrize(
    "content", [b"", b"no base at all" * 100, b"SQLite format 3\0" + b"x" * 999]
)
def test_a_damaged_file_is_made_anew(project: Path, content: bytes) -> None:
    expected = scan_command(project).findings
    for extra in place().parent.glob("*.sqlite-*"):
        extra.unlink()
    place().write_bytes(content)
    assert scan_command(project).findings == expected
    assert scan_command(project).findings == expected
    with Analyses(ScanContext()) as kept:
        kept.put(b"x", "script", FULL)
    with Analyses(ScanContext()) as kept:
        assert kept.get(b"x", "script", 100) == FULL
        assert kept.get(b"x", "script", 6) is None
        assert kept.get(b"x", "shell", 100) is None


def test_without_a_place_to_keep_them_scans_go_on(project: Path) -> None:
    place().parent.parent.mkdir(parents=True, exist_ok=True)
    place().parent.write_text("in the way", encoding="utf-8")
    assert scan_command(project).summary()["changes"] == 6


def test_what_was_not_used_for_long_is_dropped(monkeypatch) -> None:
    with Analyses(ScanContext()) as kept:
        for number in range(20):
            kept.put(bytes([number]), "script", FULL)
    with sqlite3.connect(place()) as base:
        (size,) = base.execute("SELECT sum(size) FROM kept").fetchone()
        base.execute("UPDATE kept SET used = 1")
    base.close()
    monkeypatch.setattr(analyses, "_LARGEST", size)
    with Analyses(ScanContext()) as kept:
        assert kept.get(b"\7", "script", 100) == FULL
        kept.put(b"new", "script", FULL)
    with Analyses(ScanContext()) as kept:
        assert kept.has(b"new", "script")
        assert kept.has(b"\7", "script")
        assert 0 < sum(kept.has(bytes([n]), "script") for n in range(20)) < 20


def test_processes_keep_analyses_too(project: Path, monkeypatch) -> None:
    monkeypatch.setattr(scan, "_PARALLEL_FROM", 0)
    files = sorted(project.glob("*.py"))
    first = scan_files(files)
    monkeypatch.setattr(scan, "_analyse", None)
    assert scan_files(files) == first


@pytest.mark.parametrize(
    "name", ["a.py", "a.yaml", "run.sh", "a.ipynb", "requirements.txt", "a.cu"]
)
def test_a_binary_file_is_no_file_that_is_fine(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"\0\1\2\xff" * 50)
    report = scan_command(tmp_path)
    (found,) = report.findings
    assert found.rule == "unreadable"
    assert ("null bytes" if name.endswith(".py") else "binary") in found.title
    assert report.summary()["skipped"] == 1
