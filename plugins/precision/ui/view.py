"""The view of a comparison: two runs, the finding in a sentence, and one row per tensor."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QComboBox, QStackedWidget, QVBoxLayout, QWidget

from plugins.precision.ui.headline import Headline
from plugins.precision.ui.rows import (
    MAX_ABS,
    MAX_REL,
    VERDICT,
    MaximumDelegate,
    VerdictDelegate,
    cells,
    columns,
    word,
)
from plugins.precision.ui.sides import Side, dumps_of, guess_other
from studio.i18n import tr
from studio.ui.table import TableView
from studio.ui.toolbar import ToolBar
from studio.ui.view import EmptyState

if TYPE_CHECKING:
    from plugins.precision.core.result import Comparison, Row
    from studio.api import Studio
    from studio.kernel.job import Job
    from studio.model.items import Item
    from studio.model.locations import Location
    from studio.model.selection import Selection

_ALL, _DEVIATING = "", "deviating"
_BESIDE_WORD = 44  # icon and margins of a verdict


def make_view(studio: Studio, path: Path, base: str = "") -> QWidget:
    """Make the view of one dump, compared with `base` or with what can be guessed."""
    return CompareView(studio, path, base)


class CompareView(QWidget):
    """Compares two folders in the background and shows the result."""

    title_changed = Signal()

    def __init__(self, studio: Studio, path: Path, base: str = "") -> None:
        super().__init__()
        self._studio = studio
        self._job: Job | None = None
        self._result: Comparison | None = None
        self._shown: list[Row] = []
        self.base, self.candidate = Side(tr("Base"), studio), Side(tr("Candidate"), studio)
        self.status = QComboBox()
        self.headline, self.table = Headline(), TableView()
        self._empty = EmptyState("compare", "")
        self._lay_out()
        self._connect()
        self._choose(path, base)

    # -- what the host asks ---------------------------------------------------------------------
    def title(self) -> str:
        """The two runs, as the tab names them."""
        base, candidate = self.base.path, self.candidate.path
        if base is None or candidate is None:
            return (candidate or base or Path(tr("Precision"))).name
        return f"{base.name} ↔ {candidate.name}"

    def tool_tip(self) -> str:
        """Both paths."""
        return f"{self.base.path or '–'}\n{self.candidate.path or '–'}"

    def idle(self) -> bool:
        """Whether the comparison is done and shown."""
        return self._job is None and self.table.idle()

    def save_state(self) -> dict[str, Any]:
        """Both runs and the filter."""
        return {
            "base": str(self.base.path or ""),
            "candidate": str(self.candidate.path or ""),
            "status": self.status.currentData(),
            "filter": self.table.filter.text(),
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Return to saved runs and filter."""
        before = (self.base.path, self.candidate.path)
        for side, name in ((self.base, "base"), (self.candidate, "candidate")):
            if state.get(name):
                side.set_path(Path(state[name]))
        self.table.filter.setText(str(state.get("filter", "")))
        self.status.setProperty("wanted", state.get("status"))
        if (self.base.path, self.candidate.path) != before:
            self.compare()

    def reopen(self, base: str = "") -> None:
        """Compare with another base."""
        self._choose(self.candidate.path or Path(), base)

    def reveal(self, location: Location) -> bool:
        """Show a tensor of one of the two runs."""
        mine = location.path in (self.base.path, self.candidate.path)
        return mine and location.tensor is not None and self._select(location.tensor)

    # -- comparing ------------------------------------------------------------------------------
    def compare(self) -> None:
        """Compare the chosen runs anew."""
        base, candidate = self.base.path, self.candidate.path
        self.title_changed.emit()
        if base is None or candidate is None or base == candidate:
            self._ask_for_sides()
            return
        if self._studio.project is not None:
            self._studio.project.context.set(baseline=str(base), candidate=str(candidate))
        text = tr("{base} against {candidate}", base=base, candidate=candidate)
        self._show_empty("compare", tr("Comparing the tensors…"), text)
        self._job = self._studio.start_job(
            "precision:core.compare.compare",
            {
                "base": str(base),
                "candidate": str(candidate),
                "rtol": self._studio.setting("precision.relative_tolerance"),
                "scale_tol": self._studio.setting("precision.scale_tolerance"),
            },
            title=tr("Comparing {base} with {candidate}", base=base.name, candidate=candidate.name),
            key=f"compare {id(self)}",
            item=candidate,
            done=self._show,
            failed=self._fail,
        )

    def swap(self) -> None:
        """Make the candidate the base and the base the candidate."""
        base, candidate = self.base.path, self.candidate.path
        self.base.set_path(candidate)
        self.candidate.set_path(base)
        self.compare()

    def step(self, by: int) -> None:
        """Select the next or previous tensor that deviates."""
        order = [int(row) for row in self.table.model.rows]
        places = [place for place, row in enumerate(order) if self._shown[row].deviates]
        selected = self.table.selected_rows()
        now = order.index(selected[0]) if selected else (-1 if by > 0 else len(order))
        further = [p for p in places if (p > now if by > 0 else p < now)]
        if further:
            self.table.select_row(order[further[0 if by > 0 else -1]])

    def show_first(self) -> None:
        """Select the first tensor that deviates."""
        if self._result is not None and self._result.first is not None:
            self._select(self._result.first.name)

    # -- inside ---------------------------------------------------------------------------------
    def _choose(self, path: Path, base: str) -> None:
        left: Path | None = Path(base) if base else None
        right: Path | None = path
        if left is None:
            left, right = guess_other(path, dumps_of(self._studio))
            known = self._studio.project.context.values.baseline if self._studio.project else ""
            if left is None and known and Path(known) != path:
                left = Path(known)
        self.base.set_path(left)
        self.candidate.set_path(right)
        self.compare()

    def _show(self, result: Comparison) -> None:
        self._job, self._result = None, result
        self.headline.set_result(result)
        wanted = self.status.property("wanted") or self.status.currentData()
        self.status.setProperty("wanted", None)
        self.status.blockSignals(True)
        self.status.clear()
        self.status.addItem(tr("All tensors"), _ALL)
        self.status.addItem(tr("Deviating"), _DEVIATING)
        for status in result.counts():
            self.status.addItem(word(status), status.value)
        self.status.setCurrentIndex(max(self.status.findData(wanted), 0))
        self.status.blockSignals(False)
        self._fill()
        self._stack.setCurrentIndex(1)
        self.show_first()

    def _fill(self) -> None:
        if self._result is None:
            return
        wanted = self.status.currentData()
        self._shown = [
            row
            for row in self._result.rows
            if wanted in (_ALL, row.status.value) or (wanted == _DEVIATING and row.deviates)
        ]
        self.table.set_data([cells(row) for row in self._shown], columns())
        metrics = self.table.view.fontMetrics()
        words = [metrics.horizontalAdvance(word(status)) for status in self._result.counts()]
        self.table.view.setColumnWidth(VERDICT, max(words, default=0) + _BESIDE_WORD)

    def _fail(self, error: BaseException) -> None:
        self._job = None
        message = str(getattr(error, "message", error))
        self._show_empty("warn", tr("The runs could not be compared"), message)

    def _ask_for_sides(self) -> None:
        self._show_empty(
            "compare",
            tr("Choose two runs to compare"),
            tr(
                "Above, choose the folder of a run that is right (base) and that of the run in "
                "question (candidate). Each holds one .npy file per tensor, with the same names on "
                "both sides, as msprobe's dump or a forward hook with numpy.save writes them."
            ),
        )

    def _show_empty(self, icon: str, title: str, text: str) -> None:
        self._empty.set_content(icon, title, text)
        self._stack.setCurrentIndex(0)

    def _select(self, name: str) -> bool:
        for number, row in enumerate(self._shown):
            if row.name == name:
                return self.table.select_row(number)
        return False

    def _selected(self, rows: list[int]) -> None:
        if len(rows) == 1 and rows[0] < len(self._shown):
            self._studio.select(item=self.candidate.path, tensor=self._shown[rows[0]].name)

    def _follow(self, selection: Selection) -> None:
        if selection.origin != self._studio.plugin and selection.tensor is not None:
            self._select(selection.tensor)

    def _relist(self, _items: list[Item]) -> None:
        self.base.refresh()
        self.candidate.refresh()

    def _row_of(self, index: Any) -> Row | None:  # noqa: ANN401 - a model index of two kinds
        number = self.table.model.source_row(index)
        return self._shown[number] if number < len(self._shown) else None

    def changeEvent(self, event: QEvent) -> None:
        """Draw the verdicts anew in another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self.table.view.viewport().update()

    def _connect(self) -> None:
        for side in (self.base, self.candidate):
            side.chosen.connect(self.compare)
        self.status.currentIndexChanged.connect(lambda _: self._fill())
        self.headline.link.connect(self.show_first)
        self.table.selection_changed.connect(self._selected)
        followed = self._studio.selection_changed.connect(self._follow)
        self.destroyed.connect(followed.disconnect)
        if self._studio.project is not None:
            listed = self._studio.project.items_changed.connect(self._relist)
            self.destroyed.connect(listed.disconnect)

    def _lay_out(self) -> None:
        view = self.table.view
        view.setItemDelegateForColumn(VERDICT, VerdictDelegate(self._row_of, view))
        for section in (MAX_ABS, MAX_REL):
            view.setItemDelegateForColumn(section, MaximumDelegate(self._row_of, view))
        bar = ToolBar(tr("Precision"), self)
        bar.add("refresh", tr("Compare again"), self.compare, keys="F5", text=True)
        bar.addWidget(self.base)
        bar.add("swap", tr("Swap base and candidate"), self.swap)
        bar.addWidget(self.candidate)
        bar.addSeparator()
        bar.add("previous", tr("Previous deviation"), lambda: self.step(-1), keys="Shift+F8")
        bar.add("next", tr("Next deviation"), lambda: self.step(1), keys="F8")
        bar.add_stretch()
        self.status.addItem(tr("All tensors"), _ALL)
        self.status.setAccessibleName(tr("Verdicts to show"))
        self.status.setToolTip(tr("Verdicts to show"))
        self.status.setMinimumContentsLength(14)
        bar.addWidget(self.status)
        result = QWidget()
        column = QVBoxLayout(result)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.headline)
        column.addWidget(self.table, 1)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._empty)
        self._stack.addWidget(result)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(bar)
        whole.addWidget(self._stack, 1)
        self.setFocusProxy(view)
