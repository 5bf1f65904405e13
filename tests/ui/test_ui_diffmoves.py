"""Runs of lines that moved, and comparisons that ignore spaces."""

from __future__ import annotations

from studio.ui.difflines import align
from studio.ui.diffmoves import Move

BLOCK = "def f(x):\n    y = x + 1\n\n    return y\n\n"
REST = "".join(f"other{n} = {n}\n" for n in range(12))


def test_a_run_that_moved_is_found_in_both_places() -> None:
    found = align(BLOCK + REST, REST + BLOCK)
    assert found.moves == (Move((0, 4), (12, 16)),)


def test_a_run_that_moved_further_in_is_the_same_run() -> None:
    inside = "".join(f"    {line}\n" if line else "\n" for line in BLOCK.split("\n")[:-1])
    found = align(BLOCK + REST, REST + "class A:\n" + inside)
    assert found.moves == (Move((0, 4), (13, 17)),)


def test_fewer_than_three_lines_and_brackets_alone_are_chance() -> None:
    assert align("a = 1\nb = 2\n" + REST, REST + "a = 1\nb = 2\n").moves == ()
    assert align(")\n}\n]\n)\n" + REST, REST + ")\n}\n]\n)\n").moves == ()


def test_lines_are_given_to_one_run_only() -> None:
    found = align(BLOCK + REST + BLOCK, REST.replace("other5", "x") + BLOCK)
    taken = [n for move in found.moves for n in range(*move.right)]
    assert len(taken) == len(set(taken))


def test_equal_texts_have_no_moves() -> None:
    assert align(BLOCK * 3, BLOCK * 3).moves == ()


def test_spaces_can_be_ignored() -> None:
    left, right = "a = 1\n\tb = f( 2 )\nc\n", "a  =  1\r\n    b = f(2)\nd\n"
    assert len(align(left, right).changes) == 4
    found = align(left, right, ignore_space=True)
    assert [(change.left, change.right) for change in found.changes] == [
        ((2, 3), (2, 2)), ((3, 3), (2, 3)),
    ]  # fmt: skip
    assert "".join(found.left) == left
    assert "".join(found.right) == right
