"""What the lists of the migration count, filter and hand on; patches that git understands."""

from __future__ import annotations

import shutil
import subprocess
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from plugins.migration.core.assessment.facts import Assessment
from plugins.migration.core.model import ScanContext
from plugins.migration.core.report import MigrationReport
from plugins.migration.core.scan import scan_text
from plugins.migration.ui.counts import Counts, hours_left
from plugins.migration.ui.decisions import Decisions, Tally, can_decide
from plugins.migration.ui.evidence import evidence_of, verdict_title
from plugins.migration.ui.filtering import Filter, Lister, parse_filter
from plugins.migration.ui.jobs import copy_project
from plugins.migration.ui.patch import file_patch, quoted, unified_patch
from plugins.migration.ui.score import next_step
from studio.kernel.errors import StudioError
from studio.kernel.jobs import Jobs
from studio.model.changes import FileChange
from studio.ui.diff import Decision

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from plugins.migration.ui.review import Review
    from studio.kernel.job_context import JobContext
    from studio.model.findings import Finding

SCRIPT = """import torch
from apex.optimizers import FusedAdam
x = torch.ones(1).cuda()
torch.cuda.synchronize()
torch.cuda.current_stream()
"""


@pytest.fixture
def job() -> Iterator[JobContext]:
    """The context of work that nobody cancels."""
    jobs = Jobs()
    yield jobs.foreground()
    jobs.shutdown()


def found(path: Path, text: str = SCRIPT) -> tuple[Finding, ...]:
    return scan_text(text, path).findings


def test_counts_follow_the_findings_of_each_file(tmp_path: Path) -> None:
    counts = Counts()
    one, two = tmp_path / "one.py", tmp_path / "two.py"
    counts.put(one, found(one))
    counts.put(two, found(two, "x = y.is_cuda\n"))
    assert counts.statuses(one)["auto"] == 3
    assert counts.by("rule")["cuda-name-limited"] == 1
    assert counts.by_hand() == {("library-manual", "hours"): 1}
    both = counts.by("category")
    counts.put(two, ())
    assert counts.by("category") != both
    counts.put(one, ())
    assert counts.statuses() == {}
    assert counts.by_hand() == {}


def test_findings_for_information_ask_for_nothing(tmp_path: Path) -> None:
    counts = Counts()
    path = tmp_path / "one.py"
    counts.put(path, found(path, "import torch\ntorch.backends.cudnn.benchmark = True\n"))
    assert counts.statuses()["info"] == 1
    assert counts.by("rule") == {}


def test_the_work_left_is_what_the_report_estimates(tmp_path: Path) -> None:
    text = SCRIPT + "import flash_attn\nimport apex\ntorch.cuda.get_device_properties(0)\n"
    results = [scan_text(text, tmp_path / name) for name in ("one.py", "two.py")]
    report = MigrationReport(tmp_path, tuple(results), ScanContext())
    low, high = hours_left(finding for result in results for finding in result.findings)
    assert (low, high) == Assessment(report).hours()
    assert 0 < low < high


def test_decisions_are_tallied_and_belong_to_the_line_not_to_its_number(tmp_path: Path) -> None:
    state: dict[str, object] = {}
    decisions = Decisions(state, lambda path: path.name)
    path = tmp_path / "one.py"
    first = found(path)
    assert decisions.tally(path, first) == Tally(3, 0, 0, 3)
    chosen = [finding for finding in first if can_decide(finding)]
    assert decisions.decide(chosen[:1], Decision.ACCEPTED) == {path}
    assert decisions.decide(chosen[:1], Decision.ACCEPTED) == frozenset()
    decisions.decide(chosen[1:2], Decision.REJECTED)
    assert decisions.tally(path, first) == Tally(3, 1, 1, 1)
    moved = found(path, "# a line\n\n" + SCRIPT.replace("    ", "\t"))
    later = Decisions(state, lambda path: path.name)
    assert [later.of(f) for f in moved if can_decide(f)] == [
        Decision.ACCEPTED, Decision.REJECTED, Decision.OPEN,
    ]  # fmt: skip
    assert later.accept_safe(path, moved) == 1


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", Filter()),
        ("Train SYNC", Filter(("train", "sync"))),
        ("rule:cuda-name x", Filter(("x",), aspects={"rule": frozenset({"cuda-name"})})),
        (
            "status:manual status:unsupported",
            Filter(aspects={"status": frozenset({"manual", "unsupported"})}),
        ),
        ("http://x other:", Filter(("http://x", "other:"))),
    ],
)
def test_a_filter_is_read_from_what_was_typed(text: str, wanted: Filter) -> None:
    assert parse_filter(text) == wanted


def test_libraries_that_need_nothing_are_listed_when_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    results = {path: found(path, "import deepspeed\nimport torch\nx = torch.ones(1).cuda()\n")}
    review = SimpleNamespace(files=lambda: list(results), findings=results.__getitem__)
    lister = Lister(cast("Review", review))

    def listed(text: str) -> list[str]:
        groups = lister.groups(parse_filter(text), "file", tmp_path)
        return [f.rule for group in groups for f in group.findings]

    assert "library-ready" not in listed("")
    assert "cuda-method" in listed("")
    assert listed("rule:library-ready") == ["library-ready"]
    assert listed("status:info") == ["library-ready"]
    assert listed("deepspeed") == ["library-ready"]


