"""The manifests of the plugins that come with the program fit together."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from studio.app import App
from studio.kernel.plugins import State

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def app() -> Iterator[App]:
    app = App.start(safe=True, language="en")
    yield app
    app.close()


def test_all_are_ready(app: App) -> None:
    assert {p.id: p.reason for p in app.plugins.all() if p.state is not State.READY} == {}


def test_ids_are_those_of_one_declaration_each(app: App) -> None:
    for section, key in (("commands", "id"), ("panels", "id"), ("openers", "id"), ("tour", "name")):
        declared = [getattr(d, key) for _, d in app.plugins.contributions(section)]
        assert [name for name, n in Counter(declared).items() if n > 1] == [], section


def test_words_of_the_command_line_are_taken_once(app: App) -> None:
    words = Counter(c.command.cli for c in app.commands.all() if c.command.cli)
    assert [text for text, n in words.items() if n > 1] == []


def test_keys_without_a_condition_on_the_view_do_not_collide(app: App) -> None:
    keys = Counter(
        key.lower()
        for c in app.commands.all()
        if "view" not in c.command.when.text
        for key in c.command.keys
    )
    assert [key for key, n in keys.items() if n > 1] == []


def test_what_names_a_command_names_one_that_exists(app: App) -> None:
    ids = {c.id for c in app.commands.all()}
    named = {d.command for s in ("context_menus", "tour") for _, d in app.plugins.contributions(s)}
    assert named - ids - {""} == set()


def test_icons_exist(app: App) -> None:
    from studio.paths import resource

    there = {name.removesuffix(".svg") for name in os.listdir(resource("icons"))}
    used = {
        getattr(declared, "icon", "")
        for section in ("commands", "panels", "openers", "scanners")
        for _, declared in app.plugins.contributions(section)
    }
    assert used - there - {""} == set()


@pytest.mark.gui
def test_every_reference_can_be_imported(app: App, qapp: object) -> None:
    problems = {plugin.id: app.plugins.check(plugin) for plugin in app.plugins.all()}
    assert {name: found for name, found in problems.items() if found} == {}
    host = next(m for m in app.plugins.manifests() if m.id == "studio")
    for _, reference in host.references():
        assert callable(app.plugins.resolve("studio", reference)), reference
