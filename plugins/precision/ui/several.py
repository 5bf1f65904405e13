"""One run against several others: a row for each, and the way to its comparison."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QVBoxLayout, QWidget

from plugins.precision.core.dumping import Options
from plugins.precision.core.several import Summary, compared
from plugins.precision.ui.sides import Side, dumps_of, named
from studio.i18n import tr
from studio.ui.columns import Column, Values, read_columns
from studio.ui.icons import set_icon
from studio.ui.readpages import ReadPages
from studio.ui.table import TableView
from studio.ui.tablemodel import Mark
from studio.ui.toolbar import ToolBar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtWidgets import QMenu

    from studio.api import Studio
    from studio.kernel.job_context import JobContext

COMPARISON = "precision.compare"
_MARKS = {0: ("ok", "ok"), 1: ("error", "error"), 3: ("cancel", "warn")}
"""Icon and colour by the exit code of a comparison."""


def make_view(studio: Studio, path: Path, candidates: Sequence[str] = ()) -> QWidget:
    """Compare the dump at `path` with `candidates`, or with its siblings in the project."""
    return SeveralView(studio, path, [Path(candidate) for candidate in candidates])


def load(
    base: str, candidates: Sequence[str], standard: str, job: JobContext | None = None
) -> tuple[list[Summary], list[Values]]:
    """Compare all candidates and lay out a row for each; runs in a job."""
    paths = [Path(candidate) for candidate in candidates]
    found = compared(Path(base), paths, Options(standard=standard), job)
    summaries = [summary for summary, _ in found]
    return summaries, read_columns([_cells(summary) for summary in summaries], _columns())


class SeveralView(QWidget):
    """Compares in the background and lists what each comparison says."""

    title_changed = Signal()

    def __init__(self, studio: Studio, base: Path, candidates: list[Path]) -> None:
        super().__init__()
        self._studio = studio
        self.base = Side(tr("Base"), studio)
        self.base.set_path(base)
        self.candidates = candidates or _siblings(base, dumps_of(studio))
        self.summaries: list[Summary] = []
        self.table = TableView(self)  # without rows, until there is something to show
        self.table.hide()
        self._pages = ReadPages(studio, "compare")
        self._lay_out()
        self.compare()

    # -- what the host asks -------------------------------------------------------------------
    def title(self) -> str:
        """The base and how many it is compared with."""
        name = self.base.path.name if self.base.path else ""
        return tr("{base} ↔ {n} runs", base=name, n=len(self.candidates))

    def tool_tip(self) -> str:
        """All paths, the base first."""
        return "\n".join(map(str, (self.base.path, *self.candidates)))

    def idle(self) -> bool:
        """Whether all are compared and shown."""
        return self._pages.idle() and self.table.idle()

    def save_state(self) -> dict[str, Any]:
        """The base and the candidates."""
        return {
            "base": str(self.base.path or ""),
            "candidates": [str(path) for path in self.candidates],
        }

    def restore_state(self, state: dict[str, Any]) -> None:
        """Return to saved runs."""
        candidates = [Path(str(path)) for path in state.get("candidates", ())]
        base = Path(str(state.get("base") or self.base.path))
        if (base, candidates) != (self.base.path, self.candidates) and candidates:
            self.base.set_path(base)
            self.candidates = candidates
            self.compare()

    def reopen(self, candidates: Sequence[str] = ()) -> None:
        """Compare with other candidates."""
        self._set([Path(candidate) for candidate in candidates] or self.candidates)

    # -- doing --------------------------------------------------------------------------------
    def compare(self) -> None:
        """Compare the base with all candidates anew."""
        self.title_changed.emit()
        base = self.base.path
        others = [path for path in self.candidates if path != base]
        if base is None or not others:
            text = tr("Choose a base above, and add the folders of the runs in question.")
            self._pages.tell("compare", tr("No runs to compare"), text)
            return
        self._pages.read(
            "precision:ui.several.load",
            {
                "base": str(base),
                "candidates": [str(path) for path in others],
                "standard": str(self._studio.setting("precision.standard")),
            },
            base,
            self._show,
        )

    def add(self, *paths: Path) -> None:
        """Compare further runs."""
        self._set(list(dict.fromkeys((*self.candidates, *paths))))

    def remove_selected(self) -> None:
        """Leave out the runs of the selected rows."""
        gone = {self.summaries[row].candidate for row in self.table.selected_rows()}
        self._set([path for path in self.candidates if path not in gone])

    def open_row(self, row: int) -> None:
        """Show the comparison with one candidate."""
        if row < len(self.summaries) and self.base.path is not None:
            candidate = self.summaries[row].candidate
            self._studio.open(candidate, opener=COMPARISON, base=str(self.base.path))

    # -- inside -------------------------------------------------------------------------------
    def _set(self, candidates: list[Path]) -> None:
        if candidates != self.candidates:
            self.candidates = candidates
            self.compare()

    def _show(self, loaded: tuple[list[Summary], list[Values]]) -> None:
        self.summaries, values = loaded
        # The pages delete the one before: a table stays good only as long as it is shown.
        self.table = TableView()
        self.table.row_activated.connect(self.open_row)
        self.table.menu_hook = self._menu
        self.table.model.marks["verdict"] = self._mark
        self.table.set_data(values)
        self._pages.show_page(self.table)
        self.setFocusProxy(self.table.view)

    def _menu(self, menu: QMenu, rows: list[int]) -> None:
        if len(rows) == 1:
            action = menu.addAction(tr("Show this comparison"))
            set_icon(action, "compare")
            action.triggered.connect(lambda: self.open_row(rows[0]))
        gone = menu.addAction(tr("Leave out"))
        set_icon(gone, "remove")
        gone.triggered.connect(self.remove_selected)

    def _mark(self, row: int) -> Mark | None:
        if row >= len(self.summaries):
            return None
        return Mark(*_MARKS[self.summaries[row].exit_code])

    def _open_selected(self) -> None:
        for row in self.table.selected_rows()[:1]:
            self.open_row(row)

    def _ask(self) -> None:
        start = str((self.base.path or Path()).parent)
        name = QFileDialog.getExistingDirectory(self, tr("Folder of a run in question"), start)
        if name:
            self.add(Path(name))

    def _lay_out(self) -> None:
        bar = ToolBar(tr("Several runs"), self)
        bar.add("refresh", tr("Compare again"), self.compare, keys="F5")
        bar.addWidget(self.base)
        bar.add("add", tr("Add a run…"), self._ask)
        bar.add("remove", tr("Leave out"), self.remove_selected, keys="Del")
        bar.addSeparator()
        bar.add("compare", tr("Show this comparison"), self._open_selected)
        self.base.chosen.connect(self.compare)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(bar)
        column.addWidget(self._pages, 1)


def _siblings(base: Path, dumps: list[Path]) -> list[Path]:
    """The other dumps of the project: those beside the base, or all when there are none."""
    others = [path for path in dumps if path != base]
    return [path for path in others if path.parent == base.parent] or others


def _columns() -> list[Column]:
    return [
        Column("candidate", tr("Candidate"), width=220),
        Column("verdict", tr("Verdict"), width=130),
        Column("deviating", tr("Deviating"), tip=tr("Values that deviate"), heat=True),
        Column("total", tr("Values")),
        Column("error", tr("Largest error"), kind="float", tip=tr("Relative, of all that deviate")),
        Column("operator", tr("First deviation"), width=240),
        Column("module", tr("Module"), width=240),
        Column("reason", tr("Why"), width=360),
        Column("source", tr("Source"), width=200),
    ]


def _cells(summary: Summary) -> dict[str, Any]:
    verdict = {0: tr("agrees"), 1: tr("deviates")}.get(summary.exit_code, tr("not comparable"))
    return {
        "candidate": named(summary.candidate),
        "verdict": verdict,
        "deviating": summary.deviating,
        "total": summary.total,
        "error": summary.error,
        "operator": summary.operator or None,
        "module": summary.module or None,
        "reason": summary.problem or summary.reason or None,
        "source": summary.source or None,
    }
