"""What the support list says of an analysed text for one torch version and chip.

An analysis holds the uses of APIs with all that matters of them, so that another choice is judged
from what is kept of a file, without reading its code again. It is a function of the text and of the
answers to what else was asked: the few names of torch.cuda that not every version has, and the
strategy.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from plugins.migration.core.model import Hit, ScanContext, Site
from plugins.migration.core.rules.awareness import AWARE
from plugins.migration.core.rules.support import (
    CONDITION,
    CONDITIONS,
    DTYPE,
    FALLBACK,
    TOLD,
    UNSUPPORTED,
)
from plugins.migration.core.support import Judgement, judged_in
from plugins.migration.core.tables import api_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugins.migration.core.model import Analysis, Asked, Span, Value

_ARGUMENT = re.compile(r"argument (\w+)")

Answers = list[str]


def answers(asked: Asked, context: ScanContext) -> Answers:
    """The answers that an analysis depends on."""
    table = api_names()
    strategy = context.strategy if asked.strategy else ""
    return [strategy, *(table[name].judged(context.torch) for name in asked.names)]


def judged(analysis: Analysis, context: ScanContext) -> Analysis:
    """An analysis as the chosen torch version and chip judge it."""
    if analysis.fault is not None:
        return analysis
    found: list[Hit] = []
    left: list[Span] = list(analysis.left)
    for name, sites in analysis.sites.items():
        known = judged_in(context, name)
        if known.verdict in TOLD or known.dtypes or known.without:
            for site in sites:
                hits = list(_hits(known, site))
                if site.aware:
                    left.extend((hit.start, hit.end) for hit in hits)
                else:
                    found += hits
    if left:
        count = len(set(left))
        place = (analysis.left or left)[0]
        found.append(Hit(AWARE.id, *place, values={"count": count}))
    hits = [*(_told(hit, context) for hit in analysis.hits), *found]
    if found:
        hits.sort(key=lambda hit: (hit.start, hit.end))
    unverified = analysis.unverified
    if context.rules:
        unverified = tuple(
            use for use in unverified if judged_in(context, use.name).verdict == "unverified"
        )
    status = "aware" if left and analysis.status == "clean" else analysis.status
    return replace(analysis, status=status, hits=tuple(hits), unverified=unverified)


def _hits(known: Judgement, site: Site) -> Iterator[Hit]:
    """What is said of one use of an API.

    Limits of element types are told where the code states the type, conditions and fall-backs once
    per file and API.
    """
    values: dict[str, Value] = {"name": known.name, "torch": known.torch, "chip": known.chip}
    start, end, source = site.start, site.end, known.source
    if known.verdict == "unsupported":
        yield Hit(UNSUPPORTED.id, start, end, (), "unsupported", "", source, values)
        return
    # Where the list names a single type, that is the one it was tried with: it does so for methods
    # that look at no element, such as numel, and for softmax.
    if len(known.dtypes) != 1 and (
        dtype := next((d for d in site.dtypes if not known.takes(d)), "")
    ):
        allowed = " ".join(sorted(known.dtypes)) or f"–{' –'.join(sorted(known.without))}"
        of_type: dict[str, Value] = {
            "name": known.name, "dtype": dtype, "chip": known.chip, "torch": known.torch,
            "allowed": allowed,
        }  # fmt: skip
        yield Hit(DTYPE.id, start, end, (), "limited", "", source, of_type)
    if not site.first:
        return
    if known.verdict == "fallback" and not site.on_cpu:
        yield Hit(FALLBACK.id, start, end, (), "limited", "", source, values)
    condition = next((note for note in known.notes if _applies(note, site)), "")
    if known.verdict == "limited" and condition:
        note = CONDITIONS[condition]
        yield Hit(CONDITION.id, start, end, (), "limited", note, source, values)


def _applies(note: str, site: Site) -> bool:
    """Whether a condition matters at a use; one on an argument does if that is given."""
    if note not in CONDITIONS:
        return False
    argument = _ARGUMENT.match(note)
    return argument is None or argument[1] in site.arguments


def _told(hit: Hit, context: ScanContext) -> Hit:
    """A hit with the chosen torch version and chip in what it tells."""
    values = hit.values
    if "torch" not in values and "chip" not in values:
        return hit
    chosen: dict[str, Value] = {"torch": context.torch, "chip": context.chip}
    return replace(hit, values={key: chosen.get(key, value) for key, value in values.items()})
