"""The explorer's panel: filter, recognised items, files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, Qt, QTimer
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QSplitter, QStackedLayout, QTreeView, QVBoxLayout, QWidget

from plugins.explorer.core.git import GitStates
from plugins.explorer.ui.fileactions import FileActions
from plugins.explorer.ui.foldertree import FolderTree
from plugins.explorer.ui.folderview import FolderView
from plugins.explorer.ui.listings import Listings
from plugins.explorer.ui.looks import entry_icon, file_icon, finding_badges
from plugins.explorer.ui.menu import show_menu
from plugins.explorer.ui.recognised import Kinds, count_text, group_items, item_line
from plugins.explorer.ui.section import Section
from studio.i18n import tr, trn
from studio.model.tree import Entry, shown_name
from studio.ui.field import search_field
from studio.ui.groups import Group, GroupModel, GroupView, Line
from studio.ui.lines import LineDelegate
from studio.ui.listening import Listening, listen
from studio.ui.text import thousands
from studio.ui.view import Action, EmptyState

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from studio.api import Studio
    from studio.model.items import Item
    from studio.model.project import Project
    from studio.ui.shell import MainWindow

Index = QModelIndex | QPersistentModelIndex
_MATCHES = 500


class Explorer(QWidget):
    """What there is: recognised items on top, the tree of files below."""

    def __init__(self, studio: Studio) -> None:
        super().__init__()
        assert studio.window is not None
        self.studio = self._studio = studio
        self.file_actions = FileActions(studio, self, self.reveal)
        self._window: MainWindow = studio.window.parent()
        self._kinds: Kinds = {}
        self._wanted: Path | None = None
        self._matched: list[str] = []
        self._open_when_found = False
        self._project = Listening(self)
        self.filter = search_field(tr("Filter files and items"), sign="filter")
        self.items_model: GroupModel[Item] = GroupModel(self._item_line, lambda item: item.path)
        self.items = GroupView()
        self.items.open_by_default = False
        self.items.setModel(self.items_model)
        self._listings = Listings(studio, self, self._listed)
        self.tree = FolderTree(self._listings.ask, self._looks)
        self.files = FolderView(self.tree)
        self.setFocusProxy(self.files)
        self.matches_model: GroupModel[str] = GroupModel(self._match_line, lambda name: name)
        self.matches = GroupView()
        self.matches.setModel(self.matches_model)
        self._soon = QTimer(self, singleShot=True, interval=120)
        self._soon.timeout.connect(self.renew)
        self._git_soon = QTimer(self, singleShot=True, interval=600)
        self._git_soon.timeout.connect(self._ask_git)
        self._lay_out()
        self._connect()
        self.show_project(studio.project)

    def idle(self) -> bool:
        """Whether everything that was asked for is listed."""
        listing = self.tree.busy() or self._listings.busy()
        return not listing and not self._soon.isActive()

    # -- project --------------------------------------------------------------------------------
    def show_project(self, project: Project | None) -> None:
        """Show another project."""
        self._project.stop()
        self.filter.clear()
        self._stack.setCurrentIndex(0 if project is None else 1)
        if project is not None:
            self._project.to(project.items_changed, lambda _: self._soon.start())
            self._project.to(project.findings.changed, lambda _: self._soon.start())
            self._project.to(project.linked_changed, lambda _: self._take_links())
            self._project.to(project.files_changed, self.tree.update)
            self._project.to(project.files_changed, lambda _: self._git_soon.start())
            self._project.to(project.documents.saved, lambda _: self._git_soon.start())
            self.tree.linked = _links(project)
        self._listings.forget()
        self.tree.set_root(project.root if project is not None else None)
        self.tree.set_git(GitStates())
        self._ask_git()
        self.renew()

    def refresh(self) -> None:
        """Scan the project and list every opened folder anew."""
        project = self._studio.project
        if project is not None:
            self.tree.refresh()
            project.files_changed.emit(frozenset({project.root}))

    def renew(self) -> None:
        """Show items, badges and matches as they are now."""
        self._soon.stop()
        project = self._studio.project
        window = self._window
        scanners = window.app.plugins.contributions("scanners")
        self._kinds = {s.kind: (tr(s.title), s.icon or "file") for _, s in scanners}
        groups = group_items(project, self._kinds, self.filter.text()) if project else []
        self.items.show_groups(self.items_model, groups)
        self._recognised.set_note(count_text(project.items) if project else "")
        self._files.set_note(thousands(len(project.files)) if project else "")
        self.tree.set_badges(finding_badges(project))
        self._show_matches(project)

    def _show_matches(self, project: Project | None) -> None:
        words = self.filter.text().casefold().split()
        self._lower.setCurrentIndex(1 if words else 0)
        if not words or project is None:
            self._take_matches(words, 0, [])
            return
        self._studio.start_job(
            "explorer:core.matching.matching",
            {"names": project.files.names, "words": words, "most": _MATCHES},
            title=tr("Filter files and items"),
            key="explorer filter",
            done=lambda found: self._take_matches(words, *found),
        )

    def _take_matches(self, words: list[str], count: int, names: list[str]) -> None:
        if words != self.filter.text().casefold().split():
            return
        self._matched = words
        title = trn("{n} file", "{n} files", count)
        groups = [Group("files", Line(title), names)] if words and self._studio.project else []
        self.matches.show_groups(self.matches_model, groups)
        if self._open_when_found:
            self._open_first()

    # -- listing --------------------------------------------------------------------------------
    def _listed(self, folder: Path, entries: Sequence[Entry]) -> None:
        self.tree.take(folder, entries)
        if self._wanted is not None:
            self.reveal(self._wanted)

    def _ask_git(self) -> None:
        project = self._studio.project
        if project is None or not self._studio.setting("explorer.git"):
            self.tree.set_git(GitStates())
            return
        self._studio.start_job(
            "explorer:core.git.git_states",
            {"root": project.root},
            title=tr("Asking git"),
            key="git",
            done=self.tree.set_git,
            failed=lambda _error: self.tree.set_git(GitStates()),
        )

    def _take_links(self) -> None:
        project = self._studio.project
        if project is not None:
            self.tree.linked = _links(project)
            self.tree.refresh()
            self.renew()

    def _looks(self, entry: Entry) -> tuple[str, str]:
        return entry_icon(entry, self._item_at(entry.path), self._kinds)

    def _item_at(self, path: Path) -> Item | None:
        project = self._studio.project
        return project.item_at(path) if project is not None else None

    def _item_line(self, item: Item) -> Line:
        project = self._studio.project
        return item_line(project, self._kinds, item) if project else Line(item.path.name)

    def _match_line(self, name: str) -> Line:
        folder, _, last = name.rpartition("/")
        return Line(last, file_icon(last), "muted", folder, tip=name)

    # -- doing ----------------------------------------------------------------------------------
    def reveal(self, path: Path) -> bool:
        """Open the folders above a path and select it, as far as they are listed already."""
        project = self._studio.project
        if project is None or not path.is_relative_to(project.root):
            self._wanted = None
            return False
        for folder in [*reversed(path.parents), path]:
            if folder == project.root or not folder.is_relative_to(project.root):
                continue
            index = self.tree.index_of(folder)
            if not index.isValid():
                # Goes on when the listing of the folder above arrives.
                self._wanted = path
                return False
            if folder != path:
                if self.tree.canFetchMore(index):
                    self.tree.fetchMore(index)
                self.files.expand(index)
            else:
                self.files.setCurrentIndex(index)
                self.files.scrollTo(index)
        self._wanted = None
        return True

    def reveal_active(self, *, focus: bool = False) -> None:
        """Select the file in front."""
        page = self._window.centre.active()
        if page is None or self._studio.project is None:
            return
        if focus:
            self.filter.clear()
            self.files.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.reveal(page.path)

    def open_path(self, path: Path) -> None:
        """Show a file or an item in the centre."""
        item = self._item_at(path)
        if item is not None:
            self._studio.select(item=path)
        if not path.exists():
            text = tr("{name} is not there any more, or leads nowhere.", name=shown_name(path.name))
            self._studio.notify(text, severity="warn")
        elif item is not None or not path.is_dir():
            self._studio.open(path)

    def _activated(self, index: Index) -> None:
        entry = self.tree.entry(index)
        if entry is None:
            return
        if entry.folder and self._item_at(entry.path) is None:
            plain = self.tree.index_of(entry.path)
            self.files.setExpanded(plain, not self.files.isExpanded(plain))
        else:
            self.open_path(entry.path)

    def _item_activated(self, index: Index) -> None:
        item = self.items_model.row_at(index)
        if item is None:
            self.items.toggle(index)
        else:
            self.open_path(item.path)

    def _match_activated(self, index: Index) -> None:
        name = self.matches_model.row_at(index)
        project = self._studio.project
        if name is not None and project is not None:
            self.open_path(project.root / name)

    def _menu(self, view: QTreeView, place: QPoint) -> None:
        index = view.indexAt(place)
        project = self._studio.project
        if project is None:
            return
        path: Path | None = None
        if view is self.files:
            entry = self.tree.entry(index)
            path = entry.path if entry is not None else project.root
        elif view is self.items:
            item = self.items_model.row_at(index)
            path = item.path if item is not None else None
        elif (name := self.matches_model.row_at(index)) is not None:
            path = project.root / name
        if path is not None:
            show_menu(self, self._studio, path, self._item_at(path), view.mapToGlobal(place))

    # -- inside ---------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        self.tree.looks_changed.connect(self.files.viewport().update)
        self.files.setHeaderHidden(True)
        self.files.setUniformRowHeights(True)
        self.files.setItemDelegate(LineDelegate(self.files))
        self.files.setIndentation(14)
        self.files.setExpandsOnDoubleClick(False)
        self.files.setDragEnabled(True)
        self.files.setEditTriggers(QTreeView.EditTrigger.NoEditTriggers)
        self.files.setAccessibleName(tr("Files"))
        self.items.setAccessibleName(tr("Recognised"))
        self.matches.setAccessibleName(tr("Matching files"))
        for view in (self.files, self.items, self.matches):
            view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
            view.setFrameShape(QTreeView.Shape.NoFrame)
        lower = QWidget()
        self._lower = QStackedLayout(lower)
        self._lower.addWidget(self.files)
        self._lower.addWidget(self.matches)
        self._recognised = Section(tr("Recognised"), self.items)
        self._files = Section(tr("Files"), lower)
        self._files.add_button(
            "eye", tr("Show the file in front"), lambda: self.reveal_active(focus=True)
        )
        self._files.add_button("collapse-all", tr("Close all folders"), self.files.collapseAll)
        self._files.add_button("refresh", tr("Look through the project again"), self.refresh)
        halves = QSplitter(Qt.Orientation.Vertical)
        halves.setHandleWidth(1)
        halves.setChildrenCollapsible(False)
        halves.addWidget(self._recognised)
        halves.addWidget(self._files)
        halves.setSizes([260, 440])
        full = QWidget()
        column = QVBoxLayout(full)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        line = QVBoxLayout()
        line.setContentsMargins(8, 0, 8, 4)
        line.addWidget(self.filter)
        column.addLayout(line)
        column.addWidget(halves)
        projects = self._window.projects
        empty = EmptyState(
            "open-folder",
            tr("No project"),
            tr("Open a folder to see its scripts, profiles, dumps and logs here."),
            [Action(tr("Open project folder…"), projects.open_dialog, "open-folder")],
        )
        self._stack = QStackedLayout(self)
        self._stack.addWidget(empty)
        self._stack.addWidget(full)

    def _connect(self) -> None:
        studio = self._studio
        listen(self, studio.project_changed, self.show_project)
        listen(self, studio.setting_changed, self._setting_changed)
        self._setting_changed("explorer.show_skipped")
        self._setting_changed("explorer.hide_ignored")
        self._window.centre.active_changed.connect(self._front_changed)
        self.filter.textChanged.connect(self._filter_changed)
        self.filter.returnPressed.connect(self._open_first)
        self.files.activated.connect(self._activated)
        self.items.activated.connect(self._item_activated)
        self.matches.activated.connect(self._match_activated)
        for keys, how in (("F2", "rename"), ("Del", "delete")):
            shortcut = QShortcut(QKeySequence(keys), self.files)
            shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
            shortcut.activated.connect(lambda how=how: self.change(how))
        for view in (self.files, self.items, self.matches):
            view.customContextMenuRequested.connect(lambda at, v=view: self._menu(v, at))

    def current_path(self) -> Path | None:
        """The selected file or folder of the tree, else the root."""
        entry = self.tree.entry(self.files.currentIndex())
        project = self._studio.project
        return entry.path if entry is not None else (project.root if project else None)

    def change(self, how: str) -> None:
        """Do to the selected entry what a method of `FileActions` does."""
        path, project = self.current_path(), self._studio.project
        if path is None or project is None or not path.is_relative_to(project.root):
            return
        if how in ("new_file", "new_folder"):
            path = path if path.is_dir() else path.parent
        elif path == project.root:
            return
        getattr(self.file_actions, how)(path)

    def _open_first(self) -> None:
        """Open the best match of what stands in the field, once that is known."""
        words = self.filter.text().casefold().split()
        self._open_when_found = bool(words) and words != self._matched
        if self._open_when_found:
            self.renew()
        elif self.matches_model.groups and self.matches_model.groups[0].rows:
            self._match_activated(self.matches_model.index(0, 0, self.matches_model.index(0, 0)))

    def _filter_changed(self) -> None:
        self._open_when_found = False
        self._soon.start()

    def _front_changed(self) -> None:
        if self._studio.setting("explorer.follow"):
            self.reveal_active()

    def _setting_changed(self, key: str) -> None:
        if key == "explorer.git":
            self._ask_git()
        if key in ("explorer.show_skipped", "explorer.hide_ignored"):
            setattr(self.tree, key.partition(".")[2], bool(self._studio.setting(key)))
            if self._studio.project is not None:
                self.tree.refresh()


def _links(project: Project) -> list[Entry]:
    return [Entry(str(path), folder=path.is_dir(), link=True) for path in project.linked]
