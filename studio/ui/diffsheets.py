"""A comparison laid out for its panes, so that showing it takes no more than handing texts over.

No Qt: the two ways of showing a comparison are made where it is made, in the background.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from studio.ui.diffinline import unified
from studio.ui.difflines import GAP, Alignment, align

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True, slots=True)
class Sheet:
    """The rows of one way of showing, the text of each pane, and where moved lines begin.

    `ends` are, for each move of the alignment, the rows where it begins on the left and right.
    """

    alignment: Alignment
    texts: tuple[str, ...]
    longest: str
    ends: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two texts compared, with both ways of showing that: side by side, or below each other."""

    alignment: Alignment
    beside: Sheet
    below: Sheet


def compare(left: str, right: str, *, ignore_space: bool = False) -> Comparison:
    """Compare two texts and lay that out (see `difflines.align`)."""
    found = align(left, right, ignore_space=ignore_space)
    return Comparison(found, sheet(found, inline=False), sheet(found, inline=True))


def sheet(alignment: Alignment, *, inline: bool) -> Sheet:
    """Lay a comparison out: one line per row, gaps empty, line ends left out."""
    shown = unified(alignment) if inline else alignment
    left, right = _without_ends(alignment.left), _without_ends(alignment.right)
    if inline:
        lines = (right[row.right] if row.left == GAP else left[row.left] for row in shown.rows)
        texts: tuple[str, ...] = ("\n".join(lines),)
    else:
        texts = (
            "\n".join("" if row.left == GAP else left[row.left] for row in shown.rows),
            "\n".join("" if row.right == GAP else right[row.right] for row in shown.rows),
        )
    longest = max((max(side, key=len, default="") for side in (left, right)), key=len)
    return Sheet(shown, texts, longest, _ends(shown))


def _without_ends(lines: Iterable[str]) -> Sequence[str]:
    return [line.rstrip("\r\n") for line in lines]


def _ends(shown: Alignment) -> tuple[tuple[int, int], ...]:
    if not shown.moves:
        return ()
    lefts = {row.left: at for at, row in enumerate(shown.rows)}
    rights = {row.right: at for at, row in enumerate(shown.rows)}
    return tuple((lefts[move.left[0]], rights[move.right[0]]) for move in shown.moves)
