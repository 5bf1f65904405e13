"""The centre: the welcome page, or one or two groups of tabs side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QApplication, QSplitter, QStackedLayout, QWidget

from studio.ui.page import Page
from studio.ui.tabs import TabGroup
from studio.ui.unwanted import cancel_jobs_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from studio.kernel.declarations import Opener
    from studio.ui.shell import MainWindow

_REOPENABLE = 20


class Centre(QWidget):
    """Keeps the tabs; what can be opened, and how, is the window's business."""

    active_changed = Signal()
    tabs_changed = Signal()

    def __init__(self, window: MainWindow, welcome: QWidget) -> None:
        super().__init__()
        self._window = window
        self.welcome = welcome
        self.closed: list[dict[str, Any]] = []
        self._splitter = QSplitter(Qt.Orientation.Horizontal)
        self._splitter.setHandleWidth(1)
        self._splitter.setChildrenCollapsible(False)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(welcome)
        self._stack.addWidget(self._splitter)
        self._group = self._add_group()
        QApplication.instance().focusChanged.connect(self._focus_changed)  # type: ignore[union-attr]

    # -- looking --------------------------------------------------------------------------------
    def groups(self) -> list[TabGroup]:
        """The groups, left to right."""
        return [group for group in self._halves() if not group.removed]

    def pages(self) -> list[Page]:
        """All tabs."""
        return [page for group in self.groups() for page in group.pages()]

    def active(self) -> Page | None:
        """The tab one works in: in front, in the group that had the focus last."""
        return self._group.current()

    def page_of(self, view: object) -> Page | None:
        """The tab of a view."""
        return next((page for page in self.pages() if page.view is view), None)

    def tabs_of(self, opener: str, path: Path) -> list[Page]:
        """The tabs of a file in one kind of view, those of the active group first."""
        found = [p for p in self.pages() if p.opener.id == opener and p.path == path]
        return sorted(found, key=lambda page: self._group.indexOf(page) < 0)

    # -- opening and closing --------------------------------------------------------------------
    def open(
        self,
        plugin: str,
        opener: Opener,
        path: Path,
        arguments: Mapping[str, Any],
        state: Mapping[str, Any] | None = None,
    ) -> Page:
        """Show a file in a view: an open one that fits, or a new tab.

        An open one is asked to `reopen` with other arguments; one that `answers_again`, because
        something else may be chosen in it by now, also with the same.
        """
        for page in self.tabs_of(opener.id, path):
            same = page.arguments == dict(arguments) or not arguments
            view = None if same and not arguments else page.ensure()
            if same and not getattr(view, "answers_again", False):
                self.activate(page)
                return page
            reopen = getattr(view, "reopen", None)
            if callable(reopen):
                reopen(**arguments)
                page.arguments = dict(arguments)
                self.activate(page)
                return page
        page = self._page(plugin, opener, path, arguments, state)
        self._group.add(page)
        page.ensure()  # in its place: a view that is moved into a tab is dressed twice
        self._changed()
        self._focus(page)
        return page

    def activate(self, page: Page) -> None:
        """Bring a tab to the front."""
        for group in self.groups():
            if group.indexOf(page) >= 0:
                self._group = group
                group.setCurrentWidget(page)
        self._focus(page)
        self.active_changed.emit()

    def close_page(self, page: Page, *, ask: bool = True) -> bool:
        """Close a tab; False when the user kept it."""
        if ask and not page.can_close():
            return False
        group = next((g for g in self.groups() if g.indexOf(page) >= 0), None)
        if group is None:
            return True
        saved = page.saved()
        if saved is not None:
            self.closed = [*self.closed, saved][-_REOPENABLE:]
        cancel_jobs_of(self._window.app.jobs, page.view)
        group.removeTab(group.indexOf(page))
        page.forget()
        _let_go(page)
        if not group.count() and len(self.groups()) > 1:
            self._remove_group(group)
        self._changed()
        return True

    def close_all(self, *, ask: bool = True) -> bool:
        """Close every tab; stops at the first that the user keeps."""
        if ask and not all(page.can_close() for page in self.pages()):
            return False
        for page in self.pages():
            self.close_page(page, ask=False)
        return True

    def step(self, by: int) -> None:
        """Go to the next or previous tab."""
        count = self._group.count()
        if count:
            self._group.setCurrentIndex((self._group.currentIndex() + by) % count)

    # -- splitting ------------------------------------------------------------------------------
    def split(self) -> None:
        """Show the item in front a second time, beside it."""
        page = self.active()
        if page is None:
            return
        saved = page.saved() or {}
        state = saved.get("state") or {}
        twin = self._page(page.plugin, page.opener, page.path, page.arguments, state)
        self._group = self.groups()[1] if len(self.groups()) > 1 else self._add_group()
        self._group.add(twin)
        twin.ensure()
        self._even()
        self._changed()
        self._focus(twin)

    def move_to_other_side(self) -> None:
        """Move the tab in front to the other group."""
        page, source = self.active(), self._group
        if page is None or (len(self.groups()) == 1 and source.count() < 2):
            return
        others = [group for group in self.groups() if group is not source]
        target = others[0] if others else self._add_group()
        source.removeTab(source.indexOf(page))
        self._group = target
        target.add(page)
        if not source.count():
            self._remove_group(source)
        self._even()
        self._focus(page)
        self._changed()

    # -- saving and restoring -------------------------------------------------------------------
    def save(self) -> dict[str, Any]:
        """All tabs as plain values."""
        groups = [
            {
                "tabs": [saved for page in group.pages() if (saved := page.saved()) is not None],
                "current": group.currentIndex(),
            }
            for group in self.groups()
        ]
        return {
            "groups": groups,
            "sizes": [group.width() for group in self.groups()],
            "active": self.groups().index(self._group),
        }

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Bring tabs back; only those in front are made now, the others when they are shown."""
        for number, entry in enumerate(saved.get("groups", [])):
            group = self.groups()[number] if number < len(self.groups()) else self._add_group()
            group.blockSignals(True)
            try:
                self._restore_group(group, entry)
            finally:
                group.blockSignals(False)
            front = group.current()
            if front is not None:
                front.ensure()
        for group in self.groups()[1:]:
            if not group.count():
                self._remove_group(group)
        groups = self.groups()
        self._group = groups[min(int(saved.get("active", 0)), len(groups) - 1)]
        sizes = [int(size) for size in saved.get("sizes", [])]
        if len(sizes) == len(groups) and any(sizes):
            self._set_sizes(sizes)
        self._changed()

    def reopen(self) -> None:
        """Open the tab that was closed last."""
        while self.closed:
            tab = self.closed.pop()
            found = self._window.opener(tab["opener"])
            if found is not None:
                self.open(*found, Path(tab["path"]), tab["arguments"], tab["state"])
                return

    # -- inside ---------------------------------------------------------------------------------
    def _restore_group(self, group: TabGroup, entry: Mapping[str, Any]) -> None:
        for tab in entry.get("tabs", []):
            found = self._window.opener(str(tab.get("opener", "")))
            if found is not None:
                state, arguments = _mapping(tab.get("state")), _mapping(tab.get("arguments"))
                page = self._page(*found, Path(tab["path"]), arguments, state)
                group.add(page, front=False)
                group.setCurrentWidget(page)
        group.setCurrentIndex(min(int(entry.get("current", 0)), group.count() - 1))

    def _page(
        self,
        plugin: str,
        opener: Opener,
        path: Path,
        arguments: Mapping[str, Any],
        state: Mapping[str, Any] | None,
    ) -> Page:
        page = Page(self._window, plugin, opener, path, arguments, state)
        page.changed.connect(lambda: self._renew(page))
        return page

    def _renew(self, page: Page) -> None:
        for group in self.groups():
            group.renew(page)
        if page is self.active():
            self.active_changed.emit()

    def _add_group(self) -> TabGroup:
        group = TabGroup()
        group.close_requested.connect(lambda page: self.close_page(page))
        group.activated.connect(lambda _page: self._group_used(group))
        group.menu_hook = self._window.fill_tab_menu
        self._splitter.addWidget(group)
        return group

    def _remove_group(self, group: TabGroup) -> None:
        group.removed = True
        _let_go(group)
        if self._group is group:
            self._group = self.groups()[0]

    def _even(self) -> None:
        count = len(self.groups())
        self._set_sizes([self._splitter.width() // count] * count)

    def _set_sizes(self, sizes: list[int]) -> None:
        """Give each group its width in pixels."""
        left = iter(sizes)
        self._splitter.setSizes([0 if each.removed else next(left) for each in self._halves()])

    def _halves(self) -> list[TabGroup]:
        """What the splitter holds: the groups, and removed ones until Qt deletes them."""
        found = [self._splitter.widget(i) for i in range(self._splitter.count())]
        return [half for half in found if isinstance(half, TabGroup)]

    def _group_used(self, group: TabGroup) -> None:
        self._group = group
        self.active_changed.emit()

    def _focus(self, page: Page) -> None:
        if page.view is not None:
            QWidget.setFocus(page.view)

    def _focus_changed(self, _old: QWidget | None, new: QWidget | None) -> None:
        for group in self.groups():
            if new is not None and group is not self._group and group.isAncestorOf(new):
                self._group_used(group)

    def _changed(self) -> None:
        self._stack.setCurrentWidget(self._splitter if self.pages() else self.welcome)
        self.tabs_changed.emit()
        self.active_changed.emit()


def _let_go(widget: QWidget) -> None:
    """Remove a widget a little later; taken out of the window, its parts would be dressed anew."""
    widget.hide()
    widget.deleteLater()


def _mapping(value: object) -> dict[str, Any]:
    """What was kept, unless the file was damaged."""
    return value if isinstance(value, dict) else {}
