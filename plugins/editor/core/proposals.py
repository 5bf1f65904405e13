"""What could be meant by the letters before the cursor: words of the text, names of Python."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_WORD = re.compile(r"[^\W\d]\w{2,60}")
_BEFORE = re.compile(r"(?<!\w)[^\W\d]\w*\Z")
_MOST_TEXT = 2_000_000
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


def words_like(prefix: str, texts: Iterable[str]) -> list[Proposal]:
    """Words that begin with a prefix, the most frequent first; the prefix itself is none."""
    small = prefix.casefold()
    if not small:
        return []
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(_WORD.findall(text[:_MOST_TEXT]))
    found = [word for word in counts if word.casefold().startswith(small) and word != prefix]
    found.sort(key=lambda word: (not word.startswith(prefix), -counts[word], word))
    return [Proposal(word) for word in found[:LIMIT]]


def merged(first: Iterable[Proposal], second: Iterable[Proposal]) -> list[Proposal]:
    """Both lists, each name once, those of the first in front."""
    found: dict[str, Proposal] = {}
    for proposal in (*first, *second):
        found.setdefault(proposal.name, proposal)
    return list(found.values())[:LIMIT]
