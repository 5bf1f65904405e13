"""What `.gitignore` files leave out, against git itself."""

from __future__ import annotations

import random
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
    "deep/keep/Build", "deep/keep/b.txt", "deep/Build/c",
)  # fmt: skip
PATTERNS = {
    ".gitignore": "build/\n*.log\n!keep.log\n__pycache__\n/only\n\\#hash\n*.tmp\n# comment\n"
    "docs/**/b.txt\n*.so.*\ndata/raw/*\n!data/raw/keep.bin\n[\n[z-a]\nBuild\n",
    "src/.gitignore": "!other.log\n",
    "docs/.gitignore": "/a.txt\n",
    "deep/.gitignore": "!*/\n",
}
NAMES = (
    "a", "b", "build", "tmp", "doc", "x", "keep.o", "z.o", "a.py", "c.txt", "foo1", "#x", "!bang",
    " spaced ", "trail ", "q", "Build", ".keep", ".hid", "m.pyc", "x.log", "keep",
)  # fmt: skip
ODD_PATTERNS = (
    "*.o", "!keep.o", "/build", "build/", "**/tmp", "tmp/**", "a/**/b", "!a/x/b", "foo*", "[ab].py",
    "[!a].py", "\\#x", "#c", "/a/*", "!/a/keep", "*", "!*.py", "!*/", "doc/*.txt", "**/doc", "x?z",
    "*.py[co]", "\\!bang", " spaced ", "trail\\ ", "a/b/", "[]x", "[z-a]", "**", "/**/q", ".*",
    "!.keep", "a**b", "**.log", "/", "//", "\\", "a/**", "!a/**/keep.o",
)  # fmt: skip


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


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@pytest.mark.parametrize("seed", range(6))
def test_as_git_does_with_patterns_of_all_kinds(tmp_path, seed):
    chance = random.Random(seed)
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    folders, files = [tmp_path], []
    for _ in range(40):
        path = chance.choice(folders) / chance.choice(NAMES)
        if not path.exists() and chance.random() < 0.3:
            path.mkdir()
            folders.append(path)
        elif not path.exists():
            path.write_text("")
            files.append(path.relative_to(tmp_path).as_posix())
    for folder in chance.sample(folders, min(3, len(folders))):
        patterns = chance.sample(ODD_PATTERNS, 5)
        (folder / ".gitignore").write_text("\n".join(patterns) + chance.choice(["\n", "", "\r\n"]))
    told = subprocess.run(
        ["git", "-C", str(tmp_path), "check-ignore", "-z", "--stdin"],
        input="\0".join(files).encode(), capture_output=True, check=False,
    ).stdout.decode()  # fmt: skip
    ignored = Ignored(tmp_path)
    assert {name for name in files if ignored.holds(name)} == set(filter(None, told.split("\0")))


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_worktrees_and_folders_below_the_top_share_the_patterns(tmp_path):
    top, place = tmp_path / "top", tmp_path / "worktree"
    own = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
    subprocess.run(["git", "init", "-q", str(top)], check=True)
    (top / ".gitignore").write_text("*.o\n/sub/a.py\nout/\n")
    git = ["git", *own, "-C", str(top)]
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "first"], check=True)
    subprocess.run([*git, "worktree", "add", "-q", str(place)], check=True, capture_output=True)
    (top / ".git" / "info").mkdir(exist_ok=True)
    (top / ".git" / "info" / "exclude").write_text("*.log\n")
    assert Ignored(place).kept(["a.o", "b.log", "c.py"]) == ["c.py"]
    names = ["a.o", "b.log", "a.py", "deep/a.py"]
    (top / "sub").mkdir()
    assert Ignored(top / "sub").kept(names) == ["deep/a.py"]
    (top / "out").mkdir()
    assert Ignored(top / "out").kept(names) == ["a.py", "deep/a.py"]
