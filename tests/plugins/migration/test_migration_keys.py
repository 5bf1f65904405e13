"""Decisions find their places again: by rule, text and context, never by the number of a line."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugins.migration.core.edits import migrated_text
from plugins.migration.core.keys import decided, lasting
from plugins.migration.core.positions import Positions
from plugins.migration.core.scan import scan_text

CODE = """\
import torch


def first(x):
    y = 1
    x = x.cuda()
    return x


def second(x):
    x = x.cuda()
    z = 2
    return x
"""


def keys(code: str) -> dict[int, str]:
    """The keys of the changes by line."""
    found = scan_text(code, Path("a.py")).findings
    return {f.location.line or 0: f.key for f in found if f.rule == "cuda-method"}


def decisions(before: str, line: int, after: str) -> list[int]:
    """Where a decision about a line is found after an edit."""
    saved = {lasting(keys(before)[line]): "rejected"}
    return [where for where, key in keys(after).items() if decided(saved, key)]


def test_keys_are_different() -> None:
    assert sorted(keys(CODE)) == [6, 11]
    assert len(set(keys(CODE).values())) == 2


@pytest.mark.parametrize(
    ("line", "old", "new", "found"),
    [
        # an identical line in another function, above in the same one, right above, right below
        (11, "    y = 1\n", "    y = 1\n    x = x.cuda()\n    w = 3\n", [13]),
        (6, "    y = 1\n", "    x = x.cuda()\n    y = 1\n", [7]),
        (11, "    z = 2\n", "    z = 2\n    x = x.cuda()\n", [11]),
        (6, "    return x\n\n\n", "    w = 4\n    x = x.cuda()\n    return x\n\n\n", []),
        # a copy of the very line beside it: one of the two keeps the decision
        (11, "def second(x):\n", "def second(x):\n    x = x.cuda()\n", [11]),
        (6, "    y = 1\n", "    y = 1\n    x = x.cuda()\n", [6]),
        # other lines: before, after, both, comments, an import, blanks
        (6, "    y = 1\n", "    y = 2\n", [6]),
        (6, "    y = 1\n", "    y = 1\n    # why\n\n    q = 3\n", [9]),
        (11, "    z = 2\n", "    z = 3\n", [11]),
        (11, "import torch\n", "import os\nimport torch\n\nx = x.cuda()\n", [14]),
        # the line itself, the function it stands in
        (6, "    x = x.cuda()\n    return", "    x = x.cuda(0)\n    return", []),
        (6, "def first", "def third", []),
    ],
)  # fmt: skip
def test_a_decision_after_an_edit(line: int, old: str, new: str, found: list[int]) -> None:
    assert old in CODE
    after = CODE.replace(old, new, 1)
    assert decisions(CODE, line, after) == found


def test_what_was_applied_beside_it_changes_no_key() -> None:
    code = "import torch\na = b.cuda()\nc = d.cuda()\ne = f.cuda()\n"
    after = "import torch\nimport torch_npu\na = b.npu()\nc = d.cuda()\ne = f.npu()\n"
    assert keys(code)[3] == keys(after)[4]


def test_equal_lines_beside_each_other_are_told_apart() -> None:
    code = "import torch\n" + "x = x.cuda()\n" * 3
    assert len(set(keys(code).values())) == 3


def test_a_long_line_is_read_once_whatever_is_found_in_it(monkeypatch) -> None:
    text = "first = cuda\n" + "device=cuda," * 3000 + "\nlast = cuda\n"
    read: list[int] = []
    line_text = Positions.line_text

    def counted(self: Positions, line: int) -> str:
        read.append(line)
        return line_text(self, line)

    monkeypatch.setattr(Positions, "line_text", counted)
    found = scan_text(text, Path("a.yaml")).findings
    assert len({f.key for f in found}) == len(found) == 3002
    assert read.count(2) < 20
    after = migrated_text(text, [f for f in found if f.location.line == 2])
    ends = [f for f in scan_text(after, Path("a.yaml")).findings if f.location.line != 2]
    assert [f.key for f in ends] == [found[0].key, found[-1].key]
