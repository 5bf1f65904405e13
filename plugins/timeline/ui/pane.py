"""A loaded timeline: tool bar, notes, overview, ruler, lanes and legend, put together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QMenu,
    QScrollBar,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from plugins.timeline.ui.actions import ACTIONS
from plugins.timeline.ui.canvas import Canvas
from plugins.timeline.ui.classes import COLOURINGS
from plugins.timeline.ui.corner import Corner
from plugins.timeline.ui.flows import MOST, of_selected
from plugins.timeline.ui.glide import Glide
from plugins.timeline.ui.gutter import WIDTH, Gutter
from plugins.timeline.ui.lanefilter import LaneFilter
from plugins.timeline.ui.legend import Legend
from plugins.timeline.ui.minimap import Minimap
from plugins.timeline.ui.notes import Note, fault_note, outlier_note
from plugins.timeline.ui.pointer import Drag
from plugins.timeline.ui.ruler import Ruler
from plugins.timeline.ui.scene import recoloured
from plugins.timeline.ui.search import SearchField
from plugins.timeline.ui.tools import fill_tool_bar, name_keys
from studio.i18n import tr, trn
from studio.ui.parts import OneLine
from studio.ui.text import thousands
from studio.ui.timeaxis import exact
from studio.ui.toolbar import ToolBar

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PySide6.QtCore import QPoint
    from PySide6.QtGui import QAction

    from plugins.timeline.ui.keys import Keys
    from plugins.timeline.ui.scene import Scene
    from plugins.timeline.ui.search import Start
    from plugins.timeline.ui.state import TimelineState


_AT_ONCE = 300_000


class TimelinePane(QWidget):
    """Everything seen of one trace."""

    menu_wanted = Signal(QMenu)
    shortcuts_wanted = Signal()

    def __init__(
        self,
        state: TimelineState,
        start: Start,
        keys: Keys,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.keys = keys
        self._start = start
        self.state = state
        state.setParent(self)
        self.glide = Glide(self.state)
        self.search = SearchField(self.state, start)
        self.canvas = Canvas(self.state)
        self.gutter = Gutter(self.state)
        self.ruler = Ruler(self.state)
        self.minimap = Minimap(self.state)
        self.corner = Corner(self.state, self.ruler)
        self.lane_filter = LaneFilter(self.state)
        self.legend = Legend(self.state)
        self.tools = ToolBar(tr("Timeline"), self)
        self.counts = OneLine()
        self.scrollbar = QScrollBar(Qt.Orientation.Vertical)
        self.switches: dict[str, QAction] = {}
        self.notes = self._notes()
        self._lay_out()
        self._connect()
        self._tell_counts()

    def fill(self) -> Iterator[None]:
        """Add the buttons and the legend, in parts that take about as long as a picture may."""
        self.switches = fill_tool_bar(self)
        yield
        self.legend.show_entries()
        yield

    def run(self, action: str) -> None:
        """Do something by its name."""
        ACTIONS[action](self)

    def use_keys(self, keys: Keys) -> None:
        """Take keys that the user changed."""
        self.keys = keys
        name_keys(self)

    def idle(self) -> bool:
        """Whether nothing moves and no search runs."""
        waiting = self.glide.running() or not self.search.idle() or not self.lane_filter.idle()
        return self.canvas.complete and not waiting

    def colour_by(self, colouring: str) -> None:
        """Colour slices by the kind of their work, their name, category, length or launcher."""
        scene = self.state.scene
        if colouring == scene.colouring:
            return
        if len(scene.trace) <= _AT_ONCE:
            self._show_colours(recoloured(scene, colouring))
            return
        arguments: dict[str, object] = {"scene": scene, "colouring": colouring}
        self._start("timeline:ui.scene.recoloured", arguments, self._show_colours)

    def _show_colours(self, scene: Scene) -> None:
        state = self.state
        state.scene = scene
        if state.hits is not None:
            state.hits = scene.hits(state.hits.text, state.hits.by_time)
        self.legend.show_entries()
        self.legend.apply()
        self.toolbar_state()

    def toolbar_state(self) -> None:
        """Let the switches of the tool bar show what is on."""
        self.switches["select_mode"].setChecked(self.canvas.pointer.mode is Drag.RANGE)
        self.switches["flows"].setChecked(self.state.all_flows)
        for name in COLOURINGS:
            self.switches[f"colour {name}"].setChecked(name == self.state.scene.colouring)

    def set_gutter_width(self, width: int) -> None:
        """Make the column of titles wider or narrower."""
        for widget in (self.gutter, self.corner, self.lane_filter):
            widget.setFixedWidth(width)

    # -- layout -------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        self.counts.setProperty("role", "count")
        self.counts.setContentsMargins(10, 2, 10, 3)
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(0)
        grid.addWidget(self.lane_filter, 0, 0)
        grid.addWidget(self.minimap, 0, 1)
        grid.addWidget(self.corner, 1, 0)
        grid.addWidget(self.ruler, 1, 1)
        grid.addWidget(self.gutter, 2, 0)
        grid.addWidget(self.canvas, 2, 1)
        grid.addWidget(self.scrollbar, 2, 2)
        grid.setRowStretch(2, 1)
        grid.setColumnStretch(1, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        top = QHBoxLayout()  # the search keeps its place; buttons without room go into a menu
        top.addWidget(self.tools, 1)
        top.setSpacing(0)
        found = ToolBar(tr("Search slices"), self)
        found.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        found.addWidget(self.search)
        top.addWidget(found)
        column.addLayout(top)
        column.addWidget(self.counts)
        for note in self.notes:
            column.addWidget(note)
        column.addLayout(grid, 1)
        column.addWidget(self.legend)
        self.set_gutter_width(WIDTH)
        self.setFocusProxy(self.canvas)

    def _notes(self) -> list[Note]:
        trace = self.state.scene.trace
        found = (fault_note(trace, self), outlier_note(trace, self._show_outliers, self))
        return [note for note in found if note is not None]

    def _connect(self) -> None:
        state = self.state
        state.lanes.layout_changed.connect(self._scroll_range)
        state.lanes.layout_changed.connect(self._tell_counts)
        state.lanes.scroll_changed.connect(lambda: self.scrollbar.setValue(state.lanes.scroll))
        state.view_changed.connect(self._tell_counts)
        state.selection_changed.connect(self._tell_counts)
        state.decoration_changed.connect(self._tell_counts)
        self.scrollbar.valueChanged.connect(state.lanes.scroll_to)
        self.gutter.width_wanted.connect(self.set_gutter_width)
        self.canvas.menu_requested.connect(self._menu)
        for widget in (self.canvas, self.minimap, self.ruler, self.gutter):
            widget.installEventFilter(self)

    def _scroll_range(self) -> None:
        height = max(self.canvas.height(), 1)
        self.scrollbar.setRange(0, max(self.state.lanes.layout.height - height, 0))
        self.scrollbar.setPageStep(height)
        self.scrollbar.setSingleStep(36)
        self.scrollbar.setValue(self.state.lanes.scroll)

    def _show_outliers(self) -> None:
        self.state.include_outliers()

    def _tell_counts(self) -> None:
        scene = self.state.scene
        trace = scene.trace
        slices, lanes = len(trace), sum(lane.kind == "slices" for lane in trace.lanes)
        parts = [
            trn("{count} slice", "{count} slices", slices, count=thousands(slices)),
            trn("{n} lane", "{n} lanes", lanes),
            tr("{time} long", time=exact(scene.end - scene.start)),
            tr("in view: {time}", time=exact(self._span())),
        ]
        if self.state.range is not None:
            start, end = self.state.range
            parts.append(tr("selected: {time}", time=exact(end - start)))
        hidden = self.state.lanes.arranged.hidden
        if hidden:
            parts.append(trn("{n} lane hidden", "{n} lanes hidden", hidden))
        if not self.state.scene.python:
            parts.append(tr("without Python stacks"))
        if self.state.all_flows:
            flows = int(self.state.flows_in_view().size)
            shown = trn(
                "{count} flow in view", "{count} flows in view", flows, count=thousands(flows)
            )
            limited = tr("{flows}, {n} of them drawn: zoom in to see all", flows=shown, n=MOST)
            parts.append(shown if flows <= MOST else limited)
        own = int(of_selected(self.state).size)
        if own > MOST:
            count = thousands(own)
            parts.append(tr("{count} flows of the slice, {n} of them drawn", count=count, n=MOST))
        self.counts.setText("  ·  ".join(parts))

    def _span(self) -> int:
        start, end = self.state.shown()
        return end - start

    def _menu(self, place: QPoint) -> None:
        menu = QMenu(self)
        self.menu_wanted.emit(menu)
        menu.exec(place)
        menu.deleteLater()

    # -- events -------------------------------------------------------------------------------
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take the keys of the lanes, also before the window's shortcuts see them."""
        if event.type() == QEvent.Type.Resize and watched is self.canvas:
            self._scroll_range()
        if isinstance(event, QKeyEvent) and event.type() in (
            QEvent.Type.ShortcutOverride,
            QEvent.Type.KeyPress,
        ):
            if watched is self.gutter and self.gutter.wants(event):
                event.accept()
                return event.type() == QEvent.Type.ShortcutOverride
            name = self.keys.action_of(event)
            if name:
                if event.type() == QEvent.Type.KeyPress:
                    self.run(name)
                event.accept()
                return True
        return super().eventFilter(watched, event)

    def changeEvent(self, event: QEvent) -> None:
        """Take the colours of another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "legend"):
            self.state.renew_palette()
            self.legend.show_entries()
