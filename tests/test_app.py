"""The program without a window: projects, notices, conditions, plugins switched on and off."""

from __future__ import annotations

import textwrap
import time
from typing import TYPE_CHECKING, Any

import pytest

from studio.app import App, HostStudio
from studio.kernel.job import JobState
from studio.model.findings import Finding, Severity
from studio.model.locations import Location

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

MANIFEST = """
title = "Demo"
description = "Demo"
version = "1"
api = 1
[[reveals]]
kind = "row"
run = "core:cannot"
[[reveals]]
kind = "row"
run = "core:fails"
[[reveals]]
kind = "row"
run = "core:missing"
[[reveals]]
kind = "row"
run = "core:shows"
[[scanners]]
kind = "demo"
title = "Demos"
patterns = ["*.demo"]
[[settings]]
key = "demo_app.width"
type = "int"
default = 3
title = "Width"
"""
CODE = """
import os, time
shown = []
def cannot(studio, location): return False
def fails(studio, location): raise RuntimeError("no")
def shows(studio, location):
    shown.append(location.row)
    return True
def wait_for(path):
    while not os.path.exists(path): time.sleep(0.005)
def fail(): raise ValueError("job failed")
def refuse():
    from studio.kernel.errors import StudioError
    raise StudioError("Cannot do it.")
"""


class FakeWindow:
    def __init__(self) -> None:
        self.notices: list[tuple[str, str, str]] = []

    def notify(
        self, plugin: str, severity: str, message: str, details: str, actions: Mapping[str, Any]
    ) -> None:
        self.notices.append((plugin, severity, message))

    def active_opener(self) -> str:
        return "demo_app.view"


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    folder = tmp_path / "plugins" / "demo_app"
    folder.mkdir(parents=True)
    (folder / "plugin.toml").write_text(MANIFEST)
    (folder / "core.py").write_text(textwrap.dedent(CODE))
    app = App.start(plugin_folders=[tmp_path / "plugins"], language="en")
    yield app
    app.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "a.demo").write_text("x")
    return folder


def test_opening_and_closing_is_announced(app: App, root: Path) -> None:
    heard: list[str] = []
    app.project_changed.connect(lambda project: heard.append(project.name if project else "-"))
    app.open_project(root)
    app.open_project(root)
    app.close_project()
    app.close_project()
    assert heard == ["project", "-", "project", "-"]
    assert app.project is None


def test_a_folder_that_is_not_there_leaves_the_open_project(app: App, root: Path) -> None:
    project = app.open_project(root, live=False)
    with pytest.raises(Exception, match="is not a folder"):
        app.open_project(root / "a.demo")
    assert app.project is project


def test_closing_cancels_jobs_and_forgets_the_selection(app: App, root: Path) -> None:
    app.open_project(root, live=False)
    done: list[object] = []
    job = app.studio("demo_app").start_job(
        "demo_app:core.wait_for", {"path": str(root / "gate")}, title="Waiting", done=done.append
    )
    app.studio("demo_app").select(item=root / "a.demo", start_ns=1, end_ns=2)
    app.close_project()
    (root / "gate").touch()
    assert app.jobs.wait()
    assert job.state is JobState.CANCELLED
    assert done == []
    assert app.selection.value.item is None


def test_a_live_project_is_scanned_and_watched(app: App, root: Path) -> None:
    project = app.open_project(root)
    assert not app.jobs.idle()
    assert app.jobs.wait()
    assert [item.path.name for item in project.items] == ["a.demo"]
    (root / "b.demo").write_text("y")
    deadline = time.monotonic() + 20
    while len(project.items) < 2 and time.monotonic() < deadline:
        app.jobs.wait()
        time.sleep(0.01)
    assert [item.path.name for item in project.items] == ["a.demo", "b.demo"]


def test_the_first_plugin_that_can_shows_a_location(
    app: App, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert app.reveal(Location.table_row(tmp_path, "7"))
    assert app.plugins.resolve("demo_app", "core:shown") == ["7"]
    assert "demo_app/core.py has no missing" in capsys.readouterr().err
    assert not app.reveal(Location.source(tmp_path, 1))


def test_conditions_see_the_program(app: App, root: Path) -> None:
    assert app.when_values() == {
        "project": False,
        "item": "",
        "view": "",
        "findings": 0,
        "selection": False,
        "gui": False,
    }
    project = app.open_project(root)
    assert app.jobs.wait()
    app.window = FakeWindow()  # type: ignore[assignment]
    file = root / "a.demo"
    app.studio("demo_app").select(item=file, start_ns=0, end_ns=2)
    app.studio("demo_app").publish(
        {file: [Finding("k", "r", Severity.INFO, "t", Location.source(file, 1))]}
    )
    assert app.when_values() == {
        "project": True,
        "item": "demo",
        "view": "demo_app.view",
        "findings": 1,
        "selection": True,
        "gui": True,
    }
    app.set_plugin_enabled("demo_app", False)
    assert len(project.findings) == 0
    assert app.settings.get("studio.disabled_plugins") == ("demo_app",)


def test_a_failed_job_is_told_as_a_notice_or_reported(app: App) -> None:
    window = FakeWindow()
    app.window = window  # type: ignore[assignment]
    reports: list[str] = []
    app.errors.listen(lambda report: reports.append(f"{report.plugin}: {report.summary}"))
    for name in ("refuse", "fail", "nowhere"):
        app.studio("demo_app").start_job(f"demo_app:core.{name}", {}, title=name)
    assert app.jobs.wait()
    assert sorted(window.notices) == [
        ("demo_app", "error", "Cannot do it."),
        ("demo_app", "error", "The plugin demo_app failed: demo_app/core.py has no nowhere"),
    ]
    assert reports == ["demo_app: ValueError: job failed"]


def test_settings_of_plugins_are_declared(app: App) -> None:
    assert app.settings.get("demo_app.width") == 3
    assert app.settings.get("studio.theme") == "dark"


def test_only_the_host_gets_the_whole_program(app: App) -> None:
    host = app.studio("studio")
    assert isinstance(host, HostStudio)
    assert host.app is app
    assert [scanner.kind for scanner in host.scanners()] == ["demo"]
    assert not hasattr(app.studio("demo_app"), "app")


def test_starting_is_quick_and_timed(app: App) -> None:
    assert set(app.timings) == {"settings", "manifests"}
