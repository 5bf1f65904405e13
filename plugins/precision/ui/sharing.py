"""The shared selection: what a comparison tells other views, and what it follows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugins.precision.ui.links import file_of
from studio.model.locations import Location

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from plugins.precision.ui.pane import ResultPane
    from studio.api import Studio
    from studio.model.selection import Selection


class Sharing:
    """Connects the pane of a comparison with the shared selection."""

    def __init__(self, studio: Studio, pane: ResultPane, item: Callable[[], Path | None]) -> None:
        self._studio, self._pane, self._item = studio, pane, item
        self._seen = studio.selection

    def tell(self, number: int) -> None:
        """Make a row the shared selection: its tensor, step, rank and source line."""
        found = self._pane.found
        if found is None:
            return
        row = found.rows[number]
        part = next((p for p in found.parts if p.label == row.part), None)
        place = file_of(self._studio, row.source)
        self._studio.select(
            item=self._item(),
            tensor=row.name,
            step=part.step if part else None,
            ranks=frozenset() if part is None or part.rank is None else frozenset((part.rank,)),
            source=Location.source(*place) if place else None,
        )

    def follow(self, selection: Selection) -> None:
        """Show what another view selected anew: a tensor, what a line made, or a step and rank."""
        before, self._seen = self._seen, selection
        pane = self._pane
        if selection.origin == self._studio.plugin:
            return
        tensor, source = selection.tensor, selection.source
        if tensor not in (None, before.tensor) and pane.select(tensor):
            return
        if source not in (None, before.source) and self._show_line(source):
            return
        if (selection.step, selection.ranks) == (before.step, before.ranks):
            return
        rank = next(iter(selection.ranks)) if len(selection.ranks) == 1 else None
        if rank is not None or selection.step is not None:
            pane.show_part(selection.step, rank)

    def _show_line(self, source: Location) -> bool:
        """Show what a line made; a selected row of the same line stays, as one came from there."""
        row = self._pane.selected_row()
        if row is not None and file_of(self._studio, row.source) == (source.path, source.line):
            return True
        return self._pane.show_line(source)
