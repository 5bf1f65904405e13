"""The page of conventions names tests and pictures that exist."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
PAGE = REPOSITORY / "resources" / "docs" / "conventions.md"
ROWS = [
    line
    for line in PAGE.read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| convention")
]


def pictures() -> set[str]:
    """The names of all pictures of the tour."""
    manifests = [REPOSITORY / "resources" / "host.toml", *REPOSITORY.glob("plugins/*/plugin.toml")]
    told = [tomllib.loads(path.read_text(encoding="utf-8")) for path in manifests]
    return {step["name"] for one in told for step in one.get("tour", ())}


def test_the_page_lists_the_conventions() -> None:
    assert len(ROWS) >= 25


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip()[:40])
def test_what_shows_a_convention_exists(row: str) -> None:
    shown_by = row.split("|")[2]
    tests = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", shown_by)
    assert tests
    for file, name in tests:
        path = REPOSITORY / file
        assert path.is_file(), file
        tree = ast.parse(path.read_text(encoding="utf-8"))
        known = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        assert not name or name in known, f"{file}::{name}"
    assert set(re.findall(r"\*([\w-]+)\*", shown_by)) <= pictures()
