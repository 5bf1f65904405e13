"""The welcome page comes fast, with every plugin registered and none imported."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.gui

PROGRAM = """
import json, os, sys, time
from studio.app import App
from studio.ui.main import dress, make_application, make_window
app = App.start(language="en")
qt = make_application()
dress(app)
window = make_window(app)
window.show()
while not window.isVisible() or window.welcome.widget().grab().isNull():
    qt.processEvents()
seconds = time.process_time()
plugins = sum(1 for plugin in app.plugins.all())
modules = sorted(sys.modules)
window.start()
print(json.dumps({"seconds": seconds, "plugins": plugins, "modules": modules}))
sys.stdout.flush()
os._exit(0)
"""

HEAVY = {"numpy", "pandas", "pyqtgraph", "pyside6_scintilla", "lexilla", "numba", "msgspec"}


@pytest.fixture(scope="module")
def starts(tmp_path_factory) -> list[dict]:
    home: Path = tmp_path_factory.mktemp("home")
    found = []
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM],
            capture_output=True,
            text=True,
            timeout=60,
            env={**__import__("os").environ, "STUDIO_HOME": str(home)},
        )
        assert done.returncode == 0, done.stderr
        found.append(json.loads(done.stdout))
    return found


def test_nothing_heavy_and_no_plugin_is_imported(starts) -> None:
    modules = set(starts[0]["modules"])
    assert starts[0]["plugins"] >= 5
    assert {name for name in modules if name.split(".")[0] in HEAVY} == set()
    assert {name for name in modules if name.startswith("plugins.")} == set()


def test_the_first_picture_takes_little_work(starts) -> None:
    assert min(start["seconds"] for start in starts) < 0.35
