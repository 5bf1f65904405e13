"""The tree of files: folders are listed in the background when they are opened."""

from __future__ import annotations

from dataclasses import dataclass, field
from os import fspath, sep
from os.path import basename
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    QUrl,
    Signal,
)

from plugins.explorer.core.git import IGNORED, GitStates
from plugins.explorer.ui.looks import git_token, git_word
from studio.i18n import tr
from studio.model.pieces import common_head, common_tail
from studio.ui.icons import icon
from studio.ui.lines import BADGE_ROLE, DETAIL_ROLE
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from studio.model.tree import Entry

Index = QModelIndex | QPersistentModelIndex
PATH_ROLE = Qt.ItemDataRole.UserRole + 1
_ROOT = QModelIndex()
_RUNS = 200

# A view asks for the flags of every row of a folder when it opens: they are not made each time.
_FOLDER_FLAGS = (
    Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsDragEnabled
)
_FILE_FLAGS = _FOLDER_FLAGS | Qt.ItemFlag.ItemNeverHasChildren
_NO_FLAGS = Qt.ItemFlag.NoItemFlags


@dataclass(eq=False)
class Folder:
    """A folder that was opened; only folders are objects, files stay entries of a list."""

    path: Path
    parent: Folder | None = None
    entries: list[Entry] = field(default_factory=list)
    listed: bool = False
    asked: bool = False
    rows: dict[str, int] = field(default_factory=dict)

    def take(self, entries: list[Entry]) -> None:
        """Replace the entries."""
        self.entries = entries
        self.rows = {}

    def row_of(self, path: Path) -> int:
        """The row of an entry, -1 when it is not here."""
        if not self.rows:
            self.rows = {basename(e.place): at for at, e in enumerate(self.entries)}
        return self.rows.get(path.name, -1)


