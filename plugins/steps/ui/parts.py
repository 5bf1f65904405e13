"""What the time of a step is made of: the parts, their names, colours and lengths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from studio.i18n import tr
from studio.perf.cause_texts import cause_meaning, cause_title
from studio.perf.gaps import CAUSES
from studio.trace.intervals import difference, union

if TYPE_CHECKING:
    import pandas as pd

    from studio.perf.steps import StepBreakdown
    from studio.trace.intervals import Intervals

_MEMORY: Final = ("copies", "memory_api")


@dataclass(frozen=True)
class Part:
    """One part of a step; `inside` ones are contained in others and add nothing."""

    key: str
    title: str
    meaning: str
    semantic: str
    ns: int
    inside: bool = False


def classes_of(row: pd.Series) -> list[Part]:
    """The four classes that add up to the step, for stacked bars."""
    free, memory = _ns(row, "free_ns") or 0, 0
    for cause in _MEMORY:
        memory += _ns(row, f"free_{cause}_ns") or 0
    found = [
        ("computing", "computing", _ns(row, "computing_ns") or 0),
        ("not_overlapped", "communication", _ns(row, "not_overlapped_ns") or 0),
        ("memory", "memory_copy", memory),
        ("other_free", "free", free - memory),
    ]
    if not any(ns for _, _, ns in found):
        found = [("span", "host", _ns(row, "span_ns") or _ns(row, "stage_ns") or 0)]
    return [Part(k, part_title(k), part_meaning(k), semantic, ns) for k, semantic, ns in found]


def parts_of(row: pd.Series) -> list[Part]:
    """All parts of a step in the order of a waterfall; what was not recorded is left out."""
    wanted = [
        ("computing", "computing", False),
        ("overlapped", "communication", True),
        ("not_overlapped", "communication", False),
        ("own_bubble", "communication", True),
    ]
    causes = [cause for cause in CAUSES if _ns(row, f"free_{cause}_ns") is not None]
    parts = []
    for key, semantic, inside in wanted:
        ns = _ns(row, f"{key}_ns")
        if ns is not None and (ns or not inside):
            parts.append(Part(key, part_title(key), part_meaning(key), semantic, ns, inside))
    if not causes and (ns := _ns(row, "free_ns")) is not None:
        parts.append(Part("free", part_title("free"), part_meaning("free"), "free", ns))
    for cause in causes:
        semantic = "memory_copy" if cause in _MEMORY else "free"
        ns = _ns(row, f"free_{cause}_ns") or 0
        if ns:
            parts.append(Part(cause, cause_title(cause), cause_meaning(cause), semantic, ns))
    return parts


def part_title(key: str) -> str:
    """Name a part."""
    return {
        "computing": tr("Computing"),
        "communication": tr("Communication"),
        "overlapped": tr("overlapped communication"),
        "not_overlapped": tr("Communication, not overlapped"),
        "own_bubble": tr("waiting for neighbours (bubble)"),
        "memory": tr("Memory copies and calls"),
        "free": tr("Idle"),
        "other_free": tr("Idle"),
        "span": tr("Whole step"),
        "stage": "Stage",
        "bubble": tr("Bubble (vendor)"),
        "all_copies": tr("All memory copies"),
        "preparing": tr("Preparing"),
    }.get(key) or cause_title(key)


def part_meaning(key: str) -> str:
    """Say what a part counts."""
    return {
        "computing": tr("Operators ran on the device, alone or beside communication."),
        "communication": tr("Communication ran, whatever ran beside it."),
        "overlapped": tr("Communication hidden behind computing; contained in computing."),
        "not_overlapped": tr("Communication ran while nothing computed."),
        "own_bubble": tr(
            "Send and receive between pipeline stages while nothing computed; contained in "
            "communication."
        ),
        "memory": tr("Idle, but for memory copies and memory calls."),
        "free": tr("Neither computing nor communication."),
        "other_free": tr("Neither computing, communication nor memory copies and calls."),
        "span": tr("From the first operator or communication on the device to the last."),
    }.get(key) or cause_meaning(key)


def intervals_of(breakdown: StepBreakdown, row: int, key: str) -> Intervals:
    """What a part or a class of a step is made of, in time order."""
    if key not in ("memory", "other_free"):
        return breakdown.intervals(row, key)
    each = [breakdown.intervals(row, cause) for cause in _MEMORY]
    memory = union(*(np.concatenate(ends) for ends in zip(*each, strict=True)))
    return memory if key == "memory" else difference(breakdown.intervals(row, "free"), memory)


def span_of(row: pd.Series) -> int:
    """The length of a step: what its parts add up to, or what was published."""
    return _ns(row, "span_ns") or _ns(row, "stage_ns") or 0


def _ns(row: pd.Series, name: str) -> int | None:
    value = row[name]
    return None if value is None or str(value) in ("<NA>", "nan") else int(value)
