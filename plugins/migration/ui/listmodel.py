"""Groups and their findings as a tree of two levels, filtered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from plugins.migration.core.assessment.facts import category_name
from plugins.migration.ui.filtering import Filter, Group, Grouping, Lister, relative
from plugins.migration.ui.looks import (
    decision_title,
    effort_title,
    joined,
    status_of,
    status_title,
)
from plugins.migration.ui.review import can_decide
from plugins.migration.ui.ruletitles import rule_title
from studio.i18n import tr, trn
from studio.ui.diff import Decision

if TYPE_CHECKING:
    from pathlib import Path

    from plugins.migration.ui.review import Review
    from studio.model.findings import Finding

__all__ = ["Filter", "FindingsModel"]

Index = QModelIndex | QPersistentModelIndex
FINDING_ROLE = Qt.ItemDataRole.UserRole
PATH_ROLE = Qt.ItemDataRole.UserRole + 1
DECISION_ROLE = Qt.ItemDataRole.UserRole + 2
"""None for a row that has nothing to decide."""
COUNT_ROLE = Qt.ItemDataRole.UserRole + 3
"""(accepted, changes) of a group."""
PLACE_ROLE = Qt.ItemDataRole.UserRole + 4
"""The file and line of a finding that does not stand below its file, else ""."""


_CHUNK = 200
"""So many rows of a group are laid out at a time, the next ones when its end comes into view."""


class FindingsModel(QAbstractItemModel):
    """What the review found, by file, rule or category."""

    def __init__(self, review: Review, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._review = review
        self._lister = Lister(review)
        self._rows: list[Group] = []
        self._laid_out: list[int] = []
        self._filter = Filter()
        self._decisions: dict[int, tuple[int, Decision | None, int, int]] = {}
        self.grouping: Grouping = "file"
        self.root: Path | None = None

    # -- content --------------------------------------------------------------------------------
    def set_filter(self, wanted: Filter) -> None:
        """List other findings."""
        self._filter = wanted
        self.reload()

    def set_grouping(self, grouping: Grouping) -> None:
        """List the findings in other groups."""
        self.grouping = grouping
        self.reload()

    def reload(self) -> None:
        """Take the findings anew."""
        rows = self._lister.groups(self._filter, self.grouping, self.root)
        if _same(rows, self._rows):
            self._rows = rows
            self.refresh()
            return
        self.beginResetModel()
        self._rows = rows
        self._laid_out = [min(len(row.findings), _CHUNK) for row in rows]
        self._decisions.clear()
        self.endResetModel()

    def refresh(self) -> None:
        """Show decisions anew; the view paints all it shows, so one row stands for the others."""
        self._decisions.clear()
        if self._rows:
            self.dataChanged.emit(self.index(0, 0), self.index(0, 0))

    def rows(self) -> list[Group]:
        """The listed groups."""
        return list(self._rows)

    def place_of(self, finding: Finding | None, path: Path) -> QModelIndex:
        """The index of a finding, or of its group; invalid when it is not listed."""
        for number, row in enumerate(self._rows):
            if not self._holds(row, finding, path):
                continue
            group = self.index(number, 0)
            if finding is not None:
                places = enumerate(row.findings)
                at = [n for n, f in places if f.key == finding.key and f.location.path == path]
                if at:
                    return self._laid_out_index(number, at[0])
            return group
        return QModelIndex()

    def findings_at(self, index: Index) -> list[Finding]:
        """The finding of a row, or all listed ones of a group."""
        if not index.isValid():
            return []
        row = self._rows[self._group_of(index)]
        return [row.findings[index.row()]] if index.internalId() else list(row.findings)

    def following(self, index: Index, step: int) -> QModelIndex:
        """The next finding that nothing was decided about, or the one before; round the end."""
        flat = [(g, n) for g, row in enumerate(self._rows) for n in range(len(row.findings))]
        if not flat:
            return QModelIndex()
        group = self._group_of(index) if index.isValid() else 0
        here = (group, index.row() if index.isValid() and index.internalId() else -1)
        later = [place for place in flat if place > here]
        order = [*later, *(place for place in flat if place <= here)]
        if step < 0:
            order = [*reversed([p for p in flat if p < here]), *reversed(flat)]
        for number, row in order:
            finding = self._rows[number].findings[row]
            if can_decide(finding) and self._review.decision(finding) is Decision.OPEN:
                return self._laid_out_index(number, row)
        return QModelIndex()

    # -- Qt's model -----------------------------------------------------------------------------
    def index(self, row: int, column: int, parent: Index = QModelIndex()) -> QModelIndex:  # noqa: B008
        """Find a row; children carry the number of their group, counted from one."""
        if column or not 0 <= row < self.rowCount(parent):
            return QModelIndex()
        return self.createIndex(row, 0, parent.row() + 1 if parent.isValid() else 0)

    def parent(self, index: Index = QModelIndex()) -> QModelIndex:  # type: ignore[override]  # noqa: B008
        """The group of a finding."""
        number = index.internalId() if index.isValid() else 0
        return self.createIndex(number - 1, 0, 0) if number else QModelIndex()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """How many groups, or findings of a group."""
        if not parent.isValid():
            return len(self._rows)
        return 0 if parent.internalId() else self._laid_out[parent.row()]

    def canFetchMore(self, parent: Index) -> bool:
        """Whether a group has rows that are not laid out yet."""
        if not parent.isValid() or parent.internalId():
            return False
        return self._laid_out[parent.row()] < len(self._rows[parent.row()].findings)

    def fetchMore(self, parent: Index) -> None:
        """Lay out the next rows of a group."""
        if self.canFetchMore(parent):
            self._lay_out(parent.row(), self._laid_out[parent.row()] + _CHUNK)

    def shorten(self, group: Index) -> None:
        """Take back the rows of a closed group that were laid out as its end came into view."""
        if not group.isValid() or group.internalId():
            return
        number = group.row()
        if self._laid_out[number] > _CHUNK:
            self.beginRemoveRows(self.index(number, 0), _CHUNK, self._laid_out[number] - 1)
            self._laid_out[number] = _CHUNK
            self.endRemoveRows()

    def columnCount(self, _parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Everything stands in one column."""
        return 1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """What a row shows."""
        if not index.isValid():
            return None
        number = self._group_of(index)
        if not index.internalId():
            return self._group_data(number, role)
        return self._finding_data(self._rows[number].findings[index.row()], role)

    def _laid_out_index(self, group: int, row: int) -> QModelIndex:
        """The index of a finding, which is laid out for that if need be."""
        if row >= self._laid_out[group]:
            self._lay_out(group, row + _CHUNK)
        return self.index(row, 0, self.index(group, 0))

    def _lay_out(self, group: int, wanted: int) -> None:
        before, after = self._laid_out[group], min(wanted, len(self._rows[group].findings))
        self.beginInsertRows(self.index(group, 0), before, after - 1)
        self._laid_out[group] = after
        self.endInsertRows()

    # -- helpers --------------------------------------------------------------------------------
    def _group_data(self, number: int, role: int) -> object:
        row = self._rows[number]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                if row.path is not None:
                    return relative(row.path, self.root)
                return self._heading(row)
            case Qt.ItemDataRole.ToolTipRole:
                if self.grouping == "rule":
                    return f"{self._heading(row)}\n{tr('rule {rule}', rule=row.key)}"
                return row.key
            case Qt.ItemDataRole.AccessibleTextRole:
                count = trn("{n} finding", "{n} findings", len(row.findings))
                return f"{row.path.name if row.path else self._heading(row)}, {count}"
            case _ if role == PATH_ROLE:
                return row.path or row.findings[0].location.path
            case _ if role == DECISION_ROLE:
                return self._decided(number)[0]
            case _ if role == COUNT_ROLE:
                return self._decided(number)[1:]
        return None

    def _heading(self, row: Group) -> str:
        return category_name(row.key) if self.grouping == "category" else rule_title(row.key)

    def _decided(self, number: int) -> tuple[Decision | None, int, int]:
        revision = self._review.revision
        known = self._decisions.get(number)
        if known is None or known[0] != revision:
            row = self._rows[number]
            deciding = self._review.decisions(row.findings)
            decision = joined(deciding) if deciding else None
            accepted = deciding.count(Decision.ACCEPTED)
            known = self._decisions[number] = revision, decision, accepted, len(deciding)
        return known[1:]

    def _finding_data(self, finding: Finding, role: int) -> object:
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return finding.title
            case Qt.ItemDataRole.ToolTipRole:
                effort = effort_title(str(finding.facts.get("effort", "")))
                said = " · ".join(filter(None, (status_title(status_of(finding)), effort)))
                return f"{finding.title}\n{said}\n{finding.why}".strip()
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
            case _ if role == PLACE_ROLE:
                if self.grouping == "file":
                    return ""
                return f"{finding.location.path.name}:{finding.location.line}"
            case _ if role == DECISION_ROLE:
                return self._review.decision(finding) if can_decide(finding) else None
        return None

    def _holds(self, row: Group, finding: Finding | None, path: Path) -> bool:
        if self.grouping == "file":
            return row.path == path
        if finding is None:
            return any(other.location.path == path for other in row.findings)
        return row.key == (finding.rule if self.grouping == "rule" else finding.category)

    def _group_of(self, index: Index) -> int:
        return int(index.internalId()) - 1 if index.internalId() else index.row()


def _same(rows: list[Group], others: list[Group]) -> bool:
    """Whether the same findings stand in the same places; those of a new scan are new objects."""
    if [(row.key, len(row.findings)) for row in rows] != [
        (row.key, len(row.findings)) for row in others
    ]:
        return False
    return all(
        one is other or one.key == other.key
        for row, old in zip(rows, others, strict=True)
        for one, other in zip(row.findings, old.findings, strict=True)
    )
