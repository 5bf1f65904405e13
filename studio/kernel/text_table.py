"""Draw rows and records as aligned text, also where Chinese characters take two columns."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_MISSING = "–"


def draw_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as columns under a header; numbers stand to the right."""
    if not rows:
        return ""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    cells = [[_cell(row.get(name)) for name in columns] for row in rows]
    right = [
        all(_is_number(row.get(name)) or row.get(name) is None for row in rows) for name in columns
    ]
    header = [] if columns == ["value"] else [columns]
    widths = [max(width(line[i]) for line in [*header, *cells]) for i, _ in enumerate(columns)]
    return "\n".join(
        "  ".join(map(_pad, line, widths, right)).rstrip() for line in [*header, *cells]
    )


def draw_record(record: Mapping[str, Any], indent: str = "") -> str:
    """Return one record as lines of name and value, with tables for what it holds."""
    inner = {name: value for name, value in record.items() if _is_nested(value)}
    flat = {name: value for name, value in record.items() if name not in inner}
    widest = max(map(width, flat), default=0)
    lines = [f"{indent}{_pad(name, widest, False)}  {_cell(value)}" for name, value in flat.items()]
    for name, value in inner.items():
        lines.append(f"{indent}{name}")
        deeper = f"{indent}  "
        if isinstance(value, dict):
            lines.append(draw_record(value, deeper))
        else:
            lines += [f"{deeper}{line}" for line in draw_table(value).splitlines()]
    return "\n".join(lines)


def width(text: str) -> int:
    """Return how many columns a text takes in a terminal."""
    return sum(
        0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in "WF" else 1
        for sign in text
    )


def _is_nested(value: object) -> bool:
    if isinstance(value, dict):
        return bool(value)
    return isinstance(value, list) and bool(value) and all(isinstance(e, dict) for e in value)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _cell(value: object) -> str:
    match value:
        case None:
            return _MISSING
        case bool():
            return "true" if value else "false"
        case float():
            return f"{value:.6g}"
        case list():
            return ", ".join(map(_cell, value))
        case dict():
            return ", ".join(f"{name}={_cell(entry)}" for name, entry in value.items())
    return str(value).replace("\n", " ⏎ ")


def _pad(text: str, wanted: int, right: bool) -> str:
    space = " " * (wanted - width(text))
    return space + text if right else text + space
