"""The welcome page comes fast, with every plugin registered and none imported."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.gui

PROGRAM = Path(__file__).resolve().parent.parent / "bench" / "start_program.py"

HEAVY = {"numpy", "pandas", "pyqtgraph", "pyside6_scintilla", "lexilla", "numba", "msgspec"}


@pytest.fixture(scope="module")
def start(tmp_path_factory) -> dict:
    home: Path = tmp_path_factory.mktemp("home")
    done = subprocess.run(
        [sys.executable, str(PROGRAM)],
        capture_output=True,
        text=True,
        timeout=60,
        env=os.environ | {"STUDIO_HOME": str(home), "PYTHONPATH": str(PROGRAM.parents[2])},
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_nothing_heavy_and_no_plugin_is_imported(start) -> None:
    modules = set(start["modules"])
    assert start["plugins"] >= 5
    assert {name for name in modules if name.split(".")[0] in HEAVY} == set()
    assert {name for name in modules if name.startswith("plugins.")} == set()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="others always have a display")
def test_without_a_display_it_says_so() -> None:
    names = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    bare = {name: value for name, value in os.environ.items() if name not in names}
    done = subprocess.run(
        [sys.executable, "-m", "studio", "--lang", "en"], capture_output=True, text=True, env=bare
    )
    assert done.returncode == 3
    assert done.stderr.startswith("studio: There is no display.")
