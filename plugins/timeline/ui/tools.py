"""The tool bar of the timeline."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QToolButton

from studio.i18n import tr
from studio.ui.icons import set_icon
from studio.ui.text import with_keys

if TYPE_CHECKING:
    from plugins.timeline.ui.pane import TimelinePane


def fill_tool_bar(pane: TimelinePane) -> dict[str, QAction]:
    """Add the buttons; returns the switches by the name of their action."""
    bar = pane.tools
    entries = (
        ("fit", "zoom-selection", tr("Zoom to the selection"), "F"),
        ("fit_all", "fit", tr("Show the whole trace"), "0"),
        ("zoom_in", "zoom-in", tr("Zoom in"), "W"),
        ("zoom_out", "zoom-out", tr("Zoom out"), "S"),
        ("", "", "", ""),
        ("previous_slice", "slice-previous", tr("Previous slice in the lane"), ","),
        ("next_slice", "slice-next", tr("Next slice in the lane"), "."),
        ("flow_back", "flow-back", tr("Follow the flow back"), "["),
        ("flow_forward", "flow-forward", tr("Follow the flow"), "]"),
        ("", "", "", ""),
        ("mark", "flag", tr("Mark the selected time"), "M"),
    )
    for name, icon, title, keys in entries:
        if not name:
            bar.addSeparator()
            continue
        action = bar.add(icon, title, partial(pane.run, name))
        action.setToolTip(with_keys(title, keys))
    switches = {}
    for name, icon, title in (
        ("select_mode", "range", tr("Drag selects a stretch of time (or hold Shift)")),
        ("flows", "flow", tr("Show all flows in view, when there are few")),
    ):
        switches[name] = bar.add(icon, title, partial(pane.run, name), checkable=True)
    bar.addWidget(_colour_button(pane))
    bar.add_stretch()
    bar.addWidget(pane.search)
    return switches


def _colour_button(pane: TimelinePane) -> QToolButton:
    button = QToolButton(pane)
    set_icon(button, "theme")
    button.setToolTip(tr("Colours of the slices"))
    button.setAccessibleName(tr("Colours of the slices"))
    button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    menu = QMenu(button)
    group = QActionGroup(menu)
    for colouring, title in (("kind", tr("By kind of work")), ("name", tr("By name"))):
        action = QAction(title, menu, checkable=True, checked=colouring == "kind")
        action.triggered.connect(lambda _checked, c=colouring: pane.colour_by(c))
        group.addAction(action)
        menu.addAction(action)
    button.setMenu(menu)
    return button
