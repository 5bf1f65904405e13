"""Runs of lines that were not removed and added but moved. No Qt."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LEAST = 3
"""A run of fewer lines with words in them is taken for chance."""

_LETTER = re.compile(r"[^\W_]")
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
    a, b = [line.strip() for line in left], [line.strip() for line in right]
    added: defaultdict[str, list[int]] = defaultdict(list)
    for j in _true(come):
        if _telling(b[j]):
            added[b[j]].append(j)
    taken = [not new for new in come]
    moves: list[Move] = []
    end = 0
    for i in _true(gone) if added else ():
        if i < end or (places := added.get(a[i])) is None or len(places) > _CANDIDATES:
            continue
        longest, start = 0, 0
        for j in places:
            length = _run(a, b, gone, taken, i, j)
            if length > longest:
                longest, start = length, j
        if longest < LEAST or sum(map(_telling, a[i : i + longest])) < LEAST:
            continue
        end = i + longest
        moves.append(Move((i, end), (start, start + longest)))
        taken[start : start + longest] = [True] * longest
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
        and left[i + length] == right[j + length]
    ):  # fmt: skip
        length += 1
        if left[i + length - 1]:
            told = length
    return told


def _telling(line: str) -> bool:
    return _LETTER.search(line) is not None


def _true(flags: Sequence[bool]) -> Iterator[int]:
    """The places that are marked."""
    return compress(range(len(flags)), flags)
