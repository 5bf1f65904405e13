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
    head = common_head(old, new, shorter)
    tail = common_tail(old, new, shorter - head)
    return head, len(old) - tail, new[head : len(new) - tail]


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


def common_head(old: str, new: str, limit: int) -> int:
    """How many characters two texts begin with alike, at most so many; by halving."""
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


def common_tail(old: str, new: str, limit: int) -> int:
    """How many characters two texts end with alike, at most so many."""
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
