"""A text made of pieces of other texts, so that a change of a long one copies next to nothing.

Known as a piece table: every piece is a stretch of a string that nobody changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Part = tuple[str, int, int]

_SHORT = 20_000
"""Neighbours that are shorter together become one, so that there are never very many."""


class Pieces:
    """A text that does not change; `replaced` makes another one that shares most of it."""

    __slots__ = ("_length", "_parts", "_text")

    def __init__(self, parts: tuple[Part, ...], text: str | None = None) -> None:
        self._parts = parts
        self._length = sum(end - start for _, start, end in parts)
        self._text = text

    @classmethod
    def of(cls, text: str | Pieces) -> Pieces:
        """A text as pieces; one that is made of them stays as it is."""
        if isinstance(text, Pieces):
            return text
        return cls(((text, 0, len(text)),) if text else (), text)

    @property
    def text(self) -> str:
        """The whole text as one string, joined when first asked for."""
        if self._text is None:
            self._text = "".join(base[start:end] for base, start, end in self._parts)
        return self._text

    def __len__(self) -> int:
        """The number of characters."""
        return self._length

    def __eq__(self, other: object) -> bool:
        """Whether both are the same text; what they share is not looked at."""
        if not isinstance(other, Pieces):
            return NotImplemented
        if self is other:
            return True
        return self._length == other._length and self.changed_span(other) == (
            self._length,
            self._length,
            "",
        )

    __hash__ = None  # type: ignore[assignment] # long texts are no keys

    def between(self, start: int, end: int) -> str:
        """The characters from one offset up to another."""
        return "".join(base[a:b] for base, a, b in self._stretch(start, end))

    def blocks(self, size: int) -> Iterator[str]:
        """The text bit by bit, at most so many characters at a time."""
        for base, start, end in self._parts:
            for at in range(start, end, size):
                yield base[at : min(at + size, end)]

    def replaced(self, start: int, end: int, text: str) -> Pieces:
        """The text with a stretch of it replaced."""
        parts: list[Part] = []
        new = (text, 0, len(text))
        stretches = (*self._stretch(0, start), new, *self._stretch(end, self._length))
        for part in stretches:
            if part[1] == part[2]:
                continue
            if parts and _size(parts[-1]) + _size(part) <= _SHORT:
                joined = _string(parts.pop()) + _string(part)
                part = joined, 0, len(joined)
            parts.append(part)
        return Pieces(tuple(parts))

    def changed_span(self, new: Pieces) -> tuple[int, int, str]:
        """Find what turns this text into `new`: `[start, end)` replaced by a text.

        Shared pieces are passed over; (length, length, "") for the same text.
        """
        head = _shared(self._parts, new._parts, 1)
        rest = min(self._length, new._length) - head
        tail = min(_shared(self._parts[::-1], new._parts[::-1], -1), rest)
        old_middle = self.between(head, self._length - tail)
        new_middle = new.between(head, new._length - tail)
        if old_middle == new_middle:
            return self._length, self._length, ""
        shorter = min(len(old_middle), len(new_middle))
        first = common_head(old_middle, new_middle, shorter)
        last = common_tail(old_middle, new_middle, shorter - first)
        return (
            head + first,
            self._length - tail - last,
            new_middle[first : len(new_middle) - last],
        )

    def _stretch(self, start: int, end: int) -> Iterator[Part]:
        at = 0
        for base, first, last in self._parts:
            if at >= end:
                return
            low, high = max(start - at, 0), min(end - at, last - first)
            if low < high:
                yield base, first + low, first + high
            at += last - first


def common_head(old: Sequence[object], new: Sequence[object], limit: int) -> int:
    """How many characters or other things two sequences begin with alike, at most; by halving."""
    low, high = 0, limit
    if old[:high] == new[:high]:
        return high
    while high - low > 1:
        middle = (low + high) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle
    return low


def common_tail(old: Sequence[object], new: Sequence[object], limit: int) -> int:
    """How many characters or other things two sequences end with alike, at most so many."""
    low, high = 0, limit
    if limit <= 0 or old[-limit:] == new[-limit:]:
        return max(limit, 0)
    while high - low > 1:
        middle = (low + high) // 2
        if old[len(old) - middle : len(old) - low] == new[len(new) - middle : len(new) - low]:
            low = middle
        else:
            high = middle
    return low


def _shared(old: tuple[Part, ...], new: tuple[Part, ...], way: int) -> int:
    """How many characters at one end stand in the same place of the same string.

    `way` is 1 from the beginning; from the end it is -1, and the parts come in reversed order.
    """
    count = at = other = done = gone = 0
    while at < len(old) and other < len(new):
        base, start, end = old[at]
        base2, start2, end2 = new[other]
        same = start + done == start2 + gone if way > 0 else end - done == end2 - gone
        if base is not base2 or not same:
            break
        step = min(end - start - done, end2 - start2 - gone)
        count, done, gone = count + step, done + step, gone + step
        if done == end - start:
            at, done = at + 1, 0
        if gone == end2 - start2:
            other, gone = other + 1, 0
    return count


def _size(part: Part) -> int:
    return part[2] - part[1]


def _string(part: Part) -> str:
    base, start, end = part
    return base[start:end]
