"""The list of findings: keys and clicks decide, the selection opens the comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QTreeView, QWidget

from plugins.migration.ui.delegate import FindingDelegate
from plugins.migration.ui.listmodel import (
    DECISION_ROLE,
    FINDING_ROLE,
    PATH_ROLE,
    Filter,
    FindingsModel,
)
from studio.i18n import tr
from studio.ui.diff import Decision

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from PySide6.QtGui import QMouseEvent

    from plugins.migration.ui.review import Review
    from studio.model.findings import Finding

_PREVIEW_MS = 80
_UNFOLDED = 1_000


class FindingTree(QTreeView):
    """Files and findings; emits what to show, and decides through the review."""

    wanted = Signal(object, object, bool)
    """A path, its finding or None, and whether the focus should follow."""
    similar = Signal(object)
    """The finding whose like are asked for."""
    left = Signal()
    """All findings are asked for again."""

    def __init__(self, review: Review, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._review = review
        self._busy = False
        self.list_model = FindingsModel(review, self)
        self._delegate = FindingDelegate(self)
        self.setModel(self.list_model)
        self.setItemDelegate(self._delegate)
        self.setHeaderHidden(True)
        self.setUniformRowHeights(True)
        self.setIndentation(16)
        self.setMouseTracking(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(tr("Findings of the migration"))
        self._preview = QTimer(self, singleShot=True, interval=_PREVIEW_MS)
        self._preview.timeout.connect(lambda: self._want(follow=False))
        self.selectionModel().currentChanged.connect(self._on_current)
        self.list_model.modelReset.connect(self._unfold)
        self.collapsed.connect(self.list_model.shorten)
        self.list_model.dataChanged.connect(lambda *_places: self.viewport().update())
        self.activated.connect(lambda _index: self._want(follow=True))
        for keys, title, run in (
            ("A", tr("Accept"), lambda: self.decide(Decision.ACCEPTED)),
            ("R", tr("Reject"), lambda: self.decide(Decision.REJECTED)),
            ("U", tr("Leave open"), lambda: self.decide(Decision.OPEN)),
            ("Space", tr("Accept or leave open"), self._toggle),
            ("N", tr("Next undecided change"), lambda: self.go_on(1)),
            ("P", tr("Previous undecided change"), lambda: self.go_on(-1)),
            ("E", tr("Explain"), lambda: self._want(follow=True)),
            ("S", tr("Show similar ones"), self._want_similar),
            ("Esc", tr("Show all findings"), self.left.emit),
        ):
            self._add_key(keys, title, run)

    def sizeHint(self) -> QSize:
        """Narrow: the panel decides."""
        return QSize(240, 200)

    def idle(self) -> bool:
        """Whether nothing is about to be shown."""
        return not self._preview.isActive()

    def reload(self) -> None:
        """Take the findings anew and keep the current one."""
        current = self.currentIndex()
        finding, path = current.data(FINDING_ROLE), current.data(PATH_ROLE)
        self._busy = True
        self.list_model.reload()
        if path is not None and not self.currentIndex().isValid():
            self._make_current(self.list_model.place_of(finding, path))
        self._busy = False

    def set_filter(self, wanted: Filter) -> None:
        """List other findings, and go on from the current one if it is among them."""
        current = self.currentIndex()
        finding, path = current.data(FINDING_ROLE), current.data(PATH_ROLE)
        self._busy = True
        self.list_model.set_filter(wanted)
        place = QModelIndex() if path is None else self.list_model.place_of(finding, path)
        if place.isValid():
            self._make_current(place)
        else:
            self.scrollToTop()
        self._busy = False

    def show_finding(self, finding: Finding) -> None:
        """Select a finding that is shown elsewhere."""
        if self.currentIndex().data(FINDING_ROLE) is not finding:
            self._busy = True
            self._make_current(self.list_model.place_of(finding, finding.location.path))
            self._busy = False

    def take_focus(self) -> None:
        """Let the keys go here, and show nothing for that."""
        self._busy = True
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self._busy = False

    def decide(self, decision: Decision) -> None:
        """Decide about the selected findings, or those of the selected files."""
        chosen = [f for index in self.selectedIndexes() for f in self.list_model.findings_at(index)]
        self._review.decide(chosen, decision)

    def go_on(self, step: int) -> None:
        """Go to the next change that nothing was decided about, or the one before."""
        index = self.list_model.following(self.currentIndex(), step)
        if index.isValid():
            self._make_current(index)
            self._preview.start()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click on a box decides; elsewhere it shows the finding."""
        index = self.indexAt(event.position().toPoint())
        on_box = index.isValid() and self._box(index).contains(event.position().toPoint())
        if on_box and event.button() is Qt.MouseButton.LeftButton:
            if index.data(DECISION_ROLE) is not None:
                self._toggle_at(index)
            return
        super().mousePressEvent(event)
        if index.isValid() and event.button() is Qt.MouseButton.LeftButton:
            self._preview.start()

    def _box(self, index: QModelIndex) -> QRect:
        return self._delegate.box(self.visualRect(index)).adjusted(-4, -5, 4, 5)

    def _toggle(self) -> None:
        if self.currentIndex().isValid():
            accepted = self.currentIndex().data(DECISION_ROLE) is Decision.ACCEPTED
            self.decide(Decision.OPEN if accepted else Decision.ACCEPTED)

    def _toggle_at(self, index: QModelIndex) -> None:
        following = {
            Decision.OPEN: Decision.ACCEPTED,
            Decision.MIXED: Decision.ACCEPTED,
            Decision.ACCEPTED: Decision.REJECTED,
            Decision.REJECTED: Decision.OPEN,
        }
        decision: Decision = index.data(DECISION_ROLE)
        self._review.decide(self.list_model.findings_at(index), following[decision])

    def _on_current(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if current.isValid() and not self._busy and self.hasFocus():
            self._preview.start()

    def _want(self, *, follow: bool) -> None:
        self._preview.stop()
        index = self.currentIndex()
        path: Path | None = index.data(PATH_ROLE)
        if path is not None:
            self.wanted.emit(path, index.data(FINDING_ROLE), follow)

    def _want_similar(self) -> None:
        finding = self.currentIndex().data(FINDING_ROLE)
        if finding is not None:
            self.similar.emit(finding)

    def _make_current(self, index: QModelIndex) -> None:
        if index.isValid():
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect
            self.selectionModel().setCurrentIndex(index, flags)
            self.scrollTo(index)

    def _unfold(self) -> None:
        """Show all findings of a list that can be overlooked, else the files only."""
        if sum(len(row.findings) for row in self.list_model.rows()) <= _UNFOLDED:
            self.expandAll()

    def _add_key(self, keys: str, title: str, run: Callable[[], object]) -> None:
        action = QAction(title, self)
        action.setShortcut(QKeySequence(keys))
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.triggered.connect(lambda _checked=False: run())
        self.addAction(action)
