"""The kinds of marks that a code editor shows."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Mark(Enum):
    """Severity of a finding that is marked in the margin and in the text; worst first."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"
    HINT = "hint"


class Tint(Enum):
    """Background of whole lines. FILLER stands for lines that the other side of a diff has."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    FILLER = "filler"
    REJECTED = "rejected"
    FLASH = "flash"
    MOVED = "moved"


class Word(Enum):
    """Marks within a line of a diff."""

    OLD = "old"
    NEW = "new"
    STRUCK = "struck"


@dataclass(frozen=True, slots=True)
class Squiggle:
    """A marked range of the text; `hover` is what the mouse shows over it."""

    start: int
    end: int
    mark: Mark
    hover: str = ""
