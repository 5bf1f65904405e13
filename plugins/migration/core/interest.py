"""Where in a text something of interest may stand, found by plain searches for words.

Searching a text for a hundred words one by one is several times faster than one pattern of them
all, since each search is a single pass in C that mostly skips.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from plugins.migration.core.tables import libraries

if TYPE_CHECKING:
    from collections.abc import Iterable

_ANY_CASE = ("cuda", "nccl", "cudnn", "cublas", "nvidia")
_ANYWHERE = ("device", "map_location", "rofiler", ".double(")
_WORDS = (
    "to", "to_empty", "softmax", "rsqrt", "rotate_half", "_rotate_half", "masked_fill",
    "masked_fill_", "key_averages", "jit", "install_requires", "extras_require",
)  # fmt: skip
_CALLED = re.compile(r"\s*\(")


def places(text: str, names: Iterable[str] = ()) -> list[int]:
    """The offsets at which words of interest and the given names stand."""
    found: list[int] = []
    lowered = text.lower()
    for word in _ANY_CASE:
        # A few letters grow when they are made small, which moves what stands behind them.
        found += _all(lowered, word) if len(lowered) == len(text) else _folded(text, word)
    for word in _ANYWHERE:
        found += _all(text, word)
    for word in {*_WORDS, *words_of_tables(), *names}:
        size = len(word)
        for place in _all(text, word):
            whole = _begins(text, place) and _ends(text, place + size)
            if whole and (word != "to" or _CALLED.match(text, place + size)):
                found.append(place)
    return found


def speaks_of_interest(text: str) -> bool:
    """Whether any word of interest stands in a text that does not speak of torch."""
    return "torch" in text or bool(places(text))


@cache
def words_of_tables() -> frozenset[str]:
    """The libraries and the features of torch that the tables name, by the word in the code."""
    named = libraries()
    last = {name.rpartition(".")[2] for name in named if name.startswith("torch.")}
    return frozenset(last | {name.partition(".")[0] for name in named} - {"torch"})


def _all(text: str, word: str) -> list[int]:
    found: list[int] = []
    place = text.find(word)
    while place >= 0:
        found.append(place)
        place = text.find(word, place + 1)
    return found


def _folded(text: str, word: str) -> list[int]:
    return [match.start() for match in re.finditer(word, text, re.IGNORECASE)]


def _begins(text: str, place: int) -> bool:
    before = text[place - 1] if place else " "
    return not (before.isalnum() or before == "_")


def _ends(text: str, place: int) -> bool:
    behind = text[place : place + 1]
    return not (behind.isalnum() or behind == "_")
