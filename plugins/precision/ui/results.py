"""The view of a table that msprobe wrote: as it is, to sort, filter and copy."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QVBoxLayout, QWidget

from plugins.precision.core.results import described
from studio.formats.msprobe_results import read_results
from studio.i18n import tr
from studio.ui.columns import Column, Values, read_columns
from studio.ui.readpages import ReadPages
from studio.ui.table import TableView
from studio.ui.tablemodel import Mark
from studio.ui.view import EmptyState

if TYPE_CHECKING:
    from pathlib import Path

    from studio.api import Studio
    from studio.kernel.job_context import JobContext

_WIDEST = 320
_VERDICTS = frozenset(
    ("result", "status", "forward test success", "backward test success", "比对结果")
)
_LOOKS = {
    "pass": ("ok", "ok"),
    "true": ("ok", "ok"),
    "warning": ("warn", "warn"),
    "error": ("error", "error"),
    "false": ("error", "error"),
    "fail": ("error", "error"),
    "skip": ("info", "muted"),
}
"""Icon and colour by what msprobe writes."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """What the job hands to the window: the kind of table and its cells, ready to paint."""

    kind: str
    count: int
    values: list[Values]


def make_view(studio: Studio, path: Path) -> QWidget:
    """Make the view of one table."""
    return ResultsView(studio, path)


def load(path: Path, job: JobContext | None = None) -> Loaded:
    """Read a table and lay out its cells; runs in a job."""
    if job is not None:
        job.report(None, path.name)
    table = read_results(path)
    columns = [Column(f"{i}", name, width=_width(name)) for i, name in enumerate(table.columns)]
    rows = [{f"{i}": cell for i, cell in enumerate(row)} for row in table.rows]
    return Loaded(table.kind, len(rows), read_columns(rows, columns))


class ResultsView(QWidget):
    """Reads in the background, then shows one table."""

    def __init__(self, studio: Studio, path: Path) -> None:
        super().__init__()
        self.path = path
        self.table = TableView()
        self._pages = ReadPages(studio, "precision")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._pages)
        self._kind = ""
        self._pages.read("precision:ui.results.load", {"path": path}, path, self._show)

    # -- what the host asks ---------------------------------------------------------------------
    def title(self) -> str:
        """The name of the file."""
        return self.path.name

    def tool_tip(self) -> str:
        """Where the file is and what it holds."""
        return f"{self.path}\n{self._kind}" if self._kind else str(self.path)

    def idle(self) -> bool:
        """Whether nothing is being read or sorted."""
        return self._pages.idle() and self.table.idle()

    def _show(self, loaded: Loaded) -> None:
        words = described(loaded.kind, loaded.count)
        self._kind = words
        if not loaded.count:
            self._pages.show_page(
                EmptyState("precision", words, tr("The file has a header and nothing below it."))
            )
            return
        self.table.set_data(loaded.values)
        for values in loaded.values:
            if values.column.title.casefold() in _VERDICTS:
                self.table.model.marks[values.column.key] = partial(_mark, values)
        self._pages.show_page(self.table)


def _mark(values: Values, row: int) -> Mark | None:
    """Icon and colour of a verdict of msprobe."""
    look = _LOOKS.get(str(values.raw(row)).strip().casefold())
    return Mark(*look) if look else None


def _width(name: str) -> int:
    return _WIDEST if name.casefold() in ("npu_stack_info", "err_message", "message") else 0
