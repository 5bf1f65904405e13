"""What is kept of files that were read: told with its size, and cleared when wanted (A36)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from studio import paths
from studio.cli import main
from studio.kernel.caches import clear_cache, look_at_cache
from studio.ui.idle import wait_idle

if TYPE_CHECKING:
    from pathlib import Path

    from studio.ui.shell import MainWindow


@pytest.fixture
def kept() -> Path:
    """A cache with an entry of 3,000,000 bytes, beside machine code and what is worked with."""
    folder = paths.cache_dir()
    for name in ("traces/one", "kernels", "tmp12345678"):
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name / "data.bin").write_bytes(bytes(3_000_000))
    return folder


@pytest.mark.gui
def test_the_size_is_told_before_anything_is_removed(
    window: MainWindow, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    answers = ["", "Clear"]

    def ask(_title: str, question: str, _choices: Any, _default: str) -> str:
        asked.append(question)
        return answers.pop(0)

    monkeypatch.setattr(window.app.window, "ask", ask)
    window.actions_.run("studio.clear_cache")
    assert wait_idle(window)
    assert "2.861 MiB" in asked[0]
    assert str(kept) in asked[0]
    assert (kept / "traces/one/data.bin").exists()
    window.actions_.run("studio.clear_cache")
    assert wait_idle(window)
    assert not (kept / "traces").exists()
    assert (kept / "kernels/data.bin").exists()
    assert (kept / "tmp12345678/data.bin").exists()
    assert "2.861 MiB" in window.notices.shown[-1].message
    window.actions_.run("studio.clear_cache")
    assert wait_idle(window)
    assert "empty" in window.notices.shown[-1].message


def test_analyses_of_programs_are_kept_of_files_too(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import torch\nx = torch.zeros(2).cuda()\n", encoding="utf-8")
    assert main(["migration", "scan", str(tmp_path), "--json"]) in (0, 1)
    assert look_at_cache().bytes > 0
    assert clear_cache().cleared
    assert look_at_cache().bytes == 0
    assert not (paths.cache_dir() / "migration").exists()


def test_on_the_command_line(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cache", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["bytes"], told["cleared"]) == (3_000_000, False)
    assert main(["cache", "--clear", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["bytes"], told["cleared"]) == (3_000_000, True)
    assert main(["cache", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["bytes"] == 0
