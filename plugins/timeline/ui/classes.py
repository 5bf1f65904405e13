"""What kind of work a slice is, by the words that profilers write, and the colour slot it gets.

Colours mean the same in every view: computing, communication, memory copies, host, free time. Names
of one kind differ in lightness only. What no rule knows takes one of twelve colours by its name.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from plugins.timeline.core.colouring import (
    SCALE,
    STEPS,
    VARIANTS,
    Entry,
    by_category,
    by_launcher,
    by_name,
    length_slots,
    scale_slots,
)
from studio.formats.engine import kernels_pay
from studio.i18n import tr

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from studio.trace import Trace


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of work: its id and the theme's colours, each with its share in the mixture.

    A colour is named by its meaning ("computing"), its token ("surface"), its place on the
    categorical scale ("9") or on the sequential one ("3/7").
    """

    id: str
    colours: tuple[tuple[str, float], ...]


KINDS = (
    Kind("computing", (("computing", 1.0),)),
    Kind("communication", (("communication", 1.0),)),
    Kind("memory", (("memory_copy", 1.0),)),
    Kind("free", (("free", 0.55), ("surface", 0.45))),
    Kind("wait", (("free", 0.8), ("surface", 0.2))),
    Kind("host", (("host", 1.0),)),
    Kind("runtime", (("5", 0.55), ("host", 0.45))),
    Kind("python", (("host", 0.45), ("11", 0.5), ("surface", 0.05))),
    Kind("module", (("9", 1.0),)),
    Kind("step", (("10", 1.0),)),
    *(Kind(f"other{number}", ((str(number), 1.0),)) for number in range(SCALE)),
    *(Kind(f"length{step}", ((f"{step}/{STEPS - 1}", 1.0),)) for step in range(STEPS)),
    Kind("none", (("free", 0.4), ("surface", 0.6))),
)
"""Every kind; slot 0 is no slice, kind `k` has the slots from `1 + k * VARIANTS`."""

COMPUTING = 0
"""The number of the kind of work that devices compute."""

_NUMBER = {kind.id: number for number, kind in enumerate(KINDS)}
_FIRST_OTHER = _NUMBER["other0"]
_SCALE_SLOT = 1 + _NUMBER["other0"] * VARIANTS
_LENGTH_SLOT = 1 + _NUMBER["length0"] * VARIANTS
_NONE_SLOT = 1 + _NUMBER["none"] * VARIANTS

_PROCESSES = (
    (r"^Ascend Hardware$|^NPU\b|^GPU\b|^stream ", "computing"),
    (r"^(HCCL|Communication)$", "communication"),
    (r"^CANN$|^Runtime", "runtime"),
    (r"^Python GC$", "python"),
    (r"^Python$|^MindSpore$|^python", "host"),
    (r"^Scope Layer$", "module"),
)
_LANES = (
    (r"^Computing$", "computing"),
    (r"^Communication(\b|\()", "communication"),
    (r"^Free$|^Bubble$", "free"),
    (r"^Step Trace", "step"),
)
_CATEGORIES = (
    (r"(?i:^cpu_op$|^operator$)", "host"),
    (r"^python_function$", "python"),
    (r"^(enqueue|dequeue)$|(?i:^runtime$)|_runtime$|_driver$", "runtime"),
    (r"(?i:^kernel$)", "computing"),
    (r"(?i:memcpy|memset)", "memory"),
    (r"annotation$|^Trace$", "step"),
)
_NAMES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (r"^ProfilerStep#", "step", ("host", "python", "step")),
    (r"^nn\.Module: ", "module", ("python", "host")),
    (
        r"^hcom_|^(nccl|Hccl|lccl)|All(Reduce|Gather)|ReduceScatter|AllToAll",
        "communication",
        ("computing",),
    ),
    (r"(?i:memcpy|memset)|^TensorMove$", "memory", ("computing",)),
    (r"(?i:notify_?wait|event_?wait|^wait)", "wait", ("computing", "communication")),
    (r"(?i:synchronize)", "wait", ("runtime",)),
)


