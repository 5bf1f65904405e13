"""Files are replaced in one step or not at all."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

import pytest

from studio import paths
from studio.kernel.files import is_written_in_place, write_atomic

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX file modes")


def test_new_and_existing_files(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    write_atomic(path, b"one\r\n")
    write_atomic(path, b"two\x00")
    assert path.read_bytes() == b"two\x00"
    assert os.listdir(tmp_path) == ["a.txt"]


@posix
def test_the_mode_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "run.sh"
    path.write_bytes(b"old")
    path.chmod(0o751)
    write_atomic(path, b"new")
    assert path.stat().st_mode & 0o777 == 0o751


@posix
def test_a_new_file_obeys_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_atomic(tmp_path / "a", b"")
    finally:
        os.umask(before)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640


@posix
def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    target = tmp_path / "deep" / "target"
    target.write_bytes(b"old")
    link = tmp_path / "link"
    link.symlink_to(target)
    write_atomic(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


@posix
@pytest.mark.parametrize("content", [b"a longer text than before", b"x", b""])
def test_the_other_names_of_a_file_see_the_new_content(tmp_path: Path, content: bytes) -> None:
    path, other = tmp_path / "a", tmp_path / "b"
    path.write_bytes(b"old text")
    os.link(path, other)
    assert is_written_in_place(path)
    write_atomic(path, content)
    assert path.read_bytes() == other.read_bytes() == content
    assert path.samefile(other)
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]


@posix
@pytest.mark.skipif(sys.platform == "darwin", reason="no reserving of room")
@pytest.mark.parametrize("call", ["posix_fallocate", "open"])
def test_no_room_leaves_a_file_of_several_names_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    os.link(path, tmp_path / "b")

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, call, full)
    with pytest.raises(OSError, match="No space left"):
        write_atomic(path, b"a longer text")
    assert path.read_bytes() == b"old"
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]


@posix
def test_no_copy_is_left_of_a_file_that_cannot_be_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    os.link(path, tmp_path / "b")
    open_ = os.open

    def busy(place: Path, flags: int, *rest: int) -> int:
        if not flags & os.O_CREAT:
            raise OSError(errno.ETXTBSY, os.strerror(errno.ETXTBSY))
        return open_(place, flags, *rest)

    monkeypatch.setattr(os, "open", busy)
    with pytest.raises(OSError, match="Text file busy"):
        write_atomic(path, b"new")
    assert path.read_bytes() == b"old"
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]


@posix
@pytest.mark.parametrize("names", [1, 2])
def test_nobody_may_read_a_secret_while_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, names: int
) -> None:
    path = tmp_path / "secret"
    path.write_bytes(b"old")
    path.chmod(0o600)
    if names == 2:
        os.link(path, tmp_path / "other")
    seen: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda handle: seen.append(os.fstat(handle).st_mode & 0o777))
    write_atomic(path, b"new")
    assert seen[0] == 0o600
    assert path.stat().st_mode & 0o777 == 0o600


@posix
def test_a_file_in_a_folder_closed_to_us_is_written_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "closed" / "a"
    path.parent.mkdir()
    path.write_bytes(b"old")
    path.parent.chmod(0o555)
    if os.geteuid() == 0:  # who may write everywhere; the system's answers are given here
        access, open_ = os.access, os.open

        def deny(place: Path, flags: int, *rest: int) -> int:
            if flags & os.O_CREAT:
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            return open_(place, flags, *rest)

        monkeypatch.setattr(os, "access", lambda p, m: access(p, m) and Path(p) != path.parent)
        monkeypatch.setattr(os, "open", deny)
    try:
        write_atomic(path, b"new text")
        with pytest.raises(PermissionError):
            write_atomic(path.with_name("b"), b"not yet there")
    finally:
        path.parent.chmod(0o755)
    assert path.read_bytes() == b"new text"
    assert os.listdir(path.parent) == ["a"]


@posix
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="gives files away")
def test_the_owner_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    os.chown(path, 12345, 54321)
    write_atomic(path, b"new")
    facts = path.stat()
    assert (facts.st_uid, facts.st_gid) == (12345, 54321)


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_failure_leaves_the_old_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, call, fail)
    with pytest.raises(OSError, match="disk full"):
        write_atomic(path, b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


def test_a_long_name_works(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 250)
    write_atomic(path, b"x")
    assert path.read_bytes() == b"x"


def test_user_folders_follow_studio_home(studio_home: Path) -> None:
    folders = {
        "config": paths.config_dir(),
        "state": paths.state_dir(),
        "cache": paths.cache_dir(),
        "logs": paths.log_dir(),
        "plugins": paths.user_plugins_dir(),
    }
    for name, folder in folders.items():
        assert folder == studio_home / name
        assert folder.is_dir()


def test_the_platform_decides_without_studio_home(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("STUDIO_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert paths.config_dir().is_relative_to(tmp_path)
    assert "ascent-studio" in paths.log_dir().as_posix()


def test_a_home_that_cannot_be_written_is_replaced(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("STUDIO_HOME", str(tmp_path / "file"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    assert paths.state_dir().is_relative_to(tmp_path / "temporary")
    assert paths.state_dir().is_dir()


def test_folders_that_can_only_be_read_are_replaced_where_one_must_write(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, studio_home: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(os, "access", lambda path, mode: studio_home not in Path(path).parents)
    for folder in (paths.state_dir(), paths.cache_dir(), paths.log_dir()):
        assert folder.is_relative_to(tmp_path)
    assert paths.config_dir() == studio_home / "config"
    assert paths.user_plugins_dir() == studio_home / "plugins"


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX modes")
@pytest.mark.parametrize("trap", ["link", "open to all"])
def test_nobody_else_can_plant_plugins_where_anyone_may_write(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, trap: str
) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.setenv("STUDIO_HOME", str(tmp_path / "file"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    planted = tmp_path / f"ascent-studio-{os.getuid()}"
    if trap == "link":
        planted.symlink_to(tmp_path / "elsewhere")
    else:
        planted.mkdir()
        planted.chmod(0o777)
    folder = paths.user_plugins_dir()
    assert folder.is_dir()
    assert folder.parent != planted
    assert paths.user_plugins_dir() == folder
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_the_application_root_holds_plugins_and_resources(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (paths.app_root() / "plugins" / "__init__.py").is_file()
    assert paths.resource("host.toml").is_file()


def test_a_frozen_program_finds_its_root(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path), raising=False)
    assert paths.app_root() == tmp_path
