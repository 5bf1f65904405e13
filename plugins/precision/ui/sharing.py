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
        """Show what another view selected: a tensor, what a line made, or a step and rank."""
        pane = self._pane
        if selection.origin == self._studio.plugin:
            return
        if selection.tensor is not None and pane.select(selection.tensor):
            return
        if selection.source is not None and pane.show_line(selection.source):
            return
        rank = next(iter(selection.ranks)) if len(selection.ranks) == 1 else None
        if rank is not None or selection.step is not None:
            pane.show_part(selection.step, rank)
