"""Plugins are found by manifests, come in order, load late, and fail alone."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest

from studio.kernel.plugins import PluginError, Plugins, State

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from tests.kernel.conftest import MakePlugin

OPENER = """
[[openers]]
id = "{0}.view"
title = "View"
make = "core:value"
"""


class Facade:
    unloaded = 0

    def unload(self) -> None:
        self.unloaded += 1


@pytest.fixture
def discover(tmp_path: Path) -> Iterator[Callable[..., Plugins]]:
    made: list[Plugins] = []

    def make(folders: Sequence[str] = ("plugins",), **options: Any) -> Plugins:
        plugins = Plugins([tmp_path / name for name in folders], **options)
        plugins.discover()
        made.append(plugins)
        return plugins

    yield make
    for plugins in made:
        plugins.close()


def states(plugins: Plugins) -> dict[str, str]:
    return {plugin.id: plugin.state.value for plugin in plugins.all()}


def reason(plugins: Plugins, name: str) -> str:
    plugin = plugins.get(name)
    assert plugin is not None
    return plugin.reason


def test_discovery_imports_nothing(
    make_plugin: MakePlugin, discover: Callable[..., Plugins]
) -> None:
    make_plugin("demo_a", OPENER.format("demo_a"), core="value = 1")
    plugins = discover()
    assert states(plugins) == {"demo_a": "ready"}
    assert not [name for name in sys.modules if name.startswith("plugins.demo_a")]


def test_what_is_no_plugin_is_ignored(
    make_plugin: MakePlugin, discover: Callable[..., Plugins], tmp_path: Path
) -> None:
    make_plugin("demo_a")
    make_plugin("_hidden")
    make_plugin(".hidden")
    (tmp_path / "plugins" / "empty").mkdir()
    (tmp_path / "plugins" / "file").write_text("")
    assert list(states(discover(["plugins", "absent"]))) == ["demo_a"]


def test_order_follows_requirements(
    make_plugin: MakePlugin, discover: Callable[..., Plugins]
) -> None:
    make_plugin("demo_a", OPENER.format("demo_a"), head='requires = ["demo_c"]')
    make_plugin("demo_b", OPENER.format("demo_b"))
    make_plugin("demo_c", OPENER.format("demo_c"), head='requires = ["demo_b"]')
    plugins = discover()
    assert [name for name, _ in plugins.contributions("openers")] == ["demo_b", "demo_c", "demo_a"]


def test_a_cycle_is_reported_as_a_chain(
    make_plugin: MakePlugin, discover: Callable[..., Plugins]
) -> None:
    make_plugin("demo_a", head='requires = ["demo_b"]')
    make_plugin("demo_b", head='requires = ["demo_c"]')
    make_plugin("demo_c", head='requires = ["demo_a"]')
    make_plugin("demo_d", head='requires = ["demo_a"]')
    make_plugin("demo_e")
    plugins = discover()
    assert states(plugins) == {
        "demo_a": "failed",
        "demo_b": "failed",
        "demo_c": "failed",
        "demo_d": "failed",
        "demo_e": "ready",
    }
    for name in ("demo_a", "demo_b", "demo_c"):
        assert reason(plugins, name) == "requires itself: demo_a → demo_b → demo_c → demo_a"
    assert reason(plugins, "demo_d") == "requires the plugin demo_a, which failed"


def test_a_missing_requirement_is_named(
    make_plugin: MakePlugin, discover: Callable[..., Plugins]
) -> None:
    make_plugin("demo_a", head='requires = ["nowhere"]')
    plugins = discover()
    assert reason(plugins, "demo_a") == "requires the plugin nowhere, which is not installed"


def test_the_second_of_twins_is_refused(
    make_plugin: MakePlugin, discover: Callable[..., Plugins], tmp_path: Path
) -> None:
    make_plugin("demo_a", core="value = 'first'")
    make_plugin("demo_a", folder="user", core="value = 'second'")
    plugins = discover(["plugins", "user"])
    first, second = plugins.all()
    assert (first.state, second.state) == (State.READY, State.FAILED)
    assert second.reason == f"the id demo_a is already taken by {tmp_path / 'plugins' / 'demo_a'}"
    assert plugins.resolve("demo_a", "core:value") == "first"


def test_a_disabled_plugin_contributes_nothing(
    make_plugin: MakePlugin, discover: Callable[..., Plugins]
) -> None:
    make_plugin("demo_a", OPENER.format("demo_a"))
    make_plugin("demo_b", OPENER.format("demo_b"), head='requires = ["demo_a"]')
    make_plugin("demo_c", OPENER.format("demo_c"))
    plugins = discover(disabled=["demo_a"])
    assert states(plugins) == {"demo_a": "disabled", "demo_b": "failed", "demo_c": "ready"}
    assert reason(plugins, "demo_b") == "requires the plugin demo_a, which is switched off"
    assert [name for name, _ in plugins.contributions("openers")] == ["demo_c"]
    with pytest.raises(PluginError, match="switched off"):
        plugins.resolve("demo_a", "core:value")
    plugins.set_enabled("demo_a", True)
    assert states(plugins) == {"demo_a": "ready", "demo_b": "ready", "demo_c": "ready"}
    plugins.set_enabled("demo_b", False)
    assert states(plugins) == {"demo_a": "ready", "demo_b": "disabled", "demo_c": "ready"}


def test_a_broken_manifest_fails_alone(
    make_plugin: MakePlugin, discover: Callable[..., Plugins]
) -> None:
    make_plugin("demo_a", "[[panels]]\nid = 'demo_a.p'")
    make_plugin("demo_b")
    plugins = discover()
    assert states(plugins) == {"demo_a": "failed", "demo_b": "ready"}
    assert reason(plugins, "demo_a").splitlines() == [
        "plugin.toml: panels[1].title: is missing",
        "plugin.toml: panels[1].make: is missing",
        "plugin.toml: panels[1].area: is missing",
    ]


def test_first_use_activates_and_is_timed(
    make_plugin: MakePlugin, discover: Callable[..., Plugins]
) -> None:
    make_plugin(
        "demo_a",
        head='activate = "core:activate"',
        core="""
            seen = []
            def activate(studio): seen.append(studio)
            def use(): return seen
        """,
    )
    facade = Facade()
    plugins = discover(facade={"demo_a": facade}.get)
    told: list[str] = []
    plugins.changed.connect(lambda plugin: told.append(plugin.state.value))
    assert plugins.resolve("demo_a", "core:use")() == [facade]
    assert plugins.resolve("demo_a", "core:use")() == [facade]
    assert states(plugins) == {"demo_a": "active"}
    assert told == ["active"]
    assert plugins.all()[0].load_seconds > 0


def test_a_failure_at_use_keeps_what_is_declared(
    make_plugin: MakePlugin, discover: Callable[..., Plugins]
) -> None:
    place = make_plugin(
        "demo_a", OPENER.format("demo_a"), core="raise ValueError('bad')", other="value = 2"
    )
    plugins = discover()
    with pytest.raises(PluginError, match=r"ValueError: bad \(demo_a/core.py:1\)") as first:
        plugins.resolve("demo_a", "core:value")
    assert states(plugins) == {"demo_a": "failed"}
    assert plugins.contributions("openers") != []
    assert plugins.resolve("demo_a", "other:value") == 2
    (place / "core.py").write_text("value = 3")
    with pytest.raises(PluginError) as second:
        plugins.resolve("demo_a", "core:value")
    assert (second.value.reason, second.value.__cause__) == (
        first.value.reason,
        first.value.__cause__,
    )
    plugins.retry("demo_a")
    assert states(plugins) == {"demo_a": "ready"}
    assert plugins.resolve("demo_a", "core:value") == 3


def test_a_failure_at_use_leaves_those_that_require_it(
    make_plugin: MakePlugin, discover: Callable[..., Plugins]
) -> None:
    make_plugin("demo_a", core="raise ValueError('bad')")
    make_plugin("demo_b", head='requires = ["demo_a"]')
    make_plugin("demo_c")
    plugins = discover()
    with pytest.raises(PluginError):
        plugins.resolve("demo_a", "core:value")
    plugins.set_enabled("demo_c", False)
    assert states(plugins) == {"demo_a": "failed", "demo_b": "ready", "demo_c": "disabled"}


def test_a_slow_import_does_not_hold_up_other_plugins(
    make_plugin: MakePlugin, discover: Callable[..., Plugins], tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    slow = f"import os, time\nwhile not os.path.exists({str(gate)!r}): time.sleep(0.005)\nvalue = 1"
    make_plugin("demo_a", core=slow)
    make_plugin("demo_b", core="value = 2")
    plugins = discover()
    thread = threading.Thread(target=plugins.resolve, args=("demo_a", "core:value"))
    thread.start()
    assert plugins.resolve("demo_b", "core:value") == 2
    gate.touch()
    thread.join()
    assert plugins.resolve("demo_a", "core:value") == 1


def test_retry_reads_a_repaired_manifest(
    make_plugin: MakePlugin, discover: Callable[..., Plugins]
) -> None:
    place = make_plugin("demo_a", "unknown = 1", core="value = 1")
    plugins = discover()
    assert states(plugins) == {"demo_a": "failed"}
    text = (place / "plugin.toml").read_text().replace("unknown = 1", "")
    (place / "plugin.toml").write_text(text)
    plugins.retry("demo_a")
    assert plugins.resolve("demo_a", "core:value") == 1


def test_a_plugin_that_does_not_exist_is_named(discover: Callable[..., Plugins]) -> None:
    with pytest.raises(PluginError, match="The plugin nowhere failed: there is no such plugin"):
        discover().resolve("nowhere", "core:value")


def test_a_missing_module_of_its_own_is_named(
    make_plugin: MakePlugin, discover: Callable[..., Plugins]
) -> None:
    make_plugin("demo_a", core="from plugins.demo_a import gone_module")
    plugins = discover()
    with pytest.raises(PluginError, match="there is no module ui"):
        plugins.resolve("demo_a", "ui:view")
    with pytest.raises(PluginError, match=r"gone_module.*\(demo_a/core.py:1\)"):
        plugins.resolve("demo_a", "core:value")


def test_unloading_undoes_and_forgets(
    make_plugin: MakePlugin, discover: Callable[..., Plugins]
) -> None:
    facade = Facade()
    make_plugin("demo_a", core="value = object()")
    plugins = discover(facade=lambda name: facade)
    first = plugins.resolve("demo_a", "core:value")
    plugins.unload("demo_a")
    assert facade.unloaded == 1
    assert "plugins.demo_a" not in sys.modules
    assert states(plugins) == {"demo_a": "ready"}
    assert plugins.resolve("demo_a", "core:value") is not first


def test_user_plugins_use_relative_imports_and_safe_mode_leaves_them_out(
    make_plugin: MakePlugin, discover: Callable[..., Plugins], tmp_path: Path
) -> None:
    make_plugin("demo_a", folder="user", core="from .helper import value", helper="value = 7")
    assert discover(["user"]).resolve("demo_a", "core:value") == 7
    assert states(discover(["user"], safe=True)) == {}


def test_another_package_named_plugins_does_not_disturb(
    make_plugin: MakePlugin,
    discover: Callable[..., Plugins],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    foreign = tmp_path / "cwd" / "plugins"
    foreign.mkdir(parents=True)
    (foreign / "__init__.py").write_text("raise RuntimeError('the wrong package')")
    monkeypatch.syspath_prepend(str(tmp_path / "cwd"))
    monkeypatch.delitem(sys.modules, "plugins")
    make_plugin("demo_a", core="value = 1")
    assert discover().resolve("demo_a", "core:value") == 1
