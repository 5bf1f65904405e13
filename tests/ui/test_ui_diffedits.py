"""Aligning a text with what becomes of it by known edits."""

from __future__ import annotations

import random

import pytest

from studio.ui.diffedits import align_edits
from studio.ui.difflines import GAP, align


def edit(text: str, old: str, new: str, after: int = 0) -> tuple[int, int, str]:
    start = text.index(old, after)
    return start, start + len(old), new


def test_edits_of_one_line_are_one_change_and_inserted_lines_another() -> None:
    text = 'import torch\nd = torch.device("cuda" if torch.cuda.is_available() else "cpu")\nx = 1\n'
    edits = [
        edit(text, "cuda", "npu", text.index("torch.cuda")),
        (13, 13, "import torch_npu\n"),
        edit(text, "cuda", "npu"),
    ]
    found = align_edits(text, edits)
    assert found.parts == ((1,), (2, 0))
    assert [(row.left, row.right) for row in found.alignment.rows] == [
        (0, 0), (GAP, 1), (1, 2), (2, 3), (3, 4),
    ]  # fmt: skip
    assert [change.kind for change in found.alignment.changes] == ["added", "changed"]


def test_a_line_added_behind_the_end_of_a_line_is_an_added_line() -> None:
    text = "import torch\r\nx = 1"
    found = align_edits(text, [(12, 12, "\r\nimport torch_npu")])
    assert [(row.left, row.right) for row in found.alignment.rows] == [(0, 0), (GAP, 1), (1, 2)]
    assert found.alignment.changes[0].first == found.alignment.changes[0].last == 1


def test_a_removed_line_faces_a_gap() -> None:
    text = "a\nb\nc\n"
    found = align_edits(text, [(2, 4, "")])
    assert [(row.left, row.right) for row in found.alignment.rows] == [
        (0, 0), (1, GAP), (2, 1), (3, 2),
    ]  # fmt: skip
    assert found.alignment.changes[0].kind == "removed"


def test_a_change_in_a_last_line_without_end() -> None:
    found = align_edits("a\nb.cuda()", [(4, 8, "npu")])
    assert found.alignment.right == ("a\n", "b.npu()")
    assert [change.left for change in found.alignment.changes] == [(1, 2)]


def test_an_edit_that_changes_nothing_is_no_change() -> None:
    found = align_edits("a\n", [(0, 1, "a")])
    assert found.alignment.changes == ()
    assert found.parts == ()


def test_an_edit_over_several_lines_is_one_change() -> None:
    text = "f(\n  a,\n  b,\n)\nx\n"
    found = align_edits(text, [(0, text.index("\nx"), "g(a, b)")])
    assert len(found.alignment.changes) == 1
    assert "".join(found.alignment.right) == "g(a, b)\nx\n"


@pytest.mark.parametrize("seed", range(40))
def test_any_edits_give_the_edited_text_and_every_edit_stands_in_one_change(seed: int) -> None:
    draw = random.Random(seed)
    text = "".join(draw.choice(["ab", "c\n", "\r\n", "d e\n", "f"]) for _ in range(80))
    edits: list[tuple[int, int, str]] = []
    at = 0
    while at < len(text):
        start = at + draw.randrange(0, 12)
        end = min(start + draw.randrange(0, 6), len(text))
        if start >= len(text):
            break
        edits.append((start, end, draw.choice(["", "X", "new\n", "Y\nZ", "\n"])))
        at = end + 1
    draw.shuffle(edits)
    found = align_edits(text, edits)
    expected = text
    for start, end, new in sorted(edits, reverse=True):
        expected = expected[:start] + new + expected[end:]
    assert "".join(found.alignment.right) == expected
    assert "".join(found.alignment.left) == text
    numbers = [n for part in found.parts for n in part]
    assert len(numbers) == len(set(numbers))
    lines = [row.left for row in found.alignment.rows if row.left != GAP]
    assert lines == list(range(len(found.alignment.left)))
    for row in found.alignment.rows:
        if row.change == -1:
            assert found.alignment.left[row.left] == found.alignment.right[row.right]
    assert (
        bool(found.alignment.changes) == (text != expected) == bool(align(text, expected).changes)
    )
