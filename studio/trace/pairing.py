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
) -> tuple[Times, Times, Times, Times]:
    """Pair flow events of one category and id: (sources, targets, lone starts, lone ends).

    Every step and end hangs on the start or step before it; one start may have many ends. An end
    whose start carries a later time (clocks of host and device differ) is paired with it all the
    same. All four are indices of events.
    """
    rank = (phase != _START).astype(np.int8) + (phase != _STEP) * (phase != _START)
    order = np.lexsort((rank, time, id, text_id, category))
    count = len(order)
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
    is_tail = is_start | (phases == _STEP)
    needs_source = ~is_start
    # the nearest start or step before, within the group
    before = np.full(count, -1)
    if count:
        last_tail = np.maximum.accumulate(np.where(is_tail, positions, -1))
        before[1:] = last_tail[:-1]
    before[before < group_start] = -1
    starts_in_group = np.bincount(group[is_start], minlength=int(group[-1]) + 1 if count else 0)
    has_start = starts_in_group[group] > 0
    first_start = np.full(len(starts_in_group), -1)
    start_positions = np.flatnonzero(is_start)[::-1]
    first_start[group[start_positions]] = start_positions
    source = np.where(before >= 0, before, first_start[group])
    paired = needs_source & has_start
    targets = positions[paired]
    sources = source[paired]
    used = np.zeros(count, np.bool_)
    used[sources] = True
    lone_ends = needs_source & ~has_start
    lone_starts = is_start & ~used
    return (
        order[sources],
        order[targets],
        order[np.flatnonzero(lone_starts)],
        order[np.flatnonzero(lone_ends)],
    )
