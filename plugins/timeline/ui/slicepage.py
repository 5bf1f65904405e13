"""All about one slice: times, args, call stack, flows, and others of its name."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QSplitter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from plugins.timeline.ui.classes import KINDS, kind_of_slot, kind_title
from plugins.timeline.ui.facts import (
    Fact,
    arg_facts,
    flow_facts,
    instant_facts,
    instant_name_facts,
    measure_facts,
    recorded_stack,
    slice_facts,
    stack_facts,
)
from plugins.timeline.ui.keys import COMMANDS
from plugins.timeline.ui.pairs import Pairs
from plugins.timeline.ui.palette import swatch
from plugins.timeline.ui.reading import read_args, read_name_facts
from studio.i18n import tr
from studio.ui.commandkeys import keys_of
from studio.ui.icons import set_icon
from studio.ui.text import with_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugins.timeline.ui.view import TimelineView
    from studio.api import Studio


class SlicePage(QWidget):
    """The page of the details panel for one slice."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view: TimelineView | None = None
        self._index = self._measured = self._instant = -1
        self._args: Mapping[str, object] = {}
        self._waiting = False
        self._same: Sequence[Fact] | None = None
        self.stack: list[Fact] = []
        self.swatch = QLabel()
        self.name = QLabel()
        self.kind = QLabel()
        self.left = Pairs(tr("Slice and arguments"))
        self.right = Pairs(tr("Call stack and flows"))
        self._lay_out()

    def show_slice(self, view: TimelineView, index: int) -> None:
        """Show a slice of a timeline; its args follow when they were read."""
        measured = view.pane_now().state.measured
        if view is self._view and index == self._index and self._instant < 0:
            if measured != self._measured:
                self._measured = measured
                self._fill(self._args)
            return
        self._view, self._index, self._measured, self._instant = view, index, measured, -1
        self._name_keys(view.studio)
        self._enable(True)
        scene = view.scene
        name = scene.trace.names[int(scene.trace.name[index])]
        self.name.setText(name)
        self.name.setToolTip(name)
        slot = int(scene.rows.slot[index])
        kind = KINDS[kind_of_slot(slot)].id
        self.kind.setText(kind_title(kind))
        self.swatch.setPixmap(swatch(view.colour_of(slot), self.devicePixelRatioF()))
        self._same = None
        self._fill({})
        self._waiting = True
        read_name_facts(view, index, partial(self._same_read, index))
        read_args(view, int(scene.trace.source[index]), self._args_read_of(index))

    def show_instant(self, view: TimelineView, number: int) -> None:
        """Show an event without duration; its args follow when they were read."""
        if view is self._view and number == self._instant:
            return
        self._view, self._index, self._measured, self._instant = view, -1, -1, number
        self._name_keys(view.studio)
        self._enable(False)
        trace = view.scene.trace
        name = trace.names[int(trace.instants.name[number])]
        self.name.setText(name)
        self.name.setToolTip(name)
        self.kind.setText(tr("Event without duration"))
        muted = view.pane_now().state.palette.colour("muted")
        self.swatch.setPixmap(swatch(muted, self.devicePixelRatioF()))
        self._fill({})
        self._waiting = True
        read_args(view, int(trace.instants.source[number]), self._args_read_of(number))

    def clear(self) -> None:
        """Forget the timeline."""
        self._view, self._index, self._instant, self._waiting = None, -1, -1, False

    def idle(self) -> bool:
        """Whether the args were read, and the slice compared with others of its name."""
        return not self._waiting and (self._index < 0 or self._same is not None)

    # -- filling ------------------------------------------------------------------------------
    def _same_read(self, index: int, facts: Sequence[Fact]) -> None:
        if index == self._index:
            self._same = facts
            self._fill(self._args)

    def _args_read_of(self, number: int) -> Callable[[Mapping[str, object] | None], None]:
        return partial(self._args_read, number)

    def _args_read(self, number: int, args: Mapping[str, object] | None) -> None:
        if number != max(self._index, self._instant) or self._view is None:
            return
        self._waiting = False
        if args is None:
            self._fill({}, problem=tr("could not be read: the file changed or is gone"))
        else:
            self._fill(args)

    def _fill(self, args: Mapping[str, object], problem: str = "") -> None:
        if self._view is None:
            return
        self._args = args
        scene, index = self._view.scene, self._index
        arguments = arg_facts(args)
        if problem:
            arguments = [Fact(tr("Arguments"), problem)]
        if self._instant >= 0:
            facts = instant_facts(scene, self._instant)
            self.stack = recorded_stack(args)
            self.left.show_sections([(tr("Event"), facts), (tr("Arguments"), arguments)])
            others = instant_name_facts(scene, self._instant)
            self.right.show_sections(
                [(tr("Call stack"), self.stack), (tr("All events of this name"), others)]
            )
            self.source_button.setEnabled(any(fact.frame for fact in self.stack))
            return
        self.stack = stack_facts(scene, index, args)
        self.left.show_sections(
            [(tr("Slice"), slice_facts(scene, index)), (tr("Arguments"), arguments)]
        )
        measured = measure_facts(scene, index, self._measured) if self._measured >= 0 else []
        self.right.show_sections(
            [
                (tr("Measured"), measured),
                (tr("Call stack"), self.stack),
                (tr("Flows"), flow_facts(scene, index)),
                (tr("All slices of this name"), self._same or ()),
            ]
        )
        self.source_button.setEnabled(any(fact.frame for fact in self.stack))

    def _enable(self, on: bool) -> None:
        for button in (self.zoom_button, self.search_button):
            button.setEnabled(on)

    def _ask(self, what: Callable[[TimelineView], object]) -> None:
        if self._view is not None:
            what(self._view)

    def _followed(self, fact: Fact) -> None:
        if self._view is None:
            return
        if fact.frame is not None:
            self._view.open_frame(fact.frame)
        elif fact.slice >= 0:
            self._view.go_to(fact.slice)

    # -- looks --------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        font = self.name.font()
        font.setBold(True)
        self.name.setFont(font)
        self.name.setTextFormat(Qt.TextFormat.PlainText)
        self.name.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.name.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.kind.setProperty("role", "muted")
        row = QHBoxLayout()
        row.setContentsMargins(10, 4, 4, 2)
        row.setSpacing(8)
        row.addWidget(self.swatch)
        row.addWidget(self.name, 1)
        row.addWidget(self.kind)
        self.zoom_button = self._button("zoom-selection", tr("Zoom to the slice"))
        self.zoom_button.clicked.connect(lambda: self._ask(lambda view: view.zoom_to(self._index)))
        self.source_button = self._button("goto", tr("Go to source line"))
        self.source_button.clicked.connect(lambda: self._ask(lambda view: view.go_to_source()))
        self.search_button = self._button("search", tr("Search all slices of this name"))
        self.search_button.clicked.connect(
            lambda: self._ask(lambda view: view.search_name(self.name.text()))
        )
        self.copy_button = self._button("copy", tr("Copy all of this"))
        self.copy_button.clicked.connect(lambda: self.copy())
        for button in (
            self.source_button,
            self.zoom_button,
            self.search_button,
            self.copy_button,
        ):
            row.addWidget(button)
        halves = QSplitter(Qt.Orientation.Horizontal)
        halves.setHandleWidth(1)
        halves.setChildrenCollapsible(False)
        halves.addWidget(self.left)
        halves.addWidget(self.right)
        halves.setSizes([500, 500])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(row)
        column.addWidget(halves, 1)
        for pairs in (self.left, self.right):
            pairs.followed.connect(self._followed)

    def copy(self) -> str:
        """Put everything shown on the clipboard."""
        return "\n".join((self.name.text(), self.left.copy(), self.right.copy()))

    def _name_keys(self, studio: Studio) -> None:
        for button, action in ((self.zoom_button, "fit"), (self.source_button, "source")):
            keys = next(iter(keys_of(studio, COMMANDS + action)), "")
            button.setToolTip(with_keys(button.accessibleName(), keys))

    def _button(self, icon: str, title: str) -> QToolButton:
        button = QToolButton()
        set_icon(button, icon)
        button.setIconSize(QSize(16, 16))
        button.setToolTip(title)
        button.setAccessibleName(title)
        return button
