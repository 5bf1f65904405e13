"""Tables in which tolerances are edited: by type of the elements, and by operator."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QTableWidget, QTableWidgetItem, QWidget

from plugins.precision.core.align.keys import plain_api
from studio.i18n import tr
from studio.tensors.tolerance import Tolerance
from studio.ui.lines import ROW_HEIGHT
from studio.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_TYPES = (
    "float64",
    "float32",
    "float16",
    "bfloat16",
    "float8_e4m3fn",
    "float8_e5m2",
    "complex64",
)
_SPARE = 3
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class _NumberTable(QTableWidget):
    """Texts of which all but those in the first column are numbers from 0 on."""

    edited = Signal()

    def __init__(self, titles: Sequence[str], name: str, parent: QWidget | None = None) -> None:
        super().__init__(0, len(titles), parent)
        for column, title in enumerate(titles):
            heading = QTableWidgetItem(title)
            heading.setTextAlignment(_RIGHT if column else _LEFT)
            self.setHorizontalHeaderItem(column, heading)
        self.setAccessibleName(name)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        self.setShowGrid(True)
        line = current_theme().colour("line").name()
        self.setStyleSheet(
            f"QTableView {{ gridline-color: {line}; }} QTableView::item {{ padding: 0 7px; }}"
        )
        self.setTabKeyNavigation(False)
        header = self.horizontalHeader()
        header.setSectionResizeMode(header.ResizeMode.Stretch)
        self.itemChanged.connect(lambda _: self.edited.emit())

    def show_rows(self, rows: Sequence[Sequence[str]], *, fixed: bool) -> None:
        """Show other texts; the first column cannot be edited when it is fixed."""
        with QSignalBlocker(self):
            self.setRowCount(len(rows))
            for row, texts in enumerate(rows):
                for column, text in enumerate(texts):
                    item = QTableWidgetItem(text)
                    if column == 0 and fixed:
                        item.setFlags(item.flags() & ~Qt.ItemFlag.ItemIsEditable)
                    if column:
                        item.setTextAlignment(_RIGHT)
                    self.setItem(row, column, item)

    def text(self, row: int, column: int) -> str:
        """The text of a cell."""
        item = self.item(row, column)
        return item.text().strip() if item is not None else ""

    def valid(self) -> bool:
        """Whether every number that is there is one."""
        return all(
            _number(self.text(row, column)) is not None
            for row in range(self.rowCount())
            for column in range(1, self.columnCount())
        )


class TypeTable(_NumberTable):
    """The tolerance of each type; types without one follow float64."""

    def __init__(self, parent: QWidget | None = None) -> None:
        titles = (tr("Type"), tr("Relative"), tr("Of scale"), tr("Absolute"))
        super().__init__(titles, tr("Tolerances by type"), parent)
        self._follow = Tolerance(0.0, 0.0)

    def show_tolerances(self, types: Mapping[str, Tolerance]) -> None:
        """Show the tolerances of a preset."""
        self._follow = types.get("float64", Tolerance(0.0, 0.0))
        names = dict.fromkeys((*_TYPES, *types))
        rows = []
        for name in names:
            found = types.get(name, self._follow)
            numbers = (found.relative, found.of_scale, found.absolute)
            rows.append([name, *(f"{number:.6g}" for number in numbers)])
        self._shown = {row[0]: types.get(row[0], self._follow) for row in rows}
        self.show_rows(rows, fixed=True)

    def tolerances(self) -> dict[str, Tolerance]:
        """The tolerances as they are in the table; what was not edited keeps all its digits."""
        found = {}
        for row in range(self.rowCount()):
            name = self.text(row, 0)
            before = self._shown[name]
            known = (before.relative, before.of_scale, before.absolute)
            numbers = []
            for column, number in enumerate(known, 1):
                text = self.text(row, column)
                numbers.append(number if text == f"{number:.6g}" else _number(text) or 0.0)
            found[name] = Tolerance(*numbers)
        return found


class ApiTable(_NumberTable):
    """Factors of single operators, with rows for more."""

    def __init__(self, parent: QWidget | None = None) -> None:
        titles = (tr("Operator"), tr("Times the tolerance"))
        super().__init__(titles, tr("Factors by operator"), parent)

    def show_factors(self, factors: Mapping[str, float]) -> None:
        """Show the factors of a preset."""
        rows = [[api, f"{factor:.6g}"] for api, factor in factors.items()]
        self.show_rows([*rows, *([["", ""]] * _SPARE)], fixed=False)

    def factors(self) -> dict[str, float]:
        """The factors by operator as the comparison names it; rows without either are left out."""
        found = {}
        for row in range(self.rowCount()):
            api, factor = plain_api(self.text(row, 0)), _number(self.text(row, 1))
            if api and factor is not None:
                found[api] = factor
        return found

    def valid(self) -> bool:
        """Whether each row has a name and a factor, or neither."""
        for row in range(self.rowCount()):
            api, factor = self.text(row, 0), self.text(row, 1)
            if bool(api) != bool(factor) or (factor and _number(factor) is None):
                return False
        return True


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) and number >= 0 else None
