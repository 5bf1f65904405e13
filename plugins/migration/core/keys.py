"""Keys of findings, by which a decision finds its place again after edits.

A key is `what-where` or `what-where+`: a digest of rule, text, line and enclosing functions, then
one of the lines around it. While only one finding of a file has its `what`, that alone tells it, so
that its neighbours may change. Where several share it (marked +), only the lines around tell them
apart; one that is new beside an old one takes nothing over from that.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from plugins.migration.core.model import Hit
    from plugins.migration.core.positions import Positions

_DEVICE_WORDS = re.compile(r"cuda|npu|nccl|hccl", re.IGNORECASE)
_HEAD = re.compile(r"(?:async\s+)?(?:def|class)\s+(\w+)")
_FARTHEST = 4
_LONG = 20_000  # a longer line is data; its digest stands for it, which bounds the time per finding


def keys_of(text: str, positions: Positions, hits: Iterable[Hit]) -> list[str]:
    """The keys of the hits in a text, in their order."""
    lines = _Lines(positions)
    found: list[tuple[str, str]] = []
    seen: Counter[tuple[str, str]] = Counter()
    for hit in hits:
        line = positions.place(hit.start)[0]
        start = min([hit.start, *(change.start for change in hit.changes)])
        end = max([hit.end, *(change.end for change in hit.changes)])
        old = " ".join(text[start:end].split())[:400]
        what = digest(hit.rule, old, lines.row(line), lines.scope(line))[:12]
        around = digest(*lines.around(line))[:8]
        seen[what, around] += 1
        number = seen[what, around]
        found.append((what, around if number == 1 else digest(around, str(number))[:8]))
    shared = Counter(what for what, _ in found)
    return [f"{what}-{where}{'+' * (shared[what] > 1)}" for what, where in found]


def digest(*parts: str) -> str:
    """A short digest of texts."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:20]


def lasting(key: str) -> str:
    """The part of a key that stays when others come to share its `what`."""
    return key.removesuffix("+")


def place_of(saved: Mapping[str, str], key: str) -> str:
    """The saved key that a finding's key means, "" if there is none."""
    exact = lasting(key)
    if exact in saved:
        return exact
    what, _, where = key.partition("-")
    if not where or key.endswith("+"):
        return ""
    near = [one for one in saved if one.startswith(f"{what}-")]
    return near[0] if len(near) == 1 else ""


def decided(saved: Mapping[str, str], key: str) -> str:
    """What was saved for a finding's key, "" for nothing."""
    return saved.get(place_of(saved, key), "")


class _Lines:
    """The lines of a text as context: normalised, with the functions around them."""

    def __init__(self, positions: Positions) -> None:
        self._positions = positions
        self._count = len(positions.starts)
        self._outer: dict[int, int] = {}
        self._scopes: dict[int, str] = {}
        self._long: dict[int, str] = {}

    def row(self, line: int) -> str:
        if line in self._long:
            return self._long[line]
        row = " ".join(self._positions.line_text(line).split())
        if len(row) > _LONG:
            row = self._long[line] = digest(_DEVICE_WORDS.sub("", row))
        return row

    def around(self, line: int) -> tuple[str, str]:
        """The nearest lines with code before and behind, without the words a migration changes.

        Lines that read like the line itself tell nothing: a copy beside it changes no key.
        """
        own = self.row(line)
        before, behind = range(line - 1, 0, -1), range(line + 1, self._count + 1)
        return self._near(before, own), self._near(behind, own)

    def _near(self, lines: Iterable[int], own: str) -> str:
        for number, line in enumerate(lines):
            row = self.row(line)
            if row and row != own and not row.startswith("#") and row != "import torch_npu":
                return _DEVICE_WORDS.sub("", row)
            if number > _FARTHEST:
                break
        return ""

    def scope(self, line: int) -> str:
        """The names of the functions and classes around a line, by its indentation."""
        chain = [line]
        while chain[-1] not in self._scopes and (above := self._around(chain[-1])):
            chain.append(above)
        above = chain.pop()
        scope = self._scopes.setdefault(above, "")
        for inner in reversed(chain):
            if match := _HEAD.match(self._indented(above)[0]):
                scope = f"{scope}.{match[1]}" if scope else match[1]
            self._scopes[inner] = scope
            above = inner
        return scope

    def _around(self, line: int) -> int:
        """The nearest line above that is indented less than a line, 0 if there is none."""
        if line not in self._outer:
            self._outer[line] = self._found_around(line)
        return self._outer[line]

    def _found_around(self, line: int) -> int:
        depth = self._indented(line)[1]
        if depth == 0:
            return 0
        text, starts = self._positions.text, self._positions.starts
        for above in range(line - 1, 0, -1):
            if above in self._outer and self._indented(above)[1] == depth:
                return self._outer[above]
            start = starts[above - 1]
            if not text[start : start + depth].isspace():  # a quick look at most lines
                inner, indent = self._indented(above)
                if indent < depth and inner and not inner.startswith(("#", ")", "]")):
                    return above
        return 0

    def _indented(self, line: int) -> tuple[str, int]:
        """A line without its indentation, and how deep that is."""
        text = self._positions.line_text(line)
        inner = text.lstrip()
        return inner, len(text) - len(inner)
