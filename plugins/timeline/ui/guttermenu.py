"""What a right click on the titles offers: for one lane or process, and for all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMenu, QWidget

from studio.i18n import tr, trn
from studio.ui.text import native_keys

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugins.timeline.ui.layout import Band
    from plugins.timeline.ui.state import TimelineState


def gutter_menu(parent: QWidget, state: TimelineState, band: Band | None) -> QMenu:
    """Make the menu for a band (None: between all bands)."""
    menu = QMenu(parent)
    if band is not None:
        _add_band(menu, state, band)
        menu.addSeparator()
    fill_lanes_menu(menu, state)
    return menu


def _add_band(menu: QMenu, state: TimelineState, band: Band) -> None:
    lanes = state.lanes
    if band.track is None:
        title = tr("Unfold") if band.folded else tr("Fold")
        _add(menu, title, "Space", lambda: lanes.toggle(band))
    else:
        title = tr("Unpin") if band.pinned else tr("Pin to the top")
        _add(menu, title, "P", lambda: lanes.pin(band.key, not band.pinned))
        if band.track.rows > 1:
            title = tr("Full rows") if band.folded else tr("Low rows")
            _add(menu, title, "Space", lambda: lanes.toggle(band))
    _add(menu, tr("Hide"), "H", lambda: lanes.hide([band.key]))
    others = [key for key in lanes.siblings(band) if key != band.key]
    if others and not band.pinned:
        _add(menu, tr("Hide all others beside it"), "", lambda: lanes.hide(others))
    _add(menu, tr("Move up"), "Alt+Up", lambda: lanes.step(band, False))
    _add(menu, tr("Move down"), "Alt+Down", lambda: lanes.step(band, True))
    tracks = (band.track,) if band.track is not None else band.group.tracks
    keys = frozenset(track.key for track in tracks)
    _add(
        menu,
        tr("Select its time in view"),
        "",
        lambda: state.select_range(state.range or state.shown(), keys),
    )


def fill_lanes_menu(menu: QMenu, state: TimelineState) -> None:
    """Add what can be done with all lanes."""
    lanes = state.lanes
    _add(menu, tr("Fold all processes"), "", lambda: lanes.fold_all(True))
    _add(menu, tr("Unfold all processes"), "", lambda: lanes.fold_all(False))
    _add(menu, tr("Low rows in all lanes"), "", lambda: lanes.low_rows(True))
    _add(menu, tr("Full rows in all lanes"), "", lambda: lanes.low_rows(False))
    menu.addSeparator()
    python = menu.addAction(tr("Python stacks"))
    python.setCheckable(True)
    python.setChecked(state.scene.python)
    python.toggled.connect(state.python_wanted)
    hidden = len(lanes.arrangement.hidden)
    if hidden or lanes.arrangement.pinned or lanes.arrangement.order:
        menu.addSeparator()
    if hidden:
        title = trn("Show {n} hidden entry", "Show {n} hidden entries", hidden)
        _add(menu, title, "", lanes.show_hidden)
    if hidden or lanes.arrangement.pinned or lanes.arrangement.order:
        _add(menu, tr("Arrange lanes as in the trace"), "", lanes.reset)


def _add(menu: QMenu, title: str, keys: str, run: Callable[[], object]) -> None:
    text = f"{title}\t{native_keys(keys)}" if keys else title
    menu.addAction(text, lambda: run())
