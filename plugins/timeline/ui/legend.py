"""The legend under the lanes: what the colours mean; a click dims a kind of work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugins.timeline.ui.classes import KINDS
from plugins.timeline.ui.palette import kind_colour, kinds_in
from studio.i18n import tr
from studio.ui.chips import Chip, Chips

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from plugins.timeline.ui.state import TimelineState


def kind_title(kind: str) -> str:
    """Name a kind of work."""
    titles = {
        "computing": tr("Computing"),
        "communication": tr("Communication"),
        "memory": tr("Memory copy"),
        "free": tr("Free"),
        "wait": tr("Waiting"),
        "host": tr("Host operator"),
        "runtime": tr("Runtime API"),
        "python": tr("Python"),
        "module": tr("Module"),
        "step": tr("Step"),
    }
    return titles.get(kind, tr("Other"))


class Legend(Chips):
    """Chips for the kinds of work that occur in a trace."""

    def __init__(self, state: TimelineState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._kinds = [k for k in kinds_in(state.scene.rows.slot) if not k.startswith("other")]
        self.toggled.connect(lambda _key, _on: state.mute(self.off()))
        self.show_kinds()

    def show_kinds(self) -> None:
        """Make the chips in the colours of the theme; none where colours mean names only."""
        numbers = {kind.id: number for number, kind in enumerate(KINDS)}
        self.set_chips(
            [
                Chip(
                    kind,
                    kind_title(kind),
                    kind_colour(self._state.palette, numbers[kind]),
                    tip=tr("Click to dim or show {kind}", kind=kind_title(kind)),
                )
                for kind in self._kinds
            ]
        )

    def renew(self) -> None:
        """Look anew at which kinds occur, after the colouring changed."""
        found = kinds_in(self._state.scene.rows.slot)
        self._kinds = [kind for kind in found if not kind.startswith("other")]
        self.show_kinds()
