"""The environment: made once, left alone when up to date, made anew when broken."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from installer import environment

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with two small lock files."""
    locks = tmp_path / "lock"
    locks.mkdir()
    (locks / "base.txt").write_text("one==1\n")
    (locks / "gui.txt").write_text("two==2\n")
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    monkeypatch.setattr(environment, "LOCKS", locks)
    return tmp_path


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What pip is asked for, instead of pip."""
    asked: list[list[str]] = []
    monkeypatch.setattr(environment, "_pip", lambda _python, arguments: asked.append(arguments))
    return asked


def make(folder: Path, **_: Any) -> None:
    """A folder that passes for a virtual environment."""
    python = environment.python_of(folder)
    python.parent.mkdir(parents=True, exist_ok=True)
    if not python.exists():
        python.symlink_to(sys.executable)


def ensure(project: Path, *sets: str) -> Path:
    """Bring the environment of the project up to date."""
    return environment.ensure(list(sets), folder=project / ".venv", project=project)


def test_second_start_installs_nothing(
    project: Path, calls: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environment, "_make", make)
    python = ensure(project, "base", "gui")
    assert python == environment.python_of(project / ".venv")
    lock = project / "lock"
    assert calls == [
        ["install", "-r", str(lock / "base.txt"), "-r", str(lock / "gui.txt")],
        ["install", "--no-deps", "--no-build-isolation", "--editable", str(project)],
    ]
    calls.clear()
    ensure(project, "base", "gui")
    ensure(project, "base")
    assert calls == []


def test_what_has_no_wheel_here_is_left_out(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[list[str]] = []

    def pip(_python: Path, arguments: list[str]) -> None:
        asked.append(arguments)
        if "--only-binary=:all:" in arguments:
            raise SystemExit("no wheel")

    monkeypatch.setattr(environment, "_make", make)
    monkeypatch.setattr(environment, "_pip", pip)
    (project / "lock" / "fast.txt").write_text("three==3\n")
    for _ in range(2):
        environment.ensure(
            ["base"], wanted_if_possible=("fast",), folder=project / ".venv", project=project
        )
    assert [arguments[-1] for arguments in asked] == [
        str(project / "lock" / "base.txt"),
        str(project / "lock" / "fast.txt"),
        str(project),
    ]
    assert "without the packages of installer/lock/fast.txt" in capsys.readouterr().out


def test_changed_pins_are_installed_again(
    project: Path, calls: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environment, "_make", make)
    ensure(project, "base", "gui")
    calls.clear()
    (project / "lock" / "gui.txt").write_text("two==3\n")
    ensure(project, "base")
    assert calls == []
    ensure(project, "base", "gui")
    assert len(calls) == 2
    calls.clear()
    (project / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    ensure(project, "base")
    assert len(calls) == 2


def test_line_ends_of_the_checkout_do_not_matter(
    project: Path, calls: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environment, "_make", make)
    ensure(project, "base")
    calls.clear()
    (project / "lock" / "base.txt").write_bytes(b"one==1\r\n")
    ensure(project, "base")
    assert calls == []


@pytest.mark.parametrize("stamp", ["", "{", "[]", '{"base": 1}'])
def test_a_damaged_stamp_installs_again(
    project: Path, calls: list[list[str]], monkeypatch: pytest.MonkeyPatch, stamp: str
) -> None:
    monkeypatch.setattr(environment, "_make", make)
    ensure(project, "base")
    calls.clear()
    (project / ".venv" / environment.STAMP).write_text(stamp)
    ensure(project, "base")
    assert len(calls) == 2
    assert "base" in json.loads((project / ".venv" / environment.STAMP).read_text())


def test_a_failed_install_leaves_no_stamp(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "_make", make)

    def fail(_python: Path, _arguments: list[str]) -> None:
        raise SystemExit("no network")

    monkeypatch.setattr(environment, "_pip", fail)
    with pytest.raises(SystemExit):
        ensure(project, "base")
    assert not (project / ".venv" / environment.STAMP).exists()


@pytest.mark.slow
def test_a_broken_environment_is_made_anew(
    project: Path, calls: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    python = environment.python_of(project / ".venv")
    python.parent.mkdir(parents=True)
    python.symlink_to(project / "gone")
    (project / ".venv" / environment.STAMP).write_text("{}")
    ensure(project, "base")
    assert "its Python does not start" in capsys.readouterr().out
    done = subprocess.run([python, "-c", "print('runs')"], capture_output=True, check=True)
    assert done.stdout.strip() == b"runs"
    assert len(calls) == 2


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("... Temporary failure in name resolution ...", "could not be reached"),
        ("[Errno 11001] getaddrinfo failed", "PIP_INDEX_URL"),
        ("OSError: [Errno 28] No space left on device", "disk is full"),
        ("ERROR: No matching distribution found for numpy==2.4.6", "3.11 to 3.13"),
        ("[Errno 13] Permission denied: '/x/.venv'", "another user"),
        ("something new", ""),
    ],
)
def test_failures_of_pip_are_explained(output: str, words: str) -> None:
    assert words in environment.explain(output)


def test_pip_output_is_shown_and_its_failure_ends_the_program(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    pip = tmp_path / "pip"
    pip.mkdir()
    (pip / "__main__.py").write_text(
        "import sys\nprint('Requirement already satisfied: x')\n"
        "print('Failed to establish a new connection')\nsys.exit(1)\n"
    )
    (pip / "__init__.py").touch()
    script = tmp_path / "python"
    script.write_text(f'#!/bin/sh\nPYTHONPATH={tmp_path} exec {sys.executable} "$@"\n')
    script.chmod(0o755)
    with pytest.raises(SystemExit, match="could not be reached"):
        environment._pip(script, ["install", "x"])
    shown = capsys.readouterr().out
    assert "new connection" in shown
    assert "already satisfied" not in shown
