"""The page about profiles lists every table and column, every command and every formula."""

import tomllib
from pathlib import Path

import pytest

from studio.perf.flops import FORMULAS
from studio.perf.schema import TABLES
from studio.perf.steps import FREE, TIMES

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def page():
    return (ROOT / "resources" / "docs" / "profiles.md").read_text(encoding="utf-8")


def test_all_tables_are_documented_as_they_are(page):
    sections = {part.partition("\n")[0]: part for part in page.split("\n### ")[1:]}
    assert set(TABLES) | {"counters"} == set(sections)
    for name, table in TABLES.items():
        lines = sections[name].splitlines()
        for column in table.columns:
            assert f"| {column.name} | {column.dtype} | {column.help} |" in lines, name
        assert sum(line.startswith("| ") for line in lines) == len(table.columns) + 1


def test_all_commands_and_formulas_are_named(page):
    for plugin in ("overview", "steps", "operators", "memory"):
        manifest = tomllib.loads((ROOT / "plugins" / plugin / "plugin.toml").read_text("utf-8"))
        for command in manifest["commands"]:
            name = command.get("cli", "")
            if name.startswith("profile ") or name == "pack":
                assert f"studio {name} PATH" in page, name
    for name, formula in FORMULAS.items():
        assert f"| {name} | {formula} |" in page
    assert "own_bubble_ns" in TIMES
    assert "free_data_loading_ns" in FREE
