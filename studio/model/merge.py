"""Bringing together two texts that came from one: what only one of them changed is taken. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.model.document import unreadable
from studio.model.encoding import Decoded, decode
from studio.model.linediff import differing, matches, split_lines
from studio.model.stamps import Stamp, stamp

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

Span = tuple[int, int]


class Kind(Enum):
    """Who changed the lines of a hunk."""

    SAME = "same"
    MINE = "mine"
    THEIRS = "theirs"
    ALIKE = "alike"
    CONFLICT = "conflict"


class Choice(Enum):
    """What becomes of a hunk; OPEN is a conflict that nobody has decided about."""

    OPEN = "open"
    BASE = "base"
    MINE = "mine"
    THEIRS = "theirs"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines of the three texts (half open, from 0) that belong together."""

    kind: Kind
    base: Span
    mine: Span
    theirs: Span

    @property
    def clean(self) -> Choice:
        """What becomes of it without asking."""
        if self.kind is Kind.CONFLICT:
            return Choice.OPEN
        return Choice.THEIRS if self.kind is Kind.THEIRS else Choice.MINE


@dataclass(frozen=True, slots=True)
class Merge:
    """Three texts by lines, their ends kept, and their hunks, which cover all of them in order."""

    base: tuple[str, ...]
    mine: tuple[str, ...]
    theirs: tuple[str, ...]
    hunks: tuple[Hunk, ...]

    def lines(self, hunk: Hunk, choice: Choice) -> tuple[str, ...]:
        """What stands in the result for a hunk; the lines before the change while it is open."""
        mine, theirs = self.mine[slice(*hunk.mine)], self.theirs[slice(*hunk.theirs)]
        if choice is Choice.BOTH:
            return (*mine, *theirs)
        if choice in (Choice.OPEN, Choice.BASE):
            return self.base[slice(*hunk.base)]
        return mine if choice is Choice.MINE else theirs

    def result(self, choices: Sequence[Choice]) -> str:
        """The merged text for one choice per hunk."""
        lines = [
            line
            for hunk, choice in zip(self.hunks, choices, strict=True)
            for line in self.lines(hunk, choice)
        ]
        end = next((line[len(line.rstrip("\r\n")) :] for line in lines if line[-1:] == "\n"), "\n")
        for n, line in enumerate(lines[:-1]):  # a text's last line may have no end
            if line and line[-1] not in "\r\n":
                lines[n] = line + end
        return "".join(lines)


@dataclass(frozen=True, slots=True)
class DiskMerge:
    """A merge with what a file holds, and what is needed to go on from there."""

    merge: Merge
    theirs: Decoded
    found: Stamp


def merge(base: str | None, mine: str, theirs: str) -> Merge:
    """Compare two texts with the one they came from; without one, all differences are conflicts.

    The way of diff3 (Khanna, Kunal, Pierce, "A Formal Investigation of Diff3", 2007): lines that
    all three have in common part the texts into hunks.
    """
    ours, other = split_lines(mine), split_lines(theirs)
    if base is None:
        hunks = tuple(_two_way(ours, other))
        return Merge((), tuple(ours), tuple(other), hunks)
    lines = split_lines(base)
    return Merge(tuple(lines), tuple(ours), tuple(other), tuple(_hunks(lines, ours, other)))


def merge_with_disk(path: Path, base: str | None, mine: str, encoding: str | None) -> DiskMerge:
    """Merge an edited text with what its file holds now; StudioError when that is no text."""
    try:
        data = path.read_bytes()
        found = stamp(path, data)
    except OSError as error:
        raise unreadable(path, error) from error
    theirs = decode(data, encoding)
    if theirs.lossy:
        raise StudioError(
            tr("{file} on disk is no text any more: it cannot be merged.", file=path.name),
            path=path,
        )
    return DiskMerge(merge(base, mine, theirs.text), theirs, found)


def _hunks(base: list[str], mine: list[str], theirs: list[str]) -> Iterator[Hunk]:
    other = dict(matches(base, theirs))
    anchors = [(b, m, other[b]) for b, m in matches(base, mine) if b in other]
    b = m = t = 0
    same = (0, 0, 0)
    for anchor in [*anchors, (len(base), len(mine), len(theirs))]:
        if anchor != (b, m, t):
            yield from _run_of_same(same, (b, m, t))
            yield _changed(base, mine, theirs, (b, m, t), anchor)
            same = anchor
        b, m, t = (n + 1 for n in anchor)
    yield from _run_of_same(same, (b - 1, m - 1, t - 1))


def _run_of_same(first: tuple[int, int, int], last: tuple[int, int, int]) -> Iterator[Hunk]:
    if first[0] < last[0]:
        spans = [(a, b) for a, b in zip(first, last, strict=True)]
        yield Hunk(Kind.SAME, *spans)


def _changed(
    base: list[str], mine: list[str], theirs: list[str],
    first: tuple[int, int, int], last: tuple[int, int, int],
) -> Hunk:  # fmt: skip
    spans = [(a, b) for a, b in zip(first, last, strict=True)]
    before, ours, other = base[slice(*spans[0])], mine[slice(*spans[1])], theirs[slice(*spans[2])]
    if ours == other:
        kind = Kind.ALIKE
    elif ours == before:
        kind = Kind.THEIRS
    else:
        kind = Kind.MINE if other == before else Kind.CONFLICT
    return Hunk(kind, *spans)


def _two_way(mine: list[str], theirs: list[str]) -> Iterator[Hunk]:
    i = j = 0
    for i1, i2, j1, j2 in differing(mine, theirs):
        if i < i1:
            yield Hunk(Kind.SAME, (0, 0), (i, i1), (j, j1))
        yield Hunk(Kind.CONFLICT, (0, 0), (i1, i2), (j1, j2))
        i, j = i2, j2
    if i < len(mine):
        yield Hunk(Kind.SAME, (0, 0), (i, len(mine)), (j, len(theirs)))
