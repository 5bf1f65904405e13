"""Marks: stretches and moments of time that the user wants to keep in sight, with names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch of time, or a moment (a flag) when both ends are the same."""

    start: int
    end: int
    number: int
    name: str = ""

    @property
    def is_flag(self) -> bool:
        """Whether it stands at one moment."""
        return self.start == self.end


class Marks(QObject):
    """The marks of one timeline, by time."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.all: tuple[Mark, ...] = ()

    def set_all(self, marks: Iterable[Mark]) -> None:
        """Replace all marks."""
        found = tuple(sorted(marks, key=lambda mark: (mark.start, mark.end)))
        if found != self.all:
            self.all = found
            self.changed.emit()

    def toggle(self, start: int, end: int) -> None:
        """Mark a stretch or moment; the same once more removes its mark."""
        kept = [mark for mark in self.all if (mark.start, mark.end) != (start, end)]
        if len(kept) == len(self.all):
            kept.append(Mark(start, end, self._free_number()))
        self.set_all(kept)

    def change(self, mark: Mark, **changes: Any) -> None:  # noqa: ANN401 - fields of Mark
        """Rename, move or recolour a mark."""
        self.set_all(replace(m, **changes) if m == mark else m for m in self.all)

    def remove(self, mark: Mark) -> None:
        """Take a mark away."""
        self.set_all(m for m in self.all if m != mark)

    def clear(self) -> None:
        """Take all marks away."""
        self.set_all(())

    def _free_number(self) -> int:
        used = {mark.number for mark in self.all}
        return next(number for number in range(1, len(used) + 2) if number not in used)
