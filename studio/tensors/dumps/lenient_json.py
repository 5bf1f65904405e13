"""Read the JSON that dumping tools write: bare NaN and Infinity, doubled keys, huge integers."""

from __future__ import annotations

import codecs
import json
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec

from studio.i18n import tr
from studio.tensors.tensor import TensorError

if TYPE_CHECKING:
    from pathlib import Path

_SIZE_LIMIT = 4 << 30
_SHOWN = 20
_CALLS = tuple(
    re.compile(word + rb'(?:\.\d+)?"\s*:') for word in (rb"ward", rb"parameters_grad", rb"debug")
)
"""The ends of the names of calls; patterns that begin with plain text are found fast."""


def read_json(path: Path) -> tuple[Any, list[str]]:
    """Return the content of a file and the names that occur twice in one object.

    Of a doubled name the last value counts. Integers keep all their digits.
    """
    try:
        if path.stat().st_size > _SIZE_LIMIT:
            raise TensorError(tr("{file} is too large to read", file=path.name), path=path)
        data = path.read_bytes().removeprefix(codecs.BOM_UTF8)
    except OSError as error:
        text = tr("{file}: {reason}", file=path.name, reason=error.strerror or str(error))
        raise TensorError(text, path=path) from error
    # What follows the standard and names no call twice is read five times as fast.
    names = [
        data[data.rfind(b'"', 0, m.start()) : m.end()] for c in _CALLS for m in c.finditer(data)
    ]
    if len(names) == len(set(names)):
        with suppress(msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            return msgspec.json.decode(data), []
    return _read_leniently(path, data)


def _read_leniently(path: Path, data: bytes) -> tuple[Any, list[str]]:
    doubled: dict[str, None] = {}

    def build(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs) and len(doubled) < _SHOWN:
            names = [name for name, _ in pairs]
            doubled.update((name, None) for name in found if names.count(name) > 1)
        return found

    try:
        text = data.decode("utf-8", "replace")
        return json.loads(text, object_pairs_hook=build), list(doubled)
    except (ValueError, RecursionError) as error:
        place = getattr(error, "lineno", 0)
        raise TensorError(
            tr("{file} is damaged or cut off (line {line})", file=path.name, line=place), path=path
        ) from error


def number(value: Any) -> int | float | bool | None:  # noqa: ANN401 - JSON
    """Return a recorded number; "nan", "inf" and "-inf" mean themselves, all else is None."""
    if value is None or isinstance(value, (float, int)):
        return value
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return None
    return None
