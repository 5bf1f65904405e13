"""Hard snippets, each a trap that a well-known tool falls into."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from plugins.migration.core.apply import apply_command
from plugins.migration.core.scan import scan_command

PLACE = Path(__file__).resolve().parents[2] / "cases" / "hard-snippets" / "hard_snippets.json"
SNIPPETS = {entry["id"]: entry for entry in json.loads(PLACE.read_text(encoding="utf-8"))}
FOUND: dict[str, list[tuple[str, int, str]]] = {
    "H01": [("a.py", 3, "cuda-method")],
    "H04": [("a.py", 2, "library-unsupported"), ("a.py", 3, "library-unsupported")],
    "H05": [("a.py", 4, "device-text")],
    "H07": [("a.py", 4, "profiler-key")],
    "H09": [("bad_latin1.py", 2, "unreadable")],
    "H11": [("misc.py", 10, "npu-aware")],
    "H12": [
        ("requirements.txt", 2, "library-manual"),
        ("Dockerfile", 1, "container-image"),
        ("run.sh", 2, "environment-check"),
    ],
    "H13": [
        ("a.py", 2, "library-ready"),
        ("a.py", 3, "library-manual"),
        ("a.py", 4, "library-manual"),
        ("a.py", 5, "library-manual"),
        ("a.py", 6, "library-manual"),
        ("a.py", 7, "library-ready"),
        ("a.py", 8, "library-manual"),
        ("a.py", 10, "custom-operator"),
        ("k.cpp", 3, "custom-operator-binding"),
    ],
    "H14": [("a.py", 4, "library-unsupported"), ("a.py", 5, "cuda-name-limited")],
    "H15": [("a.py", 10, "device-text"), ("a.py", 11, "torch-feature")],
}
"""The findings expected by the snippets, as far as the rules of today go: file, line, rule."""


def write(folder: Path, files: dict[str, Any]) -> None:
    for name, content in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str):
            content = {"text": content}
        text = content["text"].replace("\n", content.get("newline", "\n"))
        place.write_bytes(text.encode(content.get("encoding", "utf-8")))


@pytest.mark.parametrize("name", sorted(SNIPPETS))
def test_a_snippet(tmp_path: Path, name: str) -> None:
    snippet = SNIPPETS[name]
    write(tmp_path / "in", snippet["files"])
    applied = apply_command(tmp_path / "in", tmp_path / "out")
    for file, texts in snippet["must_contain"].items():
        encoding = "gbk" if file == "gbk.py" else "utf-8"
        written = (tmp_path / "out" / file).read_bytes().decode(encoding)
        assert [text for text in texts if text not in written] == []
    for file, texts in snippet["must_not_contain"].items():
        written = (tmp_path / "out" / file).read_text(encoding="utf-8")
        assert [text for text in texts if text in written] == []
    found = {(row["file"], row["line"], row["rule"]) for row in applied.report.rows()}
    assert set(FOUND.get(name, ())) <= found
    assert scan_command(tmp_path / "out").summary()["changes"] == 0


def test_code_that_knows_npus_is_not_touched(tmp_path: Path) -> None:
    write(tmp_path / "in", SNIPPETS["H11"]["files"])
    apply_command(tmp_path / "in", tmp_path / "out")
    before = (tmp_path / "in" / "misc.py").read_bytes()
    assert (tmp_path / "out" / "misc.py").read_bytes() == before


def test_a_line_without_cuda_is_not_touched(tmp_path: Path) -> None:
    write(tmp_path / "in", SNIPPETS["H16"]["files"])
    assert apply_command(tmp_path / "in", tmp_path / "out").changed == ()
