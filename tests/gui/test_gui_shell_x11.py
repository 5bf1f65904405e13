"""The program as a whole on a real X server: started, driven by keys, ended."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [pytest.mark.gui, pytest.mark.x11]

SECONDS = 30


@pytest.fixture
def display() -> Iterator[str]:
    for program in ("Xvfb", "xdotool"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "1440x900x24", "-nolisten", "tcp"],
        pass_fds=[write],
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    with os.fdopen(read) as answer:
        number = answer.readline().strip()
    yield f":{number}"
    server.terminate()
    server.wait(10)


class Desk:
    """One run of the program on a display."""

    def __init__(self, display: str, project: Path) -> None:
        self.env = {**os.environ, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "studio", "--lang", "en", str(project)],
            env=self.env,
            stderr=subprocess.PIPE,
            text=True,
        )

    def xdotool(self, *words: str) -> str:
        done = subprocess.run(["xdotool", *words], env=self.env, capture_output=True, text=True)
        return done.stdout.strip()

    def wait_for_title(self, title: str) -> str:
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            assert self.process.poll() is None, self.process.stderr.read()
            found = self.xdotool("search", "--onlyvisible", "--name", f"^{title}$").split()
            if found:
                return found[0]
            time.sleep(0.1)
        names = [
            self.xdotool("getwindowname", w) for w in self.xdotool("search", "--name", ".").split()
        ]
        raise AssertionError(f"no window named {title!r}; there are {names}")

    def key(self, *keys: str) -> None:
        self.xdotool("key", "--delay", "40", *keys)

    def type(self, text: str) -> None:
        self.xdotool("type", "--delay", "30", text)


@pytest.fixture
def desk(display: str, project: Path) -> Iterator[Desk]:
    running = Desk(display, project)
    yield running
    if running.process.poll() is None:
        running.process.terminate()
    running.process.wait(10)
    running.process.stderr.close()


def test_a_file_is_opened_edited_and_saved_by_keys_alone(desk: Desk, project: Path) -> None:
    window = desk.wait_for_title("project — Ascent Studio")
    desk.xdotool("windowfocus", "--sync", window)
    time.sleep(0.5)  # the X server tells the program of its focus some time later
    desk.key("ctrl+p")
    desk.type("model")
    desk.key("Return")
    desk.wait_for_title("model.py — project — Ascent Studio")
    desk.key("ctrl+Home")
    desk.type("import os")
    desk.key("Return", "ctrl+s")
    end = time.monotonic() + SECONDS
    while not (project / "model.py").read_text(encoding="utf-8").startswith("import os\n"):
        assert time.monotonic() < end, (project / "model.py").read_text(encoding="utf-8")
        time.sleep(0.1)
    desk.key("ctrl+w")
    desk.wait_for_title("project — Ascent Studio")
    desk.key("ctrl+q")
    assert desk.process.wait(SECONDS) == 0
    assert desk.process.stderr.read() == ""


def test_the_last_session_comes_back(display: str, project: Path) -> None:
    first = Desk(display, project)
    window = first.wait_for_title("project — Ascent Studio")
    first.xdotool("windowfocus", "--sync", window)
    time.sleep(0.5)
    first.key("ctrl+p")
    first.type("train")
    first.key("Return")
    first.wait_for_title("train.py — project — Ascent Studio")
    first.key("ctrl+q")
    assert first.process.wait(SECONDS) == 0
    first.process.stderr.close()
    second = Desk(display, project)
    second.wait_for_title("train.py — project — Ascent Studio")
    second.process.terminate()
    second.process.wait(10)
    second.process.stderr.close()