def test_the_next_step_goes_from_safe_changes_to_work_by_hand() -> None:
    from plugins.migration.ui.counts import Summary

    by_hand = {"manual": 2, "unsupported": 1}
    assert next_step(Summary(1, by_hand, 5, 0, 0, 3)).action == "accept_safe"
    assert next_step(Summary(1, by_hand, 5, 3, 0, 0)).action == "review"
    assert next_step(Summary(1, by_hand, 5, 3, 2, 0)).action == "apply"
    assert next_step(Summary(1, by_hand, 0, 0, 0, 0)).action == "by_hand"
    assert next_step(Summary(1, {"auto": 1})).action == ""


def test_evidence_is_the_row_that_a_finding_was_judged_by(tmp_path: Path) -> None:
    path = tmp_path / "one.py"
    rows = {f.rule: evidence_of(f, "2.8", "A2") for f in found(path)}
    assert rows["import-torch-npu"] is None
    name = rows["cuda-name"]
    assert name is not None
    assert (name.name, name.table) == ("torch.cuda.synchronize", "cuda_names.csv")
    assert name.verdicts["2.8"] == "supported"
    table, line = name.place()
    assert table.read_text(encoding="utf-8").splitlines()[line - 1].startswith(f"{name.name},")
    library = rows["library-manual"]
    assert library is not None
    assert library.table == "libraries.csv"
    assert verdict_title("limited") == "with limits"


# -- patches ---------------------------------------------------------------------------------------
def test_the_names_in_a_patch_are_quoted_as_git_does() -> None:
    assert quoted(b"a/one.py") == b"a/one.py"
    assert quoted("a/é.py".encode()) == b'"a/\\303\\251.py"'
    assert quoted(b'a/"x".py') == b'"a/\\"x\\".py"'


def test_nothing_changed_makes_no_patch() -> None:
    assert list(file_patch(b"one.py", b"same\n", b"same\n")) == []


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("one.py", "x = y.cuda()\n", "x = y.npu()\n"),
        ("crlf.py", "a\r\nx.cuda()\r\nb\r\n", "a\r\nx.npu()\r\nb\r\n"),
        ("no end.py", "a\nx.cuda()", "import torch_npu\na\nx.npu()"),
        ("deep/中文 é.py", "# 中\nx.cuda()\n", "# 中\nx.npu()\n"),
        ("old mac.py", "a\rx.cuda()\rb\n", "a\rx.npu()\rb\n"),
        ("feed.py", "a\n\x0cx.cuda()\n", "a\n\x0cx.npu()\n"),
        ("end.py", "x.cuda()\nlast", "x.npu()\nlast\n"),
        ("long.py", "a\n" * 40 + "x.cuda()\n" + "b\n" * 40, "n\n" + "a\n" * 40 + "x.npu()\n" +
         "b\n" * 39),
    ],
)  # fmt: skip
def test_git_applies_the_patch_byte_for_byte(
    tmp_path: Path, name: str, before: str, after: str
) -> None:
    root = tmp_path / "project"
    path = root / name
    path.parent.mkdir(parents=True)
    path.write_bytes(before.encode())
    change = FileChange(path, before, after, "utf-8", False, False)
    patch = tmp_path / "change.patch"
    patch.write_bytes(unified_patch(root, [change]))
    run = ["git", "-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", str(patch)]
    subprocess.run(run, cwd=root, check=True, env={"GIT_CEILING_DIRECTORIES": str(tmp_path)})
    assert path.read_bytes() == after.encode()


def test_a_patch_starts_from_the_disk_when_work_is_unsaved(tmp_path: Path) -> None:
    path = tmp_path / "one.py"
    path.write_text("x.cuda()\n")
    change = FileChange(path, "# mine\nx.cuda()\n", "# mine\nx.npu()\n", "utf-8", False, False)
    lines = unified_patch(tmp_path, [change]).splitlines()
    assert lines[4:] == [b"-x.cuda()", b"+# mine", b"+x.npu()"]


# -- copies ----------------------------------------------------------------------------------------
def test_a_copy_holds_the_changes_and_everything_else(tmp_path: Path, job: JobContext) -> None:
    root = tmp_path / "project"
    (root / "lib").mkdir(parents=True)
    (root / "one.py").write_bytes(b"x.cuda()\r\n")
    (root / "lib" / "run.sh").write_bytes(b"#!/bin/sh\n")
    (root / "lib" / "run.sh").chmod(0o555)
    (root / "link.py").symlink_to("one.py")
    out = tmp_path / "out"
    assert copy_project(root, out, {"one.py": b"x.npu()\r\n"}, job) == []
    assert (out / "one.py").read_bytes() == b"x.npu()\r\n"
    assert (out / "lib" / "run.sh").stat().st_mode & 0o777 == 0o755
    assert (out / "link.py").is_symlink()
    assert (root / "one.py").read_bytes() == b"x.cuda()\r\n"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out", "project"]


def test_a_copy_replaces_nothing(tmp_path: Path, job: JobContext) -> None:
    root, out = tmp_path / "project", tmp_path / "out"
    root.mkdir()
    out.mkdir()
    (out / "mine.txt").write_text("kept")
    with pytest.raises(StudioError):
        copy_project(root, out, {}, job)
    with pytest.raises(StudioError):
        copy_project(root, root / "inside", {}, job)
    with pytest.raises(StudioError):
        copy_project(root, tmp_path, {}, job)
    assert (out / "mine.txt").read_text() == "kept"
