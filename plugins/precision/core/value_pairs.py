"""Which values of two aligned calls belong together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugins.precision.core.align.change import CallPair, Change

if TYPE_CHECKING:
    from studio.tensors.dumps.model import Call, Value

Pair = tuple["Value | None", "Value | None"]

_NAMES = {
    "gamma": "weight",
    "beta": "bias",
    "embedding_table": "weight",
    "moving_mean": "running_mean",
    "moving_variance": "running_var",
}
"""Parameters as MindSpore and PyTorch call them."""


def pair_values(pair: CallPair) -> list[Pair]:
    """Pair the values of two calls by role and place, the rest by order.

    Of calls that do the same in another way (replaced, fused), only the outputs are compared.
    """
    base, candidate = pair.base, pair.candidate
    if base is None or candidate is None:
        return [(v, None) for v in _values(base)] + [(None, v) for v in _values(candidate)]
    if pair.change in (Change.REPLACED, Change.FUSED):
        return _by_order(base.of("output"), candidate.of("output"))
    return _matched(_values(base), _values(candidate))


def _values(call: Call | None) -> list[Value]:
    return [] if call is None else list(call.values)


def _matched(base: list[Value], candidate: list[Value]) -> list[Pair]:
    places: dict[tuple[str, str], Value] = {}
    for value in candidate:
        places.setdefault((value.role, _NAMES.get(value.place, value.place)), value)
    pairs: list[Pair] = []
    left: list[Value] = []
    for value in base:
        other = places.pop((value.role, _NAMES.get(value.place, value.place)), None)
        if other is None:
            left.append(value)
        pairs.append((value, other))
    right = list(places.values())
    if not left or not right:
        return pairs + [(None, value) for value in right]
    # An argument given by name on one side and by place on the other.
    by_order = {id(one): two for one, two in _same_role(left, right)}
    used = {id(two) for two in by_order.values()}
    pairs = [(one, two or by_order.get(id(one))) for one, two in pairs]
    return pairs + [(None, value) for value in right if id(value) not in used]


def _same_role(left: list[Value], right: list[Value]) -> list[tuple[Value, Value]]:
    found = []
    for role in dict.fromkeys(value.role for value in left):
        one = [value for value in left if value.role == role]
        two = [value for value in right if value.role == role]
        if len(one) == len(two):
            found += [(a, b) for a, b in zip(one, two, strict=True) if a.tensor == b.tensor]
    return found


def _by_order(base: list[Value], candidate: list[Value]) -> list[Pair]:
    one = [value for value in base if value.tensor]
    two = [value for value in candidate if value.tensor]
    common = min(len(one), len(two))
    pairs: list[Pair] = list(zip(one[:common], two[:common], strict=True))
    return pairs
