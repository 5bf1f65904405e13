"""The list of jobs tells by a word whether one runs or is over: no title says that it runs."""

from __future__ import annotations

import ast
from pathlib import Path

from studio.kernel.catalogue import read_po

ROOT = Path(__file__).parent.parent


def titles(file: Path) -> set[str]:
    """The literal titles that jobs are started with in a file."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        name = node.func.attr if isinstance(node, ast.Call) and hasattr(node.func, "attr") else ""
        if name not in ("start", "start_job"):
            continue
        for keyword in node.keywords:
            if keyword.arg == "title":
                parts = ast.walk(keyword.value)
                found |= {p.value for p in parts if isinstance(p, ast.Constant) and p.value}
    return {title for title in found if isinstance(title, str)}


def test_no_title_of_a_job_says_that_it_is_still_going_on() -> None:
    known: set[str] = set()
    for folder in (ROOT / "studio", *(ROOT / "plugins").iterdir()):
        if not folder.is_dir():
            continue
        found = set().union(*map(titles, folder.rglob("*.py")), set())
        known |= found
        own = folder / "locale" / "zh_CN.po"
        host = ROOT / "resources" / "locale" / "zh_CN.po"
        chinese = read_po(host) | (read_po(own) if own.exists() else {})
        said = {title: str(chinese[title]) for title in found if title in chinese}
        assert {t: s for t, s in said.items() if "正在" in s} == {}
        assert [title for title in found if title.endswith("…")] == []
    assert "Reading {name}" in known
