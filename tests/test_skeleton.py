"""The plugin to copy works as it is, and under another name."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from studio import cli, paths
from studio.app import App
from studio.kernel.catalogue import read_po

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SCRIPTS = """
[[scanners]]
kind = "script"
title = "Scripts"
patterns = ["*.py"]
"""


def copy(folder: Path, name: str) -> None:
    """Do what the first lines of its plugin.toml say."""
    target = folder / name
    shutil.copytree(paths.resource("skeleton"), target)
    for file in ("plugin.toml", "ui.py"):
        text = (target / file).read_text(encoding="utf-8")
        text = text.replace("skeleton.", f"{name}.").replace("skeleton:", f"{name}:")
        (target / file).write_text(text, encoding="utf-8")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "a.py").write_text("x = 1\n" + "y" * 120 + "\n", encoding="utf-8")
    (folder / "b.py").write_bytes(b"\xff\xfe")
    return folder


@pytest.mark.parametrize("name", ["skeleton", "my_checks"])
def test_the_command_line(name: str, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copy(paths.user_plugins_dir(), name)
    words = ["--lang", "en", "skeleton", "lines"]
    assert cli.main([*words, str(project / "a.py"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == [{"line": 2, "length": 120}]
    assert cli.main([*words, str(project / "a.py"), "--limit", "200", "--csv"]) == 0
    assert capsys.readouterr().out.strip() == ""
    assert cli.main([*words, str(project / "b.py")]) == 3
    assert "b.py is not a text file." in capsys.readouterr().err


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    folder = tmp_path / "plugins"
    copy(folder, "my_checks")
    with (folder / "my_checks" / "plugin.toml").open("a") as stream:
        stream.write(SCRIPTS)
    app = App.start(plugin_folders=[folder], language="en")
    yield app
    app.close()


@pytest.mark.gui
def test_the_panel_lists_what_the_command_finds(
    app: App, project: Path, qapp: object, capsys: pytest.CaptureFixture[str]
) -> None:
    plugin = app.plugins.get("my_checks")
    assert plugin is not None
    assert app.plugins.check(plugin) == []
    panel = app.plugins.resolve("my_checks", "ui:make_panel")(app.studio("my_checks"))
    opened = app.open_project(project)
    assert app.jobs.wait()
    assert not panel.count()
    app.commands.run("my_checks.check")
    assert app.jobs.wait()
    assert [panel.item(row).text() for row in range(panel.count())] == ["a.py:2  120 characters"]
    assert capsys.readouterr().err == "Found 1 long lines.\n"
    app.settings.set("my_checks.limit", 150)
    app.commands.run("my_checks.check")
    assert app.jobs.wait()
    assert len(opened.findings) == 0
    assert panel.count() == 0
    panel.deleteLater()


def test_all_its_texts_are_translated() -> None:
    folder = paths.resource("skeleton")
    translated = read_po(folder / "locale" / "zh_CN.po")
    source = "".join(
        (folder / name).read_text(encoding="utf-8") for name in ("plugin.toml", "core.py", "ui.py")
    )
    assert len(translated) == 13
    assert all(f'"{text}"' in source for text in translated)
