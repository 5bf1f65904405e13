"""The values of one call in `dump.json`: nested lists and dictionaries with tensors as leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from studio.tensors.dumps.lenient_json import number
from studio.tensors.dumps.model import Value

if TYPE_CHECKING:
    from collections.abc import Iterator

_GROUPS = (
    ("input_args", "input", "input"),
    ("input_kwargs", "input", "input"),
    ("input", "input", "input"),
    ("output", "output", "output"),
    ("parameters", "parameters", "parameter"),
)
_DEPTH = 100
_PROCESS_GROUP = "torch.ProcessGroup"
_SENT = "torch.distributed.P2POp"


def values_of(call: str, phase: str, entry: Any) -> Iterator[Value]:  # noqa: ANN401 - JSON
    """Walk the values of a call in the order msprobe lists them."""
    if phase == "debug":
        yield from _walk(entry, call, "", "debug", 0)
    elif not isinstance(entry, dict):
        return
    elif phase == "parameters_grad":
        for name, grads in entry.items():
            for grad in grads if isinstance(grads, list) else [grads]:
                yield from _walk(grad, f"{call}.{name}", name, "parameter_grad", 0)
    else:
        for key, word, role in _GROUPS:
            if key in entry:
                yield from _walk(entry[key], f"{call}.{word}", "", role, 0)


def _walk(entry: Any, name: str, place: str, role: str, depth: int) -> Iterator[Value]:  # noqa: ANN401
    if entry is None:
        yield Value(name, role, place)
    elif isinstance(entry, dict) and isinstance(entry.get("type"), str):
        yield _leaf(entry, name, place, role)
    elif isinstance(entry, dict) and entry.get("class_type") == _SENT:
        sent = entry.get("tensor")
        if isinstance(sent, dict) and isinstance(sent.get("type"), str):
            yield _leaf(sent, name, place, role)
        else:
            yield Value(name, role, place)
    elif isinstance(entry, (dict, list)):
        if depth < _DEPTH:
            below = entry.items() if isinstance(entry, dict) else enumerate(entry)
            for key, child in below:
                inner = f"{place}.{key}" if place else str(key)
                yield from _walk(child, f"{name}.{key}", inner, role, depth + 1)
    else:
        yield Value(name, role, place, kind="bare", scalar=entry)


def _leaf(entry: dict[str, Any], name: str, place: str, role: str) -> Value:
    file = entry.get("data_name")
    file = file if isinstance(file, str) and file != "-1" else ""
    kind = entry["type"]
    dtype, shape = entry.get("dtype"), entry.get("shape")
    scalar = entry.get("value")
    if kind == _PROCESS_GROUP:
        scalar = entry.get("group_ranks")
    grad, checksum = entry.get("requires_grad"), entry.get("md5")
    return Value(
        name=file.rsplit(".", 1)[0] if file else name,
        role=role,
        place=place,
        kind=kind,
        dtype=dtype if isinstance(dtype, str) else "",
        shape=_shape(shape),
        max=number(entry.get("Max")),
        min=number(entry.get("Min")),
        mean=number(entry.get("Mean")),
        norm=number(entry.get("Norm")),
        requires_grad=grad if isinstance(grad, bool) else None,
        checksum=checksum if isinstance(checksum, str) else "",
        file=file,
        scalar=scalar,
    )


def _shape(shape: Any) -> tuple[int, ...] | None:  # noqa: ANN401 - JSON
    if isinstance(shape, list) and set(map(type, shape)) <= {int}:
        return tuple(shape)
    return None
