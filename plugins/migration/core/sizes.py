"""How much there is to read."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def total_size(paths: Iterable[Path]) -> int:
    """The size of all files in bytes; those that cannot be looked at count as empty."""
    return sum(map(_size, paths))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
