"""Say what became of the calls that have no counterpart in their place."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from plugins.precision.core.align.change import CallPair, Change

if TYPE_CHECKING:
    from plugins.precision.core.align.keys import Keys
    from studio.tensors.dumps.model import Call, Part

_GROUP = 12


def explain(
    base: Part,
    candidate: Part,
    left: list[Keys],
    right: list[Keys],
    pairs: dict[int, tuple[int, Change]],
) -> list[CallPair]:
    """Return all calls in the base's order; calls of the candidate come after their predecessor."""
    pairs = dict(pairs)
    others: dict[int, tuple[int, ...]] = {}
    gone = [i for i in range(len(base.calls)) if i not in pairs]
    taken = {j for j, _ in pairs.values()}
    new = [j for j in range(len(candidate.calls)) if j not in taken]
    for i, j in _moved(left, right, gone, new):
        pairs[i] = (j, Change.REORDERED)
    groups = _merged(base, candidate, pairs)
    for group in groups:
        removed, inserted = group
        single = len(removed) == len(inserted) == 1
        pairs[removed[-1]] = (inserted[-1], Change.REPLACED if single else Change.FUSED)
        others[removed[-1]] = removed[:-1] if len(removed) > 1 else ()
        if len(inserted) > 1:
            others[-1 - inserted[-1]] = inserted[:-1]
    hidden_base = {i for removed, _ in groups for i in removed[:-1]}
    hidden = {j for _, inserted in groups for j in inserted[:-1]}
    by_candidate = {j: i for i, (j, _) in pairs.items()}
    again = _repeated(candidate, right, set(by_candidate))
    result: list[CallPair] = []

    def add_new(j: int) -> None:
        if j in hidden:
            return
        original = again.get(j)
        call = candidate.calls[j]
        if original is None or original not in by_candidate:
            result.append(CallPair(Change.INSERTED, None, call))
        else:
            first = base.calls[by_candidate[original]]
            result.append(CallPair(Change.RECOMPUTED, first, call))

    after = _followers(len(candidate.calls), by_candidate)
    for j in after.get(-1, ()):
        add_new(j)
    for i, call in enumerate(base.calls):
        if i in hidden_base:
            continue
        if i not in pairs:
            result.append(CallPair(Change.REMOVED, call, None))
            continue
        j, change = pairs[i]
        more = [base.calls[k] for k in others.get(i, ())]
        more += [candidate.calls[k] for k in others.get(-1 - j, ())]
        result.append(CallPair(change, call, candidate.calls[j], tuple(more)))
        for k in after.get(j, ()):
            add_new(k)
    return result


def _moved(
    left: list[Keys], right: list[Keys], gone: list[int], new: list[int]
) -> list[tuple[int, int]]:
    """Pair calls that exist on both sides in different places."""
    waiting: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for j in new:
        waiting[right[j].exact].append(j)
    found = []
    for i in gone:
        places = waiting.get(left[i].exact)
        if places and left[i].exact[2]:
            found.append((i, places.pop(0)))
    return found


def _merged(
    base: Part, candidate: Part, pairs: dict[int, tuple[int, Change]]
) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Find gaps where operators were replaced by others with an output of the same shape."""
    found = []
    ends = sorted((i, j) for i, (j, change) in pairs.items() if change is not Change.REORDERED)
    taken = {j for j, _ in pairs.values()}
    a, b = 0, 0
    for i, j in [*ends, (len(base.calls), len(candidate.calls))]:
        removed = tuple(k for k in range(a, i) if k not in pairs)
        inserted = tuple(k for k in range(b, j) if k not in taken)
        if removed and inserted and max(len(removed), len(inserted)) <= _GROUP:
            one, two = base.calls[removed[-1]], candidate.calls[inserted[-1]]
            many = len(removed) > 1 and len(inserted) > 1
            if one.phase == two.phase and one.is_module == two.is_module and not many:
                shape = _output(one)
                if shape is not None and shape == _output(two):
                    found.append((removed, inserted))
        a, b = i + 1, max(b, j + 1)
    return found


def _output(call: Call) -> tuple[int, ...] | None:
    outputs = [value for value in call.of("output") if value.tensor]
    return outputs[0].shape if outputs else None


def _repeated(part: Part, keys: list[Keys], matched: set[int]) -> dict[int, int]:
    """Map forward calls after the first backward call to the same call before it."""
    start = next((j for j, call in enumerate(part.calls) if call.phase == "backward"), None)
    if start is None:
        return {}
    before: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for j in range(start):
        if j in matched and part.calls[j].phase == "forward":
            before[keys[j].placed].append(j)
    seen: dict[tuple[str, ...], int] = defaultdict(int)
    found = {}
    for j in range(start, len(part.calls)):
        key = keys[j].placed
        if j not in matched and part.calls[j].phase == "forward" and before.get(key):
            found[j] = before[key][min(seen[key], len(before[key]) - 1)]
            seen[key] += 1
    return found


def _followers(count: int, by_candidate: dict[int, int]) -> dict[int, list[int]]:
    """Group the new calls of the candidate by the matched call they come after."""
    groups: dict[int, list[int]] = defaultdict(list)
    last = -1
    for j in range(count):
        if j in by_candidate:
            last = j
        else:
            groups[last].append(j)
    return groups
