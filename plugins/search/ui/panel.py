"""The panel: the form, the list of hits, and replacing them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPoint, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QLabel, QMenu, QSplitter, QStackedLayout, QVBoxLayout, QWidget
from shiboken6 import isValid

from plugins.search.core.find import FileHits, Found
from plugins.search.core.replacing import edits_of
from plugins.search.ui.form import SearchForm
from plugins.search.ui.hitlist import HitDelegate, HitModel, HitRows, Row
from studio.i18n import tr, trn
from studio.kernel.errors import StudioError
from studio.model.locations import Location
from studio.ui.groups import Group, GroupView, Line
from studio.ui.icons import icon
from studio.ui.listening import Listening, listen
from studio.ui.text import thousands
from studio.ui.view import EmptyState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from studio.api import Studio
    from studio.kernel.job import Job
    from studio.model.changes import Undo
    from studio.model.project import Project

_TYPED_MS, _CHANGED_MS = 250, 800


class SearchPanel(QWidget):
    """Searches while one types, in a process of its own, and again when files change."""

    def __init__(self, studio: Studio) -> None:
        super().__init__()
        self._studio = studio
        self._project = Listening(self)
        self._job: Job | None = None
        self.found: Found | None = None
        self._dismissed: set[tuple[str, int]] = set()
        self.form = SearchForm()
        self.model = HitModel(self._line, lambda row: row.key)
        self.list = GroupView()
        self.list.setModel(self.model)
        self.list.setItemDelegate(HitDelegate(self.list))
        self.list.setAccessibleName(tr("Search results"))
        self.summary = QLabel()
        self.summary.setProperty("role", "muted")
        self._soon = QTimer(self, singleShot=True)
        self._soon.timeout.connect(self.search)
        self._lay_out()
        self._connect()
        self._take(studio.project)

    def idle(self) -> bool:
        """Whether the list shows what was asked for."""
        return not self._soon.isActive() and (self._job is None or not self._job.active)

    # -- what the commands do ---------------------------------------------------------------------
    def start(self, text: str = "", *, replacing: bool = False, include: str | None = None) -> None:
        """Go to the field, with a text to find."""
        self.form.start(text, replacing=replacing, include=include)

    def step(self, by: int) -> None:
        """Select the next or previous hit and show its place."""
        index = self.model.following(self.list.currentIndex(), by)
        row = self.model.row_at(index)
        if row is None:
            return
        self.list.setCurrentIndex(index)
        self.list.scrollTo(index)
        self._reveal(row)

    def search(self) -> None:
        """Search now."""
        self._soon.stop()
        if self._job is not None:
            self._job.cancel()
        project, query = self._studio.project, self.form.query()
        self._keep()
        if project is None or not query.text:
            self._show(None)
            return
        try:
            choice = self.form.choice()
        except StudioError as error:
            self._complain(error)
            return
        texts = {d.path: d.text for d in project.documents.all() if d.dirty}
        self._job = self._studio.start_job(
            "search:core.find.find_in_files",
            {
                "root": project.root,
                "query": query,
                "choice": choice,
                "texts": texts,
                "by": self.form.replacement(),
                "keep_case": self.form.keep_case.isChecked(),
            },
            title=tr("Searching for “{text}”", text=query.text),
            key="search",
            process=True,
            done=self._show,
            failed=self._complain,
        )

    def replace(self, rows: Iterable[Row]) -> None:
        """Replace some hits, in all their files or in none, with a way back."""
        project = self._studio.project
        wanted = list(rows)
        edits = edits_of(FileHits(row.path, (row.hit,)) for row in wanted)
        if project is None or not edits:
            return
        title = tr("Replace “{text}”", text=self.form.what.text())

        def again() -> None:
            if isValid(self):
                self.search()

        def failed(error: BaseException) -> None:
            self._studio.notify(str(error), severity="error")
            again()

        def made(undo: Undo) -> None:
            def back() -> None:
                project.undo_later(undo, done=again, failed=failed)

            self._studio.notify(
                trn("{n} hit replaced.", "{n} hits replaced.", len(edits)),
                severity="ok",
                actions={tr("Undo"): back},
            )
            again()

        project.apply_later(edits, title, done=made, failed=failed)

    def dismiss(self) -> None:
        """Take the selected hit or file off the list; it is not replaced."""
        index = self.list.currentIndex()
        gone = self._rows_at(index)
        if gone:
            self._dismissed |= {row.key for row in gone}
            self._fill()

    # -- content ----------------------------------------------------------------------------------
    def _show(self, found: Found | None) -> None:
        self.found = found
        self._dismissed.clear()
        self._fill()

    def _fill(self) -> None:
        found = self.found
        groups = []
        dismissed: dict[str, set[int]] = {}
        for path, start in self._dismissed:
            dismissed.setdefault(path, set()).add(start)
        for file in found.files if found else ():
            gone = dismissed.get(str(file.path)) if dismissed else None
            hits = tuple(h for h in file.hits if h.start not in gone) if gone else file.hits
            if hits:
                line = partial(self._heading, file.path, len(hits))
                groups.append(Group(file.path, line, HitRows(file.path, hits)))
        self.list.open_by_default = len(groups) <= 400
        self.list.show_groups(self.model, groups)
        replacing = self.form.replacement() is not None
        self.form.button.setEnabled(replacing and bool(groups))
        self.summary.setText(found.summary() if found else "")
        self.summary.setToolTip("\n".join(found.left_out) if found else "")
        self._stack.setCurrentIndex(1 if groups else 0)
        if not groups:
            self._say_why_empty()

    def _say_why_empty(self) -> None:
        text = self.form.what.text()
        if text and self.found is not None:
            self._empty.set_content(
                "search",
                tr("“{text}” is not found", text=text),
                tr("Files that git ignores are searched when the eye is switched on."),
            )
        else:
            self._empty.set_content(
                "search",
                tr("Find in files"),
                tr("Type a text or a regular expression; what is found appears as you type."),
            )

    def _complain(self, error: BaseException) -> None:
        self._show(None)
        message = error.message if isinstance(error, StudioError) else str(error)
        self._empty.set_content("error", tr("This cannot be searched for"), message)

    def _heading(self, path: Path, count: int) -> Line:
        project = self._studio.project
        name = project.relative(path) if project is not None else path.name
        folder, _, last = name.rpartition("/")
        return Line(last, "file", "muted", folder, (thousands(count), "muted"), str(path))

    def _line(self, row: Row) -> Line:
        tip = row.hit.shown if row.hit.after is None else f"{row.hit.found} → {row.hit.after}"
        return Line(row.hit.shown, tip=tip)

    # -- doing ------------------------------------------------------------------------------------
    def _rows_at(self, index: QModelIndex) -> list[Row]:
        group, row = self.model.group_at(index), self.model.row_at(index)
        if group is not None:
            return list(group.rows)
        return [row] if row is not None else []

    def _everything(self) -> list[Row]:
        return [row for group in self.model.groups for row in group.rows]

    def _reveal(self, row: Row) -> None:
        hit = row.hit
        last = hit.column + len(hit.found) if "\n" not in hit.found else None
        place = Location.source(row.path, hit.line, hit.column, hit.line, last)
        self._studio.reveal(place)

    def _opened(self, index: QModelIndex) -> None:
        row = self.model.row_at(index)
        if row is None:
            self.list.toggle(index)
        else:
            self._reveal(row)

    def _clicked(self, index: QModelIndex) -> None:
        row = self.model.row_at(index)
        if row is not None:
            self._reveal(row)

    def _menu(self, place: QPoint) -> None:
        index = self.list.indexAt(place)
        rows = self._rows_at(index)
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)

        def add(sign: str, title: str, run: Callable[[], object]) -> None:
            menu.addAction(icon(sign), title).triggered.connect(lambda _=False: run())

        if rows:
            add("goto", tr("Show its place"), lambda: self._reveal(rows[0]))
            if self.form.replacement() is not None:
                one = tr("Replace") if len(rows) == 1 else tr("Replace in this file")
                add("replace", one, lambda: self.replace(rows))
            add("close", tr("Take off the list"), self.dismiss)
            menu.addSeparator()
            add("copy", tr("Copy"), lambda: self._copy(rows))
        add("copy", tr("Copy all"), lambda: self._copy(self._everything()))
        menu.popup(self.list.viewport().mapToGlobal(place))

    def _copy(self, rows: Iterable[Row]) -> None:
        project = self._studio.project
        lines = [
            f"{project.relative(row.path) if project else row.path}:{row.hit.line}: {row.hit.shown}"
            for row in rows
        ]
        QGuiApplication.clipboard().setText("\n".join(lines))

    # -- inside -----------------------------------------------------------------------------------
    def _take(self, project: Project | None) -> None:
        self._project.stop()
        if project is not None:
            self._project.to(project.files_changed, self._on_files)
            self._project.to(project.documents.changed, lambda _: self._later())
            self.form.restore_state(project.state("search").get("form", {}))
        self._show(None)
        self._soon.stop()

    def _keep(self) -> None:
        if self._studio.project is not None:
            self._studio.project.state("search")["form"] = self.form.save_state()

    def _on_files(self, _paths: frozenset[Path]) -> None:
        self._later()

    def _later(self) -> None:
        """Search again after changes, while someone looks."""
        if self.found is not None and self.isVisible():
            self._soon.start(_CHANGED_MS)

    def _connect(self) -> None:
        self.form.changed.connect(lambda: self._soon.start(_TYPED_MS))
        self.form.entered.connect(self._entered)
        self.form.replace_all.connect(lambda: self.replace(self._everything()))
        self.list.activated.connect(self._opened)
        self.list.clicked.connect(self._clicked)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._menu)
        delete = QShortcut(QKeySequence(Qt.Key.Key_Delete), self.list)
        delete.setContext(Qt.ShortcutContext.WidgetShortcut)
        delete.activated.connect(self.dismiss)
        listen(self, self._studio.project_changed, self._take)

    def _entered(self) -> None:
        if self._soon.isActive() or self.found is None:
            self.search()
        elif self.model.groups:
            self.list.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self.step(1)

    def _lay_out(self) -> None:
        self._empty = EmptyState("search", "")
        results = QWidget()
        self._stack = QStackedLayout(results)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.list)
        right = QWidget()
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.summary.setContentsMargins(8, 4, 8, 4)
        column.addWidget(self.summary)
        column.addWidget(results, 1)
        split = QSplitter()
        split.addWidget(self.form)
        split.addWidget(right)
        split.setStretchFactor(1, 1)
        split.setSizes([380, 900])
        split.setChildrenCollapsible(False)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(split)
