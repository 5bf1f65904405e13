"""A project: a folder that a user opened, and everything known about it."""

from __future__ import annotations

import os
from dataclasses import asdict, fields
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studio.i18n import tr
from studio.kernel.errors import StudioError
from studio.kernel.events import Event
from studio.model.changes import Undo, back_up, make_changes, plan_changes
from studio.model.changing import Changing, Work
from studio.model.context import Context, ContextValues
from studio.model.documents import Documents
from studio.model.files import Files
from studio.model.findings import Findings
from studio.model.journal import Journal
from studio.model.pathmap import PathMapping
from studio.model.scanning import Scanning
from studio.model.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from studio.kernel.jobs import Jobs
    from studio.model.changing import Made
    from studio.model.edits import TextEdit
    from studio.model.items import Item
    from studio.model.scan import Scan, Scanner
    from studio.model.watch import Changes, Watcher


class Project:
    """The root folder, linked folders and files, and what was found, opened and chosen there.

    Knows no plugin; `go_live` starts scanning and watching, whose results arrive on the main thread
    through `take_scan` and `take_changes`.
    """

    def __init__(self, root: Path) -> None:
        root = Path(os.path.abspath(root))
        if not root.is_dir():
            raise StudioError(tr("{path} is not a folder.", path=root), path=root)
        self.root = root
        self.items_changed: Event[list[Item]] = Event("project.items_changed")
        self.files_changed: Event[frozenset[Path]] = Event("project.files_changed")
        self.linked_changed: Event[list[Path]] = Event("project.linked_changed")
        self.applied: Event[Undo] = Event("project.applied")
        self.store = Store(root)
        self.files = Files(root)
        self.findings = Findings()
        self.documents = Documents(Journal(self.store.folder / "journal"), self._is_linked)
        self.context = Context(_context_values(self.store.load("context")))
        self.paths = PathMapping(self._mappable)
        self.paths.load_json(self.store.load("paths"))
        self.linked = [Path(path) for path in self.store.load("linked").get("paths", [])]
        self.history: list[Undo] = []
        self._changing = Changing(self.documents)
        self._scans: dict[Path, Scan] = {}
        self._states: dict[str, dict[str, Any]] = {}
        self._memory: dict[str, dict[str, Any]] = {}
        self._live: tuple[Scanning, Watcher] | None = None
        self._settled: Callable[[], None] = lambda: None
        for changed in (self.context.changed, self.paths.changed, self.linked_changed):
            changed.connect(lambda _: self.save_state())

    @property
    def name(self) -> str:
        """The name to show: that of the root folder."""
        return self.root.name or os.fspath(self.root)

    @property
    def roots(self) -> list[Path]:
        """The root and the linked folders and files."""
        return [self.root, *self.linked]

    # -- items --------------------------------------------------------------------------------
    @property
    def items(self) -> list[Item]:
        """Everything recognised, by root and path."""
        return list(chain.from_iterable(scan.items for scan in self._in_order()))

    def items_of(self, *kinds: str) -> list[Item]:
        """The items of some kinds, by root, kind and path."""
        return [
            item
            for scan in self._in_order()
            for kind in kinds
            for item in scan.by_kind.get(kind, ())
        ]

    def item_at(self, path: Path) -> Item | None:
        """The item that a path is, if it is one."""
        found = (scan.by_path.get(path) for scan in self._scans.values())
        return next(filter(None, found), None)

    def scan_of(self, root: Path) -> Scan | None:
        """The latest scan of the root or of something linked."""
        return self._scans.get(root)

    def take_scan(self, scan: Scan, root: Path | None = None) -> None:
        """Replace what is known of one root by the result of scanning it."""
        root = root or self.root
        if root not in self.roots:
            return
        self._scans[root] = scan
        if root == self.root:
            self.files.take(scan.found)
        self.paths.files_changed()
        self.items_changed.emit(self.items)

    def take_changes(self, changes: Changes) -> None:
        """Hear of changes on disk: open documents follow, and `files_changed` is told."""
        self.documents.follow(changes.moves)
        self.documents.look_outside(changes.paths)
        self.files_changed.emit(changes.paths)

    def go_live(
        self,
        jobs: Jobs,
        scanners: Callable[[], list[Scanner]],
        notice: Callable[[str], object] = lambda text: None,
    ) -> None:
        """Scan in the background and watch for changes, until `close`.

        `notice` is called with a sentence for the user when the system cannot watch everything.
        """
        from studio.model.watch import Watcher

        if self._live is None:
            scanning = Scanning(self, jobs, scanners)
            self.documents.jobs = jobs
            self._settled = jobs.hold()

            def ready() -> None:
                scanning.start()
                self._settled()

            watcher = Watcher(
                self.root,
                self.take_changes,
                post=jobs.post,
                open_files=self.documents.paths,
                notice=notice,
                ready=ready,
            )
            self._live = scanning, watcher
            watcher.start()

    # -- linked folders and files -------------------------------------------------------------
    def link(self, path: Path) -> None:
        """Add a folder or file from anywhere, to be read only."""
        path = Path(os.path.abspath(path))
        if path not in self.roots:
            self.linked.append(path)
            self.linked_changed.emit(list(self.linked))

    def unlink(self, path: Path) -> None:
        """Remove a linked folder or file from the project; nothing on disk changes."""
        if path in self.linked:
            self.linked.remove(path)
            if self._scans.pop(path, None):
                self.paths.files_changed()
                self.items_changed.emit(self.items)
            self.linked_changed.emit(list(self.linked))

    def contains(self, path: Path) -> bool:
        """Whether a path lies in the root or in something linked."""
        return any(path.is_relative_to(root) for root in self.roots)

    def relative(self, path: Path) -> str:
        """A path as shown to the user: relative to the root where possible, with "/"."""
        return (path.relative_to(self.root) if path.is_relative_to(self.root) else path).as_posix()

    # -- changing files -----------------------------------------------------------------------
    def apply(self, edits: Iterable[TextEdit], title: str) -> Undo:
        """Make edits in any number of files, all or none, and return the way back.

        Closed files and open ones without unsaved work are written (with a backup in the user's
        folder); in open ones with unsaved work only the buffer changes.
        """
        changes = plan_changes(self.documents, edits)
        backup = back_up(self._backups, title, changes) if changes else None
        make_changes(self.documents, changes)
        return self._applied(Undo(title, tuple(changes), backup, self.documents))

    def apply_later(
        self,
        edits: Iterable[TextEdit],
        title: str,
        *,
        done: Callable[[Undo], object],
        failed: Callable[[BaseException], object],
    ) -> None:
        """Make edits as `apply` does, in a job that shows progress and can be cancelled.

        Cancelled or failed, it leaves every file as it was. Only one such job runs at a time, a
        second one fails at once.
        """
        self._changing.start(
            Work(title, tuple(edits), backups=self._backups),
            lambda made: done(
                self._applied(Undo(title, made.changes, made.backup, self.documents))
            ),
            failed,
        )

    def undo_later(
        self, undo: Undo, *, done: Callable[[], object], failed: Callable[[BaseException], object]
    ) -> None:
        """Put every file back as `Undo.undo` does, in a job like that of `apply_later`."""

        def finish(_made: Made) -> None:
            undo.undone = True
            done()

        if undo.undone:
            return
        back = tuple(change.reversed() for change in undo.changes)
        self._changing.start(
            Work(tr("Undo: {title}", title=undo.title), changes=back), finish, failed
        )

    # -- saved state --------------------------------------------------------------------------
    def state(self, plugin: str) -> dict[str, Any]:
        """The saved values of one plugin for this project; change them, then `save_state`."""
        if plugin not in self._states:
            self._states[plugin] = self.store.load(f"plugin-{plugin}")
        return self._states[plugin]

    def memory(self, name: str) -> dict[str, Any]:
        """Values under a name that views share while the project is open; never saved."""
        return self._memory.setdefault(name, {})

    def save_state(self) -> None:
        """Write context, path mappings, links and the plugins' states to the user's folder.

        Done on its own when context, mappings or links change, and at the end.
        """
        linked = [os.fspath(path) for path in self.linked]
        self.store.save("context", _changed_values(self.context.values))
        self.store.save("paths", self.paths.to_json())
        self.store.save("linked", {"paths": linked} if linked else {})
        for plugin, values in self._states.items():
            self.store.save(f"plugin-{plugin}", values)

    def close(self) -> None:
        """Save the state; unsaved texts that were not closed stay recoverable."""
        self._changing.close()
        if self._live is not None:
            for part in self._live:
                part.stop()
            self._live = None
            self.documents.jobs = None
            self._settled()
        try:
            self.save_state()
        finally:
            self.documents.shut()

    @property
    def _backups(self) -> Path:
        return self.store.folder / "backups"

    def _applied(self, undo: Undo) -> Undo:
        if undo.changes:
            self.history.append(undo)
            self.applied.emit(undo)
        return undo

    def _in_order(self) -> list[Scan]:
        return [self._scans[root] for root in self.roots if root in self._scans]

    def _is_linked(self, path: Path) -> bool:
        linked = any(path.is_relative_to(place) for place in self.linked)
        return linked and not path.is_relative_to(self.root)

    def _mappable(self) -> Iterable[Path]:
        yield from self.files.paths()
        for root in self.linked:
            if scan := self._scans.get(root):
                yield from (Path(scan.root, name) for name in scan.found.files)


def _context_values(saved: dict[str, Any]) -> ContextValues:
    """Saved values that this version still knows."""
    known = {field.name for field in fields(ContextValues)}
    return ContextValues(**{k: str(v) for k, v in saved.items() if k in known})


def _changed_values(values: ContextValues) -> dict[str, Any]:
    default = asdict(ContextValues())
    return {name: value for name, value in asdict(values).items() if value != default[name]}
