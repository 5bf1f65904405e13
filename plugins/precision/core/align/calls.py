"""Align the calls of two runs: what is the same, moved, new, gone, merged or done twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugins.precision.core.align.by_name import match_names, out_of_order
from plugins.precision.core.align.change import CallPair, Change
from plugins.precision.core.align.gaps import explain
from plugins.precision.core.align.keys import Keys, keys_of, module_of, without, wrappers
from studio.tensors.dumps.collecting import without_collection
from studio.tensors.sequences import align

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from plugins.precision.core.align.keys import Frame
    from studio.tensors.dumps.model import Part

    Sources = Mapping[int, Frame] | None


def align_calls(
    base: Part,
    candidate: Part,
    names: Mapping[str, str] | None = None,
    sources: tuple[Sources, Sources] = (None, None),
) -> list[CallPair]:
    """Return all calls of both runs in the base's order.

    `names` maps names of calls of the candidate to those of the base, as a user's mapping file
    does; it goes before everything else. `sources` are the lines that made the calls of both sides,
    when they are known already.
    """
    with without_collection():
        left, right = _keys(base, candidate, sources)
    pairs: dict[int, tuple[int, Change]] = _mapped(base, candidate, names or {})
    taken = {j for j, _ in pairs.values()}
    a = [i for i in range(len(base.calls)) if i not in pairs]
    b = [j for j in range(len(candidate.calls)) if j not in taken]
    if out_of_order(base.calls) or out_of_order(candidate.calls):
        for i, j, fuzzy in match_names(base.calls, candidate.calls, a, b):
            pairs[i] = (j, Change.FUZZY if fuzzy else Change.SAME)
    else:
        for i, j in _in_sequence(left, right, a, b):
            same = base.calls[i].name == candidate.calls[j].name
            pairs[i] = (j, Change.SAME if same else Change.RENUMBERED)
    return explain(base, candidate, left, right, pairs)


def _keys(
    base: Part, candidate: Part, sources: tuple[Sources, Sources]
) -> tuple[list[Keys], list[Keys]]:
    one = [module_of(call) for call in base.calls]
    two = [module_of(call) for call in candidate.calls]
    drop_base, drop_candidate = wrappers(one, two)
    kinds = {base.framework, candidate.framework}
    foreign = "mindspore" in kinds and len(kinds) > 1
    return (
        keys_of(base, _dropping(drop_base), sources[0], foreign=foreign),
        keys_of(candidate, _dropping(drop_candidate), sources[1], foreign=foreign),
    )


def _dropping(steps: int) -> Callable[[str], str]:
    return (lambda path: without(path, steps)) if steps else str


def _mapped(base: Part, candidate: Part, names: Mapping[str, str]) -> dict[int, tuple[int, Change]]:
    places = {call.name: i for i, call in enumerate(base.calls)}
    found = {}
    for j, call in enumerate(candidate.calls):
        i = places.get(names.get(call.name, ""))
        if i is not None:
            found[i] = (j, Change.MAPPED)
    return found


def _in_sequence(
    left: list[Keys], right: list[Keys], a: list[int], b: list[int]
) -> list[tuple[int, int]]:
    """Align by the most particular keys first, then what remains between by more general ones."""
    gaps = [(a, b)]
    matches: list[tuple[int, int]] = []
    for level in ("exact", "placed", "plain"):
        rest = []
        for one, two in gaps:
            found = align(
                [getattr(left[i], level) for i in one], [getattr(right[j], level) for j in two]
            )
            matches += [(one[x], two[y]) for x, y in found]
            rest += _between(one, two, found)
        gaps = rest
    return matches


def _between(
    one: list[int], two: list[int], found: list[tuple[int, int]]
) -> list[tuple[list[int], list[int]]]:
    gaps, a, b = [], 0, 0
    for x, y in [*found, (len(one), len(two))]:
        if x > a and y > b:
            gaps.append((one[a:x], two[b:y]))
        a, b = x + 1, y + 1
    return gaps
