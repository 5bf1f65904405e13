"""All about one slice: times, args, call stack, flows, and others of its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPixmap
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
    measure_facts,
    name_facts,
    slice_facts,
    stack_facts,
)
from plugins.timeline.ui.keys import COMMANDS
from plugins.timeline.ui.pairs import Pairs
from plugins.timeline.ui.reading import read_args
from studio.i18n import tr
from studio.ui.commandkeys import keys_of
from studio.ui.icons import set_icon
from studio.ui.text import with_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from plugins.timeline.ui.view import TimelineView
    from studio.api import Studio


class SlicePage(QWidget):
    """The page of the details panel for one slice."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view: TimelineView | None = None
        self._index = self._measured = -1
        self._args: Mapping[str, object] = {}
        self._waiting = False
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
        if view is self._view and index == self._index:
            if measured != self._measured:
                self._measured = measured
                self._fill(self._args)
            return
        self._view, self._index, self._measured = view, index, measured
        self._name_keys(view.studio)
        scene = view.scene
        name = scene.trace.names[int(scene.trace.name[index])]
        self.name.setText(name)
        self.name.setToolTip(name)
        slot = int(scene.rows.slot[index])
        kind = KINDS[kind_of_slot(slot)].id
        self.kind.setText(kind_title(kind))
        self.swatch.setPixmap(_swatch(view.colour_of(slot), self.devicePixelRatioF()))
        self._fill({})
        self._waiting = True
        read_args(view, index, self._args_read)

    def clear(self) -> None:
        """Forget the timeline."""
        self._view, self._index, self._waiting = None, -1, False

    def idle(self) -> bool:
        """Whether the args were read."""
        return not self._waiting

    # -- filling ------------------------------------------------------------------------------
    def _args_read(self, index: int, args: Mapping[str, object] | None) -> None:
        if index != self._index or self._view is None:
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
                (tr("All slices of this name"), name_facts(scene, index)),
            ]
        )
        self.source_button.setEnabled(any(fact.frame for fact in self.stack))

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


def _swatch(colour: QColor, ratio: float) -> QPixmap:
    picture = QPixmap(round(12 * ratio), round(12 * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawRoundedRect(0, 0, 12, 12, 3, 3)
    painter.end()
    return picture
