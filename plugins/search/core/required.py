"""What a regular expression cannot match without: most files and lines are told by that alone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_UNSURE = re.compile(r"\(\?(?!:|P<|P=|=|!|<=|<!)")
"""Flags, comments, conditions and atomic groups: of these nothing is claimed."""

_AROUND = re.compile(r"\(\?(?:=|!|<=|<!)|\\[AZ]|[*+?}]\+")
"""What looks beyond the line of its match, or gives a match up because of what follows it."""

_COUNT = re.compile(r"\{\d*,?\d*\}")
_ONE_CHARACTER = frozenset("bBdDsSwWAZnrtfva")


@dataclass(frozen=True)
class Required:
    """Texts that stand in every match, ASCII only.

    `first` is the text that every match begins with. `in_line` says that a match within one line is
    also found when nothing but that line is looked at.
    """

    texts: tuple[str, ...] = ()
    first: str = ""
    in_line: bool = False

    @property
    def longest(self) -> str:
        """The text that fits least often."""
        return max(self.texts, key=len, default="")


@lru_cache(maxsize=16)
def required_by(source: str) -> Required:
    """Read an expression that is valid; nothing is required when that is not certain."""
    if _UNSURE.search(source):
        return Required()
    runs = _runs(source)
    if runs is None:
        return Required()
    texts = tuple(run for run in runs if run and run.isascii())
    first = runs[0] if runs and runs[0].isascii() else ""
    return Required(texts, first, in_line=_AROUND.search(source) is None)


def _runs(source: str) -> list[str] | None:
    """The texts between all that is no plain character, the first one at the very beginning."""
    runs, run = [], ""
    at = 0
    while at < len(source):
        character = source[at]
        plain = ""
        if character == "|":
            return None
        if character == "\\":
            at += 1
            escaped = source[at]
            if not escaped.isalnum():
                plain = escaped
            elif escaped not in _ONE_CHARACTER:
                return None
        elif character == "[":
            at = _end_of_set(source, at)
        elif character == "(":
            at = _end_of_group(source, at)
        elif character in "*?{":
            run = run[:-1]
            if count := _COUNT.match(source, at):
                at = count.end() - 1
        elif character not in ".^$+":
            plain = character
        at += 1
        if plain:
            run += plain
        else:
            runs.append(run)
            run = ""
    return [*runs, run]


def _end_of_set(source: str, at: int) -> int:
    """Where the `]` of a set of characters stands."""
    at += 2 if source.startswith("[^", at) else 1
    first = at
    while source[at] != "]" or at == first:
        at += 2 if source[at] == "\\" else 1
    return at


def _end_of_group(source: str, at: int) -> int:
    """Where the parenthesis that ends a group stands."""
    depth = 0
    while True:
        character = source[at]
        if character == "\\":
            at += 1
        elif character == "[":
            at = _end_of_set(source, at)
        elif character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
            if not depth:
                return at
        at += 1
