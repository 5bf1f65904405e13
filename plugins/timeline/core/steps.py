"""The training steps of a trace, as its profiler marked them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from studio.trace import Trace

_STEP = re.compile(r"ProfilerStep\s?#\s?(\d+)")


@dataclass(frozen=True, slots=True)
class Step:
    """One step: its number and `[start, end)` in nanoseconds."""

    number: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Steps:
    """The steps of a trace, by time."""

    all: tuple[Step, ...] = ()

    @property
    def edges(self) -> tuple[int, ...]:
        """Every time at which a step begins or ends, once."""
        return tuple(sorted({time for step in self.all for time in (step.start, step.end)}))

    def at(self, time: int) -> Step | None:
        """The step that runs at a time."""
        return next((step for step in self.all if step.start <= time < step.end), None)


def find_steps(trace: Trace) -> Steps:
    """Find the slices `ProfilerStep#N` of the lane that has most of them; of equals, the host's."""
    numbers = {
        number: int(match[1])
        for number, name in enumerate(trace.names)
        if (match := _STEP.fullmatch(name))
    }
    if not numbers:
        return Steps()
    marks = np.flatnonzero(np.isin(trace.name, list(numbers)) & ~trace.open_ended)
    if not marks.size:
        return Steps()
    lane = int(np.argmax(np.bincount(trace.lane[marks])))
    found = [
        Step(numbers[int(trace.name[i])], int(trace.start[i]), int(trace.end[i]))
        for i in marks[trace.lane[marks] == lane].tolist()
    ]
    return Steps(tuple(sorted(found, key=lambda step: step.start)))
