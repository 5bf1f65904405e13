"""Recognising items, from scratch and again after changes."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING

import pytest

from studio.kernel.errors import StudioError
from studio.kernel.job_context import Cancelled, JobContext
from studio.model.rescan import rescan
from studio.model.scan import Recogniser, Scan, Scanner, scan, scan_project

if TYPE_CHECKING:
    from pathlib import Path


def make(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)


def found(scan: Scan) -> list[tuple[str, str]]:
    return [(item.path.relative_to(scan.root).as_posix(), item.kind) for item in scan.items]


SCRIPTS = Scanner("core", "script", ("*.py", "*.sh"))
TRACES = Scanner("timeline", "trace", ("trace_view.json", "*.pt.trace.json", "*.pt.trace.json.gz"))
CONFIGS = Scanner("core", "config", ("*.json", "*.yaml"), priority=10)
PROFILES = Scanner(
    "profiles",
    "profile",
    ("*_ascend_pt",),
    folders=True,
    sniff=lambda path: (path / "ASCEND_PROFILER_OUTPUT").is_dir(),
    facts=lambda path: {"rank": int(path.name[4]), "size": len(list(path.iterdir()))},
)
ALL = [CONFIGS, SCRIPTS, TRACES, PROFILES]


def test_the_most_important_scanner_wins_and_order_is_by_path(tmp_path: Path) -> None:
    make(
        tmp_path,
        "train.py",
        "run.sh",
        "x/conf.json",
        "x/trace_view.json",
        "x/w0.pt.trace.json.gz",
        "rank3_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json",
        "rank4_ascend_pt/empty",
        "node_modules/no.py",
        "notes.txt",
    )
    result = scan(tmp_path, ALL)
    assert found(result) == [
        ("rank3_ascend_pt", "profile"),
        ("rank3_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json", "trace"),
        ("run.sh", "script"),
        ("train.py", "script"),
        ("x/conf.json", "config"),
        ("x/trace_view.json", "trace"),
        ("x/w0.pt.trace.json.gz", "trace"),
    ]
    assert result.items[0].facts == {"rank": 3, "size": 1}
    assert result.items[0].plugin == "profiles"
    assert scan_project(tmp_path, ALL) == result.items
    assert scan(tmp_path, list(reversed(ALL))).items == result.items


def test_the_folder_itself_may_be_an_item(tmp_path: Path) -> None:
    root = tmp_path / "rank5_ascend_pt"
    make(root, "ASCEND_PROFILER_OUTPUT/trace_view.json")
    whole = [(".", "profile"), ("ASCEND_PROFILER_OUTPUT/trace_view.json", "trace")]
    first = scan(root, ALL)
    assert found(first) == whole
    assert first.to_json() == {
        "root": str(root),
        "items": [
            {"path": ".", "kind": "profile", "facts": {"rank": 5, "size": 1}},
            {"path": whole[1][0], "kind": "trace", "facts": {}},
        ],
    }
    make(root, "more.txt")
    second = rescan(first, [root / "more.txt"], ALL)
    assert found(second) == whole
    assert second.items[0].facts == {"rank": 5, "size": 2}
    assert rescan(second, [], ALL).items == second.items


def test_plain_values_for_the_command_line(tmp_path: Path) -> None:
    make(tmp_path, "a/train.py")
    assert scan(tmp_path, ALL).to_json() == {
        "root": str(tmp_path),
        "items": [{"path": "a/train.py", "kind": "script", "facts": {}}],
    }
    assert scan(tmp_path / "a" / "train.py", ALL).to_json() == {
        "root": str(tmp_path / "a"),
        "items": [{"path": "train.py", "kind": "script", "facts": {}}],
    }
    with pytest.raises(StudioError, match="does not exist"):
        scan(tmp_path / "none", ALL)


@pytest.mark.parametrize(
    ("pattern", "name", "fits"),
    [
        ("*.py", "a/b.py", True),
        ("*.py", "a/b.pyc", False),
        ("*.py", "a.py/", False),
        ("*.tar.gz", "x.y.tar.gz", True),
        ("setup.py", "a/setup.py", True),
        ("setup.py", "a/mysetup.py", False),
        ("dump*.json", "dump_tensor.json", True),
        ("step[0-9]", "step1", True),
        ("configs/*.yaml", "a/configs/x.yaml", True),
        ("configs/*.yaml", "a/configs/b/x.yaml", False),
        ("configs/*.yaml", "myconfigs/x.yaml", False),
        ("*", "anything", True),
        (".env", "a/.env", True),
    ],
)
def test_patterns(pattern: str, name: str, fits: bool) -> None:
    recogniser = Recogniser([Scanner("p", "k", (pattern,))])
    assert bool(recogniser.candidates(name)) is fits


def broken(path: Path) -> bool:
    raise ZeroDivisionError(path.name)


def leaving(path: Path) -> bool:
    raise SystemExit(3)


@pytest.mark.parametrize("error", [broken, leaving])
def test_a_failing_function_hides_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, error: object
) -> None:
    make(tmp_path, "a.py", "b.py")
    bad_sniff = Scanner("bad", "odd", ("*.py",), priority=90, sniff=error)  # type: ignore[arg-type]
    bad_facts = Scanner("bad", "script", ("*.py",), facts=error)  # type: ignore[arg-type]
    with caplog.at_level(logging.ERROR, "studio"):
        result = scan(tmp_path, [bad_sniff, bad_facts])
    assert found(result) == [("a.py", "script"), ("b.py", "script")]
    assert all(item.facts == {} for item in result.items)
    assert "of plugin bad" in caplog.text


def test_links_are_no_items(tmp_path: Path) -> None:
    make(tmp_path, "a.py")
    (tmp_path / "b.py").symlink_to(tmp_path / "a.py")
    (tmp_path / "loop").symlink_to(tmp_path)
    result = scan(tmp_path, ALL)
    assert found(result) == [("a.py", "script")]
    assert result.found.links == ["b.py", "loop"]


def test_a_scan_reports_and_can_be_cancelled(tmp_path: Path) -> None:
    make(tmp_path, *(f"{index}.py" for index in range(1200)))
    reports: list[str] = []
    cancelled = False

    def tell(progress: object) -> None:
        nonlocal cancelled
        reports.append(str(progress))
        cancelled = len(reports) > 1

    with pytest.raises(Cancelled):
        scan(tmp_path, ALL, JobContext(tell, lambda: cancelled))
    assert len(reports) == 2


def test_a_rescan_equals_a_fresh_scan(tmp_path: Path) -> None:
    make(tmp_path, "a.py", "b/c.py", "b/d/e.sh", "f/g.py", "rank1_ascend_pt/x", "deep/h/i.py")
    before = scan(tmp_path, ALL)
    (tmp_path / "a.py").unlink()
    (tmp_path / "b").rename(tmp_path / "b2")
    make(
        tmp_path,
        "new.py",
        "f/new.sh",
        "rank1_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json",
        "fresh/folder/x.py",
        "node_modules/pkg/no.py",
        ".git/hooks/no.py",
    )
    (tmp_path / "f" / "g.py").unlink()
    (tmp_path / "f" / "g.py").symlink_to(tmp_path / "new.py")
    changed = [
        "a.py",
        "b",
        "b/c.py",
        "b2",
        "b2/d/e.sh",
        "new.py",
        "f/new.sh",
        "f/g.py",
        "fresh",
        "node_modules",
        "node_modules/pkg",
        ".git/hooks/no.py",
        "rank1_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json",
        "no/such/file.py",
    ]
    outside = [tmp_path.parent / "other.py", tmp_path]
    after = rescan(before, [*(tmp_path / name for name in changed), *outside], ALL)
    fresh = scan(tmp_path, ALL)
    assert found(after) == found(fresh)
    assert [item.facts for item in after.items] == [item.facts for item in fresh.items]
    assert after.found.files == sorted(fresh.found.files)
    assert after.found.links == sorted(fresh.found.links)


def test_thousands_of_changes_are_looked_at_quickly(tmp_path: Path) -> None:
    names = [f"d{index % 10}/f{index}.py" for index in range(3000)]
    make(tmp_path, *names)
    empty = Scan(tmp_path)
    after = rescan(empty, [tmp_path / name for name in names], ALL)
    assert len(after.items) == 3000
    gone = scan(tmp_path, ALL)
    for name in names:
        os.unlink(tmp_path / name)
    assert rescan(gone, [tmp_path / name for name in names], ALL).items == []


def test_an_item_is_found_by_its_path(tmp_path: Path) -> None:
    make(tmp_path, "train.py", "conf.yaml")
    result = scan(tmp_path, ALL)
    assert result.by_path[tmp_path / "train.py"].kind == "script"
    assert tmp_path / "none.py" not in result.by_path
