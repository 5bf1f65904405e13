"""The README's two commands: what they start, with what, and their exit codes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from installer import environment, run, system
from installer import test as check

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parent.parent.parent
Started = list[tuple[list[str], dict[str, str]]]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Started:
    """A machine on which nothing is missing; what is started is only noted."""
    seen: Started = []

    def note(command: list[str], **kwargs: object) -> subprocess.CompletedProcess[str]:
        environ = kwargs.get("env") or {}
        assert isinstance(environ, dict)
        seen.append((command, environ))
        return subprocess.CompletedProcess(command, 0, stdout="/home/me/minigpt\n")

    monkeypatch.setattr(system, "too_old_for_window", str)
    monkeypatch.setattr(system, "missing_packages", lambda **_: [])
    monkeypatch.setattr(system, "no_display", str)
    monkeypatch.setattr(environment, "ensure", lambda sets, **_: Path("/venv/python"))
    monkeypatch.setattr(subprocess, "run", note)
    return seen


def test_starts_the_window_on_the_sample(
    started: Started, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run.main([]) == 0
    commands = [command for command, _ in started]
    assert commands[0] == ["/venv/python", "-m", "studio.sample"]
    assert commands[1] == ["/venv/python", "-P", "-m", "studio", "/home/me/minigpt"]
    assert "/home/me/minigpt" in capsys.readouterr().out


def test_starts_the_window_on_a_path_and_hands_on_the_rest(started: Started) -> None:
    assert run.main(["some/project", "--safe"]) == 0
    assert started[0][0][-2:] == ["some/project", "--safe"]


def test_without_a_display_takes_pictures(
    started: Started,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(system, "no_display", lambda: "no screen")
    (tmp_path / "a.png").touch()
    monkeypatch.setattr(environment, "ROOT", tmp_path.parent)
    assert run.main(["x", "--tour", str(tmp_path)]) == 0
    command, environ = started[-1]
    assert command[3:] == ["studio", "tour", "x", "--out", str(tmp_path)]
    assert environ["QT_QPA_PLATFORM"] == "offscreen"
    assert f"1 pictures are in {tmp_path}" in capsys.readouterr().out
    assert run.main(["x"]) == 0
    assert "No display here (no screen)" in capsys.readouterr().out
    assert started[-1][0][-2:] == ["--out", str(tmp_path.parent / "tour")]
    started.clear()
    assert run.main([]) == 0
    (command, _), *more = started
    assert (command[3:6], more) == (["studio", "tour", "--out"], [])


def test_old_systems_get_the_commands_only(
    started: Started, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sets: list[list[str]] = []
    monkeypatch.setattr(system, "too_old_for_window", lambda: "glibc 2.17")
    monkeypatch.setattr(
        environment, "ensure", lambda wanted, **_: sets.append(wanted) or Path("/venv/python")
    )
    assert run.main([]) == 1
    assert sets == [["base", "build"]]
    assert started == []
    assert "glibc 2.17" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["-c", "print('1 passed in 0.1s')"], 0, "1 passed, 0 failed, 0 skipped"),
        (["-c", "print('2 failed, 3 passed, 1 error in 1.20s'); exit(1)"], 1, "3 passed, 3 failed"),
    ],
)
def test_summary_counts_and_exit_code(
    started: Started,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    code: int,
    words: str,
) -> None:
    real: Callable[..., subprocess.Popen[str]] = subprocess.Popen

    def popen(command: list[str], **kwargs: object) -> subprocess.Popen[str]:
        assert command[1:4] == ["-m", "pytest", "-m"]
        assert command[4] == "not bench and not x11 and not gui"
        return real([sys.executable, *arguments], **kwargs)

    monkeypatch.setattr(subprocess, "Popen", popen)
    assert check.main(["--fast"]) == code
    shown = capsys.readouterr().out
    assert words in shown
    tools = [Path(command[0]).name + " ".join(command[1:3]) for command, _ in started]
    assert tools == ["python-m ruff", "python-m mypy", "lint-imports"]


def test_arguments_for_pytest_leave_out_the_linters(
    started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands: list[list[str]] = []
    platforms: list[str] = []
    real: Callable[..., subprocess.Popen[str]] = subprocess.Popen

    def popen(command: list[str], **kwargs: object) -> subprocess.Popen[str]:
        commands.append(command)
        environ = kwargs["env"]
        assert isinstance(environ, dict)
        platforms.append(environ["QT_QPA_PLATFORM"])
        code = 5 if command[0] == "xvfb-run" else 0
        return real([sys.executable, "-c", f"print('1 passed in 0.1s'); exit({code})"], **kwargs)

    monkeypatch.setattr(subprocess, "Popen", popen)
    assert check.main(["tests/model", "-q"]) == 0
    assert started == []
    assert commands[0][-2:] == ["tests/model", "-q"]
    if sys.platform == "linux":
        assert commands[1][0] == "xvfb-run"
        assert platforms == ["offscreen", "xcb"]


def test_no_tests_at_all_is_a_failure(started: Started, monkeypatch: pytest.MonkeyPatch) -> None:
    real: Callable[..., subprocess.Popen[str]] = subprocess.Popen
    monkeypatch.setattr(
        subprocess,
        "Popen",
        lambda _c, **kwargs: real([sys.executable, "-c", "exit(5)"], **kwargs),
    )
    assert check.main(["--fast"]) == 1


def test_they_start_with_the_standard_library_alone() -> None:
    for name in ("run.py", "test.py"):
        done = subprocess.run(
            [sys.executable, "-I", "-S", ROOT / "installer" / name, "--help"],
            capture_output=True,
            text=True,
            check=True,
            cwd="/",
        )
        assert "usage:" in done.stdout


def test_ci_calls_the_test_command() -> None:
    script = ROOT / ".ci" / "run"
    assert script.stat().st_mode & 0o100
    assert script.read_text().rstrip().endswith("python3 installer/test.py --torch")
    subprocess.run(["bash", "-n", script], check=True)


def test_torch_is_offered_to_the_tests_or_its_absence_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("STUDIO_TORCH_PYTHON", "")
    monkeypatch.delenv("STUDIO_TORCH_PYTHON")

    def fail() -> Path:
        raise subprocess.CalledProcessError(1, ["pip"])

    monkeypatch.setattr(environment, "ensure_torch", fail)
    check._offer_torch()
    assert "torch could not be installed" in capsys.readouterr().out
    assert "STUDIO_TORCH_PYTHON" not in os.environ
    monkeypatch.setattr(environment, "ensure_torch", lambda: Path("/torch/python"))
    check._offer_torch()
    assert os.environ["STUDIO_TORCH_PYTHON"] == "/torch/python"


def test_torch_is_installed_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, started: Started
) -> None:
    def note(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        (tmp_path / "torch").mkdir(exist_ok=True)
        started.append((command, {}))
        return subprocess.CompletedProcess(command, 0, stdout="")

    monkeypatch.setattr(subprocess, "run", note)
    monkeypatch.setattr(environment, "_version", lambda python: "")
    environment.ensure_torch(tmp_path / "torch")
    assert any("torch==2.13.0" in command for command, _ in started)
    started.clear()
    monkeypatch.setattr(environment, "_version", lambda python: environment._ours())
    environment.ensure_torch(tmp_path / "torch")
    assert started == []
