"""Runs of lines that were not removed and added but moved. No Qt."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

LEAST = 3
"""A run of fewer lines with words in them is taken for chance."""

_CANDIDATES = 20
"""A line that was added more often than this says nothing about where a run went."""


@dataclass(frozen=True, slots=True)
class Move:
    """Lines `[left[0], left[1])` of the left text are lines `[right[0], right[1])` of the right."""

    left: tuple[int, int]
    right: tuple[int, int]


class MovedLines:
    """Looks up which run a line is part of."""

    def __init__(self, moves: Sequence[Move]) -> None:
        self.moves = moves
        self.left = {line: n for n, move in enumerate(moves) for line in range(*move.left)}
        self.right = {line: n for n, move in enumerate(moves) for line in range(*move.right)}

    def of_row(self, left: int, right: int) -> tuple[int, bool] | None:
        """The run that a row shows, and whether it shows it where it came to."""
        if left in self.left:
            return self.left[left], False
        return (self.right[right], True) if right in self.right else None


def moved_runs(
    left: Sequence[str], right: Sequence[str], gone: Sequence[bool], come: Sequence[bool]
) -> tuple[Move, ...]:
    """Find runs among the lines that are `gone` and those that have `come`; indentation may differ.

    Each line is part of at most one run, and the longest run from a line is taken.
    """
    added: defaultdict[str, list[int]] = defaultdict(list)
    for j, line in enumerate(right):
        if come[j] and _telling(line):
            added[line.strip()].append(j)
    taken = [not new for new in come]
    moves: list[Move] = []
    i = 0
    while i < len(left):
        places = added.get(left[i].strip(), ()) if gone[i] else ()
        longest, start = 0, 0
        for j in places if len(places) <= _CANDIDATES else ():
            length = _run(left, right, gone, taken, i, j)
            if length > longest:
                longest, start = length, j
        if sum(map(_telling, left[i : i + longest])) < LEAST:
            i += 1
            continue
        moves.append(Move((i, i + longest), (start, start + longest)))
        taken[start : start + longest] = [True] * longest
        i += longest
    return tuple(moves)


def _run(
    left: Sequence[str], right: Sequence[str],
    gone: Sequence[bool], taken: Sequence[bool], i: int, j: int,
) -> int:  # fmt: skip
    """How many lines are the same from two places on; ends at a line that says something."""
    length = told = 0
    while (
        i + length < len(left) and j + length < len(right)
        and gone[i + length] and not taken[j + length]
        and left[i + length].strip() == right[j + length].strip()
    ):  # fmt: skip
        length += 1
        if left[i + length - 1].strip():
            told = length
    return told


def _telling(line: str) -> bool:
    return any(map(str.isalnum, line))
