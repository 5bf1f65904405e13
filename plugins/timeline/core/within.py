"""A part of a trace as a trace of its own that can be described: what touches it, uncut."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from plugins.timeline.core.chrome_out import flows_inside
from plugins.timeline.core.partial import keep
from plugins.timeline.core.query import slices_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from plugins.timeline.core.part import Part
    from studio.trace import Trace
    from studio.trace.store import Flows, Instants


def within(trace: Trace, part: Part) -> Trace:
    """Keep the slices, arrows, instants and samples that `convert` would write.

    Lanes keep their numbers; samples are those in the window. Faults and the number of events are
    those of the whole file.
    """
    slices = slices_of(trace, part)
    marked = np.zeros(len(trace), np.bool_)
    marked[slices] = True
    lanes = lanes_of(trace, part)
    arrows, _ = flows_inside(trace, part, slices, lanes)
    samples: dict[tuple[str, str, str], int] = {}
    for counter in trace.counters if part.names is None else ():
        if counter.lane in lanes:
            low, high = np.searchsorted(counter.times, (part.start, part.end)).tolist()
            # the numbers of one event stand in several curves
            key = counter.process, counter.name, counter.id
            samples[key] = max(samples.get(key, 0), high - low)
    return replace(
        keep(replace(trace, flows=_flows(trace.flows, arrows)), marked),
        instants=_instants(trace.instants, part, lanes),
        counter_events=sum(samples.values()),
        view_start_ns=part.start,
        view_end_ns=min(part.end, max(trace.view_end_ns, part.start)),
    )


def lanes_of(trace: Trace, part: Part) -> set[int]:
    """The lanes of a part."""
    return set(range(len(trace.lanes)) if part.lanes is None else part.lanes)


def _flows(flows: Flows, chosen: NDArray[np.int64]) -> Flows:
    return replace(flows, **{name: getattr(flows, name)[chosen] for name in flows.__slots__})


def _instants(instants: Instants, part: Part, lanes: set[int]) -> Instants:
    inside = (instants.time >= part.start) & (instants.time < part.end)
    inside &= np.isin(instants.lane, sorted(lanes))
    if part.names is not None:
        inside &= np.isin(instants.name, part.names)
    return replace(
        instants, **{name: getattr(instants, name)[inside] for name in instants.__slots__}
    )
