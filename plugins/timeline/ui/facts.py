"""What is known about a slice, in lines of name and value."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from plugins.timeline.ui.lanetitles import lane_title, place, process_title
from plugins.timeline.ui.measure import measure
from studio.i18n import tr
from studio.model.frames import Frame, parse_frame, parse_stack
from studio.trace import query
from studio.trace.sums import time_below
from studio.ui.text import exact_ns, format_percent, thousands
from studio.ui.timeaxis import exact

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugins.timeline.ui.scene import Scene
    from studio.trace import Trace

_STACK_KEYS = ("Call stack", "Call Stack", "call stack", "CallStack", "stack")
_LONGEST = 4000


@dataclass(frozen=True, slots=True)
class Fact:
    """One line: a name, a value as shown, and the value as it is copied."""

    name: str
    value: str
    copied: str = ""
    frame: Frame | None = None
    slice: int = -1
    tip: str = ""


def slice_facts(scene: Scene, index: int) -> list[Fact]:
    """Describe a slice from the columns."""
    trace = scene.trace
    start, duration = int(trace.start[index]), int(trace.duration[index])
    lane = trace.lanes[int(trace.lane[index])]
    inner = _inner_time(scene, index)
    facts = [
        Fact(
            tr("Start"),
            exact(start - scene.start),
            _microseconds(start),
            tip=tr("As in the file: {time} µs", time=_microseconds(start)),
        ),
        Fact(tr("Duration"), exact_ns(duration), _microseconds(duration)),
        Fact(
            tr("Self"),
            f"{exact_ns(duration - inner)}  ({_share(duration - inner, duration)})",
            _microseconds(duration - inner),
            tip=tr("Without the slices inside it"),
        ),
        Fact(tr("Time in file"), f"{_microseconds(start)} µs", _microseconds(start)),
        Fact(tr("Process"), f"{process_title(lane)} ({lane.process})"),
        Fact(tr("Lane"), lane_title(lane)),
    ]
    category = int(trace.category[index])
    if category >= 0 and trace.categories[category]:
        facts.append(Fact(tr("Category"), trace.categories[category]))
    if trace.open_ended[index]:
        facts.append(
            Fact(tr("End"), tr("not in the file"), tip=tr("Drawn to the next event of the lane"))
        )
    return facts


def arg_facts(args: Mapping[str, object]) -> list[Fact]:
    """Write the args of an event, without its call stack."""
    return [
        Fact(str(key), shown[:_LONGEST], shown)
        for key, value in args.items()
        if key not in _STACK_KEYS
        for shown in (_written(value),)
    ]


def stack_facts(scene: Scene, index: int, args: Mapping[str, object]) -> list[Fact]:
    """List the frames that led to a slice, innermost first, each with its place in the source.

    They come from the recorded call stack, else from the Python slices around the slice.
    """
    recorded = recorded_stack(args)
    if recorded:
        return recorded
    names = scene.trace.names
    around = [index, *scene.ancestors(index)]
    found = []
    for number in around:
        frame = parse_frame(names[int(scene.trace.name[number])])
        if frame is not None:
            fact = _frame_fact(frame)
            found.append(Fact(fact.name, fact.value, fact.copied, frame, number, fact.tip))
    return found


def recorded_stack(args: Mapping[str, object]) -> list[Fact]:
    """List the frames of the call stack among the args of an event."""
    recorded = next((args[key] for key in _STACK_KEYS if key in args), None)
    if isinstance(recorded, str) and recorded.strip():
        return [_frame_fact(frame) for frame in parse_stack(recorded)]
    return []


def instant_facts(scene: Scene, number: int) -> list[Fact]:
    """Describe an event without duration from the columns."""
    trace = scene.trace
    time = int(trace.instants.time[number])
    lane = trace.lanes[int(trace.instants.lane[number])]
    category = int(trace.instants.category[number])
    facts = [
        Fact(tr("Time"), exact(time - scene.start), _microseconds(time)),
        Fact(tr("Time in file"), f"{_microseconds(time)} µs", _microseconds(time)),
        Fact(tr("Process"), f"{process_title(lane)} ({lane.process})"),
        Fact(tr("Lane"), lane_title(lane)),
    ]
    if category >= 0 and trace.categories[category]:
        facts.append(Fact(tr("Category"), trace.categories[category]))
    return facts


def instant_name_facts(scene: Scene, number: int) -> list[Fact]:
    """Compare an event without duration with the others of its name."""
    instants = scene.trace.instants
    times = np.sort(instants.time[instants.name == instants.name[number]])
    place = int(np.searchsorted(times, instants.time[number]))
    facts = [Fact(tr("Count"), thousands(times.size))]
    if place:
        facts.append(
            Fact(tr("Since the one before"), exact_ns(int(times[place] - times[place - 1])))
        )
    if place + 1 < times.size:
        facts.append(Fact(tr("To the next one"), exact_ns(int(times[place + 1] - times[place]))))
    return facts


def flow_facts(scene: Scene, index: int) -> list[Fact]:
    """List the slices that flows link with this one."""
    trace = scene.trace
    start = int(trace.start[index])
    links = scene.flows.of_slice(index)
    facts = []
    for title, partners in ((tr("From"), links.preceding), (tr("To"), links.following)):
        for partner in partners:
            lane = trace.lanes[int(trace.lane[partner])]
            away = int(trace.start[partner]) - start
            sign = "+" if away >= 0 else "−"
            name = trace.names[int(trace.name[partner])]
            facts.append(
                Fact(
                    title,
                    f"{name}  {sign}{exact(abs(away))}",
                    name,
                    slice=partner,
                    tip=place(lane),
                )
            )
    return facts


def measure_facts(scene: Scene, index: int, other: int) -> list[Fact]:
    """Tell the times between a slice and the one that was measured to."""
    found = measure(scene, index, other)
    name = scene.trace.names[int(scene.trace.name[other])]
    title = tr("Gap") if found.gap >= 0 else tr("Overlap")
    return [
        Fact(tr("To"), name, slice=other),
        Fact(
            title,
            exact_ns(abs(found.gap)),
            _microseconds(abs(found.gap)),
            tip=tr("From the end of the earlier slice to the start of the later one"),
        ),
        Fact(tr("Start to start"), exact_ns(found.between_starts)),
        Fact(
            tr("All in all"), exact_ns(found.span), tip=tr("From the first start to the last end")
        ),
    ]


def name_facts(scene: Scene, index: int) -> list[Fact]:
    """Compare a slice with all of the same name."""
    trace = scene.trace
    same = query.with_names(trace, [int(trace.name[index])])
    durations = trace.duration[same]
    total, own = int(durations.sum()), int(trace.duration[index])
    longer = int(np.count_nonzero(durations > own))
    place = int(np.flatnonzero(same == index)[0]) if index in same else 0
    around = [
        _sibling(scene, tr("Before"), int(same[place - 1])) if place else None,
        _sibling(scene, tr("Next"), int(same[place + 1])) if place + 1 < same.size else None,
    ]
    return [
        Fact(
            tr("Count"),
            tr("{number} of {total}", number=thousands(place + 1), total=thousands(len(same))),
        ),
        *filter(None, around),
        Fact(tr("Total"), exact_ns(total), _microseconds(total)),
        Fact(
            tr("Average"),
            exact_ns(total // max(len(same), 1)),
            tip=tr("Rounded down to whole nanoseconds"),
        ),
        _extreme(tr("Shortest"), trace, int(same[int(np.argmin(durations))])),
        _extreme(tr("Longest"), trace, int(same[int(np.argmax(durations))])),
        Fact(tr("Longer than this one"), thousands(longer)),
    ]


def _sibling(scene: Scene, title: str, index: int) -> Fact:
    """A link to another slice of the name, with its start."""
    start = exact(int(scene.trace.start[index]) - scene.start)
    return Fact(title, tr("at {time}", time=start), slice=index, tip=tr("Go to slice"))


def _extreme(title: str, trace: Trace, index: int) -> Fact:
    duration = int(trace.duration[index])
    return Fact(title, exact_ns(duration), _microseconds(duration), slice=index)


def _inner_time(scene: Scene, index: int) -> int:
    """Return how long slices of deeper rows lie inside a slice (the next row, where none cross)."""
    trace, rows = scene.trace, scene.rows
    lane = trace.lanes[int(trace.lane[index])]
    depth = int(trace.depth[index]) + 1
    start = int(trace.start[index])
    end = start + int(trace.duration[index])
    if depth >= lane.rows:
        return 0
    if not scene.utilisation.nested(lane.id):
        return time_below(trace, index)
    first, last = query.visible(trace, lane.id, depth, start, end)
    if first >= last:
        return 0
    inside = int(rows.covered[last] - rows.covered[first])
    before = max(start - int(trace.start[first]), 0)
    after = max(int(trace.start[last - 1] + trace.duration[last - 1]) - end, 0)
    return max(inside - before - after, 0)


def _frame_fact(frame: Frame) -> Fact:
    place = f"{frame.path}:{frame.line}"
    short = place.replace("\\", "/").rsplit("/", 1)[-1]
    return Fact(frame.function or short, short, place, frame, tip=place)


def _written(value: object) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def _microseconds(nanoseconds: int) -> str:
    sign = "-" if nanoseconds < 0 else ""
    whole, rest = divmod(abs(nanoseconds), 1000)
    return f"{sign}{whole}.{rest:03d}"


def _share(part: int, whole: int) -> str:
    return format_percent(part / whole) if whole else "–"
