"""Where in a text something of interest may stand, found by plain searches for words.

One pass finds which words a text has at all. Those of interest among them are then searched for one
by one, which is several times faster than one pattern of them all, since each search is a single
pass in C that mostly skips.
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
    "masked_fill_", "key_averages", "jit", "Trainer", "Fabric",
    "TensorrtExecutionProvider", "install_requires", "extras_require",
)  # fmt: skip
_CALLED = re.compile(r"\s*\(")
_WORD = re.compile(r"\w+")
_SPACED = bytes(c if chr(c).isalnum() or c == 95 else 32 for c in range(128)) + bytes(128)


def words_in(text: str) -> frozenset[str]:
    """All the words that stand in a text."""
    if text.isascii():  # by way of bytes it takes a third of the time
        return frozenset(text.encode().translate(_SPACED).decode().split())
    return frozenset(_WORD.findall(text))


def places(
    text: str, words: frozenset[str], names: Iterable[str] = (), lowered: str = ""
) -> list[int]:
    """The offsets at which words of interest and the given names stand.

    `words` are all words of the text, `lowered` is the text in small letters if that is known.
    """
    found: list[int] = []
    lowered = lowered or text.lower()
    for word in _ANY_CASE:
        # A few letters grow when they are made small, which moves what stands behind them.
        found += _all(lowered, word) if len(lowered) == len(text) else _folded(text, word)
    for word in _ANYWHERE:
        found += _all(text, word)
    for word in words & _words_of_interest() | words.intersection(names):
        size = len(word)
        for place in _all(text, word):
            whole = _begins(text, place) and _ends(text, place + size)
            if whole and (word != "to" or _CALLED.match(text, place + size)):
                found.append(place)
    return found


def speaks_of_interest(text: str) -> bool:
    """Whether any word of interest stands in a text that does not speak of torch."""
    return "torch" in text or bool(places(text, words_in(text)))


@cache
def _words_of_interest() -> frozenset[str]:
    return words_of_tables() | frozenset(_WORDS)


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
