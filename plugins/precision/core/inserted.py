"""Find the inserted call that is to blame for what a later call is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugins.precision.core.align.change import Change

if TYPE_CHECKING:
    from plugins.precision.core.dump_result import PartResult
    from plugins.precision.core.errors_of_calls import CallErrors
    from studio.tensors.dumps.model import Call, Value

Found = tuple[int, "Call"]


def blamed(part: PartResult, found: CallErrors) -> Found | None:
    """Return the first inserted call that led to what a deviating call is given.

    Values are followed upstream through inserted calls, by their statistics. Where that leads
    nowhere, the inserted calls right before are looked at. A call that gives back what it was given
    (adding zero, a view) is not to blame.
    """
    new = [
        (place, pair.candidate)
        for place, pair in enumerate(part.pairs[: found.place])
        if pair.change is Change.INSERTED and pair.candidate
    ]
    call = found.pair.candidate
    chain = _upstream(call, new) if call else set()
    culprits = [entry for entry in new if entry[0] in chain and not neutral(entry[1])]
    if culprits:
        return culprits[0]
    start = found.place
    while start and part.pairs[start - 1].change in (Change.INSERTED, Change.REMOVED):
        start -= 1
    return next((e for e in new if e[0] >= start and not neutral(e[1])), None)


def neutral(call: Call) -> bool:
    """Whether a call gives back what it was given, as far as its statistics say."""
    inputs = {_signature(value) for value in call.of("input") if value.tensor}
    return all(_signature(value) in inputs for value in call.of("output") if value.tensor)


def _upstream(call: Call, new: list[Found]) -> set[int]:
    made: dict[str, list[int]] = {}
    calls = dict(new)
    for place, other in new:
        for value in other.of("output"):
            made.setdefault(_signature(value), []).append(place)
    waiting = [value for value in call.of("input") if value.tensor]
    chain: set[int] = set()
    while waiting:
        for place in made.get(_signature(waiting.pop()), ()):
            if place not in chain:
                chain.add(place)
                waiting += [value for value in calls[place].of("input") if value.tensor]
    return chain


def _signature(value: Value) -> str:
    # The shape is left out: views keep the values and change the shape.
    numbers = (value.max, value.min, value.norm) if value.measured else (value.shape,)
    return repr((value.dtype, value.checksum, *numbers))
