"""How large the errors are that go into a call and come out of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugins.precision.core.align.change import MATCHED, CallPair, Change
from plugins.precision.core.align.keys import module_of
from plugins.precision.core.result import Status

if TYPE_CHECKING:
    from collections.abc import Iterable

    from plugins.precision.core.dump_result import PartResult
    from plugins.precision.core.dump_row import DumpRow
    from studio.tensors.dumps.model import Call

Key = tuple[str, int, str]

_INPUTS = ("input", "parameter")
_OUTPUTS = ("output", "parameter_grad", "debug")
_DEVIATING = (Status.DIFFERS, Status.SHAPE, Status.REVIEW, Status.UNREADABLE)


@dataclass(frozen=True, slots=True)
class CallErrors:
    """The errors of one matched call."""

    place: int
    """Its place among the pairs of its part."""
    pair: CallPair
    rows: tuple[DumpRow, ...]
    error_in: float
    """The relative errors of all that goes in, added up: tensors, parameters, and for the backward
    pass what the forward pass left. The relative error of a product is the sum of its factors'."""
    error_out: float
    added: float
    """The part of error_out that error_in does not explain."""
    input_changed: bool
    output_changed: bool
    argument_changed: bool
    type_changed: bool
    """An output has another element type while all inputs have the same."""

    @property
    def call(self) -> Call:
        """The call in the base."""
        assert self.pair.base is not None
        return self.pair.base

    @property
    def deviates(self) -> bool:
        """Whether anything about the call differs."""
        return self.input_changed or self.output_changed or self.argument_changed


def errors_of(part: PartResult) -> list[CallErrors]:
    """Return the errors of all matched calls of a part, in order."""
    matched = [
        (place, pair, rows)
        for place, (pair, rows) in enumerate(zip(part.pairs, part.rows, strict=True))
        if pair.base and pair.change in MATCHED and pair.change is not Change.RECOMPUTED
    ]
    known: dict[tuple[str, Key], list[DumpRow]] = {}
    for _, pair, rows in matched:
        if pair.base:
            known[pair.base.phase, _key(pair.base)] = [r for r in rows if not is_argument(r)]
    return [_errors(place, pair, rows, known) for place, pair, rows in matched]


def _errors(
    place: int,
    pair: CallPair,
    rows: tuple[DumpRow, ...],
    known: dict[tuple[str, Key], list[DumpRow]],
) -> CallErrors:
    went_in = [row for row in rows if row.role in _INPUTS]
    came_out = [row for row in rows if row.role in _OUTPUTS]
    tensors = [row for row in went_in if not is_argument(row)]
    call = pair.base
    assert call is not None
    # Gradients depend on what the forward pass left, those of parameters also on the backward's.
    saved = known.get(("forward", _key(call)), []) if call.phase != "forward" else []
    if call.phase == "parameters_grad":
        saved = saved + [r for r in known.get(("backward", _key(call)), []) if r.role == "input"]
    error_in, error_out = _sum(tensors + saved), _largest(came_out)
    return CallErrors(
        place=place,
        pair=pair,
        rows=rows,
        error_in=error_in,
        error_out=error_out,
        added=_added(error_in, error_out, tensors, came_out),
        input_changed=any(map(_changed, tensors)) or any(map(_changed, saved)),
        output_changed=any(map(_changed, came_out)),
        argument_changed=any(is_argument(r) and r.status is Status.DIFFERS for r in went_in),
        type_changed=any(map(_retyped, came_out)) and not any(map(_retyped, went_in)),
    )


def _key(call: Call) -> Key:
    return call.api, max(call.number, 0), call.module or module_of(call)


def _largest(rows: Iterable[DumpRow]) -> float:
    errors = [row.relative_error for row in rows if not is_argument(row)]
    return max((error for error in errors if error is not None), default=0.0)


def _sum(rows: Iterable[DumpRow]) -> float:
    return sum(row.relative_error or 0.0 for row in rows)


def _added(
    error_in: float, error_out: float, went_in: list[DumpRow], came_out: list[DumpRow]
) -> float:
    if error_in == float("inf"):
        return 0.0
    explained = error_in * _gain(went_in, came_out)
    return max(0.0, error_out - explained)


def _gain(went_in: list[DumpRow], came_out: list[DumpRow]) -> float:
    """Return by how much the call enlarges errors, as the third run shows; 1 without one."""
    noise_in = max((row.noise or 0.0 for row in went_in), default=0.0)
    noise_out = max((row.noise or 0.0 for row in came_out), default=0.0)
    return max(1.0, noise_out / noise_in) if noise_in else 1.0


def _changed(row: DumpRow) -> bool:
    if is_argument(row):
        return False
    return (row.deviates and row.status in _DEVIATING) or _retyped(row)


def _retyped(row: DumpRow) -> bool:
    one, two = row.dtype_base, row.dtype_candidate
    return bool(one and two) and one != two


def is_argument(row: DumpRow) -> bool:
    """Whether a row is an argument that is no tensor."""
    return row.dtype_base is None and row.shape_base is None
