"""The panel of the migration: readiness, context, the findings, and the way to apply them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QStackedLayout,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from plugins.migration.core.model import CHIPS, TORCH_VERSIONS
from plugins.migration.ui.findingtree import FindingTree
from plugins.migration.ui.listmodel import Filter
from plugins.migration.ui.looks import ICONS, STATUSES, status_title
from plugins.migration.ui.meter import ReadinessHeader
from plugins.migration.ui.review import Review
from studio.i18n import tr, trn
from studio.model.locations import Location
from studio.ui.actions import fill_context_menu
from studio.ui.bar import NoticeBar
from studio.ui.icons import icon, set_icon
from studio.ui.toolbar import ToolBar
from studio.ui.view import Action, EmptyState

if TYPE_CHECKING:
    from pathlib import Path

    from studio.api import Studio
    from studio.kernel.events import Connection
    from studio.model.findings import Finding


class MigrationPanel(QWidget):
    """Shows the review of the open project and lets one decide."""

    def __init__(self, studio: Studio) -> None:
        super().__init__()
        self._studio = studio
        self._review = studio.shared(Review)
        self._listening: list[Connection[Any]] = []
        self._statuses: set[str] = set()
        self._only_open = False
        self.header = ReadinessHeader(self)
        self.torch = _choice(tr("PyTorch version"), TORCH_VERSIONS)
        self.chip = _choice(tr("Ascend chip"), CHIPS)
        self.filter = QLineEdit()
        self.filter.setPlaceholderText(tr("Filter by file, rule, text"))
        self.filter.setAccessibleName(self.filter.placeholderText())
        self.filter.setClearButtonEnabled(True)
        leading = QLineEdit.ActionPosition.LeadingPosition
        sign = self.filter.addAction(icon("filter", "muted"), leading)
        set_icon(sign, "filter", "muted")
        sign.setToolTip(self.filter.placeholderText())
        self.kinds = QToolButton()
        set_icon(self.kinds, "eye")
        self.kinds.setToolTip(tr("Which findings are listed"))
        self.kinds.setAccessibleName(tr("Which findings are listed"))
        self.tree = FindingTree(self._review, self)
        self.apply = QPushButton()
        self.apply.setProperty("primary", True)
        self.problem = NoticeBar(self)
        self.empty = EmptyState("migration", "")
        self.bar = ToolBar(tr("Migration"), self)
        self.bar.add_command(studio, "migration.accept_safe", text=True)
        self.bar.add_stretch()
        self.bar.add_command(studio, "migration.find")
        self.bar.add_command(studio, "migration.undo")
        self._arrange()
        self._connect()
        self._on_project()
        if self._review.was_scanned and not self._review.is_scanned:
            self._review.scan()

    def idle(self) -> bool:
        """Whether everything found is shown."""
        return not self._review.is_scanning and self.tree.idle()

    def show_finding(self, path: Path, finding: Finding | None, follow: bool) -> None:
        """Open the comparison of a file at a finding; the focus stays unless it should follow."""
        project = self._studio.project
        if project is None:
            return
        self._studio.open(
            project.root,
            opener="migration.diff",
            file=project.relative(path),
            finding=finding.key if finding is not None else "",
        )
        if not follow:
            self.tree.setFocus(Qt.FocusReason.OtherFocusReason)

    # -- events ---------------------------------------------------------------------------------
    def _connect(self) -> None:
        self.tree.wanted.connect(self.show_finding)
        self.tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.tree.customContextMenuRequested.connect(self._show_menu)
        self.filter.textChanged.connect(lambda _text: self._refilter())
        self.filter.returnPressed.connect(self.tree.setFocus)
        self.kinds.clicked.connect(lambda _checked=False: self._show_kinds())
        self.apply.clicked.connect(
            lambda _checked=False: self._studio.run("migration.apply_accepted")
        )
        self.torch.activated.connect(lambda _index: self._set_context())
        self.chip.activated.connect(lambda _index: self._set_context())
        listening = self._listening
        listening.append(self._review.found.connect(self._on_found))
        listening.append(self._review.decided.connect(self._on_decided))
        listening.append(self._review.looked_at.connect(self.tree.show_finding))
        listening.append(self._studio.project_changed.connect(lambda _p: self._on_project()))

        def leave() -> None:
            for connection in listening:
                connection.disconnect()

        self.destroyed.connect(leave)

    def _on_project(self) -> None:
        project = self._studio.project
        self.tree.list_model.root = project.root if project else None
        if project is not None:
            listening = self._listening
            listening.append(project.context.changed.connect(lambda _v: self._show_context()))
        self._show_context()
        self._on_found(frozenset())

    def _on_found(self, _paths: frozenset[Path]) -> None:
        self.tree.reload()
        self._show_counts()
        self._show_state()

    def _on_decided(self, paths: frozenset[Path]) -> None:
        if self._only_open:
            self.tree.reload()
        self.tree.list_model.refresh(paths)
        self._show_counts()

    def _show_counts(self) -> None:
        summary = self._review.summary()
        self.header.show_summary(summary)
        self.apply.setText(
            trn("Apply {n} accepted change…", "Apply {n} accepted changes…", summary.accepted)
            if summary.accepted
            else tr("Apply accepted changes…")
        )
        self.apply.setEnabled(summary.accepted > 0)

    def _show_state(self) -> None:
        review = self._review
        if review.problem:
            self.problem.tell("error", review.problem)
        else:
            self.problem.clear()
        if self._studio.project is None:
            text = tr("Open a project to see what binds it to CUDA.")
            self.empty.set_content("migration", tr("No project"), text)
        elif review.is_scanned and not review.files():
            text = tr("The scan found nothing that binds it to CUDA.")
            again = Action(tr("Scan again"), review.scan, "refresh")
            self.empty.set_content("ok", tr("Nothing to migrate"), text, [again])
        elif not review.is_scanned and review.is_scanning:
            self.empty.set_content("migration", tr("Scanning the project…"))
        elif not review.is_scanned:
            text = tr(
                "A scan finds every place that binds it to CUDA, proposes a change for each, and "
                "says what has to be done by hand. No file is changed before you apply."
            )
            scan = Action(tr("Scan the project"), review.scan, "run")
            title = tr("Move this project to Ascend NPUs")
            self.empty.set_content("migration", title, text, [scan])
        shows_list = bool(review.files())
        self._stack.setCurrentIndex(0 if shows_list else 1)
        self.bar.setVisible(shows_list)

    # -- context and filter ---------------------------------------------------------------------
    def _show_context(self) -> None:
        project = self._studio.project
        if project is None:
            return
        values = project.context.values
        for box, value in ((self.torch, values.torch_version), (self.chip, values.chip)):
            if box.findData(value) < 0:
                box.addItem(value, value)
            box.setCurrentIndex(box.findData(value))

    def _set_context(self) -> None:
        project = self._studio.project
        if project is not None:
            project.context.set(
                torch_version=self.torch.currentData(), chip=self.chip.currentData()
            )

    def _refilter(self) -> None:
        words = tuple(self.filter.text().casefold().split())
        self.tree.list_model.set_filter(Filter(words, frozenset(self._statuses), self._only_open))
        active = bool(self._statuses) or self._only_open
        set_icon(self.kinds, "eye", "accent" if active else "text")

    def _show_kinds(self) -> None:
        menu = QMenu(self)
        counts = self._review.summary().statuses
        for status in STATUSES:
            if counts.get(status):
                title = f"{status_title(status)} ({counts[status]})"
                action = QAction(icon(*ICONS[status]), title, menu)
                action.setCheckable(True)
                action.setChecked(status in self._statuses)
                action.triggered.connect(lambda on, status=status: self._list_status(status, on))
                menu.addAction(action)
        menu.addSeparator()
        only = QAction(tr("Only undecided changes"), menu)
        only.setCheckable(True)
        only.setChecked(self._only_open)
        only.triggered.connect(self._list_open)
        menu.addAction(only)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.kinds.mapToGlobal(QPoint(0, self.kinds.height())))

    def _list_status(self, status: str, on: bool) -> None:
        self._statuses = self._statuses | {status} if on else self._statuses - {status}
        self._refilter()

    def _list_open(self, on: bool) -> None:
        self._only_open = on
        self._refilter()

    def _show_menu(self, place: QPoint) -> None:
        index = self.tree.indexAt(place)
        findings = self.tree.list_model.findings_at(index)
        if not findings:
            return
        menu = QMenu(self)
        menu.addActions(self.tree.actions())
        menu.addSeparator()
        path, first = findings[0].location.path, findings[0]
        opened = QAction(icon("edit"), tr("Open in the editor"), menu)
        line = first.location.line or 1
        opened.triggered.connect(
            lambda _checked=False: self._studio.reveal(Location.source(path, line))
        )
        menu.addAction(opened)
        available = {"path": path, "finding": first, "location": first.location}
        fill_context_menu(self._studio, menu, "migration", first.rule, available)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.tree.viewport().mapToGlobal(place))

    # -- making ---------------------------------------------------------------------------------
    def _arrange(self) -> None:
        context = QHBoxLayout()
        context.setContentsMargins(12, 0, 12, 8)
        context.setSpacing(6)
        for label, box in ((tr("torch"), self.torch), (tr("chip"), self.chip)):
            name = QLabel(label)
            name.setProperty("role", "muted")
            name.setBuddy(box)
            context.addWidget(name)
            context.addWidget(box, 1)
        filters = QHBoxLayout()
        filters.setContentsMargins(12, 0, 8, 6)
        filters.setSpacing(4)
        filters.addWidget(self.filter, 1)
        filters.addWidget(self.kinds)
        below = QHBoxLayout()
        below.setContentsMargins(12, 8, 12, 10)
        below.addWidget(self.apply)
        filled = QWidget()
        column = QVBoxLayout(filled)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addLayout(context)
        column.addLayout(filters)
        column.addWidget(self.tree, 1)
        column.addLayout(below)
        holder = QWidget()
        self._stack = QStackedLayout(holder)
        self._stack.addWidget(filled)
        self._stack.addWidget(self.empty)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(self.bar)
        outer.addWidget(self.problem)
        outer.addWidget(holder, 1)


def _choice(name: str, values: tuple[str, ...]) -> QComboBox:
    box = QComboBox()
    for value in values:
        box.addItem(value, value)
    box.setAccessibleName(name)
    box.setToolTip(name)
    return box


def make_panel(studio: Studio) -> MigrationPanel:
    """Make the panel."""
    return MigrationPanel(studio)
