"""What could be meant by the letters before the cursor: words of the text, names of Python."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studio.model.pieces import Pieces

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_WORD = re.compile(r"[^\W\d]\w{2,60}")
_BEFORE = re.compile(r"(?<!\w)[^\W\d]\w*\Z")
_MOST_TEXT = 2_000_000
_COST = 8
"""So much longer takes a character of a text beyond ASCII."""
_MOST_HITS = 20_000
LIMIT = 200


@dataclass(frozen=True, slots=True)
class Proposal:
    """One completion: `kind` is "word", "function", "class", "module", "keyword" and the like."""

    name: str
    kind: str = "word"
    detail: str = ""


def prefix_of(line: str, column: int) -> str:
    """The beginning of a word that ends before a column (from 1)."""
    found = _BEFORE.search(line[: column - 1])
    return found[0] if found else ""


def words_like(prefix: str, texts: Iterable[str | Pieces]) -> list[Proposal]:
    """Words that begin with a prefix, the most frequent first; the prefix itself is none.

    Of all texts together only the first two million characters are looked at, and fewer of texts
    beyond ASCII.
    """
    small = prefix.lower()
    if not small:
        return []
    counts: Counter[str] = Counter()
    left = _MOST_TEXT
    for text in texts:
        looked_at = Pieces.of(text).between(0, left)
        cost = 1 if looked_at.isascii() else _COST
        looked_at = looked_at[: left // cost]
        counts.update(_words_of(looked_at, small))
        left -= len(looked_at) * cost
        if left <= 0:
            break
    counts.pop(prefix, None)
    found = sorted(counts, key=lambda word: (not word.startswith(prefix), -counts[word], word))
    return [Proposal(word) for word in found[:LIMIT]]


def around(text: str | Pieces, offset: int) -> str:
    """The part of a long text that is looked at, with an offset in its middle."""
    pieces = Pieces.of(text)
    found = ""
    for width in (_MOST_TEXT, _MOST_TEXT // _COST):
        first = max(offset - width // 2, 0)
        found = pieces.between(first, first + width)
        if found.isascii():
            break
    return found


def _words_of(text: str, small: str) -> Iterator[str]:
    """The words of a text that begin so in small letters, each time they occur, up to a limit."""
    lower = text.lower()
    if len(lower) != len(text):  # some letters become two
        yield from (word for word in _WORD.findall(text) if word.lower().startswith(small))
        return
    at = -1
    for _ in range(_MOST_HITS):
        at = lower.find(small, at + 1)
        if at < 0:
            return
        found = _WORD.match(text, at)
        if found and not (at and (text[at - 1].isalnum() or text[at - 1] == "_")):
            yield found[0]


def merged(first: Iterable[Proposal], second: Iterable[Proposal]) -> list[Proposal]:
    """Both lists, each name once, those of the first in front."""
    found: dict[str, Proposal] = {}
    for proposal in (*first, *second):
        found.setdefault(proposal.name, proposal)
    return list(found.values())[:LIMIT]
