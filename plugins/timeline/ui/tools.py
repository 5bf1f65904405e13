"""The tool bar of the timeline."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QToolButton

from plugins.timeline.ui.classes import COLOURINGS
from plugins.timeline.ui.flows import flow_colour
from plugins.timeline.ui.palette import swatch
from studio.i18n import tr
from studio.ui.icons import set_icon
from studio.ui.text import thousands, with_keys

if TYPE_CHECKING:
    from plugins.timeline.ui.pane import TimelinePane


_WITH_ARROW = 44
"""Width of a button that has an arrow for its menu."""


def fill_tool_bar(pane: TimelinePane) -> dict[str, QAction]:
    """Add the buttons; returns the switches by the name of their action."""
    bar = pane.tools
    for name, icon, title in (
        ("fit", "zoom-selection", tr("Zoom to the selection")),
        ("fit_all", "fit", tr("Show the whole trace")),
        ("zoom_in", "zoom-in", tr("Zoom in")),
        ("zoom_out", "zoom-out", tr("Zoom out")),
        ("", "", ""),
        ("previous_slice", "slice-previous", tr("Previous slice in the lane")),
        ("next_slice", "slice-next", tr("Next slice in the lane")),
        ("flow_back", "flow-back", tr("Follow the flow back")),
        ("flow_forward", "flow-forward", tr("Follow the flow")),
        ("", "", ""),
        ("mark", "flag", tr("Mark the selected time")),
    ):
        if name:
            bar.add(icon, title, partial(pane.run, name)).setObjectName(name)
        else:
            bar.addSeparator()
    switches = {}
    for name, icon, title in (
        ("select_mode", "range", tr("Drag selects a stretch of time (or hold Shift)")),
        ("flows", "flow", tr("Show all flows in view")),
    ):
        switches[name] = bar.add(icon, title, partial(pane.run, name), checkable=True)
        switches[name].setObjectName(name)
    name_keys(pane)
    _add_flow_menu(pane, switches["flows"])
    bar.addWidget(_colour_button(pane, switches))
    return switches


def name_keys(pane: TimelinePane) -> None:
    """Tell the keys of the buttons in their tips."""
    for action in pane.tools.actions():
        if action.objectName():
            action.setToolTip(with_keys(action.text(), pane.keys.first(action.objectName())))


def _add_flow_menu(pane: TimelinePane, action: QAction) -> None:
    """Let the arrow beside the button for flows choose their categories."""
    button = pane.tools.widgetForAction(action)
    if not isinstance(button, QToolButton):
        return
    menu = QMenu(button)
    button.setMenu(menu)
    button.setPopupMode(QToolButton.ToolButtonPopupMode.MenuButtonPopup)
    button.setMinimumWidth(_WITH_ARROW)

    def fill() -> None:
        menu.clear()
        flows = pane.state.scene.flows
        for category, count in flows.counts().items():
            title = f"{category or tr('without category')}\t{thousands(count)}"
            entry = QAction(title, menu, checkable=True)
            entry.setChecked(category not in pane.state.flows_off)
            colour = flow_colour(pane.state, list(flows.categories).index(category))
            entry.setIcon(swatch(colour, menu.devicePixelRatioF()))
            entry.toggled.connect(partial(pane.state.show_flow_category, category))
            menu.addAction(entry)
        if menu.isEmpty():
            menu.addAction(tr("This trace has no flows")).setEnabled(False)

    menu.aboutToShow.connect(fill)


def _colour_button(pane: TimelinePane, switches: dict[str, QAction]) -> QToolButton:
    button = QToolButton(pane)
    set_icon(button, "theme")
    button.setToolTip(tr("Colours of the slices"))
    button.setAccessibleName(tr("Colours of the slices"))
    button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    menu = QMenu(button)
    group = QActionGroup(menu)
    titles = {
        "kind": tr("By kind of work"),
        "name": tr("By name"),
        "category": tr("By category"),
        "length": tr("By duration"),
        "launcher": tr("By the operator that launched them"),
    }
    for colouring in COLOURINGS:
        action = QAction(titles[colouring], menu, checkable=True)
        action.setChecked(colouring == pane.state.scene.colouring)
        action.triggered.connect(partial(_colour, pane, colouring))
        group.addAction(action)
        menu.addAction(action)
        switches[f"colour {colouring}"] = action
    button.setMenu(menu)
    return button


def _colour(pane: TimelinePane, colouring: str, _checked: bool = False) -> None:
    pane.colour_by(colouring)
