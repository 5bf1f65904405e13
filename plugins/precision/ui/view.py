"""The view of a comparison: two runs, the finding in a sentence, and one row per tensor."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from plugins.precision.ui.options import Chosen, OptionsPage
from plugins.precision.ui.pane import ResultPane
from plugins.precision.ui.sharing import Sharing
from plugins.precision.ui.sides import Side, dumps_of, guess_other
from studio.i18n import tr
from studio.ui.listening import listen
from studio.ui.toolbar import ToolBar
from studio.ui.view import EmptyState

if TYPE_CHECKING:
    from plugins.precision.ui.prepared import Prepared
    from studio.api import Studio
    from studio.kernel.job import Job
    from studio.model.items import Item
    from studio.model.locations import Location


TENSOR = "precision.tensor"


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
        # Parts are made inside their places: moving them there would dress them a second time.
        self._stack = QStackedWidget(self)
        self.base, self.candidate = Side(tr("Base"), studio), Side(tr("Candidate"), studio)
        self.chosen = Chosen(standard=str(studio.setting("precision.standard")))
        self.pane = ResultPane(studio, self._stack)
        self._sharing = Sharing(studio, self.pane, lambda: self.candidate.path)
        self.table, self.status, self.headline = (
            self.pane.table,
            self.pane.status,
            self.pane.headline,
        )
        self._empty = EmptyState("compare", "")
        self.options: OptionsPage | None = None
        self._page = 0
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
            "scatter": self.pane.scatter.isVisibleTo(self.pane),
            "options": asdict(self.chosen),
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Return to saved runs and filter."""
        before = (self.base.path, self.candidate.path, self.chosen)
        options = state.get("options")
        if isinstance(options, dict):
            self.chosen = Chosen(**{k: str(options.get(k, "")) for k in asdict(self.chosen)})
        for side, name in ((self.base, "base"), (self.candidate, "candidate")):
            if state.get(name):
                side.set_path(Path(state[name]))
        self.table.filter.setText(str(state.get("filter", "")))
        self.pane.filters.want_status(state.get("status"))
        self.show_scatter(bool(state.get("scatter")))
        self._tell_options()
        if (self.base.path, self.candidate.path, self.chosen) != before:
            self.compare()

    def reopen(self, base: str = "") -> None:
        """Compare with another base."""
        self._choose(self.candidate.path or Path(), base)

    def reveal(self, location: Location) -> bool:
        """Show a tensor of one of the two runs."""
        mine = location.path in (self.base.path, self.candidate.path)
        return mine and location.tensor is not None and self.pane.select(location.tensor)

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
            "precision:ui.prepared.prepare",
            {
                "base": str(base),
                "candidate": str(candidate),
                "rtol": self._studio.setting("precision.relative_tolerance"),
                "scale_tol": self._studio.setting("precision.scale_tolerance"),
                **asdict(self.chosen),
            },
            title=tr("Comparing {base} with {candidate}", base=base.name, candidate=candidate.name),
            key=f"compare {id(self)}",
            item=candidate,
            done=self._show,
            failed=self._fail,
        )

    def choose_options(self) -> None:
        """Show noise run, mapping and tolerances in place of the result, to be changed."""
        if self.options is None:
            self.options = OptionsPage(self, self.chosen)
            self.options.finished.connect(self._options_chosen)
            self._stack.addWidget(self.options)
        self._stack.setCurrentWidget(self.options)
        self.options.setFocus()

    def set_options(self, chosen: Chosen) -> None:
        """Compare with another noise run, mapping or tolerances; the tolerances are remembered."""
        self.chosen = chosen
        self._studio.set_setting("precision.standard", chosen.standard)
        self._tell_options()
        self.compare()

    def swap(self) -> None:
        """Make the candidate the base and the base the candidate."""
        base, candidate = self.base.path, self.candidate.path
        self.base.set_path(candidate)
        self.candidate.set_path(base)
        self.compare()

    def step(self, by: int) -> None:
        """Select the next or previous tensor that deviates."""
        self.pane.step(by)

    def show_first(self) -> None:
        """Select the first tensor that deviates."""
        self.pane.show_first()

    def show_tensors(self) -> bool:
        """Open the tensors of the selected row; False when no row is selected."""
        row = self.pane.selected_row()
        base, candidate = self.base.path, self.candidate.path
        if row is None or base is None or candidate is None:
            return False
        self._studio.open(
            candidate,
            opener=TENSOR,
            base=str(base),
            part=row.part,
            base_name=row.base_name or "",
            name=row.candidate_name or "",
        )
        return True

    def show_scatter(self, shown: bool) -> None:
        """Show or hide the chart of errors against depth."""
        self.pane.scatter.setVisible(shown)
        self._scatter.setChecked(shown)
        QTimer.singleShot(0, self, self._show_current)

    # -- inside ---------------------------------------------------------------------------------
    def _options_chosen(self, found: Chosen | None) -> None:
        page, self.options = self.options, None
        if page is not None:
            self._stack.removeWidget(page)
            page.deleteLater()
        self._turn_to(self._page)
        self._tell_options()
        if found is not None:
            self.set_options(found)

    def _turn_to(self, page: int) -> None:
        """Show the message (0) or the result (1), but not while options are being chosen."""
        self._page = page
        if self.options is None:
            self._stack.setCurrentIndex(page)

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

    def _show(self, found: Prepared) -> None:
        self._job = None
        self.pane.show_result(found)
        self._show_filters(True)
        self._turn_to(1)

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
        self._show_filters(False)
        self._turn_to(0)

    def _show_filters(self, shown: bool) -> None:
        """Offer filters where there is something to filter."""
        self._status_action.setVisible(shown)
        if self.pane.part_action is not None:
            several = self.pane.found is not None and len(self.pane.found.parts) > 1
            self.pane.part_action.setVisible(shown and several)

    def _show_current(self) -> None:
        """Keep the selected row in sight when the room for the table changes."""
        view = self.table.view
        if view.currentIndex().isValid():
            view.scrollTo(view.currentIndex())

    def _tell_options(self) -> None:
        self._options.setToolTip(self.chosen.described() or tr("Noise run, mapping, tolerances…"))
        self._options.setChecked(bool(self.chosen.noise or self.chosen.mapping))

    def _relist(self, _items: list[Item]) -> None:
        self.base.refresh()
        self.candidate.refresh()

    def _connect(self) -> None:
        for side in (self.base, self.candidate):
            side.chosen.connect(self.compare)
        self.pane.selected.connect(self._sharing.tell)
        self.pane.tensors_wanted.connect(self.show_tensors)
        listen(self, self._studio.selection_changed, self._sharing.follow)
        if self._studio.project is not None:
            listen(self, self._studio.project.items_changed, self._relist)

    def _lay_out(self) -> None:
        bar = ToolBar(tr("Precision"), self)
        bar.add("refresh", tr("Compare again"), self.compare, keys="F5")
        bar.addWidget(self.base)
        bar.add("swap", tr("Swap base and candidate"), self.swap)
        bar.addWidget(self.candidate)
        self._options = bar.add(
            "settings", tr("Noise run, mapping, tolerances…"), self.choose_options, checkable=True
        )
        bar.addSeparator()
        bar.add("previous", tr("Previous deviation"), lambda: self.step(-1), keys="Shift+F8")
        bar.add("next", tr("Next deviation"), lambda: self.step(1), keys="F8")
        bar.addSeparator()
        bar.add("tensor", tr("Show tensors"), self.show_tensors, keys="Ctrl+Return")
        bar.add("goto", tr("Go to the source line"), self.pane.show_source)
        self._scatter = bar.add(
            "chart",
            tr("Error against depth"),
            lambda: self.show_scatter(self._scatter.isChecked()),
            checkable=True,
        )
        bar.add_stretch()
        self.pane.part_action = bar.addWidget(self.pane.part)
        self._status_action = bar.addWidget(self.status)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.pane)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(bar)
        whole.addWidget(self._stack, 1)
        self.setFocusProxy(self.table.view)
