"""What is too much text for an editor's widget. No Qt."""

from __future__ import annotations

LONG_LINE = 100_000
"""A line of more characters stalls every editor widget; such files open as data."""

PLAIN_LINE = 20_000
"""Above this, a file is shown without colours."""

PLAIN_SIZE = 20_000_000
"""Above this many characters, a file is shown without colours."""


def has_longer_line(text: str, limit: int) -> bool:
    """Whether a line has more characters than that; looks only at the ends of lines."""
    at = 0
    while len(text) - at > limit:
        end = at + limit + 1
        last = max(text.rfind("\n", at, end), text.rfind("\r", at, end))
        if last < 0:
            return True
        at = last + 1
    return False
