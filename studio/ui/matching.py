"""Fuzzy matching of what is typed against titles and file names, best first."""

from __future__ import annotations

import re
from heapq import nsmallest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_STARTS = frozenset(" /\\_-.:")


def match(query: str, text: str) -> tuple[int, tuple[int, ...]] | None:
    """Rank a text (higher is better) and say which characters matched; None when it does not.

    A run of characters counts more than scattered ones, the beginning of a word more than its
    middle, the end of a path more than its folders.
    """
    wanted, lowered = query.casefold().replace(" ", ""), text.casefold()
    if not wanted:
        return 0, ()
    if len(lowered) != len(text):
        lowered = text.lower()
    whole = lowered.rfind(query.casefold().strip())
    if whole >= 0:
        length = len(query.strip())
        start = whole == 0 or lowered[whole - 1] in _STARTS
        tail = len(text) - whole - length
        return 1000 + 200 * start - tail - len(text) // 8, tuple(range(whole, whole + length))
    places: list[int] = []
    at = -1
    score = 0
    for character in wanted:
        found = _next(lowered, character, at)
        if found < 0:
            return None
        if places and found == at + 1:
            score += 15
        elif found == 0 or lowered[found - 1] in _STARTS:
            score += 8
        at = found
        places.append(found)
    return score - (places[-1] - places[0]) - len(text) // 8, tuple(places)


def best(
    query: str, texts: Iterable[str], limit: int = 60
) -> list[tuple[int, int, tuple[int, ...]]]:
    """The best matches as (rank, number of the text, matched characters)."""
    found = []
    for number, text in enumerate(texts):
        matched = match(query, text)
        if matched is not None:
            found.append((matched[0], number, matched[1]))
    found.sort(key=lambda entry: (-entry[0], entry[1]))
    return found[:limit]


def likely(query: str, texts: Sequence[str], lowered: Sequence[str], limit: int) -> Sequence[str]:
    """At most `limit` of very many texts, among which the best matches are.

    Whatever holds the query as a whole outranks everything else, and of those the shortest lead.
    """
    whole = query.strip()
    found = [text for text, low in zip(texts, lowered, strict=True) if whole in low]
    if not found:
        letters = map(re.escape, query.replace(" ", ""))
        search = re.compile(".*?".join(letters), re.DOTALL).search
        found = [text for text, low in zip(texts, lowered, strict=True) if search(low)]
    return found if len(found) <= limit else nsmallest(limit, found, key=len)


def _next(text: str, character: str, after: int) -> int:
    """The next place of a character, at the beginning of a word if there is one."""
    first = text.find(character, after + 1)
    if first < 0 or first == after + 1:
        return first
    place = first
    while place >= 0:
        if text[place - 1] in _STARTS:
            return place
        place = text.find(character, place + 1)
    return first