def slots_by_kind(trace: Trace) -> NDArray[np.uint8]:
    """Return the colour slot of every slice, by the kind of its work."""
    of_lane = np.array(
        [
            _first(_match(_LANES, lane.title), _match(_PROCESSES, lane.process_title))
            for lane in trace.lanes
        ],
        np.int16,
    )
    of_category = np.array([_match(_CATEGORIES, name) for name in trace.categories], np.int16)
    hashes = _hashes(trace.names)
    shade = ((hashes // SCALE) % VARIANTS).astype(np.int16)
    refined = _refined(trace.names, hashes)
    if of_category.size and kernels_pay(len(trace)):
        from plugins.timeline.ui.scenekernels import colour_slots

        lane, category, name = trace.lane, trace.category, trace.name
        found = np.empty(len(trace), np.uint8)
        colour_slots(lane, category, name, of_lane, of_category, refined, shade, VARIANTS, found)
        return found
    kind = _take(of_lane, trace.lane)
    named = _take(of_category, trace.category)
    np.copyto(kind, named, where=named >= 0)
    by_name = refined[kind, trace.name] if trace.name.size else kind
    np.copyto(kind, by_name, where=by_name >= 0)
    return (1 + kind * VARIANTS + _take(shade, trace.name)).astype(np.uint8)


def coloured(trace: Trace, colouring: str) -> Colours:
    """Return the colour slot of every slice, and the legend that explains them."""
    if colouring == "length":
        slots, entries = length_slots(trace, _LENGTH_SLOT)
        return Colours(slots, tuple(entries))
    groupings = {"name": by_name, "category": by_category, "launcher": by_launcher}
    if colouring in groupings:
        groups = groupings[colouring](trace)
        slots, entries = scale_slots(trace, groups, _SCALE_SLOT)
        return Colours(np.where(slots == 0, np.uint8(_NONE_SLOT), slots), tuple(entries))
    slots = slots_by_kind(trace)
    return Colours(slots, tuple(_kind_entries(slots)))


@dataclass(frozen=True)
class Colours:
    """The colour slot of every slice, and what the slots mean."""

    slots: NDArray[np.uint8]
    legend: tuple[Entry, ...]


COLOURINGS = ("kind", "name", "category", "length", "launcher")
"""The ways to colour slices, as the setting names them."""


def _kind_entries(slots: NDArray[np.uint8]) -> Iterable[Entry]:
    """The kinds that occur and have a name."""
    present = np.bincount(slots, minlength=256)
    for number, kind in enumerate(KINDS[:_FIRST_OTHER]):
        mine = tuple(range(1 + number * VARIANTS, 1 + (number + 1) * VARIANTS))
        if present[list(mine)].any():
            yield Entry(kind.id, kind_title(kind.id), mine)


def kind_title(kind: str) -> str:
    """Name a kind of work; "" for colours that mean something else."""
    titles = {
        "computing": tr("Computing"),
        "communication": tr("Communication"),
        "memory": tr("Memory copy"),
        "free": tr("Free"),
        "wait": tr("Waiting"),
        "host": tr("Host operator"),
        "runtime": tr("Runtime API"),
        "python": tr("Python"),
        "module": tr("Module"),
        "step": tr("Training step"),
    }
    return titles.get(kind, "")


def is_python(trace: Trace) -> NDArray[np.bool_]:
    """Tell which slices are frames of a Python stack."""
    return np.asarray(kinds_of(slots_by_kind(trace)) == _NUMBER["python"])


def kind_of_slot(slot: int) -> int:
    """Return the number of the kind a slot belongs to (-1 for no slice)."""
    return (slot - 1) // VARIANTS if slot else -1


def kinds_of(slots: NDArray[np.uint8]) -> NDArray[np.int16]:
    """Return the number of the kind of each slot (-1 for no slice)."""
    return np.asarray((slots.astype(np.int16) + VARIANTS - 1) // VARIANTS - 1, np.int16)


def _refined(names: Sequence[str], hashes: NDArray[np.int64]) -> NDArray[np.int16]:
    """The kind that each name means inside each kind, -1 for that kind itself.

    The last row is for slices of no kind: they get a colour of the scale by their name's hash.
    """
    table = np.full((len(KINDS) + 1, max(len(names), 1)), -1, np.int16)
    any_rule = re.compile("|".join(f"(?:{pattern})" for pattern, _, _ in _NAMES)).search
    likely = [number for number, name in enumerate(names) if any_rule(name)]
    for pattern, result, within in _NAMES:
        found = re.compile(pattern).search
        hits = [number for number in likely if found(names[number])]
        for inside in within:
            cell = table[_NUMBER[inside], hits]
            table[_NUMBER[inside], hits] = np.where(cell < 0, _NUMBER[result], cell)
    table[-1, : hashes.size] = _FIRST_OTHER + hashes % SCALE
    return table


def _match(rules: Sequence[tuple[str, str]], text: str) -> int:
    return next((_NUMBER[kind] for pattern, kind in rules if re.search(pattern, text)), -1)


def _first(preferred: int, otherwise: int) -> int:
    return preferred if preferred >= 0 else otherwise


def _take(values: NDArray[np.int16], index: NDArray[np.integer]) -> NDArray[np.int16]:
    if not values.size:
        return np.full(index.size, -1, np.int16)
    taken = values[np.maximum(index, 0)]
    return np.where(index >= 0, taken, np.int16(-1)).astype(np.int16)


def _hashes(names: Sequence[str]) -> NDArray[np.int64]:
    """Hash names the same in every run, numbers in them left out: `matmul_1` is like `matmul_2`."""
    digits = str.maketrans("", "", "0123456789")
    return np.array([zlib.crc32(name.translate(digits).encode()) for name in names], np.int64)
