"""A comparison laid out for its panes."""

from __future__ import annotations

import random

import pytest

from studio.ui.difflines import GAP, align
from studio.ui.diffsheets import compare


def test_side_by_side_has_gaps_and_one_pane_has_what_was_before_what_is() -> None:
    found = compare("keep\nold = 1\n", "first\r\nkeep\nold = 2\nlast, by far the longest\n")
    assert found.beside.texts == (
        "\nkeep\nold = 1\n\n",
        "first\nkeep\nold = 2\nlast, by far the longest\n",
    )
    assert found.below.texts == ("first\nkeep\nold = 1\nold = 2\nlast, by far the longest\n",)
    assert found.beside.longest == found.below.longest == "last, by far the longest"


@pytest.mark.parametrize("seed", range(8))
def test_all_lines_are_there_in_either_way(seed: int) -> None:
    draw = random.Random(seed)
    lines = [f"{draw.choice(['x', 'y = f(x)', 'return'])} {draw.randrange(9)}\n" for _ in range(80)]
    other = [line.replace("x", "z") if draw.random() < 0.2 else line for line in lines]
    del other[10:14]
    other[30:30] = lines[50:56]
    left, right = "".join(lines), "".join(other)
    found = compare(left, right)
    assert found.alignment == align(left, right)
    for side, number in ((0, 0), (1, 1)):
        shown = found.beside.texts[side].split("\n")
        kept = [text for text, row in zip(shown, found.beside.alignment.rows, strict=True)
                if row[number] != GAP]  # fmt: skip
        assert "\n".join(kept) == (left, right)[side]
        shown = found.below.texts[0].split("\n")
        kept = [text for text, row in zip(shown, found.below.alignment.rows, strict=True)
                if row[number] != GAP]  # fmt: skip
        expected = (left, right)[side].split("\n")
        assert [t.split() for t in kept] == [t.split() for t in expected]
    for move, beside, below in zip(
        found.alignment.moves, found.beside.ends, found.below.ends, strict=True
    ):
        for rows, ends in (
            (found.beside.alignment.rows, beside),
            (found.below.alignment.rows, below),
        ):
            assert rows[ends[0]].left == move.left[0]
            assert rows[ends[1]].right == move.right[0]
