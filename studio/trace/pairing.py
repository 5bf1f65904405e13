"""Pairs that a file writes as single events: begin with end, and both ends of a flow arrow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Times = NDArray[np.int64]

_BEGIN, _START, _STEP = ord("B"), ord("s"), ord("t")
_ASYNC_BEGIN = ord("b")


@dataclass(slots=True)
class Pairs:
    """Indices of begin events, the times at which they end, and what was left over."""

    begins: list[int]
    ends: list[int]
    unfinished: list[bool]
    never_ended: list[int]
    """Begin events whose end is not in the file at all; they have no entry in `begins`."""
    extra_ends: list[int]


def pair_spans(
    phase: NDArray[np.uint8],
    time: Times,
    track: NDArray[np.int32],
    name: NDArray[np.int32],
    no_name: int,
) -> Pairs:
    """Pair B and E events thread by thread, in time order whatever the order of the file.

    An end without a name closes the innermost slice. One with a name closes the innermost slice of
    that name; slices still open inside it are closed with it and marked as unfinished.
    """
    pairs = Pairs([], [], [], [], [])
    order = np.lexsort((time, track))
    phases, times, names, tracks = (part.tolist() for part in (phase, time, name, track))
    stack: list[int] = []
    current = -1
    for index in order.tolist():
        if tracks[index] != current:
            pairs.never_ended += stack
            stack = []
            current = tracks[index]
        if phases[index] == _BEGIN:
            stack.append(index)
            continue
        wanted = names[index]
        depth = len(stack) - 1
        if wanted != no_name:
            while depth >= 0 and names[stack[depth]] != wanted:
                depth -= 1
        if depth < 0:
            pairs.extra_ends.append(index)
            continue
        for level in range(len(stack) - 1, depth - 1, -1):
            pairs.begins.append(stack[level])
            pairs.ends.append(times[index])
            pairs.unfinished.append(level != depth)
        del stack[depth:]
    pairs.never_ended += stack
    return pairs


def pair_asyncs(phase: NDArray[np.uint8], time: Times, id: NDArray[np.int32]) -> Pairs:
    """Pair b and e events by id; ends close the innermost open one of their id."""
    pairs = Pairs([], [], [], [], [])
    order = np.lexsort((time, id))
    phases, times, ids = (part.tolist() for part in (phase, time, id))
    stack: list[int] = []
    current = -1
    for index in order.tolist():
        if ids[index] != current:
            pairs.never_ended += stack
            stack = []
            current = ids[index]
        if phases[index] == _ASYNC_BEGIN:
            stack.append(index)
        elif stack:
            pairs.begins.append(stack.pop())
            pairs.ends.append(times[index])
            pairs.unfinished.append(False)
        else:
            pairs.extra_ends.append(index)
    pairs.never_ended += stack
    return pairs


def pair_flows(
    phase: NDArray[np.uint8],
    time: Times,
    category: NDArray[np.int32],
    id: Times,
    text_id: NDArray[np.bool_],
    *,
    compiled: bool = False,
) -> tuple[Times, Times, Times, Times]:
    """Pair flow events of one category and id: (sources, targets, lone starts, lone ends).

    Every step and end hangs on the start or step before it; one start may have many ends. An end
    whose start carries a later time (clocks of host and device differ) is paired with it all the
    same. All four are indices of events, pairs in the order of their targets.
    """
    if compiled:
        source = _sources_compiled(phase, time, category, id, text_id)
    else:
        source = _sources(phase, time, category, id, text_id)
    targets = np.flatnonzero(source >= 0)
    sources = source[targets]
    used = np.zeros(len(phase), np.bool_)
    used[sources] = True
    is_start = phase == _START
    return (
        sources,
        targets,
        np.flatnonzero(is_start & ~used),
        np.flatnonzero(~is_start & (source < 0)),
    )


def _sources(
    phase: NDArray[np.uint8],
    time: Times,
    category: NDArray[np.int32],
    id: Times,
    text_id: NDArray[np.bool_],
) -> Times:
    """The start or step that each step and end hangs on, -1 where there is none."""
    order = np.lexsort((_rank(phase), time, id, text_id, category))
    count = len(order)
    found = np.full(count, -1)
    if not count:
        return found
    positions = np.arange(count)
    new_group = np.ones(count, np.bool_)
    for part in (category, id, text_id):
        keys = part[order]
        new_group[1:] &= keys[1:] == keys[:-1]
    new_group[1:] = ~new_group[1:]
    group_start = np.maximum.accumulate(np.where(new_group, positions, 0))
    group = np.cumsum(new_group) - 1

    phases = phase[order]
    is_start = phases == _START
    # the nearest start or step before, within the group
    before = np.full(count, -1)
    last_tail = np.maximum.accumulate(np.where(is_start | (phases == _STEP), positions, -1))
    before[1:] = last_tail[:-1]
    before[before < group_start] = -1
    first_start = np.full(int(group[-1]) + 1, -1)
    start_positions = np.flatnonzero(is_start)[::-1]
    first_start[group[start_positions]] = start_positions
    source = np.where(before >= 0, before, first_start[group])
    paired = ~is_start & (first_start[group] >= 0)
    found[order[paired]] = order[source[paired]]
    return found


def _sources_compiled(
    phase: NDArray[np.uint8],
    time: Times,
    category: NDArray[np.int32],
    id: Times,
    text_id: NDArray[np.bool_],
) -> Times:
    from studio.trace.kernels import layout, pairing

    size = len(id)
    group, example = np.empty(size, np.int32), np.empty(size, np.int32)
    slots = np.empty(max(1024, 1 << (2 * size - 1).bit_length()), np.int32)
    count = pairing.group_numbers(category, id, text_id, group, example, slots)
    order, bounds, free = (np.empty(length, np.int64) for length in (size, count + 1, count + 1))
    layout.counting_order(group, order, bounds, free)
    for number in np.flatnonzero(np.diff(bounds) > pairing.LARGEST_SORTED).tolist():
        part = order[bounds[number] : bounds[number + 1]]
        part[:] = part[np.lexsort((_rank(phase[part]), time[part]))]
    found = np.empty(size, np.int64)
    pairing.sources(phase, time, order, bounds, found)
    return found


def _rank(phase: NDArray[np.uint8]) -> NDArray[np.int8]:
    """Where phases stand among those of one time: starts before steps before ends."""
    return np.where(phase == _START, 0, np.where(phase == _STEP, 1, 2)).astype(np.int8)
