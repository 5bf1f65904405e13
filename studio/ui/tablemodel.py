"""The Qt model of a table: sorted and filtered by a permutation of rows, never by moving data."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from studio.ui.columns import Column, Values, read_columns
from studio.ui.fonts import mono_font
from studio.ui.tablegroups import how_title
from studio.ui.text import NOT_APPLICABLE, format_number
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from studio.ui.tablegroups import Groups

Index = QModelIndex | QPersistentModelIndex
FILTERED_ROLE = Qt.ItemDataRole.UserRole + 3
RAW_ROLE = Qt.ItemDataRole.UserRole + 1
_ROOT = QModelIndex()


class Cell(NamedTuple):
    """What is painted for a cell: a text, the share of a bar, or a small line."""

    text: str
    absent: bool = False
    share: float | None = None
    trend: NDArray[np.float64] | None = None
    group: bool = False
    open: bool = False
    icon: str = ""
    token: str = ""
    """The icon before the text, and the colour of both."""


@dataclass(frozen=True)
class Mark:
    """How a cell stands out: an icon before its text, a colour of the theme, another text."""

    icon: str = ""
    token: str = ""
    text: str = ""


class FrameModel(QAbstractTableModel):
    """Rows of a DataFrame or list, with the order and the filter of the view applied."""

    def __init__(self) -> None:
        super().__init__()
        self.values: list[Values] = []
        self.rows: NDArray[np.int64] = np.arange(0)
        """The row of the data that each row of the view shows; -1 - n for the group n."""
        self.groups: Groups | None = None
        self.opened: set[str] = set()
        self.marks: dict[str, Callable[[int], Mark | None]] = {}
        """By the key of a column: what makes the cell of a row of the data stand out."""
        self.baselines: dict[str, str] = {}
        """Which column a column is compared with, by their keys."""
        self._mono = mono_font()
        self._filtered: frozenset[int] = frozenset()

    def set_data(self, data: Any, columns: Sequence[Column] = ()) -> None:  # noqa: ANN401 - a DataFrame or rows
        """Show other data; order and filter begin anew."""
        self.beginResetModel()
        self.values = read_columns(data, columns)
        self.groups = None
        self.rows = np.arange(self.total())
        self.endResetModel()

    def total(self) -> int:
        """How many rows there are without the filter."""
        return len(self.values[0].array) if self.values else 0

    def set_rows(self, rows: NDArray[np.int64], groups: Groups | None = None) -> None:
        """Show these source rows in this order, or these groups of them."""
        self.layoutAboutToBeChanged.emit()
        old = self.persistentIndexList()
        old = [index for index in old if self.rows[index.row()] >= 0]
        self.groups = groups
        rows = rows if groups is None else groups.lines(self.opened.__contains__)
        place = np.full(self.total() if old else 0, -1)
        if old:
            shown = np.flatnonzero(rows >= 0)
            place[rows[shown]] = shown
        kept = [int(place[self.source_row(index)]) for index in old]
        columns = [index.column() for index in old]
        self.rows = rows
        moved = [
            self.index(row, column) if row >= 0 else QModelIndex()
            for row, column in zip(kept, columns, strict=True)
        ]
        self.changePersistentIndexList(old, moved)
        self.layoutChanged.emit()

    def set_filtered(self, columns: Iterable[int]) -> None:
        """Mark the headings of columns that have a filter of their own."""
        filtered = frozenset(columns)
        if filtered != self._filtered:
            self._filtered = filtered
            last = max(self.columnCount() - 1, 0)
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, last)

    def source_row(self, index: Index) -> int:
        """The row of the data that an index shows."""
        return int(self.rows[index.row()])

    @property
    def grouped_by(self) -> int:
        """The column whose values make the groups; -1 without groups."""
        return -1 if self.groups is None else self.groups.by

    def group_at(self, row: int) -> int:
        """The group that a row of the view heads; -1 for other rows."""
        line = int(self.rows[row]) if 0 <= row < len(self.rows) else 0
        return -1 - line if line < 0 else -1

    def sources(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The rows of the data behind rows of the view; a group stands for all of its rows."""
        lines, groups = self.rows[rows], self.groups
        if groups is None or not (lines < 0).any():
            return lines
        parts = [groups.rows_of(-1 - n) if n < 0 else np.array([n]) for n in lines.tolist()]
        found = np.concatenate(parts)
        return found[np.sort(np.unique(found, return_index=True)[1])]

    def exact(self, line: int, section: int) -> str:
        """A cell of a column with all its digits; `line` is an entry of `rows`."""
        if line >= 0 or self.groups is None:
            return self.values[section].exact(line)
        return self.groups.values[section].exact(-1 - line)

    def cells(self, section: int, first: int, stop: int) -> list[Cell]:
        """The cells of a column in some rows of the view, as they are painted."""
        lines = self.rows[first:stop]
        if self.groups is None or not (lines < 0).any():
            return self._painted(self.values, section, lines)
        heads = np.flatnonzero(lines < 0)
        groups = -1 - lines[heads]
        cells = self._painted(self.values, section, np.maximum(lines, 0))
        made = self._painted(self.groups.values, section, groups)
        for place, group, cell in zip(heads.tolist(), groups.tolist(), made, strict=True):
            name = self.groups.label(group) if section == self.groups.by else cell.text
            known = self.groups.name(group) in self.opened
            cells[place] = Cell(name, cell.absent, cell.share, None, group=True, open=known)
        return cells

    def sample(self, section: int, count: int) -> list[Cell]:
        """The cells of the first rows of the data."""
        return self._painted(self.values, section, np.arange(count))

    def _heading(self, section: int) -> str:
        """Title and unit, what the column is compared with, and what groups show of it."""
        values = self.values[section]
        key = self.baselines.get(values.column.key, "")
        base = next((one.column for one in self.values if one.column.key == key), None)
        title = f"{values.column.heading} / {base.title or key}" if base else values.column.heading
        how = "" if self.groups is None else self.groups.hows[section]
        return f"{title} · {how_title(how)}" if how else title

    def _painted(
        self, columns: Sequence[Values], section: int, rows: NDArray[np.int64]
    ) -> list[Cell]:
        values = columns[section]
        absent = values.missing[rows] | values.inapplicable[rows]
        texts = values.written(rows)
        if values.column.kind == "trend":
            lines = values.array[rows].tolist()
            return [Cell("", trend=line) for line in lines]
        if values.column.key in self.baselines:
            more = self._differences(columns, values, rows)
            texts = [f"{text}  {said}".rstrip() for text, said in zip(texts, more, strict=True)]
        shares: list[float | None] = [None] * len(rows)
        if values.largest:
            parts = np.minimum(np.abs(values.array[rows]) / values.largest, 1.0)
            shares = [None if a else s for a, s in zip(absent, parts.tolist(), strict=True)]
        cells = [
            Cell(text, gone, share)
            for text, gone, share in zip(texts, absent.tolist(), shares, strict=True)
        ]
        mark = self.marks.get(values.column.key) if columns is self.values else None
        if mark is None:
            return cells
        return [_marked(cell, mark(row)) for cell, row in zip(cells, rows.tolist(), strict=True)]

    def _differences(
        self, columns: Sequence[Values], values: Values, rows: NDArray[np.int64]
    ) -> list[str]:
        """By how much cells exceed those of the column that theirs is compared with."""
        wanted = self.baselines[values.column.key]
        base = next((one for one in columns if one.column.key == wanted), None)
        if base is None:
            return [""] * len(rows)
        absent = (values.missing | values.inapplicable | base.missing | base.inapplicable)[rows]
        now, before = values.array[rows].tolist(), base.array[rows].tolist()
        return [
            "" if gone or "" in (one, other) else difference(one, other)
            for one, other, gone in zip(now, before, absent.tolist(), strict=True)
        ]

    def rowCount(self, parent: Index = _ROOT) -> int:
        """How many rows the filter lets through."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = _ROOT) -> int:
        """How many columns there are."""
        return 0 if parent.isValid() else len(self.values)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:  # noqa: ANN401 - as Qt has it
        """One cell for one role."""
        if not index.isValid():
            return None
        values, row = self.values[index.column()], int(self.rows[index.row()])
        if role == Qt.ItemDataRole.DisplayRole:
            return self.cells(index.column(), index.row(), index.row() + 1)[0].text
        if row < 0 and self.groups is not None:
            values, row = self.groups.values[index.column()], -1 - row
        match role:
            case Qt.ItemDataRole.ToolTipRole:
                return values.exact(row) or None
            case Qt.ItemDataRole.TextAlignmentRole:
                side = Qt.AlignmentFlag.AlignRight if values.numeric else Qt.AlignmentFlag.AlignLeft
                return side | Qt.AlignmentFlag.AlignVCenter
            case Qt.ItemDataRole.ForegroundRole:
                absent = values.missing[row] or values.inapplicable[row]
                return current_theme().colour("muted") if absent else None
            case Qt.ItemDataRole.FontRole:
                return self._mono if values.numeric else None
            case _ if role == RAW_ROLE:
                return values.raw(row)
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:  # noqa: ANN401 - as Qt has it
        """The heading of a column."""
        if orientation != Qt.Orientation.Horizontal or section >= len(self.values):
            return None
        values = self.values[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._heading(section)
        if role == FILTERED_ROLE:
            return section in self._filtered
        if role == Qt.ItemDataRole.ToolTipRole:
            return values.column.tip or self._heading(section)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if values.numeric else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None


def _marked(cell: Cell, mark: Mark | None) -> Cell:
    if mark is None:
        return cell
    return cell._replace(text=mark.text or cell.text, icon=mark.icon, token=mark.token)


def matching_rows(values: Sequence[Values], words: Sequence[str]) -> NDArray[np.int64]:
    """The source rows in which each word stands in some cell, whatever its case.

    Numbers are looked at for words that may be part of one, with all their digits as tool tips show
    them; in very long tables those that are not whole are left to the filters of their columns.
    """
    total = len(values[0].array) if values else 0
    kept = np.ones(total, dtype=bool)
    for word in words:
        numbers = _IN_NUMBER.fullmatch(word) is not None
        found = np.zeros(total, dtype=bool)
        for column in values:
            if word == NOT_APPLICABLE:
                found |= column.inapplicable
            if column.numeric and not numbers:
                continue
            rest = np.flatnonzero(kept & ~found)
            found[rest] = _holding(column, rest, word)
        kept &= found
    return np.flatnonzero(kept)


_IN_NUMBER = re.compile(r"[-+]?[\d.]+(?:e[-+]?\d*)?")
_MANY = 200_000
"""More numbers than this take too long to be written one by one."""


def _holding(column: Values, rows: NDArray[np.int64], word: str) -> NDArray[np.bool_]:
    """In which of some cells of a column a word stands."""
    cells = column.array[rows]
    if column.texts is not None:
        holds = np.array([word in str(text).casefold() for text in column.texts], dtype=bool)
        return np.asarray(holds[cells] if len(holds) else np.zeros(len(rows)), bool)
    if column.numeric and cells.dtype.kind in "iu" and column.divisor == 1:
        present = ~(column.missing | column.inapplicable)[rows]
        written = cells.astype("S21")
        return np.asarray(present & (np.char.find(written, word.encode()) >= 0), bool)
    if column.numeric and len(rows) > _MANY:
        return np.zeros(len(rows), dtype=bool)
    if cells.dtype == object and not column.numeric:
        return np.array([word in str(cell).casefold() for cell in cells], dtype=bool)
    return np.array([word in column.exact(row).casefold() for row in rows.tolist()], dtype=bool)


def difference(value: float, base: float) -> str:
    """By how much a number exceeds another, in percent of that: +12.5 %."""
    if value == base:
        return "±0 %"
    if base == 0:
        return ""
    share = (value - base) / abs(base) * 100
    return f"{share:+.1f} %" if abs(share) < 1000 else f"{format_number(value / base, 3)} ×"
