"""The settings page: fields of every type, limits, search, reset."""

from __future__ import annotations

from importlib import metadata
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
)

from studio import __version__
from studio.ui.about import versions
from studio.ui.idle import wait_idle

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from studio.ui.settings_page import SettingsPage
    from studio.ui.shell import MainWindow

pytestmark = pytest.mark.gui

SETTINGS = """
[[settings]]
key = "demo.on"
type = "bool"
default = false
title = "Switch"
[[settings]]
key = "demo.count"
type = "int"
default = 4
min = 1
max = 8
title = "Count of things"
restart = true
[[settings]]
key = "demo.kind"
type = "choice"
default = "a"
choices = ["a", "b"]
title = "Kind"
[[settings]]
key = "demo.name"
type = "str"
default = ""
title = "Name"
help = "How it is called"
[[settings]]
key = "demo.secret"
type = "str"
default = ""
title = "Secret"
hidden = true
"""


@pytest.fixture
def demo(open_window, make_plugin) -> MainWindow:
    return open_window(make_plugin("demo", SETTINGS))


def page(window: MainWindow) -> SettingsPage:
    window.actions_.run("studio.settings")
    assert wait_idle(window)
    return window.centre.active().view


def test_each_type_has_its_field_and_is_saved_at_once(demo: MainWindow) -> None:
    rows, settings = page(demo).rows, demo.app.settings
    assert "demo.secret" not in rows
    switch, count, kind, name = (
        rows[f"demo.{key}"].field for key in ("on", "count", "kind", "name")
    )
    assert isinstance(switch, QCheckBox)
    switch.click()
    assert settings.get("demo.on") is True
    assert isinstance(count, QSpinBox)
    assert (count.minimum(), count.maximum()) == (1, 8)
    count.setValue(99)
    assert settings.get("demo.count") == 8
    assert isinstance(kind, QComboBox)
    kind.setCurrentIndex(1)
    assert settings.get("demo.kind") == "b"
    assert isinstance(name, QLineEdit)
    QTest.keyClicks(name, "Ada")
    QTest.keyClick(name, Qt.Key.Key_Return)
    assert settings.get("demo.name") == "Ada"
    assert 'name = "Ada"' in settings.path.read_text(encoding="utf-8")


def test_the_arrow_goes_back_to_the_default(demo: MainWindow) -> None:
    row = page(demo).rows["demo.count"]
    assert row.reset.isHidden()
    demo.app.settings.set("demo.count", 7)
    assert row.field.value() == 7
    assert not row.reset.isHidden()
    row.reset.click()
    assert demo.app.settings.get("demo.count") == 4
    assert row.reset.isHidden()


def test_search_looks_at_titles_helps_and_keys(demo: MainWindow) -> None:
    shown = page(demo)
    for text, keys in (
        ("things count", ["demo.count"]),
        ("called", ["demo.name"]),
        ("demo.kind", ["demo.kind"]),
        ("nothing such", []),
    ):
        shown.search.setText(text)
        assert [key for key, row in shown.rows.items() if not row.isHidden()] == keys


def test_a_setting_that_needs_a_restart_says_so(demo: MainWindow) -> None:
    rows = page(demo).rows

    def told(key: str) -> str:
        return " ".join(label.text() for label in rows[key].findChildren(QLabel))

    assert "restart" in told("demo.count")
    assert "restart" not in told("demo.kind")


def test_settings_are_edited_as_toml(
    open_window: Callable[..., MainWindow], make_plugin: Callable[..., Path], project: Path
) -> None:
    window = open_window(make_plugin("demo", SETTINGS), own=True)
    window.app.open_project(project, live=False)
    window.app.settings.set("demo.name", "Ada")
    actions = {action.text(): action for action in page(window).findChildren(QAction)}
    actions["Edit as TOML"].trigger()
    assert wait_idle(window)
    view = window.centre.active().view
    assert view.document.path == window.app.settings.path
    assert 'name = "Ada"' in view.edit.text()
    heard: list[str] = []
    window.app.settings.changed.connect(heard.append)
    view.edit.replace_text('[demo]\nname = "Grace"\ncount = 99\n')
    assert view.save_now()
    window.settings_watch.look()
    assert window.app.settings.get("demo.name") == "Grace"
    assert heard == ["demo.name"]
    assert "demo.count" in window.notices.history[-1].message
    view.edit.replace_text("[demo\n")
    assert view.save_now()
    window.settings_watch.look()
    assert window.app.settings.get("demo.name") == "Grace", "what is no TOML changes nothing"
    assert view.document.path.is_file()


def test_the_box_about_the_program_names_versions_and_licences(demo: MainWindow) -> None:
    told = versions()
    assert f"Ascent Studio {__version__}" in told
    for package, licence in (("PySide6-Essentials", "LGPL"), ("numpy", "BSD")):
        [line] = [line for line in told.splitlines() if line.startswith(package)]
        assert metadata.version(package) in line
        assert licence in line
    demo.app.commands.run("studio.about", {})
    dialog = demo.findChild(QDialog)
    assert isinstance(dialog, QDialog)
    copy = next(b for b in dialog.findChildren(QPushButton) if b.text() == "Copy")
    copy.click()
    assert QGuiApplication.clipboard().text() == told
    dialog.reject()


def test_the_page_of_plugins_tells_states_and_load_times(demo: MainWindow) -> None:
    demo.actions_.run("studio.plugins")
    assert wait_idle(demo)
    tree = demo.centre.active().view.tree
    headings = [tree.headerItem().text(n).strip() for n in range(tree.columnCount())]
    assert headings == ["Plugin", "State", "Version", "Load time", "Description"]
    rows = [tree.topLevelItem(n) for n in range(tree.topLevelItemCount())]
    assert "Demo" in [row.text(0) for row in rows]
