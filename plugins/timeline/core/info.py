"""`studio trace info`: what a trace holds, in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from studio.formats.profile_info import find_trace
from studio.i18n import tr, trn
from studio.kernel.text_table import width
from studio.model.tree import shown_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path
    from typing import Unpack

    from plugins.timeline.core.part import Words
    from studio.formats.chrome_trace import Progress
    from studio.formats.faults import Fault
    from studio.trace import Lane, Trace


def info(
    file: Path,
    from_: str = "",
    to: str = "",
    job: Progress | None = None,
    **words: Unpack[Words],
) -> TraceInfo:
    """Load a trace, or the trace of a profile folder, and describe it or a part of it."""
    from plugins.timeline.core.part import Wanted
    from studio.trace import load

    trace = load(find_trace(file), job=job)
    wanted = Wanted(from_, to, **words)
    if wanted.whole():
        return TraceInfo(trace)
    from plugins.timeline.core.within import lanes_of, within

    part = wanted.of(trace)
    return TraceInfo(within(trace, part), frozenset(lanes_of(trace, part)))


@dataclass(frozen=True, slots=True)
class TraceInfo:
    """What `studio trace info` prints.

    `slices` are events with a duration, `lanes` threads and async tracks that hold slices,
    `counters` samples of counters, `flows` paired arrows, `instants` events without duration.
    `start_ns` to `end_ns` spans all events, `view_…` leaves out events far from all others.
    """

    trace: Trace
    lanes: frozenset[int] | None = None
    """Of a part: the lanes it looks at; events that were read and faults are those of the file."""

    @property
    def exit_code(self) -> int:
        """1 when no event could be read."""
        return int(not self.trace.events)

    def to_json(self) -> object:
        """The description as plain values."""
        trace = self.trace
        return {
            "path": str(trace.path),
            "events": trace.events,
            "slices": len(trace),
            "lanes": sum(lane.count > 0 for lane in trace.lanes),
            "counters": trace.counter_events,
            "flows": len(trace.flows),
            "instants": len(trace.instants),
            "start_ns": trace.start_ns,
            "end_ns": trace.end_ns,
            "view_start_ns": trace.view_start_ns,
            "view_end_ns": trace.view_end_ns,
            "duration_ns": trace.view_end_ns - trace.view_start_ns,
            "faults": [
                {"kind": fault.kind, "count": fault.count, "first": fault.first}
                for fault in trace.faults
            ],
            "processes": [
                {
                    "pid": lanes[0].process,
                    "name": lanes[0].process_title,
                    "labels": lanes[0].labels,
                    "threads": [
                        {
                            "tid": lane.thread,
                            "name": lane.title,
                            "slices": lane.count,
                            "rows": lane.rows,
                        }
                        for lane in lanes
                        if lane.kind == "slices"
                    ],
                    "counters": [lane.title for lane in lanes if lane.kind == "counter"],
                }
                for lanes in self._by_process()
            ],
        }

    def to_text(self) -> str:
        """The description for people."""
        parts = [_facts(self.trace, part=self.lanes is not None), ["", tr("Lanes")]]
        parts += [_process(lanes) for lanes in self._by_process()]
        if self.trace.faults:
            parts += [["", tr("Faults")], _aligned(map(_fault, self.trace.faults))]
        return "\n".join(line for part in parts for line in part)

    def _by_process(self) -> list[Sequence[Lane]]:
        groups: dict[str, list[Lane]] = {}
        for lane in self.trace.lanes:
            if self.lanes is None or lane.id in self.lanes:
                groups.setdefault(lane.process, []).append(lane)
        return list(groups.values())


def _facts(trace: Trace, *, part: bool) -> list[str]:
    span = (trace.view_end_ns - trace.view_start_ns) / 1e6
    busy = sum(lane.count > 0 for lane in trace.lanes)
    return _aligned(
        [
            (tr("File"), str(trace.path)),
            (tr("Duration"), f"{span:,.3f} ms"),
            (tr("Start"), f"{trace.view_start_ns} ns"),
            *([] if part else [(tr("Events"), f"{trace.events:,}")]),
            (tr("Slices"), f"{len(trace):,}"),
            (tr("Lanes with slices"), f"{busy:,}"),
            (tr("Counter samples"), f"{trace.counter_events:,}"),
            (tr("Flow arrows"), f"{len(trace.flows):,}"),
            (tr("Instants"), f"{len(trace.instants):,}"),
        ]
    )


def _process(lanes: Sequence[Lane]) -> list[str]:
    first = lanes[0]
    label = f" · {first.labels}" if first.labels else ""
    curves = sum(lane.kind == "counter" for lane in lanes)
    counted = [("    " + trn("{n} counter curve", "{n} counter curves", curves), "")]
    return [
        f"  {shown_name(f'{first.process_title}{label} (pid {first.process})')}",
        *_aligned(
            (f"    {shown_name(lane.title)}", _lane(lane))
            for lane in lanes
            if lane.kind == "slices"
        ),
        *_aligned(counted if curves else []),
    ]


def _lane(lane: Lane) -> str:
    slices = trn("{count} slice", "{count} slices", lane.count, count=f"{lane.count:,}")
    rows = trn("{count} row", "{count} rows", lane.rows, count=lane.rows)
    return f"{slices}, {rows}"


def _fault(fault: Fault) -> tuple[str, str]:
    count = f"{fault.count:,}"
    if fault.first is not None:
        count += tr(", first at byte {offset}", offset=f"{fault.first:,}")
    return f"  {tr(fault.kind)}", count


def _aligned(rows: Iterable[tuple[str, str]]) -> list[str]:
    rows = list(rows)
    widest = max((width(title) for title, _ in rows), default=0)
    return [f"{title}{' ' * (widest - width(title))}  {value}".rstrip() for title, value in rows]
