"""Align dumps whose entries are not in the order of their calls: by exact name, then by place."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from studio.tensors.dumps.model import Call

Triple = tuple[int, int, bool]
"""Places in base and candidate, and whether the match is a guess."""


def out_of_order(calls: Sequence[Call]) -> bool:
    """Whether the numbers of forward calls decrease somewhere, so that the order means nothing."""
    last: dict[str, int] = {}
    for call in calls:
        if call.phase != "forward" or call.number < 0:
            continue
        name = call.module or call.api
        if last.get(name, -1) > call.number:
            return True
        last[name] = call.number
    return False


def match_names(
    base: Sequence[Call], candidate: Sequence[Call], a: Sequence[int], b: Sequence[int]
) -> Iterator[Triple]:
    """Match equal names; then the same operator between neighbours that match each other."""
    places = {candidate[j].name: j for j in b}
    found: dict[int, int] = {}
    for i in a:
        j = places.pop(base[i].name, None)
        if j is not None:
            found[i] = j
            yield i, j, False
    waiting: dict[tuple[str, str], list[int]] = defaultdict(list)
    for j in sorted(places.values()):
        waiting[candidate[j].api, candidate[j].phase].append(j)
    for i in a:
        if i in found:
            continue
        near = {found[k] for k in (i - 1, i + 1) if k in found}
        likely = waiting.get((base[i].api, base[i].phase), [])
        j = next((j for j in likely if near & {j - 1, j + 1}), None)
        if j is not None:
            likely.remove(j)
            yield i, j, True
