"""Symbols of texts: their nesting, where they end, and which of them a line stands in."""

from __future__ import annotations

import pytest

from plugins.editor.core.symbols import around, symbols_of

PYTHON = """import torch


class Net:
    size = 3

    def forward(self, x):
        def inner():
            return x

        return inner()


async def main():
    pass
"""


def facts(text: str, ending: str) -> list[tuple[str, str, int, int]]:
    """Full names with kinds, first and last lines."""
    return [(one.title, one.kind, one.line, one.end) for one in symbols_of(text, ending)]


def test_python_is_nested_and_knows_where_things_end() -> None:
    assert facts(PYTHON, ".py") == [
        ("Net", "class", 4, 11),
        ("Net.forward", "method", 7, 11),
        ("Net.forward.inner", "function", 8, 9),
        ("main", "function", 14, 15),
    ]


def test_python_that_is_half_written_keeps_its_outline() -> None:
    names = [one.title for one in symbols_of(PYTHON + "\ndef broken(:\n", ".py")]
    assert names == ["Net", "Net.forward", "Net.forward.inner", "main", "broken"]


def test_a_line_stands_in_what_encloses_it() -> None:
    found = symbols_of(PYTHON, ".py")
    assert [one.name for one in around(found, 9)] == ["Net", "forward", "inner"]
    assert [one.name for one in around(found, 11)] == ["Net", "forward"]
    assert [one.name for one in around(found, 5)] == ["Net"]
    assert around(found, 12) == []
    assert around(found, 1) == []


def test_headings_of_markdown_but_not_of_its_code() -> None:
    text = "# A\n## B #\ntext\n```sh\n# not this\n```\n### C\n## D\n"
    assert facts(text, ".md") == [
        ("A", "heading", 1, 9), ("A.B", "heading", 2, 7), ("A.B.C", "heading", 7, 7),
        ("A.D", "heading", 8, 9),
    ]  # fmt: skip


def test_keys_of_yaml_but_not_of_its_texts() -> None:
    text = (
        "model:\n  width: 4\n  'layers':\n    - name: a\n      size: 1\n"
        "run: |\n  not: this\nend: http://x:1\n# no: key\n"
    )
    assert [(one.title, one.line) for one in symbols_of(text, ".yaml")] == [
        ("model", 1), ("model.width", 2), ("model.layers", 3), ("model.layers.name", 4),
        ("model.layers.size", 5), ("run", 6), ("end", 8),
    ]  # fmt: skip


def test_keys_of_json_by_nesting() -> None:
    text = '{\n "a": {"b": [1, "c: x", {"d": "e"}]},\n "f\\"g"\n : 2}'
    assert [(one.title, one.line) for one in symbols_of(text, ".json")] == [
        ("a", 2), ("a.b", 2), ("a.b.d", 2), ('f\\"g', 3),
    ]  # fmt: skip


def test_sections_of_toml_and_functions_of_shell() -> None:
    assert facts("[a]\nx = 1\n[[b.c]]\n", ".toml") == [
        ("a", "table", 1, 2), ("b.c", "table", 3, 4),
    ]  # fmt: skip
    assert [one.name for one in symbols_of("f() {\n}\nfunction g () {\n}\n", ".sh")] == ["f", "g"]


@pytest.mark.parametrize("ending", [".py", ".md", ".yaml", ".json", ".toml", ".sh", ".c"])
def test_any_text_is_read_without_complaint(ending: str) -> None:
    for text in ("", "\0", "{" * 500, '"' * 99, "a:\n" * 50, "- " * 50, "def f(:", "\r\n[\r\n"):
        for one in symbols_of(text, ending):
            assert 1 <= one.line <= one.end
