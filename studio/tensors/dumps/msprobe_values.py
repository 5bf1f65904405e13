"""The values of one call in `dump.json`: nested lists and dictionaries with tensors as leaves."""

from __future__ import annotations

from typing import Any

from studio.tensors.dumps.lenient_json import number
from studio.tensors.dumps.model import Value

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


def values_of(call: str, phase: str, entry: Any) -> list[Value]:  # noqa: ANN401 - JSON
    """Return the values of a call in the order msprobe lists them."""
    found: list[Value] = []
    if phase == "debug":
        _walk(entry, call, "", "debug", 0, found)
    elif not isinstance(entry, dict):
        return found
    elif phase == "parameters_grad":
        for name, grads in entry.items():
            for grad in grads if isinstance(grads, list) else [grads]:
                _walk(grad, f"{call}.{name}", name, "parameter_grad", 0, found)
    else:
        for key, word, role in _GROUPS:
            if key in entry:
                _walk(entry[key], f"{call}.{word}", "", role, 0, found)
    return found


def _walk(
    entry: Any,  # noqa: ANN401 - JSON
    name: str,
    place: str,
    role: str,
    depth: int,
    found: list[Value],
) -> None:
    if entry is None:
        found.append(Value(name, role, place))
    elif isinstance(entry, dict) and isinstance(entry.get("type"), str):
        found.append(_leaf(entry, name, place, role))
    elif isinstance(entry, dict) and entry.get("class_type") == _SENT:
        sent = entry.get("tensor")
        if isinstance(sent, dict) and isinstance(sent.get("type"), str):
            found.append(_leaf(sent, name, place, role))
        else:
            found.append(Value(name, role, place))
    elif isinstance(entry, (dict, list)):
        if depth < _DEPTH:
            below = entry.items() if isinstance(entry, dict) else enumerate(entry)
            for key, child in below:
                inner = f"{place}.{key}" if place else str(key)
                _walk(child, f"{name}.{key}", inner, role, depth + 1, found)
    else:
        found.append(Value(name, role, place, kind="bare", scalar=entry))


def _leaf(entry: dict[str, Any], name: str, place: str, role: str) -> Value:
    get = entry.get
    file = get("data_name")
    file = file if isinstance(file, str) and file != "-1" else ""
    kind = entry["type"]
    dtype = get("dtype")
    scalar = get("value") if kind != _PROCESS_GROUP else get("group_ranks")
    grad, checksum = get("requires_grad"), get("md5")
    largest, least, mean, norm = get("Max"), get("Min"), get("Mean"), get("Norm")
    if not type(largest) is type(least) is type(mean) is type(norm) is float:
        largest, least, mean, norm = map(number, (largest, least, mean, norm))
    return Value(
        file.rsplit(".", 1)[0] if file else name,
        role,
        place,
        kind,
        dtype if isinstance(dtype, str) else "",
        _shape(get("shape")),
        largest,
        least,
        mean,
        norm,
        grad if isinstance(grad, bool) else None,
        checksum if isinstance(checksum, str) else "",
        file,
        scalar=scalar,
    )


def _shape(shape: Any) -> tuple[int, ...] | None:  # noqa: ANN401 - JSON
    if isinstance(shape, list) and set(map(type, shape)) <= {int}:
        return tuple(shape)
    return None
