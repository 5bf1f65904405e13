"""Which lanes a trace has, how they are called and in which order they stand."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studio.trace.store import Lane

if TYPE_CHECKING:
    from collections.abc import Iterable

    from studio.formats.chrome_columns import SeriesKey, TrackNames

_DIGITS = re.compile(r"(\d+)")
_THREAD, _ASYNC, _COUNTER = range(3)


@dataclass(frozen=True, slots=True)
class LaneKey:
    """What a lane stands for: a thread, the asynchronous events of a category, or a curve."""

    kind: int
    process: str
    thread: str = ""
    category: str = ""
    series: SeriesKey | None = None

    @classmethod
    def of_thread(cls, process: str, thread: str) -> LaneKey:
        """The lane of a thread."""
        return cls(_THREAD, process, thread)

    @classmethod
    def of_asyncs(cls, process: str, category: str) -> LaneKey:
        """The lane of a process's asynchronous events of one category."""
        return cls(_ASYNC, process, category=category)

    @classmethod
    def of_series(cls, series: SeriesKey) -> LaneKey:
        """The lane of a curve."""
        return cls(_COUNTER, series.process, series=series)


def make_lanes(keys: Iterable[LaneKey], names: TrackNames) -> dict[LaneKey, Lane]:
    """Lanes by key, numbered in their order.

    Processes stand by sort index, then by name in natural order (Stream 2 before Stream 10); in a
    process come its threads by sort index and name, then asynchronous events, then curves.
    """
    keys = tuple(dict.fromkeys(keys))
    curves_of_name: dict[tuple[str, str, str], int] = {}
    for key in keys:
        if key.series is not None:
            group = (key.process, key.series.name, key.series.id)
            curves_of_name[group] = curves_of_name.get(group, 0) + 1
    lanes = []
    for key in keys:
        process_title = names.processes.get(key.process) or f"Process {key.process}"
        title = _title(key, names, curves_of_name)
        thread = (key.process, key.thread)
        order = (
            names.process_order.get(key.process, 0.0),
            natural(process_title),
            natural(key.process),
            key.kind,
            names.thread_order.get(thread, 0.0) if key.kind == _THREAD else 0.0,
            natural(title),
            natural(key.thread),
        )
        labels = names.labels.get(key.process, "")
        lanes.append((order, key, title, process_title, labels))
    lanes.sort(key=lambda lane: lane[0])
    return {
        key: Lane(
            id=number,
            process=key.process,
            thread=key.thread,
            title=title,
            process_title=process_title,
            labels=labels,
            kind="counter" if key.kind == _COUNTER else "slices",
            asynchronous=key.kind == _ASYNC,
            order=order,
        )
        for number, (order, key, title, process_title, labels) in enumerate(lanes)
    }


def natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """A sort key that compares numbers inside a text as numbers, of any length."""
    return tuple(
        _number(part) if part.isdecimal() else (1, 0, part.casefold())
        for part in _DIGITS.split(text)
        if part
    )


def _number(digits: str) -> tuple[int, int, str]:
    """Of numbers, the one of more digits is the larger; Python reads no more than some thousand."""
    if not digits.isascii():
        digits = "".join(str(int(digit)) for digit in digits)
    digits = digits.lstrip("0")
    return 0, len(digits), digits


def _title(key: LaneKey, names: TrackNames, curves_of_name: dict[tuple[str, str, str], int]) -> str:
    if key.kind == _ASYNC:
        return key.category or "Async"
    series = key.series
    if series is None:
        return names.threads.get((key.process, key.thread)) or f"Thread {key.thread}"
    title = f"{series.name} {series.id}".rstrip()
    several = curves_of_name[key.process, series.name, series.id] > 1
    return f"{title} · {series.key}" if several else title
