"""The panel of problems: filters, the grouped list, and the details beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPoint, QSize, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QMenu,
    QSplitter,
    QStackedLayout,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from plugins.problems.core import GROUPINGS, as_text, counts, grouped, wanted
from plugins.problems.ui.details import Details, available_of
from plugins.problems.ui.looks import ICONS, severity_count, severity_word
from studio.i18n import tr
from studio.model.findings import Finding, Severity
from studio.ui.actions import fill_context_menu
from studio.ui.field import search_field
from studio.ui.groups import Group, GroupModel, GroupView, Line
from studio.ui.icons import icon, set_icon
from studio.ui.listening import Listening, listen
from studio.ui.text import thousands
from studio.ui.view import EmptyState

if TYPE_CHECKING:
    from pathlib import Path

    from studio.api import Studio
    from studio.model.project import Project


class Problems(QWidget):
    """All findings of the project, whoever published them."""

    def __init__(self, studio: Studio) -> None:
        super().__init__()
        self._studio = studio
        self._project = Listening(self)
        self._shown: list[Finding] = []
        self.model: GroupModel[Finding] = GroupModel(self._line, lambda finding: finding.key)
        self.list = GroupView()
        self.details = Details(studio)
        self.filter = search_field(tr("Filter problems"), sign="filter", widest=260)
        self.grouping = QComboBox()
        self.toggles = {severity: self._toggle(severity) for severity in Severity}
        self._soon = QTimer(self, singleShot=True, interval=80)
        self._soon.timeout.connect(self.renew)
        self._lay_out()
        self._connect()
        self._take(studio.project)

    def idle(self) -> bool:
        """Whether the list is up to date."""
        return not self._soon.isActive()

    # -- content --------------------------------------------------------------------------------
    def renew(self) -> None:
        """Show the findings as they are now."""
        self._soon.stop()
        project = self._studio.project
        findings = project.findings.all() if project is not None else []
        for severity, count in counts(findings).items():
            button = self.toggles[severity]
            button.setText(severity_count(severity, count))
            button.setToolTip(tr("Show or hide: {what}", what=severity_word(severity)))
        chosen = frozenset(s for s, button in self.toggles.items() if button.isChecked())
        self._shown = wanted(findings, chosen, self.filter.text(), self._name)
        by = GROUPINGS[self.grouping.currentIndex()]
        groups = [
            Group(key, self._heading(key, found), found)
            for key, found in grouped(self._shown, by).items()
        ]
        self.list.show_groups(self.model, groups)
        self._stack.setCurrentIndex(1 if self._shown else 0)
        if not self._shown:
            self._say_why_empty(bool(findings))
        self._selected()

    def step(self, by: int) -> None:
        """Select the next or previous problem and show its place."""
        index = self.model.following(self.list.currentIndex(), by)
        finding = self.model.row_at(index)
        if finding is None:
            return
        self.list.setCurrentIndex(index)
        self.list.scrollTo(index)
        self._studio.reveal(finding.location)

    def copy(self) -> None:
        """Put what is shown on the clipboard, one line each."""
        QGuiApplication.clipboard().setText(as_text(self._shown, self._name))

    def _name(self, path: Path) -> str:
        project = self._studio.project
        return project.relative(path) if project is not None else str(path)

    def _heading(self, key: object, found: list[Finding]) -> Line:
        badge = (thousands(len(found)), "muted")
        if isinstance(key, Severity):
            return Line(severity_word(key), *ICONS[key], badge=badge)
        if isinstance(key, str):
            return Line(key, "problems", "muted", found[0].title, badge=badge)
        folder, _, name = self._name(found[0].location.path).rpartition("/")
        return Line(name, "file", "muted", folder, badge, tip=str(key))

    def _line(self, finding: Finding) -> Line:
        by = GROUPINGS[self.grouping.currentIndex()]
        name, token = ICONS[finding.severity]
        place = tr("line {n}", n=finding.location.line) if finding.location.line else ""
        if by != "file":
            place = f"{self._name(finding.location.path)}  {place}"
        rule = finding.rule if by != "rule" else ""
        detail = "   ".join(filter(None, (place, rule)))
        tip = "\n".join(
            filter(None, (f"{severity_word(finding.severity)}: {finding.title}", finding.why))
        )
        fixable = (tr("fix"), "accent") if finding.fix is not None else None
        return Line(finding.title, name, token, detail, fixable, tip)

    def _say_why_empty(self, any_hidden: bool) -> None:
        if any_hidden:
            self._empty.set_content(
                "filter", tr("Nothing matches"), tr("The filter hides every problem.")
            )
        else:
            self._empty.set_content(
                "ok",
                tr("No problems"),
                tr("What plugins find in the project, such as code bound to CUDA, is listed here."),
            )

    # -- doing ----------------------------------------------------------------------------------
    def _selected(self) -> None:
        self.details.show_finding(self.model.row_at(self.list.currentIndex()))

    def _activated(self, index: QModelIndex) -> None:
        finding = self.model.row_at(index)
        if finding is None:
            self.list.toggle(index)
        else:
            self._studio.reveal(finding.location)

    def _clicked(self, index: QModelIndex) -> None:
        finding = self.model.row_at(index)
        if finding is not None:
            self._studio.reveal(finding.location)

    def _menu(self, place: QPoint) -> None:
        finding = self.model.row_at(self.list.indexAt(place))
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if finding is not None:
            show = menu.addAction(icon("goto"), tr("Show its place"))
            show.triggered.connect(lambda _=False: self._studio.reveal(finding.location))
            menu.addSeparator()
            available = available_of(finding)
            fill_context_menu(self._studio, menu, "problems", finding.category, available)
            menu.addSeparator()
            one = menu.addAction(icon("copy"), tr("Copy"))
            text = as_text([finding], self._name)
            one.triggered.connect(lambda _=False: QGuiApplication.clipboard().setText(text))
        everything = menu.addAction(icon("copy"), tr("Copy all problems"))
        everything.triggered.connect(lambda _=False: self.copy())
        menu.popup(self.list.viewport().mapToGlobal(place))

    # -- inside ---------------------------------------------------------------------------------
    def _take(self, project: Project | None) -> None:
        self._project.stop()
        if project is not None:
            self._project.to(project.findings.changed, lambda _: self._soon.start())
        self.renew()

    def _toggle(self, severity: Severity) -> QToolButton:
        button = QToolButton()
        button.setCheckable(True)
        button.setChecked(True)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setIconSize(QSize(14, 14))
        button.setProperty("toggle", True)
        set_icon(button, *ICONS[severity])
        button.setAccessibleName(severity_word(severity))
        button.toggled.connect(lambda _: self.renew())
        return button

    def _connect(self) -> None:
        studio = self._studio
        listen(self, studio.project_changed, self._take)
        self.list.activated.connect(self._activated)
        self.list.clicked.connect(self._clicked)
        self.list.selectionModel().currentChanged.connect(lambda *_: self._selected())
        self.list.customContextMenuRequested.connect(self._menu)
        self.filter.textChanged.connect(lambda _: self._soon.start())
        self.grouping.currentIndexChanged.connect(self._group_by)

    def _group_by(self, at: int) -> None:
        self._studio.set_setting("problems.group", GROUPINGS[at])
        self.renew()

    def _lay_out(self) -> None:
        self.list.setModel(self.model)
        self.setFocusProxy(self.list)
        self.list.setAccessibleName(tr("Problems"))
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.grouping.addItems([tr("By file"), tr("By rule"), tr("By severity")])
        self.grouping.setCurrentIndex(GROUPINGS.index(self._studio.setting("problems.group")))
        self.grouping.setAccessibleName(tr("Group problems by"))
        self.grouping.setToolTip(tr("Group problems by"))
        bar = QHBoxLayout()
        bar.setContentsMargins(8, 3, 8, 3)
        bar.setSpacing(4)
        for button in self.toggles.values():
            bar.addWidget(button)
        bar.addStretch()
        bar.addWidget(self.grouping)
        bar.addWidget(self.filter)
        lists = QWidget()
        self._empty = EmptyState("ok", "")
        self._stack = QStackedLayout(lists)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.list)
        halves = QSplitter(Qt.Orientation.Horizontal)
        halves.setHandleWidth(1)
        halves.setChildrenCollapsible(False)
        halves.addWidget(lists)
        halves.addWidget(self.details)
        halves.setStretchFactor(0, 3)
        halves.setStretchFactor(1, 2)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(bar)
        column.addWidget(halves, 1)
