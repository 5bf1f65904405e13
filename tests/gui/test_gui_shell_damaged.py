"""A window opens whatever became of the files that the program keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtWidgets import QLabel

from studio.paths import config_dir
from studio.ui import session
from studio.ui.idle import wait_idle
from tests.gui.conftest import end

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.gui

DAMAGES = {
    "no text": b"\0\xff\xfe",
    "cut off": b'{"a": [1, ',
    "other types": b'{"version": 99, "data": 4, "open": 7, "pages": {"a": 1}, "geometry": "zz", '
    b'"history": [1, {}], "last": 4, "recent": 5}',
    "nested too deep": b"a = " + b"[" * 100_000,
    "nested too deep, JSON": b"[" * 100_000,
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_it_opens_with_every_file_damaged(open_window, project, studio_home: Path, damage):
    window = open_window()
    window.app.open_project(project, live=False)
    window.app.project.state("run")["last"] = {"name": "a"}
    window.app.settings.set("studio.theme", "light")
    window.open(project / "train.py", "", {})
    assert wait_idle(window)
    end(window.app)
    kept = [*studio_home.rglob("*.json"), config_dir() / "settings.toml"]
    assert len(kept) > 3
    for path in kept:
        path.write_bytes(damage)
    window = open_window()
    window.app.open_project(project, live=False)
    panel: Any = window.show_panel("run.panel")
    assert wait_idle(window)
    assert panel.choice.count() == 0
    assert window.app.settings.get("studio.theme") != "light"
    told = [label.text() for label in window.findChildren(QLabel)]
    assert any("The settings file is broken" in text for text in told)
    assert (config_dir() / "settings.toml.broken").read_bytes() == damage


@pytest.mark.parametrize(
    "tabs",
    [
        {"groups": [5]},
        {"groups": [{"tabs": [{"opener": 3}]}, {"tabs": [{"opener": "editor.text"}]}]},
        {"groups": 5, "sizes": "x"},
        {"groups": [{"tabs": [{"opener": "editor.text", "path": "gone.py", "state": 7}]}]},
        {"groups": [], "active": "first", "sizes": [{}]},
    ],
)
def test_tabs_of_odd_values_leave_a_centre_that_works(window, project, tabs):
    window.app.open_project(project, live=False)
    assert wait_idle(window)
    window.app.project.state("studio")["tabs"] = tabs
    session.restore_project(window)
    assert wait_idle(window)
    window.open(project / "train.py", "", {})
    assert wait_idle(window)
    assert window.app.window.active_view().title() == "train.py"
    assert not any(group.signalsBlocked() for group in window.centre.groups())
