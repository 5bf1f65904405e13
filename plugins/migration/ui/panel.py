"""The panel of the migration: readiness, context, the findings, and the way to apply them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import (
    QHBoxLayout,
    QMenu,
    QPushButton,
    QStackedLayout,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from plugins.migration.ui.contextbar import ContextBar
from plugins.migration.ui.empty import show_state
from plugins.migration.ui.filtering import parse_filter
from plugins.migration.ui.findingtree import FindingTree
from plugins.migration.ui.looks import ICONS, STATUSES, status_title
from plugins.migration.ui.meter import ReadinessHeader
from plugins.migration.ui.review import Review
from studio.i18n import tr, trn
from studio.model.locations import Location
from studio.ui.actions import fill_context_menu
from studio.ui.bar import NoticeBar
from studio.ui.field import search_field
from studio.ui.icons import icon, set_icon
from studio.ui.toolbar import ToolBar
from studio.ui.view import EmptyState

if TYPE_CHECKING:
    from collections.abc import Callable
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
        self._statuses: frozenset[str] = frozenset()
        self._only_open = False
        self.header = ReadinessHeader(self)
        self.context = ContextBar(studio, self._review, narrow=True, all_of=False)
        self.torch, self.chip = self.context.torch, self.context.chip
        self.filter = search_field(tr("Filter by file, rule, text"), sign="filter")
        self.groups = _button("group", tr("How findings are grouped"), self._show_groups)
        self.kinds = _button("eye", tr("Which findings are listed"), self._show_kinds)
        self.tree = FindingTree(self._review, self)
        self.apply = QPushButton()
        self.apply.setProperty("primary", True)
        self.problem = NoticeBar(self)
        self.empty = EmptyState("migration", "")
        self.bar = ToolBar(tr("Migration"), self)
        self.bar.add_command(studio, "migration.overview", text=True)
        self.bar.add_stretch()
        self.bar.add_command(studio, "migration.accept_safe")
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
        self.tree.left.connect(lambda: self.show_filter(""))
        self.filter.returnPressed.connect(self.tree.setFocus)
        self.tree.similar.connect(lambda f: self._studio.run("migration.similar", finding=f))
        self.apply.clicked.connect(
            lambda _checked=False: self._studio.run("migration.apply_accepted")
        )
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
        self._on_found(frozenset())

    def _on_found(self, _paths: frozenset[Path]) -> None:
        self.tree.reload()
        self.context.refresh()
        self._show_counts()
        self._show_state()

    def _on_decided(self, _paths: frozenset[Path]) -> None:
        if self._only_open:
            self.tree.reload()
        self.tree.list_model.refresh()
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
        if self._review.problem:
            self.problem.tell("error", self._review.problem)
        else:
            self.problem.clear()
        is_empty = show_state(self.empty, self._studio, self._review)
        self._stack.setCurrentIndex(1 if is_empty else 0)
        self.bar.setVisible(not is_empty)

    # -- filter and groups ----------------------------------------------------------------------
    def show_filter(self, text: str, grouping: str = "") -> None:
        """List what a filter such as "rule:device-string" lets through, and nothing else."""
        self._statuses, self._only_open = frozenset(), False
        if grouping:
            self.group(grouping)
        self.filter.setText(text)
        self._refilter()
        self.tree.take_focus()

    def group(self, grouping: str) -> None:
        """Group the list by file, rule or category."""
        if grouping in ("file", "rule", "category"):
            self.tree.list_model.set_grouping(grouping)  # type: ignore[arg-type] # one of them
            set_icon(self.groups, "group", "text" if grouping == "file" else "accent")

    def _refilter(self) -> None:
        typed = parse_filter(self.filter.text())
        wanted = replace(typed, statuses=frozenset(self._statuses), only_open=self._only_open)
        self.tree.set_filter(wanted)
        active = bool(self._statuses) or self._only_open
        set_icon(self.kinds, "eye", "accent" if active else "text")

    def _show_groups(self) -> None:
        menu = QMenu(self)
        choice = QActionGroup(menu)
        for grouping, title in (
            ("file", tr("By file")),
            ("rule", tr("By rule")),
            ("category", tr("By category")),
        ):
            action = QAction(title, choice)
            action.setCheckable(True)
            action.setChecked(self.tree.list_model.grouping == grouping)
            action.triggered.connect(lambda _on=False, grouping=grouping: self.group(grouping))
            menu.addAction(action)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.groups.mapToGlobal(QPoint(0, self.groups.height())))

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
        filters = QHBoxLayout()
        filters.setContentsMargins(12, 0, 8, 6)
        filters.setSpacing(4)
        filters.addWidget(self.filter, 1)
        filters.addWidget(self.groups)
        filters.addWidget(self.kinds)
        below = QHBoxLayout()
        below.setContentsMargins(12, 8, 12, 10)
        below.addWidget(self.apply)
        filled = QWidget()
        column = QVBoxLayout(filled)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addWidget(self.context)
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


def _button(name: str, title: str, run: Callable[[], object]) -> QToolButton:
    button = QToolButton()
    set_icon(button, name)
    button.setToolTip(title)
    button.setAccessibleName(title)
    button.clicked.connect(lambda _checked=False: run())
    return button


def make_panel(studio: Studio) -> MigrationPanel:
    """Make the panel."""
    return MigrationPanel(studio)
