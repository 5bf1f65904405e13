"""Icons of symbols."""

from __future__ import annotations

_ICONS = {
    "class": "plugin",
    "function": "operator",
    "method": "operator",
    "heading": "text",
    "key": "config",
    "table": "table",
}


def icon_of(kind: str) -> str:
    """The icon of a kind of symbol."""
    return _ICONS.get(kind, "text")
