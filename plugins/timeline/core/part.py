"""Which part of a trace a command looks at: times, lanes and names as a user writes them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, TypedDict

from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.model.tree import shown_name

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from studio.formats.chrome_trace import Progress
    from studio.trace import Lane, Trace

UNITS = {"ns": 1, "us": 1_000, "µs": 1_000, "μs": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
"""Nanoseconds of each unit; both signs for micro are in use."""

_TIME = re.compile(r"(-?\d{1,19}(?:\.\d{1,19})?)\s*(ns|us|µs|μs|ms|s)?")
_LARGEST = 2**62
_LISTED = 12


@dataclass(frozen=True)
class Part:
    """A window of a trace, some of its lanes (None: all) and some of its names (None: all)."""

    start: int
    end: int
    lanes: list[int] | None
    names: NDArray[np.int32] | None


class Words(TypedDict, total=False):
    """What commands take, beside times, to look at a part of a trace: options of `Wanted`."""

    lane: Sequence[str]
    name: str
    case: bool
    word: bool
    regex: bool
    step: int


@dataclass(frozen=True, slots=True)
class Wanted:
    """A part of any trace, in a user's words; "" and () mean everything."""

    start: str = ""
    end: str = ""
    lane: Sequence[str] = ()
    name: str = ""
    case: bool = False
    word: bool = False
    regex: bool = False
    step: int = -1

    def whole(self) -> bool:
        """Whether everything is wanted."""
        return not (self.start or self.end or self.lane or self.name or self.step >= 0)

    def of(self, trace: Trace) -> Part:
        """Find the part in a trace; raises StudioError for words that fit nothing."""
        from studio.trace.statistics import window

        begin, stop = self._step(trace) if self.step >= 0 else (None, None)
        begin = parse_time(self.start, trace) if self.start else begin
        stop = parse_time(self.end, trace) if self.end else stop
        start, end = window(trace, begin, stop)
        if stop is not None and stop <= start:
            raise StudioError(
                tr("The window ends before it begins: {start} to {end}.", start=start, end=stop),
                exit_code=2,
            )
        lanes = find_lanes(trace, self.lane) if self.lane else None
        return Part(start, end, lanes, self._names(trace))

    def _step(self, trace: Trace) -> tuple[int, int]:
        from plugins.timeline.core.steps import find_steps

        steps = find_steps(trace).all
        for step in steps:
            if step.number == self.step:
                return step.start, step.end
        there = ", ".join(str(step.number) for step in steps) or tr("none")
        raise StudioError(
            tr("There is no step {number}; there are: {all}.", number=self.step, all=there),
            exit_code=2,
        )

    def _names(self, trace: Trace) -> NDArray[np.int32] | None:
        if not self.name:
            return None
        return find_names(trace, self.name, case=self.case, word=self.word, regex=self.regex)


def load_trace(file: Path, job: Progress | None, arg_columns: Sequence[str] = ()) -> Trace:
    """Load a trace, or the trace of a profile folder; raises StudioError when it has no events."""
    from studio.formats.profile_info import find_trace
    from studio.trace import load

    trace = load(find_trace(file), arg_columns=arg_columns, job=job)
    if not trace.events:
        faults = ", ".join(tr(fault.kind) for fault in trace.faults)
        raise StudioError(
            tr(
                "{name} holds no event that can be read ({faults}); expected the events of a "
                "trace, as the Ascend and PyTorch profilers write them.",
                name=trace.path.name,
                faults=faults,
            ),
            path=trace.path,
        )
    return trace


def parse_time(text: str, trace: Trace) -> int:
    """Read a time: with a unit it counts from the beginning as the ruler does, else it is exact ns.

    Raises StudioError for anything else.
    """
    match = _TIME.fullmatch(text.strip())
    if match is not None and not (match[1].startswith("-") if match[2] else "." in match[1]):
        time = Decimal(match[1]) * UNITS[match[2] or "ns"]
        found = round(time) + (trace.view_start_ns if match[2] else 0)
        if abs(found) < _LARGEST:
            return found
    raise StudioError(
        tr(
            "“{text}” is no time; write 12.5ms (from the beginning of the trace; also s, us, "
            "ns), or whole nanoseconds as in the file.",
            text=text,
        ),
        exit_code=2,
    )


def find_lanes(trace: Trace, texts: Sequence[str]) -> list[int]:
    """Return the lanes whose process and title contain one of these texts, in their order."""
    wanted = [text.casefold() for text in texts]
    found = [
        lane.id for lane in trace.lanes if any(t in lane_text(lane).casefold() for t in wanted)
    ]
    if not found:
        slices = (lane for lane in trace.lanes if lane.kind == "slices")
        titles = [f"  {shown_name(lane_text(lane))}" for lane in slices]
        more = [f"  … {len(titles) - _LISTED}"] if len(titles) > _LISTED else []
        raise StudioError(
            tr("No lane contains “{text}”. There are:", text=", ".join(texts))
            + "\n"
            + "\n".join(titles[:_LISTED] + more),
            exit_code=2,
        )
    return found


def find_names(
    trace: Trace, text: str, *, case: bool = False, word: bool = False, regex: bool = False
) -> NDArray[np.int32]:
    """Return the numbers of the names that a search finds, as the window does."""
    from studio.trace.query import search

    try:
        return search(trace, text, case=case, word=word, regex=regex)
    except re.error as error:
        raise StudioError(
            tr("“{text}” is no regular expression: {error}.", text=text, error=error), exit_code=2
        ) from error


def lane_text(lane: Lane) -> str:
    """Name a lane with its process: "Ascend Hardware / Stream 2"."""
    return f"{lane.process_title} / {lane.title}"
