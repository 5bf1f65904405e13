"""Proposals, definitions and symbols, without a window."""

from __future__ import annotations

import sys
from pathlib import Path

import parso.cache
import pytest

from plugins.editor.core.proposals import Proposal, merged, prefix_of, words_like
from plugins.editor.core.python import (
    CallTip,
    Cursor,
    call_tip,
    complete,
    definitions,
    documentation,
    packages_of,
    references,
)
from plugins.editor.core.symbols import symbols_of
from studio.paths import cache_dir
from studio.ui.codetyping import changed_lines

MODEL = '''class Net:
    """A network."""

    def forward(self, tokens, mask=None):
        """Run it."""
        return tokens
'''
TRAIN = "from model import Net\n\nnet = Net()\nnet.forward(1, )\nnet.fo\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "model.py").write_text(MODEL, encoding="utf-8")
    (tmp_path / "train.py").write_text(TRAIN, encoding="utf-8")
    return tmp_path


def at(root: Path, line: int, column: int) -> Cursor:
    return Cursor(root / "train.py", TRAIN, line, column, root)


def test_names_are_found_through_the_modules_of_the_project(root):
    assert complete(at(root, 5, 7)) == [Proposal("forward", "function")]
    (found,) = definitions(at(root, 4, 6))
    assert (found.path, found.line, found.column, found.name) == (
        root / "model.py", 4, 9, "forward",
    )  # fmt: skip
    assert call_tip(at(root, 4, 16)) == CallTip("forward", ("tokens", "mask=None"), 1)
    assert "Run it." in documentation(at(root, 4, 6))
    used = {(place.path.name, place.line) for place in references(at(root, 1, 19))}
    assert used == {("model.py", 1), ("train.py", 1), ("train.py", 3)}


def test_nothing_is_run_to_answer(root):
    ran = root / "ran"
    (root / "model.py").write_text(f"open({str(ran)!r}, 'w')\n" + MODEL, encoding="utf-8")
    python = root / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f"#!/bin/sh\ntouch {ran}\n")
    python.chmod(0o755)
    cursor = Cursor(root / "train.py", TRAIN, 5, 7, root, str(python))
    assert [one.name for one in complete(cursor)] == ["forward"]
    assert not ran.exists()


def test_code_that_makes_no_sense_gives_no_answer(root):
    odd = Cursor(root / "train.py", "def (:\n\n)]", 3, 2, root)
    assert complete(odd) == [] or all(one.kind for one in complete(odd))
    assert definitions(Cursor(root / "x.py", "", 9, 9, root)) == []


def test_packages_lie_beside_the_interpreter(tmp_path):
    folder = tmp_path / "lib" / "python3.11" / "site-packages"
    folder.mkdir(parents=True)
    assert packages_of(str(tmp_path / "bin" / "python")) == [str(folder)]
    assert packages_of("") == []
    assert str(Path(sys.prefix)) not in packages_of("")


def test_words_come_by_frequency():
    text = "device devices device deviate de DEVICE"
    assert [one.name for one in words_like("dev", [text])] == [
        "device", "deviate", "devices", "DEVICE",
    ]  # fmt: skip
    assert words_like("", [text]) == []
    assert [one.name for one in words_like("device", [text])] == ["devices", "DEVICE"]
    first, second = [Proposal("a", "class")], [Proposal("a"), Proposal("b")]
    assert merged(first, second) == [Proposal("a", "class"), Proposal("b")]


@pytest.mark.parametrize(
    ("line", "column", "prefix"),
    [("x = torch.cu", 13, "cu"), ("x = torch.", 11, ""), ("12ab", 5, ""), ("变量", 3, "变量")],
)
def test_the_word_before_the_cursor(line, column, prefix):
    assert prefix_of(line, column) == prefix


def test_symbols_of_python_also_while_it_is_half_written():
    text = "import x\nclass A:\n    def f(self):\n        def g(): pass\nif x:\n    def h(): pass\n"
    found = [(s.title, s.kind, s.line) for s in symbols_of(text, ".py")]
    assert found == [
        ("A", "class", 2), ("A.f", "method", 3), ("A.f.g", "function", 4), ("h", "function", 6),
    ]  # fmt: skip
    half = [(s.title, s.kind, s.line) for s in symbols_of(text + "def k(\n", ".py")]
    assert half[:3] == found[:3]
    assert half[-1] == ("k", "function", 7)


def test_headings_and_functions_of_other_files():
    assert [(s.name, s.line) for s in symbols_of("# A\ntext\n## B ##\n", ".md")] == [
        ("A", 1), ("B", 3),
    ]  # fmt: skip
    assert [s.name for s in symbols_of("run() {\n}\nfunction stop-it () {\n", ".sh")] == [
        "run", "stop-it",
    ]  # fmt: skip
    assert symbols_of("x", ".bin") == []


@pytest.mark.parametrize(
    ("text", "first", "last", "change", "expected", "shift"),
    [
        ("a\nb\nc\n", 2, 2, "up", "b\na\nc\n", -1),
        ("a\nb\nc\n", 1, 2, "down", "c\na\nb\n", 1),
        ("a\nb\nc", 3, 3, "up", "a\nc\nb", -1),
        ("a\nb\nc", 2, 2, "down", "a\nc\nb", 1),
        ("a\r\nb", 2, 2, "copy", "a\r\nb\r\nb", 1),
        ("a\nb\nc\n", 2, 3, "delete", "a\n", 0),
        ("a\nb\n", 1, 1, "up", "a\nb\n", 0),
        ("a", 1, 1, "down", "a", 0),
    ],
)
def test_lines_move(text, first, last, change, expected, shift):
    lines = text.splitlines(keepends=True)
    moved, by = changed_lines(lines, first, last, change)
    assert ("".join(moved), by) == (expected, shift)


def test_a_cache_that_was_cut_off_is_made_anew(root):
    assert complete(at(root, 5, 7)) == [Proposal("forward", "function")]
    kept = list((cache_dir() / "jedi").rglob("*.pkl"))
    assert kept
    for path in kept:
        path.write_bytes(b"")
    parso.cache.parser_cache.clear()
    assert complete(at(root, 5, 7)) == [Proposal("forward", "function")]
