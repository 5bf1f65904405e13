"""What `.gitignore` files leave out, against git itself."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from studio.model.ignored import Ignored

if TYPE_CHECKING:
    from pathlib import Path

FILES = (
    "a.py", "build/x.py", "src/build/y.py", "src/keep.log", "src/other.log", "docs/a.txt",
    "docs/deep/b.txt", "name with space.tmp", "数据/日志.log", "src/__pycache__/m.pyc", "only/here",
    "src/only/here", "escaped!", "#hash", "abc.so.1", "data/raw/1.bin", "data/raw/keep.bin",
)  # fmt: skip
PATTERNS = {
    ".gitignore": "build/\n*.log\n!keep.log\n__pycache__\n/only\n\\#hash\n*.tmp\n# comment\n"
    "docs/**/b.txt\n*.so.*\ndata/raw/*\n!data/raw/keep.bin\n[\n",
    "src/.gitignore": "!other.log\n",
    "docs/.gitignore": "/a.txt\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in FILES:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", encoding="utf-8")
    for name, text in PATTERNS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_as_git_does(folder):
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    (folder / ".git" / "info").mkdir(exist_ok=True)
    (folder / ".git" / "info" / "exclude").write_text("escaped!\n", encoding="utf-8")
    told = subprocess.run(
        ["git", "-C", str(folder), "check-ignore", "-z", "--stdin"],
        input="\0".join(FILES).encode(), capture_output=True, check=False,
    ).stdout.decode()  # fmt: skip
    expected = set(filter(None, told.split("\0")))
    ignored = Ignored(folder)
    assert {name for name in FILES if ignored.holds(name)} == expected
    assert "build/x.py" in expected
    assert "src/keep.log" not in expected


def test_without_pattern_files_nothing_is_ignored(tmp_path):
    assert Ignored(tmp_path).kept(["a/b.py", "c"]) == ["a/b.py", "c"]
