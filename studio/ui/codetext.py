"""Text as an editor needs it: what an edit changed, and what is too much for a widget. No Qt."""

from __future__ import annotations

LONG_LINE = 100_000
"""A line of more characters stalls every editor widget; such files open as data."""

PLAIN_LINE = 20_000
"""Above this, a file is shown without colours."""

PLAIN_SIZE = 20_000_000
"""Above this many characters, a file is shown without colours."""


def changed_span(old: str, new: str) -> tuple[int, int, str]:
    """Find what turns `old` into `new`: the old text's `[start, end)` replaced by a text."""
    shorter = min(len(old), len(new))
    head = _common_head(old, new, shorter)
    tail = _common_tail(old, new, shorter - head)
    return head, len(old) - tail, new[head : len(new) - tail]


def longest_line(text: str) -> int:
    """The number of characters of the longest line."""
    return max(map(len, text.replace("\r", "\n").split("\n")))


def _common_head(old: str, new: str, limit: int) -> int:
    low, high = 0, limit
    if old[:high] == new[:high]:
        return high
    while high - low > 1:
        middle = (low + high) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle
    return low


def _common_tail(old: str, new: str, limit: int) -> int:
    low, high = 0, limit
    if limit <= 0 or old[-limit:] == new[-limit:]:
        return max(limit, 0)
    while high - low > 1:
        middle = (low + high) // 2
        if old[len(old) - middle : len(old) - low] == new[len(new) - middle : len(new) - low]:
            low = middle
        else:
            high = middle
    return low
