"""Walking and listing folders that hold traps."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from studio.model.tree import Entry, list_folder, natural_key, walk

CASE = "A31-project-tree-hazards"


def build(cases: Path, root: Path, files: int) -> Path:
    script = cases / CASE / "input" / "build.py"
    subprocess.run([sys.executable, str(script), str(root), str(files)], check=True)
    return root


def named(entries: list[Entry]) -> dict[str, Entry]:
    return {entry.name: entry for entry in entries}


@pytest.mark.parametrize("many", [200, pytest.param(100_000, marks=pytest.mark.slow)])
def test_every_file_is_found_once(cases: Path, tmp_path: Path, many: int) -> None:
    expected = json.loads((cases / CASE / "expected.json").read_text())
    root = build(cases, tmp_path / "tree", many)
    found = walk(root)
    others = expected["files_once"] - expected["made_of"]["many"]
    readable = others if os.access(root / "locked", os.R_OK) else others - 1
    assert len(found.files) == len(set(found.files)) == many + readable
    assert len(found.links) == expected["links"]
    assert sorted(found.links) == [
        "a/foo/to_b",
        "b/to_a_foo",
        "src/dangling",
        "src/self",
        "src/up",
    ]
    rows = list_folder(root / "data" / "many")
    assert len(rows) == many
    assert rows[-1].name == f"f{many - 1:06d}.npy"


def test_links_are_shown_for_what_they_are(cases: Path, tmp_path: Path) -> None:
    root = build(cases, tmp_path / "tree", 1)
    entries = named(list_folder(root / "src"))
    up, itself, dangling = entries["up"], entries["self"], entries["dangling"]
    assert (up.folder, up.link, up.loop, up.broken) == (True, True, True, False)
    assert (itself.link, itself.broken, itself.folder) == (True, True, False)
    assert (dangling.link, dangling.broken, dangling.folder) == (True, True, False)
    to_b = named(list_folder(root / "a" / "foo"))["to_b"]
    assert (to_b.folder, to_b.link, to_b.loop, to_b.broken) == (True, True, False, False)
    assert named(list_folder(root / "a" / "foo" / "to_b"))["to_a_foo"].link


def test_a_locked_folder_is_shown_locked(
    cases: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = build(cases, tmp_path / "tree", 1)
    real = os.scandir

    def guarded(path: str | Path = ".") -> object:
        if Path(path).name == "locked":
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(os, "scandir", guarded)
    assert named(list_folder(root))["locked"] == Entry(
        str(root / "locked"), folder=True, locked=True
    )
    assert list_folder(root / "locked") == []
    found = walk(root)
    assert found.locked == ["locked"]
    assert len(found.files) == 12


def test_skipped_folders_are_listed_but_not_walked(tmp_path: Path) -> None:
    for name in (".git", "node_modules", "__pycache__", "src/__pycache__", ".venv"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "inside").touch()
    (tmp_path / "src" / "venv").write_text("a file of that name is a file")
    assert walk(tmp_path).files == ["src/venv"]
    entries = list_folder(tmp_path)
    assert [(e.name, e.skipped) for e in entries] == [
        (".git", True),
        (".venv", True),
        ("__pycache__", True),
        ("node_modules", True),
        ("src", False),
    ]


def test_folders_come_first_and_numbers_count(tmp_path: Path) -> None:
    for name in ("step10.npy", "step2.npy", "Step1.npy", "a.py", "B.py"):
        (tmp_path / name).touch()
    for name in ("rank_11", "rank_2"):
        (tmp_path / name).mkdir()
    names = [entry.name for entry in list_folder(tmp_path)]
    assert names == ["rank_2", "rank_11", "a.py", "B.py", "Step1.npy", "step2.npy", "step10.npy"]
    assert natural_key("a2") != natural_key("a02")


@pytest.mark.skipif(sys.platform != "linux", reason="such names exist on Linux only")
def test_odd_names_survive(tmp_path: Path) -> None:
    names = [b"a\nb.py", b"\xff\xfe.py", "名字.py".encode(), b" lead.py"]
    for name in names:
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).touch()
    assert sorted(map(os.fsencode, walk(tmp_path).files)) == sorted(names)
    entries = list_folder(tmp_path)
    assert {entry.name for entry in entries} == {
        "a\ufffdb.py",
        "\ufffd\ufffd.py",
        "名字.py",
        " lead.py",
    }
    assert all(entry.path.is_file() for entry in entries)


def test_a_walk_can_be_given_up(tmp_path: Path) -> None:
    for index in range(5):
        (tmp_path / f"d{index}").mkdir()
    counts = []

    def stop(count: int) -> None:
        counts.append(count)
        if len(counts) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        walk(tmp_path, check=stop)
    assert len(counts) == 3
