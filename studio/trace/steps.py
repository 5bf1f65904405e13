"""The training steps of a trace, as its profiler marked them.

PyTorch profilers mark them on the host, by slices named `ProfilerStep#7`; where there are none, the
`Step Trace` lanes of msprof tell them, by slices named `Iteration 7`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from studio.trace.store import Trace

_HOST: Final = re.compile(r"ProfilerStep\s?#\s?(\d{1,18})")
_DEVICE: Final = re.compile(r"Iteration (\d{1,18})")
_DEVICE_LANE: Final = "Step Trace"


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
    """Find the steps in the lane that marks most of them; of equals, the first one."""
    device = [lane.id for lane in trace.lanes if lane.title.startswith(_DEVICE_LANE)]
    return _marked(trace, _HOST, None) or _marked(trace, _DEVICE, device) or Steps()


def _marked(trace: Trace, pattern: re.Pattern[str], lanes: Iterable[int] | None) -> Steps | None:
    """The steps that slices of a kind mark, in some lanes or all."""
    numbers = {
        number: int(match[1])
        for number, name in enumerate(trace.names)
        if (match := pattern.fullmatch(name))
    }
    if not numbers:
        return None
    marks = np.flatnonzero(np.isin(trace.name, list(numbers)) & ~trace.open_ended)
    if lanes is not None:
        marks = marks[np.isin(trace.lane[marks], list(lanes))]
    if not marks.size:
        return None
    lane = int(np.argmax(np.bincount(trace.lane[marks])))
    found = [
        Step(numbers[int(trace.name[i])], int(trace.start[i]), int(trace.end[i]))
        for i in marks[trace.lane[marks] == lane].tolist()
    ]
    return Steps(tuple(sorted(found, key=lambda step: step.start)))
