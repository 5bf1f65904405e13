"""Pairs allocations of memory with their releases, from events in the order of time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

ALLOCATED, RELEASED, DONE = 1, 2, 3
"""What an event does to a block: it begins, it is given back, the last stream is done with it."""


@dataclass(frozen=True)
class Pairs:
    """The events of each block: those that began, released and finished it, -1 where missing."""

    allocated: Numbers
    released: Numbers
    done: Numbers

    @property
    def first(self) -> Numbers:
        """One event of each block: its allocation, else its release."""
        found = np.where(self.allocated >= 0, self.allocated, self.released)
        return np.where(found >= 0, found, self.done)


def pair_blocks(events: Iterable[tuple[int, int, Hashable]]) -> Pairs:
    """Pair events (their number, what they do, the block they name) into blocks.

    A release without an allocation is a block from before; an allocation of a block that is still
    there ends it without a release, since its release was lost.
    """
    there: dict[Hashable, int] = {}
    leaving: dict[Hashable, int] = {}
    allocated: list[int] = []
    released: list[int] = []
    done: list[int] = []

    def begin(event: int) -> int:
        allocated.append(event)
        released.append(-1)
        done.append(-1)
        return len(allocated) - 1

    for event, action, key in events:
        if action == ALLOCATED:
            there[key] = begin(event)
            leaving.pop(key, None)
        elif action == RELEASED:
            block = there.pop(key, -1)
            block = begin(-1) if block < 0 else block
            released[block] = event
            leaving[key] = block
        else:
            block = leaving.pop(key, there.pop(key, -1))
            block = begin(-1) if block < 0 else block
            done[block] = event
            if released[block] < 0:
                released[block] = event
    return Pairs(*(np.array(column, np.int64) for column in (allocated, released, done)))