class FolderTree(QAbstractItemModel):
    """Every index carries its parent folder; rows are places in the folder's entries.

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
        self._top = Folder(Path())
        self.badges: dict[Path, tuple[str, str]] = {}
        self.git = GitStates()
        self.linked: list[Entry] = []
        self.show_skipped = False

    # -- filling --------------------------------------------------------------------------------
    def set_root(self, root: Path | None) -> None:
        """Show another project."""
        self.beginResetModel()
        self._top = Folder(root or Path(), listed=root is None)
        self._folders = {fspath(self._top.path): self._top}
        self.endResetModel()
        if root is not None:
            self._ask(self._top)

    def take(self, path: Path, entries: Sequence[Entry]) -> None:
        """Show the entries of a folder; rows that stay keep their place, open or closed."""
        folder = self._folders.get(fspath(path))
        if folder is None:
            return
        kept = [e for e in entries if self.show_skipped or not e.skipped]
        if folder is self._top:
            kept = [*kept, *self.linked]
        parent = self._index_of(folder)
        folder.asked = False
        self._merge(folder, parent, kept)
        folder.listed = True
        self.listed.emit(path)

    def update(self, paths: Iterable[Path]) -> None:
        """List again those opened folders in which something changed."""
        for folder in {fspath(path.parent) for path in paths} & self._folders.keys():
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

    def _ask(self, folder: Folder) -> None:
        folder.asked = True
        self._request(folder.path)

    def _merge(self, folder: Folder, parent: QModelIndex, entries: list[Entry]) -> None:
        old = folder.entries
        shorter = min(len(old), len(entries))
        head = common_head(old, entries, shorter)  # of very many entries mostly few are others
        tail = common_tail(old, entries, shorter - head)
        before, after = old[head : len(old) - tail], entries[head : len(entries) - tail]
        wanted = {(e.place, e.folder) for e in after}
        gone = [at for at, e in enumerate(before, head) if (e.place, e.folder) not in wanted]
        known = {(e.place, e.folder) for e in before}
        new = [at for at, e in enumerate(after, head) if (e.place, e.folder) not in known]
        removed, inserted = _runs(gone), _runs(new)
        if len(removed) + len(inserted) > _RUNS:
            removed = [(0, len(old) - 1)] if old else []
            inserted = [(0, len(entries) - 1)] if entries else []
        for first, last in reversed(removed):
            self.beginRemoveRows(parent, first, last)
            for entry in folder.entries[first : last + 1]:
                self._forget(entry.place)
            folder.take(folder.entries[:first] + folder.entries[last + 1 :])
            self.endRemoveRows()
        for first, last in inserted:
            self.beginInsertRows(parent, first, last)
            folder.take(folder.entries[:first] + entries[first : last + 1] + folder.entries[first:])
            self.endInsertRows()
        folder.take(entries)

    def _forget(self, place: str) -> None:
        if place in self._folders:
            for below in [p for p in self._folders if p == place or p.startswith(place + sep)]:
                del self._folders[below]

    # -- looking up -----------------------------------------------------------------------------
    def entry(self, index: Index) -> Entry | None:
        """The file or folder of an index."""
        if not index.isValid():
            return None
        entries, row = index.internalPointer().entries, index.row()
        found: Entry | None = entries[row] if row < len(entries) else None
        return found

    def index_of(self, path: Path) -> QModelIndex:
        """The index of a path whose folders are listed; invalid otherwise."""
        folder = self._folders.get(fspath(path.parent))
        row = folder.row_of(path) if folder is not None else -1
        return self.createIndex(row, 0, folder) if row >= 0 else QModelIndex()

    def is_listed(self, path: Path) -> bool:
        """Whether the entries of a folder are known."""
        folder = self._folders.get(fspath(path))
        return folder is not None and folder.listed

    def busy(self) -> bool:
        """Whether a listing is under way."""
        return any(folder.asked for folder in self._folders.values())

    def _index_of(self, folder: Folder) -> QModelIndex:
        if folder.parent is None:
            return QModelIndex()
        row = folder.parent.row_of(folder.path)
        return self.createIndex(row, 0, folder.parent) if row >= 0 else QModelIndex()

    def _folder(self, index: Index) -> Folder | None:
        if not index.isValid():
            return self._top
        entry = self.entry(index)
        return self._folders.get(entry.place) if entry is not None else None

    # -- as Qt wants it -------------------------------------------------------------------------
    def index(self, row: int, column: int, parent: Index = _ROOT) -> QModelIndex:
        """The index of an entry."""
        folder = self._folder(parent)
        if folder is None or column != 0 or not 0 <= row < len(folder.entries):
            return QModelIndex()
        return self.createIndex(row, column, folder)

    def parent(self, index: Index | None = None) -> Any:  # noqa: ANN401 - two meanings in Qt
        """The index of the folder that an entry lies in."""
        if index is None:
            return QObject.parent(self)
        return self._index_of(index.internalPointer()) if index.isValid() else QModelIndex()

    def rowCount(self, parent: Index = _ROOT) -> int:
        """How many entries are known."""
        folder = self._folder(parent)
        return len(folder.entries) if folder is not None else 0

    def columnCount(self, parent: Index = _ROOT) -> int:
        """One column."""
        return 1

    def hasChildren(self, parent: Index = _ROOT) -> bool:
        """Whether there is an arrow before an entry."""
        entry = self.entry(parent)
        if entry is None:
            return True
        if not entry.folder:
            return False
        folder = self._folders.get(entry.place)
        if folder is not None and folder.listed:
            return bool(folder.entries)
        return not (entry.locked or entry.loop or entry.broken)

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
            self._folders[entry.place] = Folder(entry.path, parent.internalPointer())
            self._ask(self._folders[entry.place])

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Everything can be selected and dragged; a view looks for nothing below a file."""
        if not index.isValid():
            return _NO_FLAGS
        entries, row = index.internalPointer().entries, index.row()
        if row >= len(entries):
            return _NO_FLAGS
        return _FOLDER_FLAGS if entries[row].folder else _FILE_FLAGS

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        """Files for other windows."""
        data = QMimeData()
        entries = [entry for index in indexes if (entry := self.entry(index)) is not None]
        data.setUrls([QUrl.fromLocalFile(str(entry.path)) for entry in entries])
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
                return "\n".join(filter(None, (str(entry.path), _note(entry), git)))
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{entry.name} {_note(entry)}".strip()
            case Qt.ItemDataRole.ForegroundRole:
                quiet = entry.skipped or entry.locked or entry.broken or entry.loop
                token = "muted" if quiet else git_token(self.git.of(entry.place))
                return current_theme().colour(token) if token else None
            case _ if role == PATH_ROLE:
                return entry.path
            case _ if role == DETAIL_ROLE:
                return _note(entry)
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


def _note(entry: Entry) -> str:
    if entry.broken:
        return tr("leads nowhere")
    if entry.loop:
        return tr("leads back to itself")
    if entry.locked:
        return tr("may not be read")
    return tr("linked, read only") if entry.link and entry.folder else ""


def _runs(rows: list[int]) -> list[tuple[int, int]]:
    """Neighbouring rows together, as first and last."""
    found: list[tuple[int, int]] = []
    for row in rows:
        if found and found[-1][1] == row - 1:
            found[-1] = (found[-1][0], row)
        else:
            found.append((row, row))
    return found
