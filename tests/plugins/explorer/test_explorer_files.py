"""Making, renaming and copying files, and what git says of them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from plugins.explorer.core.fileops import create_file, create_folder, duplicate, rename
from plugins.explorer.core.git import git_states, parse_status
from studio.kernel.errors import StudioError

if TYPE_CHECKING:
    from pathlib import Path

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


def _git(place: Path, *arguments: str) -> None:
    own = ("user.name=a", "user.email=a@b.c", "protocol.file.allow=always", "commit.gpgsign=false")
    options = [part for setting in own for part in ("-c", setting)]
    subprocess.run(["git", "-C", str(place), *options, *arguments], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path):
    """A repository with a submodule in "libs/inner"; files keep their size when they change."""
    inner, outer = tmp_path / "inner", tmp_path / "outer"
    for place in (inner, outer):
        place.mkdir()
        _git(place, "init", "-q")
        (place / "a.py").write_text("1\n")
        _git(place, "add", ".")
        _git(place, "commit", "-qm", "first")
    _git(outer, "submodule", "add", "-q", str(inner), "libs/inner")
    _git(outer, "commit", "-qm", "second")
    return outer


@needs_git
@pytest.mark.skipif(sys.platform == "win32", reason="the program is a shell script")
@pytest.mark.parametrize("way", ["include", "worktree", "sign", "submodule", "monitor"])
def test_no_way_to_name_a_program_makes_git_run_it(repository, tmp_path, way):
    program, ran = tmp_path / "program", tmp_path / "ran"
    program.write_text(f"#!/bin/sh\ntouch {ran}\ncat\n")
    program.chmod(0o755)
    module = repository / "libs" / "inner"
    place, info = repository, repository / ".git" / "info"
    if way == "include":
        (tmp_path / "more").write_text(f'[filter "x"]\n clean = {program}\n')
        _git(repository, "config", "include.path", str(tmp_path / "more"))
    elif way == "worktree":
        _git(repository, "config", "extensions.worktreeConfig", "true")
        _git(repository, "config", "--worktree", "filter.x.clean", str(program))
    elif way == "sign":
        _git(repository, "config", "filter.x=y.clean", str(program))
    elif way == "submodule":
        place, info = module, repository / ".git" / "modules" / "libs" / "inner" / "info"
        _git(module, "config", "filter.x.clean", str(program))
    else:
        place = module
        _git(module, "config", "core.fsmonitor", str(program))
    info.mkdir(exist_ok=True)
    (info / "attributes").write_text("* filter=x=y\n" if way == "sign" else "* filter=x\n")
    (place / "a.py").write_text("2\n")
    os.utime(place / "a.py", (10**9, 10**9))
    found = git_states(repository)
    assert found.of(str(place / "a.py")) == "M"
    assert not ran.exists()


@needs_git
def test_changes_in_a_submodule_count_for_the_folders_above(repository):
    module = repository / "libs" / "inner"
    assert dict(git_states(repository).states) == {}
    (module / "new.py").write_text("")
    found = git_states(repository)
    assert dict(found.states) == {str(module / "new.py"): "U"}
    assert [found.of(str(p)) for p in (module, module.parent, repository)] == ["U", "U", "U"]
    (repository / "a.py").write_text("22\n")
    found = git_states(repository)
    assert [found.of(str(p)) for p in (module, module.parent, repository)] == ["U", "U", "M"]
    # what a commit in it changes is one for the outer repository
    _git(module, "add", ".")
    _git(module, "commit", "-qm", "third")
    assert git_states(repository).of(str(module)) == "M"


@needs_git
def test_worktrees_and_detached_heads_have_states(repository, tmp_path):
    place = tmp_path / "worktree"
    _git(repository, "worktree", "add", "-q", "--detach", str(place))
    names = ["中文 空格.py", '"q".py', " lead.py", "tab\t.py", "line\nbreak.py"]
    for name in names:
        (place / name).write_text("")
    assert dict(git_states(place).states) == {str(place / name): "U" for name in names}


def test_outside_of_a_repository_nothing_is_known(tmp_path):
    assert not git_states(tmp_path).known
    assert git_states(tmp_path).of(str(tmp_path / "a")) == ""


@needs_git
@pytest.mark.parametrize("path", [".", "./.", "libs/inner"])
def test_a_repository_that_names_itself_as_its_submodule_is_asked_once(repository, path):
    module = repository / "libs" / "inner"
    for place in (repository, module):
        (place / ".gitmodules").write_text(f'[submodule "x"]\n path = {path}\n url = y\n')
    _git(repository, "add", ".gitmodules")
    (repository / "new.py").write_text("")
    assert git_states(repository).of(str(repository / "new.py")) == "U"
