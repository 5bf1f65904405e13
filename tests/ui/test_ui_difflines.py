"""The aligned comparison behind the diff view."""

from __future__ import annotations

import random
import time

import pytest

from studio.model.linediff import split_lines
from studio.ui.difflines import GAP, align, align_blocks, word_spans


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", [""]),
        ("a", ["a"]),
        ("a\n", ["a\n", ""]),
        ("a\r\nb\rc\n\nd", ["a\r\n", "b\r", "c\n", "\n", "d"]),
        ("a\x0cb\u2028c\n", ["a\x0cb\u2028c\n", ""]),
    ],
)
def test_lines_are_those_of_an_editor(text: str, lines: list[str]) -> None:
    assert split_lines(text) == lines


def test_equal_texts_have_no_change() -> None:
    alignment = align("a\nb\n", "a\nb\n")
    assert alignment.changes == ()
    assert [(row.left, row.right) for row in alignment.rows] == [(0, 0), (1, 1), (2, 2)]


def test_similar_lines_face_each_other_and_gaps_fill_the_rest() -> None:
    left = "import torch\nmodel = Net().cuda()\nimport apex\nx = 1\n"
    right = "import torch\nimport torch_npu\nmodel = Net().npu()\nx = 1\n"
    alignment = align(left, right)
    assert [(row.left, row.right) for row in alignment.rows] == [
        (0, 0), (GAP, 1), (1, 2), (2, GAP), (3, 3), (4, 4),
    ]  # fmt: skip
    assert [change.kind for change in alignment.changes] == ["added", "changed", "removed"]
    assert alignment.words(2) == (((14, 18),), ((14, 17),))


def test_a_gap_at_the_very_top_is_a_row_like_any_other() -> None:
    alignment = align("a\n", "new\na\n")
    assert [(row.left, row.right) for row in alignment.rows] == [(GAP, 0), (0, 1), (1, 2)]
    assert alignment.changes[0].first == 0


def test_neighbouring_changed_lines_are_separate_changes() -> None:
    alignment = align("x = a.cuda()\ny = b.cuda()\n", "x = a.npu()\ny = b.npu()\n")
    assert [(change.first, change.last) for change in alignment.changes] == [(0, 0), (1, 1)]


def test_known_blocks_keep_their_grouping() -> None:
    left = "import torch\nx = a.cuda()\ny = b.cuda()\n"
    right = "import torch\nimport torch_npu\nx = a.npu()\ny = b.npu()\n"
    alignment = align_blocks(left, right, [(0, 1, 0, 2), (1, 3, 2, 4)])
    assert [(row.left, row.right, row.change) for row in alignment.rows] == [
        (0, 0, -1), (GAP, 1, 0), (1, 2, 1), (2, 3, 1), (3, 4, -1),
    ]  # fmt: skip
    assert [(change.first, change.last) for change in alignment.changes] == [(1, 1), (2, 3)]


def test_words_not_characters_are_marked() -> None:
    old, new = 'd = torch.device("cuda:0")', 'd = torch.device("npu:0")'
    left, right = word_spans(old, new)
    assert [old[a:b] for a, b in left] == ["cuda"]
    assert [new[a:b] for a, b in right] == ["npu"]


@pytest.mark.parametrize("seed", range(20))
def test_every_line_stands_in_exactly_one_row_in_order(seed: int) -> None:
    draw = random.Random(seed)
    lines = [draw.choice(["a\n", "b\n", "x = y.cuda()\n", "\n"]) for _ in range(60)]
    other = [line for line in lines if draw.random() > 0.2]
    for _ in range(10):
        other.insert(draw.randrange(len(other) + 1), draw.choice(["x = y.npu()\n", "new\n"]))
    alignment = align("".join(lines), "".join(other))
    assert [row.left for row in alignment.rows if row.left != GAP] == list(range(len(lines) + 1))
    assert [row.right for row in alignment.rows if row.right != GAP] == list(range(len(other) + 1))
    for row in alignment.rows:
        equal = GAP not in (row.left, row.right) and (
            alignment.left[row.left] == alignment.right[row.right]
        )
        assert (row.change == -1) == equal
    for number, change in enumerate(alignment.changes):
        inside = alignment.rows[change.first : change.last + 1]
        assert {row.change for row in inside} == {number}


def test_many_repetitive_lines_do_not_take_minutes() -> None:
    lines = [f"def f{i % 7}(x):\n" if i % 3 else "    return x\n" for i in range(50_000)]
    other = [line if i % 500 else "    return x.npu()\n" for i, line in enumerate(lines)]
    start = time.process_time()
    alignment = align("".join(lines), "".join(other))
    assert time.process_time() - start < 20
    assert len(alignment.changes) >= 100
