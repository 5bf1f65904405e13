"""What an analysis asked about torch version, chip and strategy, so that others can share it.

An analysis is a function of the text and of the answers it got. Where another choice gives the same
answers to all that was asked, the analysis holds for that choice too, but for the names of torch
version and chip in what is told, and for the page of the support list that says so.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from plugins.migration.core import support
from plugins.migration.core.tables import api_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugins.migration.core.model import Analysis, Asked, Hit, ScanContext, Value

_TOLD = frozenset(["unsupported", "fallback", "limited"])
_OF_LISTING = frozenset(
    ["torch-api-unsupported", "torch-api-dtype", "torch-api-condition", "torch-api-fallback"]
)

Answers = list[object]


def answers_for_words(words: Sequence[str], context: ScanContext) -> Answers:
    """The answers that decide which other questions there are."""
    methods = support.methods(context.torch, context.chip)
    return [word for word in words if word in methods]


def answers(asked: Asked, context: ScanContext) -> Answers:
    """The answers to the other questions, as plain values."""
    told: Answers = [context.strategy if asked.strategy else ""]
    for name in asked.apis:
        known = support.judged(name, context.torch, context.chip)
        limits = [sorted(known.dtypes), sorted(known.without)] if asked.dtypes else []
        verdict = known.verdict if known.verdict in _TOLD else ""
        told.append([verdict, list(known.notes) if verdict == "limited" else [], limits])
    table = api_names()
    told.extend(table[name].judged(context.torch) for name in asked.names)
    return told


def told_for(analysis: Analysis, context: ScanContext) -> Analysis:
    """An analysis made for another choice with the same answers, as this choice tells it."""
    if context.rules:
        return analysis  # made for this very choice, and what it cites may be those rules
    return replace(analysis, hits=tuple(_told(hit, context) for hit in analysis.hits))


def _told(hit: Hit, context: ScanContext) -> Hit:
    chosen: dict[str, Value] = {"torch": context.torch, "chip": context.chip}
    values = {key: chosen.get(key, value) for key, value in hit.values.items()}
    if hit.rule not in _OF_LISTING:
        return replace(hit, values=values) if values != hit.values else hit
    source = support.judged(str(hit.values["name"]), context.torch, context.chip).source
    return replace(hit, values=values, source=source)
