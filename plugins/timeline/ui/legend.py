"""The legend under the lanes: what the colours mean; a click dims or shows what has a colour."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMenu, QToolButton

from plugins.timeline.core.colouring import REST, VARIANTS
from studio.i18n import tr
from studio.ui.chips import Chip, Chips

if TYPE_CHECKING:
    from PySide6.QtGui import QContextMenuEvent
    from PySide6.QtWidgets import QWidget

    from plugins.timeline.core.colouring import Entry
    from plugins.timeline.ui.state import TimelineState

_LONGEST = 28
_STRIPES = 4


class Legend(Chips):
    """Chips for what the colours of a trace mean; those switched off are dimmed on the lanes."""

    def __init__(self, state: TimelineState, parent: QWidget | None = None) -> None:
        super().__init__(parent, one_line=True)
        self._state = state
        self.toggled.connect(lambda _key, _on: self.apply())

    def show_entries(self) -> None:
        """Make the chips anew: after the colouring changed, and in the colours of another theme."""
        fills = self._state.palette.fills
        self.set_chips(
            [
                Chip(
                    entry.key,
                    _short(entry.title),
                    fills[entry.slots[0]],
                    tip=tr(
                        "{title}: click to dim or show it, right click for more", title=entry.title
                    ),
                    more=tuple(fills[slot] for slot in _some(entry)),
                )
                for entry in self._state.scene.legend
            ]
        )

    def show_only(self, key: str) -> None:
        """Dim all but one entry."""
        for entry in self._state.scene.legend:
            self.set_on(entry.key, entry.key == key)

    def show_all(self) -> None:
        """Dim nothing."""
        for entry in self._state.scene.legend:
            self.set_on(entry.key, True)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer to show one entry only, or all."""
        button = self.childAt(event.pos())
        titles = {_short(entry.title): entry for entry in self._state.scene.legend}
        menu = QMenu(self)
        if isinstance(button, QToolButton) and button.text() in titles:
            entry = titles[button.text()]
            menu.addAction(
                tr("Only {title}", title=entry.title), partial(self.show_only, entry.key)
            )
        menu.addAction(tr("Show all"), self.show_all)
        menu.exec(event.globalPos())
        menu.deleteLater()

    def apply(self) -> None:
        """Dim what is switched off."""
        off = self.off()
        entries = [entry for entry in self._state.scene.legend if entry.key in off]
        self._state.mute(frozenset(slot for entry in entries for slot in entry.slots))


def _some(entry: Entry) -> tuple[int, ...]:
    """Some more slots of what has colours of any kind, so that it looks like none of the others."""
    if entry.key != REST:
        return ()
    return entry.slots[VARIANTS - 1 : _STRIPES * (VARIANTS - 1) : VARIANTS - 1]


def _short(title: str) -> str:
    return title if len(title) <= _LONGEST else f"{title[: _LONGEST - 1]}…"
