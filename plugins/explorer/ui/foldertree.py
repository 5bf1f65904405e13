"""The tree of files: folders are listed in the background when they are opened."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from os import fspath, sep
from os.path import dirname, join
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QMimeData, QModelIndex, QPersistentModelIndex, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QStandardItem, QStandardItemModel
from shiboken6 import getCppPointer

from plugins.explorer.core.git import IGNORED, GitStates
from plugins.explorer.ui.looks import entry_note, git_token, git_word
from studio.model.pieces import common_head, common_tail
from studio.ui.icons import icon
from studio.ui.lines import BADGE_ROLE, DETAIL_ROLE
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from studio.model.tree import Entry

Index = QModelIndex | QPersistentModelIndex
PATH_ROLE = Qt.ItemDataRole.UserRole + 1
_FOLDER = attrgetter("folder")
_ROOT = QModelIndex()
_RUNS = 200
_FOLDERS = 3_000
"""So many new folders are put in at a time; this takes some twenty milliseconds."""


@dataclass(eq=False)
class Folder:
    """A folder that was opened; only folders are objects, files stay entries of a list."""

    path: Path
    item: QStandardItem
    entries: list[Entry] = field(default_factory=list)
    listed: bool = False
    asked: bool = False
    coming: list[Entry] | None = None

    def __post_init__(self) -> None:
        self.id = int(getCppPointer(self.item)[0])
        """What Qt calls the indexes of the entries by."""

    def row_of(self, path: Path) -> int:
        """The row of an entry, -1 when it is not here."""
        places, wanted = [entry[0] for entry in self.entries], fspath(path)
        return places.index(wanted) if wanted in places else -1


class FolderTree(QStandardItemModel):
    """Rows are places in the entries of a folder; Qt keeps none but their number.

    A view that lays a folder out asks for each of its rows: Qt answers that itself, in a
    fiftieth of the time. Only a folder has an item, and that one hidden row for its arrow until it
    is listed.

    `request(folder)` asks for a listing, which arrives through `take`. `looks_changed` asks to
    paint all rows anew: being told of each of very many takes a view far longer than painting
    those in sight.
    """

    listed = Signal(object)
    looks_changed = Signal()

    def __init__(
        self, request: Callable[[Path], object], looks: Callable[[Entry], tuple[str, str]]
    ) -> None:
        super().__init__()
        self._request = request
        self._looks = looks
        self._folders: dict[str, Folder] = {}
        self._by_id: dict[int, Folder] = {}
        self._top = self._open(Path(), self.invisibleRootItem())
        self._next: tuple[Folder, list[Entry]] | None = None
        self._growing = QTimer(self, interval=0)
        self._growing.timeout.connect(self._grow)
        for changed in (self.rowsInserted, self.rowsRemoved):  # before anybody else is told
            changed.connect(self._changed)
        self.badges: dict[Path, tuple[str, str]] = {}
        self.git = GitStates()
        self.linked: list[Entry] = []
        self.show_skipped = False
        self.hide_ignored = False

    # -- filling --------------------------------------------------------------------------------
    def set_root(self, root: Path | None) -> None:
        """Show another project."""
        self._growing.stop()
        self._folders, self._by_id = {}, {}
        self.clear()
        self.setColumnCount(1)
        self._top = self._open(root or Path(), self.invisibleRootItem())
        self._top.listed = root is None
        if root is not None:
            self._ask(self._top)

    def take(self, path: Path, entries: Sequence[Entry]) -> None:
        """Show a folder's entries, folders first, very many of these bit by bit.

        Rows that stay keep their place, open or closed.
        """
        folder = self._folders.get(fspath(path))
        if folder is None:
            return
        count = bisect_left(entries, True, key=lambda entry: not entry.folder)
        folders = [e for e in entries[:count] if self.show_skipped or not e.skipped]
        kept = [*folders, *entries[count:]]
        if self.hide_ignored:
            kept = [e for e in kept if self.git.of(e.place) != IGNORED]
        if folder is self._top:
            kept = [*kept, *self.linked]
        if not folder.listed and folder is not self._top:
            self.blockSignals(True)  # nobody saw the row that stood for them
            folder.item.setRowCount(0)
            self.blockSignals(False)
        folder.asked = False
        folder.listed = True
        new = not folder.entries or folder.coming is not None
        if new and len(folders) > _FOLDERS:
            folder.coming = kept
            self._growing.start()
        else:
            folder.coming = None
            self._merge(folder, kept)
            self.listed.emit(path)

    def _grow(self) -> None:
        """Put in some more of folders in which there are very many."""
        coming = [folder for folder in self._folders.values() if folder.coming is not None]
        for folder in coming[:1]:
            wanted = folder.coming or []
            count = len(folder.entries) + _FOLDERS
            if count < len(wanted) and wanted[count].folder:
                self._merge(folder, wanted[:count])
                return
            folder.coming = None
            self._merge(folder, wanted)
            self.listed.emit(folder.path)
        if len(coming) <= 1:
            self._growing.stop()

    def update(self, paths: Iterable[Path]) -> None:
        """List again those opened folders in which something changed, all when the root did."""
        paths = frozenset(paths)
        if self._top.path in paths:
            self.refresh()
            return
        for folder in {dirname(fspath(path)) for path in paths} & self._folders.keys():
            if self._folders[folder].listed:
                self._ask(self._folders[folder])

    def refresh(self) -> None:
        """List every opened folder again."""
        for folder in self._folders.values():
            self._ask(folder)

    def set_badges(self, badges: dict[Path, tuple[str, str]]) -> None:
        """Show other badges."""
        if badges != self.badges:
            self.badges = badges
            self.looks_changed.emit()

    def set_git(self, states: GitStates) -> None:
        """Show what git says of the files."""
        self.git = states
        self.looks_changed.emit()
        if self.hide_ignored:
            self.refresh()

    def _ask(self, folder: Folder) -> None:
        folder.asked = True
        self._request(folder.path)

    def _open(self, path: Path, item: QStandardItem) -> Folder:
        folder = Folder(path, item)
        self._folders[fspath(path)] = self._by_id[folder.id] = folder
        return folder

    def _merge(self, folder: Folder, entries: list[Entry]) -> None:
        old = folder.entries
        if not old:
            self._insert(folder, 0, entries)
            return
        shorter = min(len(old), len(entries))
        head = common_head(old, entries, shorter)  # of very many entries mostly few are others
        tail = common_tail(old, entries, shorter - head)
        before, after = old[head : len(old) - tail], entries[head : len(entries) - tail]
        wanted, known = set(map(_row, after)), set(map(_row, before))
        gone = [at for at, e in enumerate(before, head) if _row(e) not in wanted]
        new = [at for at, e in enumerate(after, head) if _row(e) not in known]
        removed, inserted = _runs(gone), _runs(new)
        if len(removed) + len(inserted) > _RUNS:
            removed = [(0, len(old) - 1)] if old else []
            inserted = [(0, len(entries) - 1)] if entries else []
        for first, last in reversed(removed):
            there = folder.entries
            self._next = folder, there[:first] + there[last + 1 :]
            folder.item.removeRows(first, last - first + 1)
            for entry in there[first : last + 1]:
                self._forget(entry.place)
        for first, last in inserted:
            self._insert(folder, first, entries[first : last + 1])
        folder.entries = entries

    def _insert(self, folder: Folder, first: int, entries: list[Entry]) -> None:
        """Put rows in: those with an arrow as items, all others as a mere number."""
        for arrows, part in _parts(entries):
            there = folder.entries
            self._next = folder, there[:first] + part + there[first:]
            if arrows:
                folder.item.insertRows(first, [QStandardItem(1, 1) for _ in part])
            else:
                folder.item.insertRows(first, len(part))
            first += len(part)

    def _changed(self) -> None:
        """Take the entries at the very moment at which Qt's rows are others."""
        if self._next is not None:
            folder, entries = self._next
            self._next = None
            folder.entries = entries

    def _forget(self, place: str) -> None:
        if place in self._folders:
            for below in [p for p in self._folders if p == place or p.startswith(place + sep)]:
                del self._by_id[self._folders.pop(below).id]

    # -- looking up -----------------------------------------------------------------------------
    def entry(self, index: Index) -> Entry | None:
        """The file or folder of an index."""
        if not index.isValid():
            return None
        folder, row = self._by_id.get(index.internalId()), index.row()
        return folder.entries[row] if folder is not None and row < len(folder.entries) else None

    def index_of(self, path: Path) -> QModelIndex:
        """The index of a path whose folders are listed; invalid otherwise."""
        folder = self._folders.get(fspath(path.parent))
        row = folder.row_of(path) if folder is not None else -1
        if folder is None or row < 0:
            return QModelIndex()
        return self.index(row, 0, folder.item.index())

    def starting_with(
        self, text: str, current: Index, is_open: Callable[[QModelIndex], bool], *, beyond: bool
    ) -> QModelIndex:
        """The next entry in an open folder whose name begins with `text` (in small letters).

        The search begins at `current`, or `beyond` it, and goes on at the top; an invalid index
        tells that there is none.
        """
        here, at = self._by_id.get(current.internalId()), current.row()
        found: list[tuple[Folder, int]] = []
        before = 0

        def look(folder: Folder) -> None:
            nonlocal before
            parent, known = folder.item.index(), self._folders
            start = join(folder.path, "").casefold() + text
            entries = folder.entries
            rows = {row for row, e in enumerate(entries) if e[0].casefold().startswith(start)}
            if folder is self._top and self.linked:  # these lie elsewhere
                pairs = enumerate(entries)
                rows |= {row for row, e in pairs if e[2] and e.name.casefold().startswith(text)}
            inner = {row for row, e in enumerate(entries) if e[1] and e[0] in known}
            for row in sorted(rows | inner | ({at} if folder is here else set())):
                if folder is here and row == at:
                    before = len(found) + (beyond and row in rows)
                if row in rows:
                    found.append((folder, row))
                if row in inner and is_open(self.index(row, 0, parent)):
                    look(known[entries[row].place])

        look(self._top)
        if not found:
            return QModelIndex()
        folder, row = found[before % len(found)]
        return self.index(row, 0, folder.item.index())

    def is_listed(self, path: Path) -> bool:
        """Whether the entries of a folder are known."""
        folder = self._folders.get(fspath(path))
        return folder is not None and folder.listed

    def busy(self) -> bool:
        """Whether a listing is under way."""
        return any(f.asked or f.coming is not None for f in self._folders.values())

    def _folder(self, index: Index) -> Folder | None:
        if not index.isValid():
            return self._top
        entry = self.entry(index)
        return self._folders.get(entry.place) if entry is not None else None

    # -- as Qt wants it -------------------------------------------------------------------------
    def rowCount(self, parent: Index = _ROOT) -> int:
        """How many entries are known."""
        folder = self._folder(parent)
        return len(folder.entries) if folder is not None else 0

    def canFetchMore(self, parent: Index) -> bool:
        """Whether a folder still has to be listed."""
        if not parent.isValid() or not self.hasChildren(parent):
            return False
        folder = self._folder(parent)
        return folder is None or not (folder.listed or folder.asked)

    def fetchMore(self, parent: Index) -> None:
        """Ask for the entries of a folder."""
        entry = self.entry(parent)
        if entry is not None and entry.place not in self._folders:
            self._ask(self._open(entry.path, self.itemFromIndex(parent)))

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        """Files for other windows."""
        data = QMimeData()
        entries = [entry for index in indexes if (entry := self.entry(index)) is not None]
        # As bytes, since Qt takes a name that is no UTF-8 for that of another file.
        data.setUrls([QUrl.fromEncoded(entry.path.as_uri().encode()) for entry in entries])
        return data

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:  # noqa: ANN401 - as Qt has it
        """One entry for one role."""
        entry = self.entry(index)
        if entry is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return entry.name
            case Qt.ItemDataRole.DecorationRole:
                return icon(*self._looks(entry))
            case Qt.ItemDataRole.ToolTipRole:
                git = git_word(self.git.of(entry.place))
                return "\n".join(filter(None, (str(entry.path), entry_note(entry), git)))
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{entry.name} {entry_note(entry)}".strip()
            case Qt.ItemDataRole.ForegroundRole:
                quiet = entry.skipped or entry.locked or entry.broken or entry.loop
                token = "muted" if quiet else git_token(self.git.of(entry.place))
                return current_theme().colour(token) if token else None
            case _ if role == PATH_ROLE:
                return entry.path
            case _ if role == DETAIL_ROLE:
                return entry_note(entry)
            case _ if role == BADGE_ROLE:
                return self._badge(entry)
        return None

    def _badge(self, entry: Entry) -> tuple[str, str] | None:
        """The number of findings, and what git says in a letter; for a folder a dot."""
        found, state = self.badges.get(entry.path), self.git.of(entry.place)
        letter = "" if state in ("", IGNORED) else ("•" if entry.folder else state)
        if found is None:
            return (letter, git_token(state)) if letter else None
        return f"{found[0]}  {letter}".strip(), found[1]


def _parts(entries: list[Entry]) -> Iterator[tuple[bool, list[Entry]]]:
    """Neighbours that have an arrow or have none."""
    for folders, run in groupby(entries, _FOLDER):
        if folders:
            yield from ((arrows, list(part)) for arrows, part in groupby(run, _has_arrow))
        else:
            yield False, list(run)


def _has_arrow(entry: Entry) -> bool:
    return entry.folder and not (entry.locked or entry.loop or entry.broken)


def _row(entry: Entry) -> tuple[str, bool, bool]:
    """What makes a row another one: rows with an arrow are made otherwise than those without."""
    return entry.place, entry.folder, _has_arrow(entry)


def _runs(rows: list[int]) -> list[tuple[int, int]]:
    """Neighbouring rows together, as first and last."""
    found: list[tuple[int, int]] = []
    for row in rows:
        if found and found[-1][1] == row - 1:
            found[-1] = (found[-1][0], row)
        else:
            found.append((row, row))
    return found
