"""What a right click on the lanes offers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication

from plugins.timeline.ui.keys import COMMANDS
from studio.i18n import tr
from studio.ui.actions import fill_context_menu
from studio.ui.commandkeys import keys_of
from studio.ui.text import native_keys

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QMenu

    from plugins.timeline.ui.view import TimelineView


def fill_menu(view: TimelineView, menu: QMenu) -> None:
    """Add what can be done with the selected slice, the range, and the view."""
    state = view.state
    if state is None:
        return

    def keys(action: str) -> str:
        return next(iter(keys_of(view.studio, COMMANDS + action)), "")

    index = state.selected
    if index >= 0:
        trace = state.scene.trace
        name = trace.names[int(trace.name[index])]
        start, duration = int(trace.start[index]), int(trace.duration[index])
        _add(menu, tr("Zoom to the slice"), keys("fit"), lambda: view.zoom_to(index))
        _add(menu, tr("Go to source line"), keys("source"), view.go_to_source)
        _add(menu, tr("Search all slices of this name"), "", lambda: view.search_name(name))
        _add(
            menu,
            tr("Select its time"),
            "",
            lambda: state.select_range((start, start + max(duration, 1))),
        )
        _add(menu, tr("Mark its time"), keys("mark"), lambda: view.run("mark"))
        menu.addSeparator()
        _add(menu, tr("Copy name"), "", lambda: _copy(name))
        _add(menu, tr("Copy start (µs)"), "", lambda: _copy(_microseconds(start)))
        _add(menu, tr("Copy duration (µs)"), "", lambda: _copy(_microseconds(duration)))
        menu.addSeparator()
    if state.range is not None:
        chosen = state.range
        _add(
            menu,
            tr("Zoom to the selected time"),
            keys("fit"),
            lambda: state.go(state.around(*chosen)),
        )
        _add(menu, tr("Clear the selected time"), keys("clear"), lambda: state.select_range(None))
        menu.addSeparator()
    if state.marks.all:
        _add(menu, tr("Remove all marks"), "", state.marks.clear)
    if state.hits is not None or state.range is not None or index >= 0:
        _add(
            menu,
            tr("List the slices"),
            keys("list_slices"),
            lambda: view.studio.run("timeline.list_slices"),
        )
    _add(menu, tr("Show the whole trace"), keys("fit_all"), lambda: view.run("fit_all"))
    fill_context_menu(view.studio, menu, "timeline", "trace", {"path": view.path})


def _add(menu: QMenu, title: str, keys: str, run: Callable[[], object]) -> None:
    text = f"{title}\t{native_keys(keys)}" if keys else title
    menu.addAction(text, lambda: run())


def _copy(text: str) -> None:
    QGuiApplication.clipboard().setText(text)


def _microseconds(nanoseconds: int) -> str:
    sign = "-" if nanoseconds < 0 else ""
    whole, rest = divmod(abs(nanoseconds), 1000)
    return f"{sign}{whole}.{rest:03d}"
