"""The cells that msprobe writes for one value of a dump."""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from studio.tensors.dumps.model import Call, Value

NOT_AVAILABLE = "N/A"
_RANK_ARGUMENTS = ("src", "dst", "group_src", "group_dst")
_ORDER = {"parameter": 1, "output": 2, "parameter_grad": 3}


@dataclass(slots=True)
class Side:
    """One row's half: what msprobe knows of a value of the device or of the reference."""

    name: str
    call: str
    key: str
    dtype: str
    shape: str
    requires_grad: str
    summary: tuple[Any, Any, Any, Any]
    checksum: str
    file: str
    stack: str
    value: Value | None


NOTHING = Side(
    name=NOT_AVAILABLE,
    call=NOT_AVAILABLE,
    key=NOT_AVAILABLE,
    dtype=NOT_AVAILABLE,
    shape=NOT_AVAILABLE,
    requires_grad=NOT_AVAILABLE,
    summary=(NOT_AVAILABLE,) * 4,
    checksum=NOT_AVAILABLE,
    file=NOT_AVAILABLE,
    stack=NOT_AVAILABLE,
    value=None,
)
"""What stands beside a value that the reference lacks."""


def sides_of(calls: tuple[Call, ...], stacks: dict[str, str]) -> list[Side]:
    """Return the halves of all rows, in msprobe's order: parameters before outputs."""
    found, seen = [], dict[str, int]()
    for call in calls:
        base = _without_number(call)
        if not base:
            continue
        count = seen.get(base, 0)
        if call.phase == "backward":
            # Calls of backward are numbered anew by their order, since recomputation shifts them.
            seen[base] = count + 1
        values = [v for v in call.values if v.kind != "bare"]
        values.sort(key=lambda value: _ORDER.get(value.role, 0))
        for place, value in enumerate(values):
            stack = stacks.get(call.name, NOT_AVAILABLE) if place == 0 else NOT_AVAILABLE
            key = value.name
            if call.phase == "backward":
                key = base + _direction(call, count) + value.name.replace(call.name, "")
            found.append(_side(call, value, key, stack))
    return found


def shown(value: Any) -> Any:  # noqa: ANN401 - a number or a text
    """Write a statistic as msprobe does: NaN as a word, what is missing as "None"."""
    if value is None:
        return "None"
    if isinstance(value, float) and math.isnan(value):
        return "Nan"
    return value


def _side(call: Call, value: Value, key: str, stack: str) -> Side:
    grad = NOT_AVAILABLE if value.requires_grad is None else str(value.requires_grad)
    dtype, shape, summary, checksum = _described(value)
    return Side(
        name=value.name,
        call=call.name,
        key=key,
        dtype=dtype,
        shape=shape,
        requires_grad=grad,
        summary=summary,
        checksum=value.checksum or checksum,
        file=value.file or "-1",
        stack=stack,
        value=value,
    )


def _described(value: Value) -> tuple[str, str, tuple[Any, Any, Any, Any], str]:
    summary = (value.max, value.min, value.mean, value.norm)
    if not value.kind:
        return NOT_AVAILABLE, NOT_AVAILABLE, _summary(summary), NOT_AVAILABLE
    if value.dtype:
        shape = NOT_AVAILABLE if value.shape is None else str(list(value.shape))
        return value.dtype, shape, _summary(summary, bools=True), _checksum(value, None)
    scalar = value.scalar
    if value.kind == "torch.Size":
        return value.kind, str(scalar), _summary(summary), _checksum(value, scalar)
    if value.kind == "slice":
        length = len(scalar) if isinstance(scalar, list) else 0
        return value.kind, f"({length},)", _summary(summary), _checksum(value, scalar)
    if value.kind == "ellipsis":
        return value.kind, "[]", _summary((scalar,) * 4), _checksum(value, scalar)
    if value.place.rsplit(".", 1)[-1] in _RANK_ARGUMENTS or value.kind == "torch.ProcessGroup":
        text = str(scalar)
        return value.kind, "[]", (text,) * 4, text
    return str(type(scalar)), "[]", _summary((scalar,) * 4), _checksum(value, scalar)


def _summary(values: tuple[Any, ...], bools: bool = False) -> tuple[Any, Any, Any, Any]:
    if set(map(type, values)) == {float} and math.isfinite(sum(values)):
        return values
    one, two, three, four = (str(v) if bools and isinstance(v, bool) else shown(v) for v in values)
    return one, two, three, four


def _checksum(value: Value, scalar: Any) -> str:  # noqa: ANN401 - an argument of any kind
    text = "" if value.dtype else str(scalar)
    return f"{zlib.crc32(text.encode()):08x}"


def _without_number(call: Call) -> str:
    if call.phase == "debug":
        return call.name
    parts = call.name.split(".")
    if call.phase in ("forward", "backward"):
        return ".".join(parts[:-2])
    return ".".join(parts[:-1]) if call.phase == "parameters_grad" else ""


def _direction(call: Call, count: int) -> str:
    return f".backward.{count}" if call.is_module else f".{count}.backward"
