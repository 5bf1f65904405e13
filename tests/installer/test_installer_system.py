"""What the operating system must bring, and what is said or done when it is missing."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from installer import system

if TYPE_CHECKING:
    from pathlib import Path

linux = pytest.mark.skipif(sys.platform != "linux", reason="Debian's packages")


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system without anything."""
    monkeypatch.setattr(system, "has_library", lambda _name: False)
    monkeypatch.setattr(system, "has_venv", lambda: False)
    monkeypatch.setattr(shutil, "which", lambda _name: None)


@linux
def test_all_that_a_bare_debian_lacks(bare: None) -> None:
    assert system.missing_packages(virtual_screen=True) == [
        "python3-venv",
        "libgl1",
        "libegl1",
        "libglib2.0-0",
        "libfontconfig1",
        "libdbus-1-3",
        "libxkbcommon0",
        "libxcb-cursor0",
        "libxkbcommon-x11-0",
        "libxcb-icccm4",
        "libxcb-keysyms1",
        "libxcb-shape0",
        "xvfb",
        "xauth",
    ]
    assert system.missing_packages(window=False) == ["python3-venv"]


def test_only_linux_needs_packages(bare: None, monkeypatch: pytest.MonkeyPatch) -> None:
    for platform in ("win32", "darwin"):
        monkeypatch.setattr(sys, "platform", platform)
        assert system.missing_packages(virtual_screen=True) == []
        assert system.no_display({}) == ""
        assert system.too_old_for_window() == ""


@linux
def test_libraries_are_looked_for_as_the_linker_does() -> None:
    assert system.has_library("libc.so.6")
    assert not system.has_library("libnone-of-this-name.so.7")


def test_nothing_missing_runs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess, "run", lambda *_a, **_k: pytest.fail("ran something"))
    system.install_packages([])


@linux
def test_not_root_gets_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(shutil, "which", lambda name: "/usr/bin/" + name)
    with pytest.raises(SystemExit) as ended:
        system.install_packages(["libgl1", "xvfb"])
    text = str(ended.value)
    assert "sudo apt-get update" in text
    assert "sudo apt-get install -y --no-install-recommends libgl1 xvfb" in text


@linux
def test_other_distributions_get_the_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    with pytest.raises(SystemExit, match="libgl1"):
        system.install_packages(["libgl1"])


@linux
@pytest.mark.parametrize("failing", ["update", "install", ""])
def test_root_installs_and_a_failure_names_its_step(
    monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    ran: list[list[str]] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[bytes]:
        ran.append(command)
        return subprocess.CompletedProcess(command, int(command[1] == failing) * 100)

    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(shutil, "which", lambda name: "/usr/bin/" + name)
    monkeypatch.setattr(subprocess, "run", run)
    if failing:
        with pytest.raises(SystemExit, match=f"apt-get {failing}"):
            system.install_packages(["libgl1"])
    else:
        system.install_packages(["libgl1"])
        assert [command[1] for command in ran] == ["update", "install"]
        assert ran[1][-1] == "libgl1"


@linux
def test_displays(tmp_path: Path) -> None:
    assert "DISPLAY" in system.no_display({})
    assert "offscreen" in system.no_display({"QT_QPA_PLATFORM": "offscreen", "DISPLAY": ":0"})
    assert system.no_display({"WAYLAND_DISPLAY": "wayland-0"}) == ""
    assert "nothing answers" in system.no_display({"DISPLAY": ":7654"})
    assert "nothing answers" in system.no_display({"DISPLAY": "nonsense"})
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        number = server.getsockname()[1] - 6000
        assert system.no_display({"DISPLAY": f"127.0.0.1:{number}.0"}) == ""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("\0/tmp/.X11-unix/X7655")
        server.listen()
        assert system.no_display({"DISPLAY": ":7655"}) == ""


@linux
@pytest.mark.parametrize(
    ("libc", "words"),
    [
        (("glibc", "2.36"), ""),
        (("glibc", "2.34"), ""),
        (("glibc", "2.17"), "2.17"),
        (("glibc", "2.4"), "2.34 or newer"),
        (("", ""), "another C library"),
    ],
)
def test_systems_too_old_for_qt(
    monkeypatch: pytest.MonkeyPatch, libc: tuple[str, str], words: str
) -> None:
    monkeypatch.setattr(system.platform, "libc_ver", lambda: libc)
    reason = system.too_old_for_window()
    assert (words in reason) if words else reason == ""
