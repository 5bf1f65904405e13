"""One declaration, one function: run by id, enabled by condition, with a reason when not."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from studio.kernel.commands import Commands
from studio.kernel.errors import ErrorHub, Report, StudioError
from studio.kernel.jobs import Jobs
from studio.kernel.plugins import PluginError, Plugins

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.kernel.conftest import MakePlugin

MANIFEST = """
[[commands]]
id = "demo_c.add"
title = "Add"
run = "core:add"
cli = "demo add"
[[commands]]
id = "demo_c.project"
title = "Needs a project"
run = "core:add"
when = "project"
[[commands]]
id = "demo_c.facade"
title = "Facade"
run = "core:facade"
[[commands]]
id = "demo_c.progress"
title = "Progress"
run = "core:progress"
[[commands]]
id = "demo_c.show"
title = "Show"
run = "ui:show"
[[commands]]
id = "demo_c.apart"
title = "Apart"
run = "core:where"
process = true
[[commands]]
id = "demo_c.double"
title = "Double"
run = "core:double"
arguments = [{ name = "number", type = "int" }, { name = "--times", type = "int", default = 2 }]
[[commands]]
id = "demo_c.exit"
title = "Exit"
run = "core:leave"
[[commands]]
id = "demo_c.gone"
title = "Gone"
run = "core:gone"
"""
CORE = """
import os, sys
def where(): return os.getpid()
def add(a=1, b=2): return a + b
def facade(studio, x): return studio, x
def progress(job):
    job.report(0.5, "half")
    return job.cancelled
def double(number, times): return number * times
def leave(): sys.exit(1)
"""


class World:
    def __init__(self, folder: Path) -> None:
        self.values: dict[str, object] = {"project": False}
        self.plugins = Plugins([folder])
        self.plugins.discover()
        self.jobs = Jobs(load=self.plugins.load, plugin_folders=[folder])
        self.commands = Commands(
            self.plugins, self.jobs, lambda plugin: f"facade of {plugin}", lambda: self.values
        )


@pytest.fixture
def world(make_plugin: MakePlugin, tmp_path: Path) -> Iterator[World]:
    make_plugin("demo_c", MANIFEST, core=CORE, ui="def show(studio, x=0): return studio, x")
    world = World(tmp_path / "plugins")
    yield world
    world.jobs.shutdown()
    world.plugins.close()


def test_all_are_listed_with_their_plugin(world: World) -> None:
    assert [c.id for c in world.commands.all()][:2] == ["demo_c.add", "demo_c.project"]
    command = world.commands.get("demo_c.add")
    assert (command.plugin, command.title, str(command.reference)) == (
        "demo_c",
        "Add",
        "demo_c:core.add",
    )
    assert list(world.commands.by_words()) == ["demo add"]


def test_core_functions_get_what_they_ask_for(world: World) -> None:
    assert world.commands.run("demo_c.add", {"a": 5}) == 7
    assert world.commands.run("demo_c.facade", {"x": 1}) == ("facade of demo_c", 1)
    seen: list[Any] = []
    world.jobs.foreground_progress = seen.append
    assert world.commands.run("demo_c.progress") is False
    assert (seen[0].fraction, seen[0].message) == (0.5, "half")


def test_window_functions_get_the_facade_first(world: World) -> None:
    assert world.commands.run("demo_c.show", {"x": 2}) == ("facade of demo_c", 2)


def test_a_condition_disables_with_a_reason(world: World) -> None:
    assert world.commands.enabled("demo_c.add")
    assert not world.commands.enabled("demo_c.project")
    assert world.commands.reason("demo_c.project") == "Open a project first."
    with pytest.raises(StudioError, match=r"Open a project first\."):
        world.commands.run("demo_c.project")
    assert world.commands.call("demo_c.project") == 3
    world.values["project"] = True
    assert world.commands.run("demo_c.project") == 3


def test_missing_arguments_are_named(world: World) -> None:
    for run in (world.commands.run, world.commands.start, world.commands.call):
        with pytest.raises(StudioError, match=r"“Double” needs number\.") as caught:
            run("demo_c.double", {"times": 3})
        assert caught.value.exit_code == 2
    assert world.commands.run("demo_c.double", {"number": 4, "times": 3}) == 12


def test_an_unknown_command_is_named(world: World) -> None:
    assert world.commands.reason("demo_c.nope") == "There is no command demo_c.nope."
    with pytest.raises(StudioError, match=r"There is no command demo_c\.nope\."):
        world.commands.run("demo_c.nope")


def test_a_failed_reference_disables_its_command_only(world: World) -> None:
    with pytest.raises(PluginError):
        world.commands.run("demo_c.gone")
    assert world.commands.reason("demo_c.gone") == (
        "The plugin demo_c failed: demo_c/core.py has no gone"
    )
    assert world.commands.run("demo_c.add") == 3


def test_a_command_cannot_end_the_program(world: World) -> None:
    with pytest.raises(PluginError, match="tried to end the program"):
        world.commands.run("demo_c.exit")


def test_disabling_a_plugin_removes_its_commands(world: World) -> None:
    assert world.commands.enabled("demo_c.add")
    world.plugins.set_enabled("demo_c", False)
    assert world.commands.all() == []


@pytest.mark.parametrize("imported", [False, True])
def test_started_core_commands_become_jobs(world: World, imported: bool) -> None:
    results: list[Any] = []
    if imported:
        world.plugins.resolve("demo_c", "core:add")
    job = world.commands.start("demo_c.add", {"a": 1}, done=results.append)
    assert job is not None
    assert (job.title, job.owner) == ("Add", "demo_c")
    assert results == []
    assert world.jobs.wait()
    assert results == [3]


def test_a_command_may_ask_for_a_process_of_its_own(world: World) -> None:
    results: list[Any] = []
    world.commands.start("demo_c.apart", done=results.append)
    assert world.jobs.wait()
    assert results != [os.getpid()]
    assert world.commands.run("demo_c.apart") == os.getpid()


def test_started_window_commands_run_at_once(world: World) -> None:
    results: list[Any] = []
    assert world.commands.start("demo_c.show", done=results.append) is None
    world.plugins.resolve("demo_c", "core:add")
    assert world.commands.start("demo_c.facade", {"x": 1}, done=results.append) is None
    assert results == [("facade of demo_c", 0), ("facade of demo_c", 1)]


def test_the_import_of_a_started_command_holds_up_nobody(world: World) -> None:
    results: list[Any] = []
    assert world.commands.start("demo_c.facade", {"x": 1}, done=results.append) is not None
    assert results == []
    assert world.jobs.wait()
    assert results == [("facade of demo_c", 1)]


def test_a_started_command_that_cannot_be_imported_is_blamed(
    make_plugin: MakePlugin, tmp_path: Path
) -> None:
    manifest = MANIFEST.replace("demo_c", "demo_f")
    make_plugin("demo_f", manifest, core="import no_such_package_xyz")
    world = World(tmp_path / "plugins")
    hub = ErrorHub()
    reports: list[Report] = []
    hub.listen(reports.append)
    world.commands.start("demo_f.add")
    assert world.jobs.wait()
    hub.close()
    world.jobs.shutdown()
    world.plugins.close()
    assert [report.plugin for report in reports] == ["demo_f"]
    assert "needs the Python package no_such_package_xyz" in reports[0].summary
