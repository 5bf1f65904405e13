"""Which rows msprobe puts beside each other: by exact name, by a mapping, or fuzzily."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from plugins.precision.core.compat.cells import Side

Pair = tuple["Side", "Side | None"]
_PHASE = re.compile(r"forward|backward")
_FLOATS = ({"float16", "float32", "float64", "bfloat16"},)


def match_exactly(
    npu: Sequence[Side], bench: Sequence[Side], names: Mapping[str, str] | None = None
) -> list[Pair]:
    """Join on the names; `names` replaces names of the device by those of the reference."""
    by_key: dict[str, list[Side]] = defaultdict(list)
    for side in bench:
        by_key[side.key].append(side)
    pairs: list[Pair] = []
    for side in npu:
        found = by_key.get((names or {}).get(side.name, side.key))
        if found:
            pairs.extend((side, other) for other in found)
        else:
            pairs.append((side, None))
    return [pair if names else _same_kind(pair) for pair in pairs]


def match_fuzzily(npu: Sequence[Side], bench: Sequence[Side]) -> list[Pair]:
    """Join on the names without call numbers, through two queues that fill in step."""
    waiting_npu, waiting_bench = _Queue(), _Queue()
    pairs: list[Pair] = []
    for place in range(max(len(npu), len(bench))):
        new_npu = npu[place] if place < len(npu) else None
        new_bench = bench[place] if place < len(bench) else None
        if new_npu is not None:
            waiting_npu.push(new_npu)
        if new_bench is not None:
            waiting_bench.push(new_bench)
        if bool(waiting_npu) != bool(waiting_bench):
            break
        n, b = _meet(waiting_npu, waiting_bench)
        if n < 0:
            continue
        skipped, side = waiting_npu.take(n)
        pairs += [(other, None) for other in skipped]
        pairs.append((side, waiting_bench.take(b)[1]))
    pairs += [(side, None) for side in waiting_npu]
    return [_same_kind(pair) for pair in pairs]


def _meet(npu: _Queue, bench: _Queue) -> tuple[int, int]:
    """Return the places in the two queues that match, (-1, -1) when none do."""
    newest_npu, newest_bench = npu.newest, bench.newest
    found = bench.first(newest_npu)
    if found >= 0:
        return npu.last, found
    found = npu.first(newest_bench)
    return (found, bench.last) if found >= 0 else (-1, -1)


class _Queue:
    """Sides that wait for their counterpart, with their names without call numbers."""

    def __init__(self) -> None:
        self._sides: deque[tuple[int, str, Side]] = deque()
        self._places: dict[str, deque[int]] = defaultdict(deque)
        self._count = 0
        self.newest = ""

    def __bool__(self) -> bool:
        return bool(self._sides)

    def __iter__(self) -> Iterator[Side]:
        return (side for _, _, side in self._sides)

    @property
    def last(self) -> int:
        return self._count - 1

    def push(self, side: Side) -> None:
        self.newest = unnumbered(side.name)
        self._sides.append((self._count, self.newest, side))
        self._places[self.newest].append(self._count)
        self._count += 1

    def first(self, name: str) -> int:
        places = self._places.get(name)
        return places[0] if places else -1

    def take(self, place: int) -> tuple[list[Side], Side]:
        """Remove all up to a place; returns those before it, and the one at it."""
        skipped: list[Side] = []
        while True:
            at, name, side = self._sides.popleft()
            self._places[name].popleft()
            if at == place:
                return skipped, side
            skipped.append(side)


def unnumbered(name: str) -> str:
    """Return a value's name without the number of its call."""
    if "forward" not in name and "backward" not in name:
        return name
    word = "forward" if "forward" in name else "backward"
    parts = name.split(word)
    return f"{parts[0].rsplit('.', 2)[0]}.{word}{parts[1]}"


def _same_kind(pair: Pair) -> Pair:
    """Part a pair whose element types have nothing to do with each other."""
    npu, bench = pair
    if bench is None or npu.dtype == bench.dtype:
        return pair
    plain = {npu.dtype.removeprefix("torch."), bench.dtype.removeprefix("torch.")}
    prefixed = npu.dtype.startswith("torch.") == bench.dtype.startswith("torch.")
    return pair if prefixed and plain <= _FLOATS[0] else (npu, None)
