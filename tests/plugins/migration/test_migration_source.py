"""Texts and trees: positions, parts of f-strings, scopes, why a file does not parse."""

from __future__ import annotations

import ast

import pytest

from plugins.migration.core import strings
from plugins.migration.core.collector import Collector
from plugins.migration.core.names import Names
from plugins.migration.core.parsing import Fault, parse
from plugins.migration.core.positions import Positions
from plugins.migration.core.scopes import Scope

FSTRINGS = [
    'f"cuda:{rank}"',
    'f"a{x!r:>{w}}b{y=}c{ z = }"',
    '(f"é{a}" "plain" rf\'\\d{b["k"]}\' # {no}\n f"{c}")',
    'f"""\n é {torch.cuda.x(\n  1)} \n{y:%Y-%m}"""',
    "f'{x if a!=b else {1:2}[1]}{{z}}\\N{BULLET}{q}'",
    'f"{low:=^10}{(lambda x: x)(1)}{a[1:2]}"',
    'f\'{d["f{0}"]} {f"in{n}ner"}\'',
]


@pytest.mark.parametrize("source", FSTRINGS)
def test_expressions_in_fstrings_get_their_true_places(source: str) -> None:
    text = f"é = 1; v = {source}\n"
    positions = Positions(text)
    tree = ast.parse(text)
    node = next(node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr))
    expected = ast.dump(tree)
    strings.place_parts(node, text, positions)
    assert ast.dump(tree) == expected
    inner = [child for child in ast.walk(node) if isinstance(child, ast.Name | ast.Attribute)]
    assert inner
    for child in inner:
        start = positions.offset(child.lineno, child.col_offset)
        end = positions.offset(child.end_lineno or 0, child.end_col_offset or 0)
        assert text[start:end] == ast.unparse(child)


def test_the_literal_parts_of_an_fstring() -> None:
    text = 'f"cuda:{rank}!"'
    parts = strings.pieces(text, 0, len(text))
    assert [(p.literal, text[p.start : p.end]) for p in parts] == [
        (True, "cuda:"), (False, "rank"), (True, "!"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("literal", "found"),
    [
        ('"cuda"', "cuda"),
        ("r'''cuda'''", "cuda"),
        ('u"cuda"', "cuda"),
        ('"cu" "da"', None),
        ('"c\\x75da"', None),
    ],
)
def test_where_the_text_of_a_literal_stands(literal: str, found: str | None) -> None:
    span = strings.body(literal, 0, len(literal), "cuda")
    assert (None if span is None else literal[slice(*span)]) == found


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_positions_agree_with_the_parser(end: str) -> None:
    rows = ["é = '中文'; a = b.cuda", "", "\x0cif a:", "\t𝒳 = a.cuda  # 中", "class C: x = a.cuda"]
    text = end.join(rows)
    positions = Positions(text)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute):
            stop = positions.offset(node.end_lineno or 0, node.end_col_offset or 0)
            assert text[stop - 4 : stop] == "cuda"
            start = positions.offset(node.lineno, node.col_offset)
            assert positions.parser_position(start) == (node.lineno, node.col_offset)
    assert positions.place(text.index("中文")) == (1, 6)


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ("import torch\nprint 'a'\n", 2, "Python 2"),
        ("import torch\nexec 'a'\n", 2, "Python 2"),
        ("try:\n    pass\nexcept A, e:\n    pass\n", 3, "Python 2"),
        ("x = 0777\n", 1, "Python 2"),
        ("x = 1 <> 2\n", 1, "Python 2"),
        ("x = (1,\n", 1, "never closed"),
        ("if True:\n        x = 1\n\ty = 2\n", 3, "Tabs and blanks"),
        ("if True:\nx = 1\n", 2, "indentation"),
        ("a\0b", 1, "null"),
        ("x = " + "(" * 3000 + ")" * 3000, 1, "nested too deeply"),
        ("y\nx = " + "-" * 200_000 + "1", 2, "nested too deeply"),
    ],
)
def test_why_a_text_does_not_parse(text: str, line: int, word: str) -> None:
    fault = parse(text)
    assert isinstance(fault, Fault)
    assert fault.line == line
    assert word in fault.message.format(**fault.values)


def test_valid_code_with_odd_escapes_parses_without_a_warning() -> None:
    assert isinstance(parse("import re\nx = re.compile('\\d')\n"), ast.Module)


def names(text: str) -> Names:
    return Names(Collector(ast.parse(text), frozenset(range(1, 99))), text)


@pytest.mark.parametrize(
    ("code", "name", "expected"),
    [
        ("import torch", "torch", "torch"),
        ("import torch.cuda", "torch", "torch"),
        ("import torch.cuda as tc", "tc", "torch.cuda"),
        ("from torch import cuda as c", "c", "torch.cuda"),
        ("from . import torch", "torch", ".torch"),
        ("from ..a import b", "b", "..a.b"),
        ("import torch\nc = torch.cuda\nd = c", "d", "torch.cuda"),
        ("try:\n    import torch\nexcept ImportError:\n    torch = None", "torch", "torch"),
        ("if a:\n    import torch\nelse:\n    import jax as torch", "torch", ""),
        ("a = b\nb = a", "a", ""),
        ("import torch\n(c := torch.cuda)", "c", "torch.cuda"),
        ("import torch\na, b = torch.cuda, 1", "a", "torch.cuda"),
        ("for torch in x:\n    pass", "torch", ""),
        ("with x as torch:\n    pass", "torch", ""),
        ("def torch():\n    pass", "torch", ""),
        ("pass", "int", "builtins.int"),
    ],
)
def test_what_a_name_stands_for(code: str, name: str, expected: str) -> None:
    known = names(code)
    assert known.of_name(name, known.module) == expected


def test_scopes_follow_the_rules_of_python() -> None:
    code = (
        "import torch\n"
        "class C:\n"
        "    torch = 1\n"
        "    def m(self):\n"
        "        return torch\n"
        "def f():\n"
        "    global lib\n"
        "    import numpy as lib\n"
        "    def g():\n"
        "        nonlocal_name = 1\n"
    )
    collected = Collector(ast.parse(code))
    inside = next(scope for scope in collected.classes.values())
    method = Scope("function", ast.Pass(), inside)
    known = Names(collected, code)
    assert known.of_name("torch", method) == "torch"
    assert known.of_name("torch", inside) == ""
    assert known.of_name("lib", collected.module) == "numpy"
