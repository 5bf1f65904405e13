"""Making, renaming and copying files, and what git says of them."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

from plugins.explorer.core.fileops import create_file, create_folder, duplicate, rename
from plugins.explorer.core.git import git_states, parse_status
from studio.kernel.errors import StudioError

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def test_files_are_made_with_their_folders_and_never_overwritten(tmp_path):
    path = create_file(tmp_path, "utils/seed.py")
    assert path == tmp_path / "utils" / "seed.py"
    assert path.read_bytes() == b""
    path.write_text("mine")
    with pytest.raises(StudioError, match="exists already"):
        create_file(tmp_path, "utils/seed.py")
    with pytest.raises(StudioError, match="exists already"):
        create_folder(tmp_path, "utils")
    assert path.read_text() == "mine"


@pytest.mark.parametrize("name", ["", " ", ".", "..", "a/../b", "a//b", "x\0y"])
def test_what_is_no_name_is_refused(tmp_path, name):
    with pytest.raises(StudioError, match="not a name"):
        create_file(tmp_path, name)
    assert list(tmp_path.iterdir()) == []


def test_renaming_keeps_what_is_there(tmp_path):
    (tmp_path / "a.py").write_text("a")
    (tmp_path / "b.py").write_text("b")
    with pytest.raises(StudioError, match="exists already"):
        rename(tmp_path / "a.py", "b.py")
    with pytest.raises(StudioError, match="slashes"):
        rename(tmp_path / "a.py", "sub/c.py")
    assert rename(tmp_path / "a.py", "a.py") == tmp_path / "a.py"
    assert rename(tmp_path / "a.py", "c.py").read_text() == "a"
    assert (tmp_path / "b.py").read_text() == "b"


def test_copies_get_free_names(tmp_path):
    (tmp_path / "a.tar.gz").write_text("x")
    assert duplicate(tmp_path / "a.tar.gz").name == "a.tar copy.gz"
    assert duplicate(tmp_path / "a.tar.gz").name == "a.tar copy 2.gz"
    folder = tmp_path / "run.1"
    folder.mkdir()
    (folder / "log").write_text("x")
    (folder / "link").symlink_to("nowhere")
    copy = duplicate(folder)
    assert copy.name == "run.1 copy"
    assert (copy / "log").read_text() == "x"
    assert os.readlink(copy / "link") == "nowhere"


def test_the_answer_of_git_is_read(tmp_path):
    text = "\0".join([
        " M src/a.py", "A  src/new.py", "R  src/to.py", "src/from.py", "?? notes/", "!! build/",
        "UU clash.py", " D gone/x.py", "M  other/out.py", "",
    ])  # fmt: skip
    found = parse_status(text, tmp_path)

    def of(name: str) -> str:
        return found.of(str(tmp_path / name))

    names = ("src/a.py", "src/new.py", "src/to.py", "notes", "notes/deep/n.md", "build/x/y.o")
    assert [of(name) for name in names] == ["M", "A", "M", "U", "U", "I"]
    assert (of("clash.py"), of("gone"), of("src"), of("clean.py"), of("src/clean.py")) == (
        "C", "D", "M", "", "",
    )  # fmt: skip
    assert found.folders[str(tmp_path)] == "C"
    below = parse_status(" M sub/a.py\0 M b.py\0", tmp_path / "sub", "sub/")
    assert dict(below.states) == {str(tmp_path / "sub" / "a.py"): "M"}


@needs_git
def test_git_is_asked_without_running_what_a_repository_names(tmp_path):
    def git(*arguments: str) -> None:
        subprocess.run(["git", "-C", str(tmp_path), *arguments], check=True, capture_output=True)

    git("init", "-q")
    git("config", "user.email", "a@b.c")
    git("config", "user.name", "a")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.txt").write_text("one\n")
    (tmp_path / ".gitignore").write_text("*.o\n")
    git("add", ".")
    git("commit", "-qm", "first")
    (tmp_path / "sub" / "a.txt").write_text("two\n")
    (tmp_path / "sub" / "数据 1.txt").write_text("")
    (tmp_path / "sub" / "x.o").write_text("")
    ran = tmp_path / "ran"
    (tmp_path / ".gitattributes").write_text("*.txt filter=evil\n")
    git("config", "filter.evil.clean", f"touch {ran}; cat")
    git("config", "filter.evil.required", "true")
    git("config", "core.fsmonitor", f"touch {ran}")
    for root, prefix in ((tmp_path, "sub/"), (tmp_path / "sub", "")):
        found = git_states(root)
        assert found.known
        states = {
            name: found.of(str(root / f"{prefix}{name}")) for name in ("a.txt", "数据 1.txt", "x.o")
        }
        assert states == {"a.txt": "M", "数据 1.txt": "U", "x.o": "I"}
    assert not ran.exists()


def test_outside_of_a_repository_nothing_is_known(tmp_path):
    assert not git_states(tmp_path).known
    assert git_states(tmp_path).of(str(tmp_path / "a")) == ""
