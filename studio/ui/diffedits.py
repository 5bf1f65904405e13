"""Aligning a text with what becomes of it by known edits: exact, without guessing. No Qt."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from studio.model.linediff import split_lines
from studio.ui.difflines import Alignment, align_blocks
from studio.ui.diffsheets import Sheet, sheet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from studio.model.linediff import Block

LONG = 100_000
"""The alignment of a text of more characters is a job's work."""

Edit = tuple[int, int, str]
"""Replace the characters `[start, end)` by a text."""


@dataclass(frozen=True, slots=True)
class EditedText:
    """A text beside its edited form; `parts[i]` numbers the edits that make up change `i`."""

    alignment: Alignment
    parts: tuple[tuple[int, ...], ...]


def align_edits(text: str, edits: Sequence[Edit]) -> EditedText:
    """Align a text with its edited form; edits in the same line make one change.

    Edits must not overlap. Those that change nothing are left out.
    """
    order = sorted(range(len(edits)), key=lambda n: (edits[n][0], edits[n][1]))
    order = [n for n in order if text[edits[n][0] : edits[n][1]] != edits[n][2]]
    lines = split_lines(text)
    starts = [0, *accumulate(map(len, lines))]
    groups: list[tuple[int, int, list[int]]] = []
    for number in order:
        first, last = _touched(starts, edits[number])
        if groups and first < groups[-1][1]:
            groups[-1] = (groups[-1][0], max(last, groups[-1][1]), [*groups[-1][2], number])
        else:
            groups.append((first, last, [number]))
    edited = _edited(text, [edits[n] for n in order])
    blocks = _blocks(starts, split_lines(edited), groups, edits)
    alignment = align_blocks(text, edited, blocks)
    parts = {
        (block[0], block[2]): tuple(group[2]) for block, group in zip(blocks, groups, strict=True)
    }
    return EditedText(
        alignment, tuple(parts[change.left[0], change.right[0]] for change in alignment.changes)
    )


def align_and_lay_out(text: str, edits: Sequence[Edit]) -> tuple[EditedText, tuple[Sheet, Sheet]]:
    """Align a text with its edited form, and lay out both ways of showing that."""
    found = align_edits(text, edits)
    return found, (sheet(found.alignment, inline=False), sheet(found.alignment, inline=True))


def _touched(starts: Sequence[int], edit: Edit) -> tuple[int, int]:
    """The lines an edit changes, half open; none for whole lines put between two lines."""
    start, end, text = edit
    count = len(starts) - 1
    first = min(bisect_right(starts, start) - 1, count - 1)
    last = min(bisect_right(starts, end) - 1, count - 1)
    whole = starts[first] == start and starts[last] == end and (not text or text[-1] in "\r\n")
    return (first, last) if whole else (first, last + 1)


def _blocks(
    starts: Sequence[int],
    edited: Sequence[str],
    groups: Sequence[tuple[int, int, list[int]]],
    edits: Sequence[Edit],
) -> list[Block]:
    right_starts = [0, *accumulate(map(len, edited))]
    blocks: list[Block] = []
    moved = 0
    for first, last, numbers in groups:
        begin = _line_at(right_starts, starts[first] + moved)
        moved += sum(len(edits[n][2]) - (edits[n][1] - edits[n][0]) for n in numbers)
        to_end = last == len(starts) - 1
        end = len(edited) if to_end else _line_at(right_starts, starts[last] + moved)
        blocks.append((first, last, begin, end))
    return blocks


def _line_at(starts: Sequence[int], offset: int) -> int:
    return bisect_right(starts, offset, 0, len(starts) - 1) - 1


def _edited(text: str, edits: Sequence[Edit]) -> str:
    parts: list[str] = []
    done = 0
    for start, end, new in edits:
        parts += (text[done:start], new)
        done = end
    return "".join((*parts, text[done:]))
