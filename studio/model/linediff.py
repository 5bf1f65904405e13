"""Which lines of two texts are the same, in order: fast for long and for repetitive texts. No Qt.

Lines that occur once on both sides are anchors, as in patience diff
(https://bramcohen.livejournal.com/73318.html); the longest increasing run of them splits the texts.
Between anchors the shortest edit script is found (Myers, "An O(ND) Difference Algorithm and Its
Variations", 1986), unless it is too long to be worth finding.
"""

from __future__ import annotations

import difflib
import re
from array import array
from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

Block = tuple[int, int, int, int]
"""Lines `[left start, left end)` that face lines `[right start, right end)`."""

Pair = tuple[int, int]

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_LONGEST_SCRIPT = 800
"""A longer edit script between two anchors is not searched for: the time grows with its square."""
_FIRST_LEAP = 32


def split_lines(text: str) -> list[str]:
    """Split at LF, CRLF and CR only, ends kept; after a last line end stands an empty line.

    (`str.splitlines` also splits at form feeds and other characters that no editor treats so.)
    """
    lines = _LINE.findall(text)
    if len(lines) > 1 and lines[-2][-1:] not in ("\r", "\n"):
        lines.pop()
    return lines


def differing(left: Sequence[Hashable], right: Sequence[Hashable]) -> Iterator[Block]:
    """The blocks in which two sequences of lines differ, in order."""
    i = j = 0
    for x, y in [*matches(left, right), (len(left), len(right))]:
        if i < x or j < y:
            yield i, x, j, y
        i, j = x + 1, y + 1


def matches(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[Pair]:
    """The places of lines that are the same, increasing in both sequences."""
    numbers: dict[Hashable, int] = {}
    a = array("L", [numbers.setdefault(line, len(numbers)) for line in left])
    b = array("L", [numbers.setdefault(line, len(numbers)) for line in right])
    found: list[Pair] = []
    waiting = [(0, len(a), 0, len(b))]
    while waiting:
        i, i_end, j, j_end = waiting.pop()
        head = _alike(a, i, i_end, b, j, j_end)
        found += ((i + k, j + k) for k in range(head))
        i, j = i + head, j + head
        while i < i_end and j < j_end and a[i_end - 1] == b[j_end - 1]:
            i_end, j_end = i_end - 1, j_end - 1
            found.append((i_end, j_end))
        if i == i_end or j == j_end:
            continue
        anchors = _anchors(a, i, i_end, b, j, j_end)
        if not anchors:
            found += _between(a, i, i_end, b, j, j_end)
            continue
        found += anchors
        for x, y in [*anchors, (i_end, j_end)]:
            if i < x and j < y:
                waiting.append((i, x, j, y))
            i, j = x + 1, y + 1
    return sorted(found)


def _alike(a: array[int], i: int, i_end: int, b: array[int], j: int, j_end: int) -> int:
    """How many lines are the same from two places on; in leaps, as runs can be long."""
    most = min(i_end - i, j_end - j)
    done, leap = 0, _FIRST_LEAP
    while done < most:
        leap = min(leap, most - done)
        if a[i + done : i + done + leap] == b[j + done : j + done + leap]:
            done, leap = done + leap, leap * 2
        elif leap > _FIRST_LEAP:
            leap = _FIRST_LEAP
        else:
            while a[i + done] == b[j + done]:
                done += 1
            break
    return done


def _anchors(a: array[int], i: int, i_end: int, b: array[int], j: int, j_end: int) -> list[Pair]:
    left, right = a[i:i_end], b[j:j_end]
    once = _once(left) & _once(right)
    if not once:
        return []
    places = {line: n for n, line in enumerate(right) if line in once}
    pairs = [(n, places[line]) for n, line in enumerate(left) if line in once]
    return [(i + pairs[n][0], j + pairs[n][1]) for n in _increasing([y for _, y in pairs])]


def _once(lines: array[int]) -> set[int]:
    return {line for line, count in Counter(lines).items() if count == 1}


def _increasing(places: Sequence[int]) -> list[int]:
    """Which entries form the longest strictly increasing run."""
    tails: list[int] = []
    ends: list[int] = []
    before = [-1] * len(places)
    for n, place in enumerate(places):
        at = bisect_left(tails, place)
        before[n] = ends[at - 1] if at else -1
        tails[at : at + 1] = [place]
        ends[at : at + 1] = [n]
    run: list[int] = []
    n = ends[-1] if ends else -1
    while n >= 0:
        run.append(n)
        n = before[n]
    return run[::-1]


def _between(a: array[int], i: int, i_end: int, b: array[int], j: int, j_end: int) -> list[Pair]:
    """Match what repeats itself; lines that the other side lacks are out of the question."""
    common = set(a[i:i_end]) & set(b[j:j_end])
    if not common:
        return []
    rows = [n for n in range(i, i_end) if a[n] in common]
    columns = [n for n in range(j, j_end) if b[n] in common]
    x = array("L", [a[n] for n in rows])
    y = array("L", [b[n] for n in columns])
    pairs = _shortest(x, y)
    if pairs is None:
        matcher = difflib.SequenceMatcher(None, x, y, autojunk=True)
        pairs = [
            (p + k, q + k) for p, q, size in matcher.get_matching_blocks() for k in range(size)
        ]
    return [(rows[p], columns[q]) for p, q in pairs]


def _shortest(a: array[int], b: array[int]) -> list[Pair] | None:
    """The matches of a shortest edit script, None when that is too long."""
    n, m = len(a), len(b)
    most = min(n + m, _LONGEST_SCRIPT)
    middle = most + 1
    furthest = array("l", [-1]) * (2 * middle + 1)
    furthest[middle + 1] = 0
    passed: list[array[int]] = []
    for edits in range(most + 1):
        passed.append(furthest[middle - edits - 1 : middle + edits + 2])
        for k in range(-edits, edits + 1, 2):
            below, above = furthest[middle + k - 1], furthest[middle + k + 1]
            x = above if _goes_down(k, edits, below, above) else below + 1
            if x <= n and x - k <= m:
                x += _alike(a, x, n, b, x - k, m)
            furthest[middle + k] = x
            if x == n and x - k == m:
                return _walked_back(passed, n, m)
    return None


def _goes_down(k: int, edits: int, below: int, above: int) -> bool:
    """Whether the furthest path on diagonal `k` comes from the one above: a line was added."""
    return k == -edits or (k != edits and below < above)


def _walked_back(passed: list[array[int]], x: int, y: int) -> list[Pair]:
    pairs: list[Pair] = []
    for edits in range(len(passed) - 1, -1, -1):
        k, furthest = x - y, passed[edits]
        at = k + edits + 1
        down = _goes_down(k, edits, furthest[at - 1], furthest[at + 1])
        from_x = furthest[at + 1] if down else furthest[at - 1]
        from_y = from_x - (k + 1 if down else k - 1)
        first = from_x if down else from_x + 1
        while x > first:
            x, y = x - 1, y - 1
            pairs.append((x, y))
        x, y = from_x, from_y
    return pairs[::-1]
