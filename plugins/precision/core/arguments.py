"""Compare what can be compared without tensors: arguments, checksums, recorded statistics."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from plugins.precision.core.result import Status
from studio.i18n import tr

if TYPE_CHECKING:
    from collections.abc import Callable

    from studio.tensors.dumps.model import Number, Value
    from studio.tensors.tolerance import Tolerance

_DEVICE = re.compile(r"^(npu|cuda|cpu|gpu|meta)(:\d+)?$", re.IGNORECASE)
_STATISTICS = ("max", "min", "mean", "norm")


class Finding(NamedTuple):
    """A verdict without tensors."""

    status: Status
    reason: str
    relative_error: float | None = None
    max_abs: float | None = None
    differing: int | None = None


def compare_arguments(base: Value, candidate: Value) -> Finding:
    """Compare two arguments that are no tensors."""
    one, two = base.scalar, candidate.scalar
    if base.tensor != candidate.tensor:
        return Finding(Status.DIFFERS, tr("a tensor on one side only"))
    if one == two or (_is_nan(one) and _is_nan(two)):
        return Finding(Status.OK, tr("equal"))
    if _is_device(one) and _is_device(two):
        return Finding(Status.OK, tr("devices {a} and {b}", a=one, b=two))
    reason = tr("argument {a} became {b}", a=_shown(one), b=_shown(two))
    if _is_number(one) and _is_number(two):
        apart = abs(two - one)
        relative = apart / abs(one) if one else math.inf
        return Finding(Status.DIFFERS, reason, relative, apart, 1)
    return Finding(Status.DIFFERS, reason, differing=1)


def compare_checksums(base: Value, candidate: Value) -> Finding:
    """Compare the checksums of two tensors."""
    if base.checksum == candidate.checksum:
        return Finding(Status.OK, tr("equal checksums"), 0.0)
    return Finding(
        Status.DIFFERS,
        tr("other checksum; by how much the values differ was not recorded"),
        differing=1,
    )


def compare_statistics(
    base: Value, candidate: Value, tolerance: Callable[[], Tolerance]
) -> Finding:
    """Compare recorded statistics of two tensors of the same shape.

    The error is estimated from how far each statistic moved: maximum, minimum and mean in units of
    the tensor's largest value (a mean near zero says nothing by itself), the norm in units of
    itself. It is a lower bound of the true error.
    """
    if not base.measured or not candidate.measured:
        return Finding(Status.EMPTY, tr("no statistics were recorded"))
    one = (base.max, base.min, base.mean, base.norm)
    two = (candidate.max, candidate.min, candidate.mean, candidate.norm)
    equal = one == two
    if not (_plain(*one) and (equal or _plain(*two))) and any(map(_odd, one + two)):
        odd = [place for place in range(4) if _odd(one[place]) or _odd(two[place])]
        words = ", ".join(_STATISTICS[place] for place in odd)
        if not all(_same(one[place], two[place]) for place in odd):
            reason = tr("{names}: not finite, and not the same on both sides", names=words)
            return Finding(Status.DIFFERS, reason, math.inf, differing=1)
        return Finding(Status.REVIEW, tr("{names}: not finite on both sides", names=words), 0.0)
    if equal:
        return Finding(Status.OK, tr("equal statistics"), 0.0)
    scale = max(abs(_number(base.max)), abs(_number(base.min)))
    units = (scale, scale, scale, abs(_number(base.norm)))
    errors = [_moved(x, y, unit) for x, y, unit in zip(one, two, units, strict=True)]
    error = max(errors)
    limits = tolerance()
    if error <= limits.relative + limits.of_scale:
        return Finding(Status.OK, tr("within tolerance"), error)
    name = _STATISTICS[errors.index(error)]
    reason = tr("{name} moved by {share} %", name=name, share=f"{error * 100:.4g}")
    return Finding(Status.DIFFERS, reason, error, differing=1)


def _moved(base: Number, candidate: Number, unit: float) -> float:
    if base is None or candidate is None or base == candidate:
        return 0.0
    return float(abs(candidate - base) / unit) if unit else math.inf


def _number(value: Number) -> float | int:
    return 0 if value is None else value


def _plain(*numbers: Number) -> bool:
    """Whether all are finite as far as their sum tells, which is fast to see."""
    total = 0.0
    for number in numbers:
        if type(number) is not float:
            return False
        total += number
    return total - total == 0


def _odd(number: Number) -> bool:
    # Only an infinity or NaN is something else than zero when taken from itself.
    return isinstance(number, float) and number - number != 0


def _same(one: Number, two: Number) -> bool:
    return one == two or (_is_nan(one) and _is_nan(two))


def _is_nan(value: Any) -> bool:  # noqa: ANN401 - an argument of any kind
    return isinstance(value, float) and math.isnan(value)


def _is_number(value: Any) -> bool:  # noqa: ANN401 - see above
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_device(value: Any) -> bool:  # noqa: ANN401 - see above
    return isinstance(value, str) and bool(_DEVICE.match(value))


def _shown(value: Any) -> str:  # noqa: ANN401 - see above
    return str(value)[:80]
