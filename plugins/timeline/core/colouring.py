"""Ways to colour slices beyond the kind of their work: by name, category, length, or launcher.

The largest twelve names or categories have a colour each and stand in the legend; all others share
what is left of the scale.
"""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from studio.i18n import tr

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from studio.trace import Trace

VARIANTS = 4
SCALE = 12
"""Colours of the categorical scale, each in so many shades."""

REST = "rest"
"""The key of the entry of all groups that have no entry of their own."""

STEPS = 8
"""Colours of the scale for lengths."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a legend: what has the colours of these slots."""

    key: str
    title: str
    slots: tuple[int, ...]


@dataclass(frozen=True)
class Groups:
    """The group of every slice (0 for none), and the groups by size with their titles."""

    of_slice: NDArray[np.int64]
    titles: Sequence[str]


def by_name(trace: Trace) -> Groups:
    """Slices of one name belong together."""
    return Groups(trace.name.astype(np.int64) + 1, trace.names)


def by_category(trace: Trace) -> Groups:
    """Slices of one category belong together."""
    return Groups(trace.category.astype(np.int64) + 1, trace.categories)


def by_launcher(trace: Trace) -> Groups:
    """What a host operator launched has the colour of that operator's name, and so has it.

    An arrow leads from the launcher to what it launched; of several, the first one in time counts.
    """
    flows = trace.flows
    known = (flows.source_slice >= 0) & (flows.target_slice >= 0)
    source, target = flows.source_slice[known], flows.target_slice[known]
    group = np.zeros(len(trace), np.int64)
    # the first arrow is written last
    group[target[::-1]] = trace.name[source[::-1]] + 1
    group[source] = trace.name[source] + 1
    return Groups(group, trace.names)


def ranked(trace: Trace, groups: Groups) -> NDArray[np.int64]:
    """Return the groups that have any time, the largest self time first; group 0 is left out."""
    own = trace.self_ns.astype(np.float64)
    total = np.bincount(groups.of_slice, weights=own, minlength=len(groups.titles) + 1)
    total[0] = 0
    order = np.argsort(-total, kind="stable")
    return np.asarray(order[: np.count_nonzero(total)], np.int64)


def scale_slots(trace: Trace, groups: Groups, first: int) -> tuple[NDArray[np.uint8], list[Entry]]:
    """Give groups the colours of the categorical scale, whose slots begin at `first`.

    The first shade of each colour belongs to one of the largest groups; the others are shared by
    all the rest, chosen by title so that a title has the same colour in every trace.
    """
    table = np.zeros(len(groups.titles) + 1, np.uint8)
    for number, title in enumerate(groups.titles, 1):
        place = zlib.crc32(title.encode("utf-8", "surrogatepass"))
        shade = 1 + place // SCALE % (VARIANTS - 1)
        table[number] = first + place % SCALE * VARIANTS + shade
    entries = []
    for colour, group in enumerate(ranked(trace, groups)[:SCALE].tolist()):
        table[group] = first + colour * VARIANTS
        title = groups.titles[group - 1] or tr("without category")
        entries.append(Entry(f"group {title}", title, (int(table[group]),)))
    rest = tuple(
        first + colour * VARIANTS + shade for colour in range(SCALE) for shade in range(1, VARIANTS)
    )
    if len(ranked(trace, groups)) > SCALE:
        entries.append(Entry(REST, tr("all others"), rest))
    return table[groups.of_slice], entries


def length_slots(trace: Trace, first: int) -> tuple[NDArray[np.uint8], list[Entry]]:
    """Give slices colours by their length: each step is a power of ten, from 100 ns to 1 s."""
    steps = np.floor(np.log10(np.maximum(trace.duration, 1))).astype(np.int64) - 1
    steps = np.clip(steps, 0, STEPS - 1)
    entries = [
        Entry(f"length {step}", _length_title(step), (first + step * VARIANTS,))
        for step in np.unique(steps).tolist()
    ]
    return (first + steps * VARIANTS).astype(np.uint8), entries


def _length_title(step: int) -> str:
    if step == 0:
        return tr("below {time}", time=_power(2))
    if step == STEPS - 1:
        return tr("from {time}", time=_power(STEPS))
    return tr("{low} to {high}", low=_power(step + 1), high=_power(step + 2))


def _power(exponent: int) -> str:
    """Write a power of ten nanoseconds."""
    unit, digits = divmod(exponent, 3)
    return f"{math.trunc(10**digits)} {('ns', 'µs', 'ms', 's')[unit]}"
