"""Broken plugins of every kind never stop the start or the others; old ones go on working."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from studio.app import App
from studio.kernel.plugins import PluginError, State

if TYPE_CHECKING:
    from collections.abc import Iterator

PLUGINS = Path(__file__).parent / "fixtures" / "plugins"

REASONS = {
    "import_error": "ImportError: broken on purpose (import_error/core.py:3)",
    "missing_dep": "needs the Python package no_such_package_xyz, which is not installed "
    "(missing_dep/core.py:3)",
    "activate_error": "raised when activated: RuntimeError: activate failed "
    "(activate_error/core.py:6)",
    "exits": "ends the program when imported (exits/core.py:5)",
    "old_api": "plugin.toml: api: made for api 99; this program offers 1 to 1",
    "no_entry": "no_entry/core.py has no start",
    "syntax": "syntax error in syntax/core.py:4: invalid syntax",
    "twin": 'plugin.toml: id: the id "ok" belongs to a folder of that name; this one is "twin"',
}


@pytest.fixture
def app() -> Iterator[App]:
    app = App.start(plugin_folders=[PLUGINS / "broken"], language="en")
    yield app
    app.close()


def test_every_problem_is_listed_with_its_reason(app: App, cases: Path) -> None:
    expected = json.loads((cases / "A33-broken-plugins" / "expected.json").read_text())
    problems = {plugin.id: app.plugins.check(plugin) for plugin in app.plugins.all()}
    assert {name for name, found in problems.items() if found} == set(expected["problems"])
    assert {name: found for name, found in problems.items() if found} == {
        name: [reason] for name, reason in REASONS.items()
    }
    assert expected["missing_dep_names"] in problems["missing_dep"][0]
    for name in expected["works"]:
        assert app.commands.run(f"{name}.start") == "ok works"


def test_a_plugin_that_cannot_be_activated_is_not_used(app: App) -> None:
    for _ in range(2):
        with pytest.raises(PluginError, match="activate failed"):
            app.commands.run("activate_error.start")


def test_the_log_holds_the_trace(app: App) -> None:
    plugin = app.plugins.get("import_error")
    assert plugin is not None
    app.plugins.check(plugin)
    app.close()
    text = app.log.path.read_text(encoding="utf-8")
    assert "Traceback" in text
    assert 'raise ImportError("broken on purpose")' in text


@pytest.mark.parametrize("name", ["ok", *REASONS])
def test_disabling_any_one_and_starting_again_works(name: str) -> None:
    first = App.start(plugin_folders=[PLUGINS / "broken"], language="en")
    first.set_plugin_enabled(name, False)
    first.close()
    again = App.start(plugin_folders=[PLUGINS / "broken"], language="en")
    try:
        states = {plugin.id: plugin.state for plugin in again.plugins.all()}
        manifest_broken = name in ("old_api", "twin")
        assert states[name] is (State.FAILED if manifest_broken else State.DISABLED)
        if name != "ok":
            assert again.commands.run("ok.start") == "ok works"
        again.set_plugin_enabled(name, True)
        assert again.settings.get("studio.disabled_plugins") == ()
    finally:
        again.close()


@pytest.fixture
def frozen(tmp_path: Path) -> Iterator[App]:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "a.api1").write_text("api1\ntwo\n\n")
    app = App.start(plugin_folders=[PLUGINS / "frozen"], language="en")
    yield app
    app.close()


def test_a_plugin_for_api_1_works(
    frozen: App, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = frozen.open_project(tmp_path / "project", live=False)
    file = project.root / "a.api1"
    results: dict[str, Any] = {}
    frozen.commands.run("api1.use", {"results": results})
    assert frozen.jobs.wait()
    selection = results.pop("selection")
    assert (selection.origin, selection.item, selection.start_ns) == ("api1", file, 5)
    assert results == {
        "window": None,
        "enabled": True,
        "setting": 3,
        "changed": "api1.limit",
        "revealed": (True, False),
        "opened": None,
        "run": None,
        "job": 42,
    }
    assert [finding.title for finding in project.findings.of_file(file)] == ["title"]
    assert capsys.readouterr().err == "hello\n"
    frozen.plugins.unload("api1")
    assert results["unloaded"] == "api1"


def test_items_are_recognised_while_a_project_is_live(frozen: App, tmp_path: Path) -> None:
    project = frozen.open_project(tmp_path / "project")
    assert frozen.jobs.wait()
    assert [(item.kind, item.plugin, dict(item.facts)) for item in project.items] == [
        ("api1", "api1", {"lines": 3})
    ]


@pytest.mark.gui
def test_the_window_side_of_a_plugin_for_api_1_works(frozen: App, qapp: object) -> None:
    plugin = frozen.plugins.get("api1")
    assert plugin is not None
    assert frozen.plugins.check(plugin) == []
    assert frozen.commands.run("api1.show") == "api1"
