"""Files and their findings as a tree of two levels, filtered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from plugins.migration.ui.looks import decision_title, joined, status_of, status_title
from plugins.migration.ui.review import can_decide
from studio.i18n import tr, trn
from studio.ui.diff import Decision

if TYPE_CHECKING:
    from pathlib import Path

    from plugins.migration.ui.review import Review
    from studio.model.findings import Finding

Index = QModelIndex | QPersistentModelIndex
FINDING_ROLE = Qt.ItemDataRole.UserRole
PATH_ROLE = Qt.ItemDataRole.UserRole + 1
DECISION_ROLE = Qt.ItemDataRole.UserRole + 2
"""None for a row that has nothing to decide."""
COUNT_ROLE = Qt.ItemDataRole.UserRole + 3
"""(accepted, changes) of a file."""
_SINGLY = 8


@dataclass(frozen=True, slots=True)
class Filter:
    """Which findings are listed: those with all words, and one of the statuses if any are named."""

    words: tuple[str, ...] = ()
    statuses: frozenset[str] = frozenset()
    only_open: bool = False


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file with those of its findings that are listed."""

    path: Path
    findings: tuple[Finding, ...]


class FindingsModel(QAbstractItemModel):
    """What the review found, by file."""

    def __init__(self, review: Review, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._review = review
        self._rows: list[FileRow] = []
        self._filter = Filter()
        self.root: Path | None = None

    # -- content --------------------------------------------------------------------------------
    def set_filter(self, wanted: Filter) -> None:
        """List other findings."""
        self._filter = wanted
        self.reload()

    def reload(self) -> None:
        """Take the findings anew."""
        rows = []
        for path in self._review.files():
            place = self._relative(path).casefold()
            found = tuple(f for f in self._review.findings(path) if self._listed(f, place))
            if found:
                rows.append(FileRow(path, found))
        if _keys(rows) == _keys(self._rows):
            self._rows = rows
            self.refresh(None)
            return
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def refresh(self, paths: frozenset[Path] | None) -> None:
        """Show decisions anew, of some files or all."""
        if paths is None or len(paths) > _SINGLY:
            if self._rows:  # a range of rows makes the view paint everything it shows
                self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, 0))
            return
        for number, row in enumerate(self._rows):
            if row.path in paths:
                file = self.index(number, 0)
                self.dataChanged.emit(file, file)
                last = len(row.findings) - 1
                self.dataChanged.emit(self.index(0, 0, file), self.index(last, 0, file))

    def rows(self) -> list[FileRow]:
        """The listed files."""
        return list(self._rows)

    def place_of(self, finding: Finding | None, path: Path) -> QModelIndex:
        """The index of a finding, or of its file; invalid when it is not listed."""
        for number, row in enumerate(self._rows):
            if row.path == path:
                file = self.index(number, 0)
                keys = [f.key for f in row.findings]
                if finding is not None and finding.key in keys:
                    return self.index(keys.index(finding.key), 0, file)
                return file
        return QModelIndex()

    def findings_at(self, index: Index) -> list[Finding]:
        """The finding of a row, or all listed ones of a file."""
        if not index.isValid():
            return []
        row = self._rows[self._file_of(index)]
        return [row.findings[index.row()]] if index.internalId() else list(row.findings)

    # -- Qt's model -----------------------------------------------------------------------------
    def index(self, row: int, column: int, parent: Index = QModelIndex()) -> QModelIndex:  # noqa: B008
        """Find a row; children carry the number of their file, counted from one."""
        if not self.hasIndex(row, column, parent):
            return QModelIndex()
        return self.createIndex(row, column, parent.row() + 1 if parent.isValid() else 0)

    def parent(self, index: Index = QModelIndex()) -> QModelIndex:  # type: ignore[override]  # noqa: B008
        """The file of a finding."""
        number = index.internalId() if index.isValid() else 0
        return self.createIndex(number - 1, 0, 0) if number else QModelIndex()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """How many files, or findings of a file."""
        if not parent.isValid():
            return len(self._rows)
        return 0 if parent.internalId() else len(self._rows[parent.row()].findings)

    def columnCount(self, _parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Everything stands in one column."""
        return 1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """What a row shows."""
        if not index.isValid():
            return None
        row = self._rows[self._file_of(index)]
        if not index.internalId():
            return self._file_data(row, role)
        return self._finding_data(row.findings[index.row()], role)

    # -- helpers --------------------------------------------------------------------------------
    def _file_data(self, row: FileRow, role: int) -> object:
        deciding = [self._review.decision(f) for f in row.findings if can_decide(f)]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._relative(row.path)
            case Qt.ItemDataRole.ToolTipRole:
                return str(row.path)
            case Qt.ItemDataRole.AccessibleTextRole:
                count = trn("{n} finding", "{n} findings", len(row.findings))
                return f"{row.path.name}, {count}"
            case _ if role == PATH_ROLE:
                return row.path
            case _ if role == DECISION_ROLE:
                return joined(deciding) if deciding else None
            case _ if role == COUNT_ROLE:
                return deciding.count(Decision.ACCEPTED), len(deciding)
        return None

    def _finding_data(self, finding: Finding, role: int) -> object:
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return finding.title
            case Qt.ItemDataRole.ToolTipRole:
                return f"{finding.title}\n{finding.why}".strip()
            case Qt.ItemDataRole.AccessibleTextRole:
                decided = decision_title(self._review.decision(finding))
                status = status_title(status_of(finding))
                place = tr("line {line}", line=finding.location.line)
                parts = (finding.title, place, status, *((decided,) if finding.fix else ()))
                return ", ".join(parts)
            case _ if role == FINDING_ROLE:
                return finding
            case _ if role == PATH_ROLE:
                return finding.location.path
            case _ if role == DECISION_ROLE:
                return self._review.decision(finding) if can_decide(finding) else None
        return None

    def _listed(self, finding: Finding, place: str) -> bool:
        wanted = self._filter
        if wanted.statuses and status_of(finding) not in wanted.statuses:
            return False
        if wanted.only_open and (
            not can_decide(finding) or self._review.decision(finding) is not Decision.OPEN
        ):
            return False
        if not wanted.words:
            return True
        text = f"{place} {finding.title} {finding.rule} {finding.category}".casefold()
        return all(word in text for word in wanted.words)

    def _relative(self, path: Path) -> str:
        if self.root is not None and path.is_relative_to(self.root):
            return path.relative_to(self.root).as_posix()
        return str(path)

    def _file_of(self, index: Index) -> int:
        return int(index.internalId()) - 1 if index.internalId() else index.row()


def _keys(rows: list[FileRow]) -> list[tuple[Path, list[str]]]:
    return [(row.path, [finding.key for finding in row.findings]) for row in rows]
